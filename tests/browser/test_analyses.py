"""Analyses in the browser: start one, watch it, read it; and what happens when it cannot be done."""

import csv
import io
import re

import pytest
from playwright.sync_api import Page, expect

from annotations.models import Event, EventKind, JobState
from annotations.simulating.responses import simulate_study
from metaeval.jobs.models import AnalysisRun
from tests.browser.conftest import DARK_PHONE, LAPTOP, WORKER_TIME, Axe, OpenPage, step, too_wide, wear
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


def expect_finished(page: Page) -> None:
    expect(page.get_by_text("Finished", exact=True)).to_be_visible(timeout=WORKER_TIME)


@pytest.mark.usefixtures("celery_worker_process")
def test_a_researcher_asks_a_worker_and_reads_cites_and_repeats_the_answer(
    open_page: OpenPage, study: BrowserStudy, axe: Axe
) -> None:
    page = open_page(study.researcher)
    with step("a question that nobody can answer yet is not offered"):
        page.goto(ANALYSES)
        question = page.get_by_role("listitem").filter(has=page.get_by_role("heading", name=QUESTION, exact=True))
        expect(question).to_contain_text("Not available yet")
        expect(question.get_by_role("button")).to_have_count(0)
    with step("an analysis that cannot be done says why, and can be tried again"):
        start_all_the_same(page)
        alert = page.get_by_role("alert").filter(has=page.get_by_role("button", name="Try again", exact=True))
        expect(alert).to_be_visible(timeout=WORKER_TIME)
        reason = AnalysisRun.objects.get().error
        assert reason
        expect(alert).to_contain_text(reason)

    simulate_study(study=study.study, beside_people=True)
    answer = page.locator("[data-answer]")
    table = page.get_by_role("region", name=re.compile("^Correlation of each metric with "))
    chart = page.locator("svg.marks")
    figure = page.get_by_role("region", name=re.compile("^Each metric and the experts"))
    with step("a researcher sees the answer, the table and the chart, marked as simulated"):
        start(page)
        expect_finished(page)
        first = page.url
        expect(page.get_by_text("Simulated data", exact=True)).to_be_visible()
        expect(table.get_by_role("rowheader")).to_have_count(6)
        expect(table.get_by_role("cell", name=re.compile(r"^\[.+, .+\]$")).first).to_be_visible()
        expect(answer).to_contain_text("simulated")
        expect(chart).to_contain_text("Simulated data", timeout=WORKER_TIME)
    for look, ink in ((LAPTOP, "rgb(28, 36, 48)"), (DARK_PHONE, "rgb(228, 232, 238)")):
        with step(f"page and figure fit {look.width} pixels, in {look.scheme}"):
            wear(page, look)
            if look is DARK_PHONE:  # a phone shows the first rows, so that the page stays short
                expect(table.get_by_role("rowheader")).to_have_count(4)
                page.get_by_role("button", name=re.compile("^Show all 6")).click()
                expect(table.get_by_role("rowheader")).to_have_count(6)
            heading = chart.locator("text").filter(has_text="Micro F1").first
            expect(heading).to_have_css("fill", ink)
            assert too_wide(page) == 0
            assert figure.evaluate("one => one.scrollWidth <= one.clientWidth"), "the figure scrolls sideways"
            assert axe(page) == []
    wear(page, LAPTOP)
    with step("another figure is chosen; the result is cited and taken as a table"):
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
    made = page.get_by_text("How it was computed, and how to repeat it", exact=True)
    log = page.get_by_role("region", name="What happened to this run", exact=True)
    with step("the same question is answered at once, and computed again only when asked"):
        start(page)
        page.wait_for_url(lambda url: url != first)
        expect_finished(page)
        made.click()
        expect(log).to_be_visible()
        second = page.url
        assert AnalysisRun.objects.exclude(answered_by=None).count() == 1
        page.get_by_role("button", name="Compute again", exact=True).click()
        page.wait_for_url(lambda url: url != second)
        expect_finished(page)
        made.click()
        expect(log).to_contain_text("worker")
        assert AnalysisRun.objects.exclude(answered_by=None).count() == 1
    # Before the study closes the sentence stands on the page of questions only for who asks to see it.
    with step("the page of questions shows answers to who asks for them, and writes down that they did"):
        page.goto(ANALYSES)
        expect(page.get_by_role("heading", name=QUESTION, exact=True)).to_be_visible()
        expect(page.get_by_role("link", name=f"Read the result: {QUESTION}", exact=True)).to_be_visible()
        expect(answer).to_have_count(0)
        page.get_by_role("button", name="Show the results", exact=True).click()
        expect(answer.first).to_be_visible()
        assert Event.objects.filter(kind=EventKind.UNBLINDED_VIEW, data__what="answers of analyses").count() == 1
        wear(page, DARK_PHONE)
        assert axe(page) == []
        assert too_wide(page) == 0


