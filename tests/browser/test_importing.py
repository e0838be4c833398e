"""Bring data in through the browser: check, mend, import."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from annotations.models import Dataset
from tests.browser.conftest import WORKER_TIME, OpenPage
from tests.browser.study import BrowserStudy


@pytest.mark.usefixtures("celery_worker_process")
def test_a_dataset_is_checked_mended_and_imported(open_page: OpenPage, study: BrowserStudy, tmp_path: Path) -> None:
    study.admin.is_superuser = True
    study.admin.save()
    page = open_page(study.admin)
    bad, good = tmp_path / "bad.csv", tmp_path / "good.csv"
    rows = ["instance,text,label,probability", "1,One.,yes,0.75", "1,One.,no,0.25", "2,Two.,yes,0.5"]
    bad.write_text("\n".join([*rows, "2,Two.,no,1.5"]) + "\n")
    good.write_text("\n".join([*rows, "2,Two.,no,0.5"]) + "\n")
    page.goto("/imports")
    page.get_by_label("Short name", exact=True).fill("two-texts")
    with page.expect_file_chooser() as chooser:
        page.get_by_label("Files", exact=True).click()
    chooser.value.set_files(bad)
    page.get_by_role("button", name="Check the files", exact=True).click()
    problem = page.get_by_role("row").filter(has_text="bad.csv")
    expect(problem).to_contain_text("1.5", timeout=WORKER_TIME)
    expect(page.get_by_role("button", name="Import", exact=True)).to_have_count(0)
    with page.expect_file_chooser() as chooser:
        page.get_by_label("Files", exact=True).click()
    chooser.value.set_files(good)
    page.get_by_role("button", name="Check the files", exact=True).click()
    page.get_by_role("button", name="Import", exact=True).click(timeout=WORKER_TIME)
    expect(page.get_by_text("Imported.", exact=True)).to_be_visible(timeout=WORKER_TIME)
    assert Dataset.objects.get(slug="two-texts").instances.count() == 2
