"""Analyses in the browser: start one, watch it, read it; and what happens when it cannot be done."""

import csv
import io
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from annotations.designing.lifecycle import change_state
from annotations.models import Study, StudyState
from annotations.simulating.responses import simulate_study
from tests.browser.conftest import DARK_PHONE, LAPTOP, WORKER_TIME, Look, OpenPage
from tests.browser.study import BrowserStudy

ANALYSES = "/studies/areas/results"


def choose(page: Page) -> None:
    page.goto(ANALYSES)
    page.get_by_label("Analysis", exact=True).select_option(label="Which metric agrees with the experts?")


def start(page: Page) -> None:
    choose(page)
    page.get_by_role("button", name="Start the analysis", exact=True).click()
    page.wait_for_url("**/runs/*")


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
    expect(table.get_by_role("rowheader")).to_have_count(6)
    chart = page.locator("svg.marks")
    expect(chart).to_be_visible(timeout=WORKER_TIME)
    expect(chart).to_contain_text("Simulated data")
    figure = page.get_by_role("region", name="Scatter: overview", exact=True)
    assert figure.evaluate("one => one.scrollWidth <= one.clientWidth"), "the figure scrolls sideways"
    ink = "rgb(228, 232, 238)" if look.scheme == "dark" else "rgb(28, 36, 48)"
    heading = chart.locator("text").filter(has_text="Each metric").first
    assert heading.evaluate("one => getComputedStyle(one).fill") == ink
    assert axe(page) == []

    page.get_by_label("Figure", exact=True).select_option(index=1)
    expect(chart).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("link", name="CSV", exact=True).first.click()
    rows = list(csv.DictReader(io.StringIO(download.value.path().read_text(encoding="utf-8-sig"))))
    assert len(rows) == 6


@pytest.mark.usefixtures("celery_worker_process")
def test_an_analysis_that_cannot_be_done_says_why(open_page: OpenPage, study: BrowserStudy) -> None:
    page = open_page(study.researcher)
    start(page)
    alert = page.get_by_role("alert").filter(has_text="The analysis failed")
    expect(alert).to_contain_text("No response counts yet", timeout=WORKER_TIME)
    expect(alert.get_by_role("button", name="Try again", exact=True)).to_be_visible()


def test_a_waiting_analysis_says_that_no_worker_runs_and_can_be_cancelled(
    open_page: OpenPage, study: BrowserStudy
) -> None:
    page = open_page(study.researcher)
    start(page)
    expect(page.get_by_text("Waiting for a worker", exact=True)).to_be_visible()
    expect(page.get_by_text(re.compile("^No worker is running at the moment, so this waits."))).to_be_visible()
    page.get_by_role("button", name="Cancel", exact=True).click()
    expect(page.get_by_text("This was cancelled. Nothing of it was kept.", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Start again", exact=True)).to_be_visible()


def test_a_parameter_out_of_its_bounds_is_refused_before_anything_is_sent(
    open_page: OpenPage, study: BrowserStudy
) -> None:
    page = open_page(study.researcher)
    choose(page)
    page.get_by_label("Permutations", exact=True).fill("7")
    page.get_by_role("button", name="Start the analysis", exact=True).click()
    expect(page.get_by_text("Please enter a number from 100 to 10,000,000.", exact=True)).to_be_visible()
    assert page.url.endswith(ANALYSES)


@pytest.mark.usefixtures("celery_worker_process")
def test_the_same_question_is_answered_at_once_and_computed_again_only_when_asked(
    open_page: OpenPage, study: BrowserStudy
) -> None:
    simulate_study(study=study.study, beside_people=True)
    page = open_page(study.researcher)
    start(page)
    expect(page.get_by_text("Finished", exact=True)).to_be_visible(timeout=WORKER_TIME)
    first = page.url
    log = page.get_by_role("region", name="What happened to this run", exact=True)
    expect(log).to_contain_text("Taken up by worker")
    start(page)
    page.wait_for_url(lambda url: url != first)
    expect(page.get_by_text("Finished", exact=True)).to_be_visible(timeout=WORKER_TIME)
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
    choose(page)
    page.get_by_role("button", name="Add to the analysis plan", exact=True).click()
    expect(page.get_by_text("Planned: 1 analysis.", exact=True)).to_be_visible()
    page.goto("/studies/areas/design/analysis")
    plan = page.get_by_role("region", name="Planned analyses", exact=True)
    expect(plan).to_contain_text("Preference correlation")
    assert axe(page) == []
    change_state(study=study.study, to=StudyState.OPEN)
    page.reload()
    expect(page.get_by_text(re.compile("^Fixed when the study opened, "))).to_be_visible()
    expect(plan.get_by_role("button", name="Remove", exact=True)).to_have_count(0)
    page.goto(ANALYSES)
    expect(page.get_by_role("button", name="Start the analysis", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Add to the analysis plan", exact=True)).to_have_count(0)


def test_a_dataset_s_analyses_are_found_from_the_data(open_page: OpenPage, study: BrowserStudy) -> None:
    page = open_page(study.researcher)
    page.goto(f"/datasets/{study.study.dataset.slug}/analyses")
    expect(page.get_by_role("heading", name="Start an analysis", exact=True)).to_be_visible()
    expect(page.get_by_text("No analysis has been started yet.", exact=True)).to_be_visible()
    page.goto("/analyses")
    expect(page.get_by_role("heading", name="Start an analysis", exact=True)).to_be_visible()
