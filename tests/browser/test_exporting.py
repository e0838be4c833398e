"""Files, a report and a bundle from the study's page: asked for by clicks, and taken."""

import io
import re
import zipfile

from playwright.sync_api import Page, expect

from annotations.models import Event, EventKind
from annotations.simulating.responses import simulate_study
from tests.browser.conftest import DARK_PHONE, Axe, OpenPage, step, too_wide, work_off
from tests.browser.study import BrowserStudy

EXPORT = "/studies/areas/export"
FILES, DOCUMENTS = "Exported files, newest first", "Reports and bundles, newest first"


def test_what_a_study_has_found_is_taken_as_files_as_a_report_and_as_a_bundle(
    open_page: OpenPage, study: BrowserStudy, axe: Axe
) -> None:
    simulate_study(study=study.study, beside_people=True)
    page = open_page(study.admin)
    made = page.get_by_role("region", name=FILES, exact=True)
    with step("an admin makes a file with filters and names, once they have confirmed the names"):
        page.goto(EXPORT)
        expect(page.get_by_text(re.compile("^No files"))).to_be_visible()
        page.get_by_label("Pilot", exact=True).select_option("exclude")
        page.get_by_label("Changed answers", exact=True).select_option("all")
        page.get_by_role("checkbox", name=re.compile("names")).check()
        page.get_by_role("button", name="Create the file", exact=True).click()
        page.get_by_role("button", name="Create the file with names", exact=True).click()
        expect(page.get_by_role("button", name="Cancel", exact=True)).to_be_visible()  # it waits, and could be stopped
        work_off()
        expect(made.get_by_role("row")).to_have_count(2)
        for filtered in ("Without the pilot", "All versions", "With names"):
            expect(made).to_contain_text(filtered)
    with step("the file has what was asked for, names only in a table of their own"):
        with page.expect_download() as taken:
            made.get_by_role("link", name="Download", exact=True).click()
        assert taken.value.suggested_filename == "areas-csv-WITH-NAMES-SIMULATED.zip"
        with zipfile.ZipFile(io.BytesIO(taken.value.path().read_bytes())) as archive:
            assert {"responses.csv", "revisions.csv", "people.csv"} <= set(archive.namelist())
            assert b"Erin Expert" in archive.read("people.csv")
            assert b"Erin Expert" not in archive.read("responses.csv")
        assert Event.objects.filter(kind=EventKind.EXPORTED).exists()
        assert axe(page) == []

    page = open_page(study.researcher, look=DARK_PHONE)
    made = page.get_by_role("region", name=FILES, exact=True)
    with step("a researcher can neither take the names nor ask for them"):
        page.goto(EXPORT)
        expect(made.get_by_role("row")).to_have_count(2)
        expect(made.get_by_role("link", name="Download", exact=True)).to_have_count(0)
        expect(page.get_by_role("checkbox", name=re.compile("names"))).to_have_count(0)
    with step("a file of the whole study has no filters"):
        expect(page.get_by_label("Pilot", exact=True)).to_be_enabled()
        page.get_by_role("radio", name=re.compile("JSON lines and metadata")).check()
        expect(page.get_by_label("Pilot", exact=True)).to_have_count(0)
        page.get_by_role("button", name="Create the file", exact=True).click()
        work_off()
        expect(made.get_by_role("row")).to_have_count(3)
    with step("a report and a bundle are made and taken"):
        documents(page)
        assert axe(page) == []
        assert too_wide(page) == 0


def documents(page: Page) -> None:
    made = page.get_by_role("region", name=DOCUMENTS, exact=True)
    for count, name in ((2, "Create a report (HTML)"), (3, "Create a bundle")):
        page.get_by_role("button", name=name, exact=True).click()
        work_off()
        expect(made.get_by_role("row")).to_have_count(count)
    with page.expect_download() as report:
        made.get_by_role("link", name="Download", exact=True).last.click()
    assert report.value.suggested_filename == "areas-report-SIMULATED.html"
    assert report.value.path().read_text(encoding="utf-8").startswith("<!doctype html>")
    with page.expect_download() as bundle:
        made.get_by_role("link", name="Download", exact=True).first.click()
    with zipfile.ZipFile(bundle.value.path()) as archive:
        assert "datapackage.json" in archive.namelist()
        assert "data/texts.jsonl" not in archive.namelist()
