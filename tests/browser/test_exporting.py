"""An export made by clicks and taken, and the history that says so."""

import io
import re
import zipfile
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from annotations.simulating.responses import simulate_study
from tests.browser.conftest import DARK_PHONE, LAPTOP, WORKER_TIME, OpenPage
from tests.browser.study import BrowserStudy


@pytest.mark.usefixtures("celery_worker_process")
def test_an_admin_makes_a_file_with_filters_and_names_and_takes_it(
    open_page: OpenPage, study: BrowserStudy, axe: Callable[[Page], list[str]]
) -> None:
    simulate_study(study=study.study, beside_people=True)
    page = open_page(study.admin, look=LAPTOP)
    page.goto("/studies/areas/export")
    expect(page.get_by_text("No files have been created yet.", exact=True)).to_be_visible()
    page.get_by_label("Pilot", exact=True).select_option("exclude")
    page.get_by_label("Changed answers", exact=True).select_option("all")
    page.get_by_role("checkbox", name="Include the experts’ names and e-mail addresses", exact=True).check()
    page.get_by_role("button", name="Create the file", exact=True).click()
    page.get_by_role("button", name="Create the file with names", exact=True).click()
    made = page.get_by_role("region", name="Exported files, newest first", exact=True)
    expect(made.get_by_role("row")).to_have_count(2, timeout=WORKER_TIME)
    expect(made).to_contain_text("Without the pilot · All versions · With names")
    with page.expect_download() as taken:
        made.get_by_role("link", name="Download", exact=True).click()
    assert taken.value.suggested_filename == "areas-csv-WITH-NAMES-SIMULATED.zip"
    with zipfile.ZipFile(io.BytesIO(taken.value.path().read_bytes())) as archive:
        assert {"responses.csv", "revisions.csv", "people.csv"} <= set(archive.namelist())
        assert b"Erin Expert" in archive.read("people.csv")
        assert b"Erin Expert" not in archive.read("responses.csv")
    assert axe(page) == []

    # A researcher makes a file of the whole study, and is offered no names.
    page = open_page(study.researcher, look=DARK_PHONE)
    page.goto("/studies/areas/export")
    made = page.get_by_role("region", name="Exported files, newest first", exact=True)
    expect(made).to_contain_text("Only for admins of the study")
    expect(page.get_by_role("checkbox", name=re.compile("names"))).to_have_count(0)
    page.get_by_role("radio", name="Study responses (JSON lines and metadata.csv)", exact=True).check()
    expect(page.get_by_text(re.compile("always contains all answers"))).to_be_visible()
    page.get_by_role("button", name="Create the file", exact=True).click()
    expect(made.get_by_role("row")).to_have_count(3, timeout=WORKER_TIME)
    assert axe(page) == []
    assert page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0


def test_the_history_is_told_in_sentences_and_can_be_narrowed(
    open_page: OpenPage, study: BrowserStudy, axe: Callable[[Page], list[str]]
) -> None:
    page = open_page(study.admin, look=DARK_PHONE)
    page.goto("/studies/areas/history")
    planned = page.get_by_text(re.compile(r"^Ada Admin planned the study: \d+ comparisons, 2 experts each\.$"))
    expect(planned).to_be_visible()
    opened = page.get_by_text("Ada Admin opened the study.", exact=True)
    expect(opened).to_be_visible()
    assert axe(page) == []
    page.get_by_label("What was done", exact=True).select_option("state_changed")
    expect(planned).to_have_count(0)
    expect(opened).to_be_visible()
    page.get_by_label("Up to", exact=True).fill("2001-01-01")
    expect(page.get_by_text("Nothing matches these filters.", exact=True)).to_be_visible()
    page.get_by_role("button", name="Show everything", exact=True).click()
    expect(planned).to_be_visible()
    page.get_by_text("Details", exact=True).first.click()
    assert axe(page) == []
    assert page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0
