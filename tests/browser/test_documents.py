"""A report and a bundle from the study's page."""

import os
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from annotations.simulating.responses import simulate_study
from tests.browser.conftest import DARK_PHONE, WORKER_TIME, OpenPage
from tests.browser.study import BrowserStudy


@pytest.mark.usefixtures("celery_worker_process")
def test_a_researcher_makes_a_report_and_a_bundle_and_takes_them(
    open_page: OpenPage, study: BrowserStudy, axe: Callable[[Page], list[str]]
) -> None:
    simulate_study(study=study.study, beside_people=True)
    page = open_page(study.researcher, look=DARK_PHONE)
    page.goto("/studies/areas/export")
    page.get_by_role("button", name="Create a report (HTML)", exact=True).click()
    made = page.get_by_role("region", name="Reports and bundles, newest first", exact=True)
    expect(made.get_by_role("row")).to_have_count(2, timeout=WORKER_TIME)
    page.get_by_role("button", name="Create a bundle", exact=True).click()
    expect(made.get_by_role("row")).to_have_count(3, timeout=WORKER_TIME)
    assert axe(page) == []
    if folder := os.environ.get("HLV_PICTURES"):
        page.screenshot(path=Path(folder) / "documents-390.png", full_page=True)

    with page.expect_download() as report:
        made.get_by_role("link", name="Download", exact=True).last.click()
    assert report.value.suggested_filename == "areas-report-SIMULATED.html"
    assert report.value.path().read_text(encoding="utf-8").startswith("<!doctype html>")
    with page.expect_download() as bundle:
        made.get_by_role("link", name="Download", exact=True).first.click()
    with zipfile.ZipFile(bundle.value.path()) as archive:
        assert "datapackage.json" in archive.namelist()
        assert "data/texts.jsonl" not in archive.namelist()
