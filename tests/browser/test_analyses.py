"""Analyses in the browser: start one, watch it, read it; and what happens when it cannot be done."""

import csv
import io
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from annotations.designing.lifecycle import change_state
from annotations.models import Event, EventKind, Study, StudyState
from annotations.simulating.responses import simulate_study
from tests.browser.conftest import DARK_PHONE, LAPTOP, WORKER_TIME, Look, OpenPage
from tests.browser.study import BrowserStudy

ANALYSES = "/studies/areas/results"


QUESTION = "Which metric agrees best with the experts?"
RESULT = "**/studies/areas/results/preference_correlation/*"
WITH_SETTINGS = f"{ANALYSES}?ask=preference_correlation"


def start(page: Page) -> None:
    page.goto(ANALYSES)
    page.get_by_role("button", name=re.compile(f"^Run (analysis|again): {re.escape(QUESTION)}$")).click()
    page.wait_for_url(RESULT)


def start_all_the_same(page: Page) -> None:
    """Though the page says that it cannot be answered yet."""
    page.goto(WITH_SETTINGS)
    page.get_by_role("button", name="Run analysis", exact=True).click()
    page.wait_for_url(RESULT)


def fits(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"))


@pytest.mark.parametrize("look", [LAPTOP, DARK_PHONE], ids=["light-laptop", "dark-phone"])
@pytest.mark.usefixtures("celery_worker_process")
def test_a_researcher_starts_an_analysis_and_sees_table_and_chart(
    open_page: OpenPage, study: BrowserStudy, axe: Callable[[Page], list[str]], look: Look
) -> None:
    simulate_study(study=study.study, beside_people=True)
    page = open_page(study.researcher, look=look)
    start(page)
    expect(page.get_by_text("Finished", exact=True)).to_be_visible(timeout=WORKER_TIME)
    expect(page.get_by_text("Simulated data", exact=True)).to_be_visible()

    table = page.get_by_role("region", name=re.compile("^Correlation of each metric with "))
    if look is DARK_PHONE:  # a phone shows the first rows, so that the page stays short
        expect(table.get_by_role("rowheader")).to_have_count(4)
        page.get_by_role("button", name="Show all 6 rows", exact=True).click()
    expect(table.get_by_role("rowheader")).to_have_count(6)
    expect(table.get_by_role("cell", name=re.compile(r"^\[.+, .+\]$")).first).to_be_visible()
    said = "has the highest|have the same|agrees best|None of .+ metrics|Neither of the two"
    answer = page.get_by_text(re.compile(f"({said}).+ The data are simulated\\.$", re.DOTALL))
    expect(answer).to_be_visible()
    assert fits(page)
    chart = page.locator("svg.marks")
    expect(chart).to_be_visible(timeout=WORKER_TIME)
    expect(chart).to_contain_text("Simulated data")
    figure = page.get_by_role("region", name="Each metric and the experts’ preference: All at once", exact=True)
    assert figure.evaluate("one => one.scrollWidth <= one.clientWidth"), "the figure scrolls sideways"
    ink = "rgb(228, 232, 238)" if look.scheme == "dark" else "rgb(28, 36, 48)"
    heading = chart.locator("text").filter(has_text="Micro F1").first
    assert heading.evaluate("one => getComputedStyle(one).fill") == ink
    assert axe(page) == []

    page.get_by_label("Show in this figure", exact=True).select_option(index=1)
    expect(chart).to_be_visible()
    page.get_by_role("button", name="Download and cite", exact=True).click()
    taking = page.get_by_role("dialog")
    expect(taking.get_by_role("region", name="BibTeX", exact=True)).to_contain_text("@misc{areas-preference-corr")
    assert axe(page) == []
    with page.expect_download() as download:
        taking.get_by_role("link", name="CSV", exact=True).click()
    rows = list(csv.DictReader(io.StringIO(download.value.path().read_text(encoding="utf-8-sig"))))
    assert len(rows) == 6

    # Before the study closes the sentence stands on the page of questions only for who asks to see it.
    page.goto(ANALYSES)
    expect(page.get_by_role("heading", name=QUESTION, exact=True)).to_be_visible()
    expect(page.get_by_role("link", name=f"Read the result: {QUESTION}", exact=True)).to_be_visible()
    expect(answer).to_have_count(0)
    page.get_by_role("button", name="Show the results", exact=True).click()
    expect(answer).to_have_count(2)
    assert Event.objects.filter(kind=EventKind.UNBLINDED_VIEW, data__what="answers of analyses").count() == 1
    assert axe(page) == []
    assert fits(page)
    page.goto(WITH_SETTINGS)
    page.get_by_text(re.compile("^Statistics ")).click()
    expect(page.get_by_label("Random orders to compare with", exact=True)).to_have_value("100000")
    assert axe(page) == []
    assert fits(page)


@pytest.mark.usefixtures("celery_worker_process")
def test_an_analysis_that_cannot_be_done_says_why(open_page: OpenPage, study: BrowserStudy) -> None:
    page = open_page(study.researcher)
    page.goto(ANALYSES)
    expect(page.get_by_text("Not available yet. No expert has answered yet.", exact=True).first).to_be_visible()
    expect(page.get_by_role("button", name=f"Run analysis: {QUESTION}", exact=True)).to_have_count(0)
    start_all_the_same(page)
    alert = page.get_by_role("alert").filter(has_text="The analysis failed")
    expect(alert).to_contain_text("No responses count yet", timeout=WORKER_TIME)
    expect(alert.get_by_role("button", name="Try again", exact=True)).to_be_visible()


def test_a_waiting_analysis_says_that_no_worker_runs_and_can_be_cancelled(
    open_page: OpenPage, study: BrowserStudy
) -> None:
    page = open_page(study.researcher)
    start_all_the_same(page)
    expect(page.get_by_text("Waiting for a worker", exact=True)).to_be_visible()
    started = page.url
    page.goto(ANALYSES)
    expect(page.get_by_role("progressbar", name=QUESTION, exact=True)).to_have_count(2)
    page.get_by_role("button", name=f"Cancel: {QUESTION}", exact=True).click()
    page.get_by_role("button", name=f"Try again: {QUESTION}", exact=True).click()
    expect(page.get_by_role("button", name=f"Cancel: {QUESTION}", exact=True)).to_be_visible()
    page.goto(started)
    expect(page.get_by_text(re.compile("^No worker is running at the moment, so this has to wait."))).to_be_visible()
    page.get_by_role("button", name="Cancel", exact=True).click()
    expect(page.get_by_text("This was cancelled. Nothing was saved.", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Start again", exact=True)).to_be_visible()


def test_a_parameter_out_of_its_bounds_is_refused_before_anything_is_sent(
    open_page: OpenPage, study: BrowserStudy
) -> None:
    page = open_page(study.researcher)
    page.goto(WITH_SETTINGS)
    permutations = page.get_by_label("Random orders to compare with", exact=True)
    expect(permutations).to_be_hidden()
    page.get_by_text(re.compile("^Statistics ")).click()
    permutations.fill("7")
    page.get_by_role("button", name="Run analysis", exact=True).click()
    expect(page.get_by_text("Please enter a number from 100 to 10,000,000.", exact=True)).to_be_visible()
    assert page.url.endswith(WITH_SETTINGS)
    # What only the server knows to be wrong stands beside its field too, and opens the group that it is in.
    permutations.fill("200")
    page.get_by_text(re.compile("^Advanced statistics ")).click()
    resamples = page.get_by_label("Random samples for intervals", exact=True)
    resamples.fill("50")
    page.get_by_text(re.compile("^Advanced statistics ")).click()
    expect(resamples).to_be_hidden()
    page.get_by_role("button", name="Run analysis", exact=True).click()
    expect(resamples).to_be_visible()
    expect(resamples).to_have_accessible_description(re.compile("50 resamples are too few for an interval"))


@pytest.mark.usefixtures("celery_worker_process")
def test_the_same_question_is_answered_at_once_and_computed_again_only_when_asked(
    open_page: OpenPage, study: BrowserStudy
) -> None:
    simulate_study(study=study.study, beside_people=True)
    page = open_page(study.researcher)
    start(page)
    expect(page.get_by_text("Finished", exact=True)).to_be_visible(timeout=WORKER_TIME)
    first = page.url
    made = page.get_by_text("How it was computed, and how to repeat it", exact=True)
    log = page.get_by_role("region", name="What happened to this run", exact=True)
    made.click()
    expect(log).to_contain_text("Started by worker")
    start(page)
    page.wait_for_url(lambda url: url != first)
    expect(page.get_by_text("Finished", exact=True)).to_be_visible(timeout=WORKER_TIME)
    made.click()
    expect(log).to_contain_text("The same question was answered on")
    second = page.url
    page.get_by_role("button", name="Compute again", exact=True).click()
    page.wait_for_url(lambda url: url != second)
    expect(page.get_by_text("Finished", exact=True)).to_be_visible(timeout=WORKER_TIME)


def test_an_analysis_is_planned_until_the_study_opens(
    open_page: OpenPage, study: BrowserStudy, axe: Callable[[Page], list[str]]
) -> None:
    Study.objects.filter(pk=study.study.pk).update(state=StudyState.DRAFT, opened_at=None)
    page = open_page(study.researcher)
    page.goto(WITH_SETTINGS)
    page.get_by_role("button", name="Add to the analysis plan", exact=True).click()
    expect(page.get_by_text("The plan now has 1 analysis.", exact=True)).to_be_visible()
    page.goto("/studies/areas/design/analysis")
    plan = page.get_by_role("region", name="Planned analyses", exact=True)
    expect(plan).to_contain_text("Preference correlation")
    assert axe(page) == []
    change_state(study=study.study, to=StudyState.OPEN)
    page.reload()
    expect(page.get_by_text(re.compile("^Fixed when the study opened "))).to_be_visible()
    expect(plan.get_by_role("button", name="Remove", exact=True)).to_have_count(0)
    page.goto(WITH_SETTINGS)
    expect(page.get_by_role("button", name="Run analysis", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Add to the analysis plan", exact=True)).to_have_count(0)


def test_a_dataset_s_analyses_are_found_from_the_data(open_page: OpenPage, study: BrowserStudy) -> None:
    page = open_page(study.researcher)
    page.goto(f"/datasets/{study.study.dataset.slug}/analyses")
    expect(page.get_by_role("heading", name="Which system is best by the metrics?", exact=True)).to_be_visible()
    expect(page.get_by_text("No analyses have been run yet.", exact=True)).to_be_visible()
    page.goto("/analyses")
    page.get_by_role("link", name="Choose datasets: Which system predicts people best?", exact=True).click()
    expect(page.get_by_role("group", name="Datasets", exact=True)).to_be_visible()
