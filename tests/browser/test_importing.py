"""Bring data in through the browser: check, mend, import."""

import os
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from annotations.models import Dataset
from tests.browser.conftest import WORKER_TIME, OpenPage
from tests.browser.study import BrowserStudy
from tests.conftest import ROOT


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


@pytest.mark.usefixtures("celery_worker_process")
def test_a_tools_export_gets_other_names_for_its_labels(open_page: OpenPage, study: BrowserStudy) -> None:
    study.admin.is_superuser = True
    study.admin.save()
    page = open_page(study.admin)
    page.goto("/imports")
    page.get_by_label("Short name", exact=True).fill("from-label-studio")
    names = page.get_by_label("New names for labels (optional)", exact=True)
    names.fill("yes=urgent\nno\nunsure=later")
    with page.expect_file_chooser() as chooser:
        page.get_by_label("Files", exact=True).click()
    chooser.value.set_files(ROOT / "tests" / "fixtures" / "tools" / "label_studio" / "export.json")
    page.get_by_role("button", name="Check the files", exact=True).click()
    expect(page.get_by_text(re.compile(re.escape("every label needs a name, such as 0=no, 1=yes")))).to_be_visible()
    names.fill("yes=urgent\nno=later\nunsure=later")
    page.get_by_role("button", name="Check the files", exact=True).click()
    expect(page.get_by_role("row").filter(has_text="the file has 3 criteria")).to_be_visible(timeout=WORKER_TIME)
    page.get_by_role("button", name="Show the options for Label Studio", exact=True).click()
    page.get_by_label("Criterion", exact=True).fill("urgent")
    page.get_by_role("button", name="Check the files", exact=True).click()
    button = page.get_by_role("button", name="Import", exact=True)
    expect(button).to_be_visible(timeout=WORKER_TIME)
    expect(page.get_by_text(re.compile(re.escape("3 answers that people skipped were left out.")))).to_be_visible()
    expect(
        page.get_by_text(
            re.compile(re.escape("The labels were renamed: 'urgent' is 'yes'; 'later' is 'no', 'unsure'."))
        )
    ).to_be_visible()
    if folder := os.environ.get("HLV_PICTURES"):
        for width in (1280, 390):
            page.set_viewport_size({"width": width, "height": 900})
            page.screenshot(path=Path(folder) / f"imports-{width}.png", full_page=True)
    width = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert width <= 0, "the page is no wider than a small screen"
    button.click()
    expect(page.get_by_text("Imported.", exact=True)).to_be_visible(timeout=WORKER_TIME)
    labels = Dataset.objects.get(slug="from-label-studio").labels
    assert list(labels.values_list("name", flat=True)) == ["urgent", "later"]


@pytest.mark.usefixtures("celery_worker_process")
def test_a_wrong_choice_is_mended_under_the_same_name(open_page: OpenPage, study: BrowserStudy, tmp_path: Path) -> None:
    study.admin.is_superuser = True
    study.admin.save()
    page = open_page(study.admin)
    file = tmp_path / "scale.csv"
    file.write_text("instance,annotator,label\n" + "".join(f"{n},ann,{n}\n" for n in (1, 2, 3, 7, 10)))
    page.goto("/imports")
    page.get_by_label("Short name", exact=True).fill("scale")
    with page.expect_file_chooser() as chooser:
        page.get_by_label("Files", exact=True).click()
    chooser.value.set_files(file)
    page.get_by_role("button", name="Check the files", exact=True).click()
    expect(page.get_by_text(re.compile(re.escape("'labels' = '1;2;3;4;5;6;7;8;9;10'")))).to_be_visible(
        timeout=WORKER_TIME
    )
    page.get_by_role("button", name="Import", exact=True).click(timeout=WORKER_TIME)
    expect(page.get_by_text("Imported.", exact=True)).to_be_visible(timeout=WORKER_TIME)
    page.get_by_label("Format", exact=True).select_option(label="Table")
    page.get_by_label("Kind of task", exact=True).select_option("ordinal")
    page.get_by_label("Replace data with the same name", exact=True).check()
    page.get_by_role("button", name="Check the files", exact=True).click()
    expect(page.get_by_text(re.compile(re.escape("The existing dataset would be replaced.")))).to_be_visible(
        timeout=WORKER_TIME
    )
    page.get_by_role("button", name="Import", exact=True).click(timeout=WORKER_TIME)
    expect(page.get_by_text(re.compile(re.escape("The existing dataset was replaced.")))).to_be_visible(
        timeout=WORKER_TIME
    )
    assert Dataset.objects.get(slug="scale").task == "ordinal"