def test_settings_are_tried_and_a_waiting_analysis_is_cancelled(
    open_page: OpenPage, study: BrowserStudy, axe: Axe
) -> None:
    page = open_page(study.researcher)
    run = page.get_by_role("button", name="Run analysis", exact=True)
    with step("a parameter out of its bounds is refused before anything is sent"):
        page.goto(WITH_SETTINGS)
        permutations = page.get_by_label(re.compile("^Random orders"))
        expect(permutations).to_be_hidden()
        page.locator("summary", has_text=re.compile("^Statistics ")).click()
        expect(permutations).to_have_value("100000")
        wear(page, DARK_PHONE)
        assert axe(page) == []
        assert too_wide(page) == 0
        wear(page, LAPTOP)
        permutations.fill("7")
        run.click()
        expect(permutations).to_have_attribute("aria-invalid", "true")
        expect(permutations).to_have_accessible_description(re.compile("100 .*10,000,000"))
        assert page.url.endswith(WITH_SETTINGS)
        assert not AnalysisRun.objects.exists()
    with step("what only the server knows to be wrong stands beside its field, and opens the group that it is in"):
        permutations.fill("200")
        advanced = page.locator("summary", has_text=re.compile("^Advanced statistics "))
        advanced.click()
        resamples = page.get_by_label(re.compile("^Random samples"))
        resamples.fill("50")
        advanced.click()
        expect(resamples).to_be_hidden()
        run.click()
        expect(resamples).to_be_visible()
        expect(resamples).to_have_accessible_description(re.compile("50"))
        assert not AnalysisRun.objects.exists()

    cancel = page.get_by_role("button", name="Cancel", exact=True)
    with step("a waiting analysis is seen, cancelled and tried again on the page of questions"):
        start_all_the_same(page)
        started = page.url
        expect(cancel).to_be_visible()
        page.goto(ANALYSES)
        expect(page.get_by_role("progressbar", name=QUESTION, exact=True)).to_have_count(2)
        page.get_by_role("button", name=f"Cancel: {QUESTION}", exact=True).click()
        page.get_by_role("button", name=f"Try again: {QUESTION}", exact=True).click()
        expect(page.get_by_role("button", name=f"Cancel: {QUESTION}", exact=True)).to_be_visible()
    with step("its own page says that no worker runs, and cancels it"):
        page.goto(started)
        expect(page.get_by_text(re.compile("No worker"))).to_be_visible()
        cancel.click()
        expect(page.get_by_role("button", name="Start again", exact=True)).to_be_visible()
        assert AnalysisRun.objects.filter(state=JobState.CANCELLED).exists()
    with step("a dataset's analyses are found from the data"):
        page.goto(f"/datasets/{study.study.dataset.slug}/analyses")
        expect(page.get_by_role("heading", name=re.compile("^Which system is best"))).to_be_visible()
        page.goto("/analyses")
        page.get_by_role("link", name=re.compile("^Choose datasets: ")).first.click()
        expect(page.get_by_role("group", name="Datasets", exact=True)).to_be_visible()
