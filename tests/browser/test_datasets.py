"""Datasets in the browser: looked through, put in other words, predicted, undone, deleted."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from annotations.models import Dataset, System
from tests.browser.conftest import WORKER_TIME, OpenPage
from tests.browser.study import BrowserStudy
from tests.worlds.full import make_full_dataset


def owned(study: BrowserStudy) -> Dataset:
    """A dataset that nothing uses, of somebody who may do everything with it."""
    study.admin.is_superuser = True
    study.admin.save()
    return make_full_dataset("mine")


def test_texts_are_found_sorted_and_opened(open_page: OpenPage, study: BrowserStudy) -> None:
    owned(study)
    page = open_page(study.admin)
    page.goto("/")
    page.get_by_role("link", name="Datasets", exact=True).click()
    page.get_by_role("link", name="A small dataset", exact=True).click()
    expect(page.get_by_text(re.compile("12 texts · 5 labels · any number of labels per text"))).to_be_visible()
    texts = page.get_by_role("list", name="Texts", exact=True).get_by_role("listitem")
    expect(texts).to_have_count(12)
    page.get_by_label("Find in texts", exact=True).fill("NUMBER 7")
    page.get_by_role("button", name="Find", exact=True).click()
    expect(texts).to_have_count(1)
    page.get_by_label("Find in texts", exact=True).fill("")
    page.get_by_role("button", name="Find", exact=True).click()
    expect(texts).to_have_count(12)
    page.get_by_label("Order", exact=True).select_option(label="Most disagreement first")
    expect(page).to_have_url(re.compile("order=-disagreement"))
    page.get_by_label("Order", exact=True).select_option(label="Worst predictions first")
    expect(texts.first).to_contain_text("systems off by")
    texts.first.get_by_role("link").click()
    expect(page.get_by_role("heading", name="People (5)", exact=True)).to_be_visible()
    expect(page.get_by_role("heading", name="RoBERTa / ReL / 0", exact=True)).to_be_visible()
    expect(page.get_by_role("row").filter(has_text="L4")).to_be_visible()


def test_a_label_is_renamed_and_a_dataset_deleted(open_page: OpenPage, study: BrowserStudy) -> None:
    dataset = owned(study)
    page = open_page(study.admin)
    page.goto("/datasets/mine/labels")
    page.get_by_label("Display name of Consumer law", exact=True).fill("Consumers")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("✓ Saved", exact=True)).to_be_visible()
    assert dataset.labels.get(position=0).display_name == "Consumers"
    page.get_by_role("link", name="Systems", exact=True).click()
    page.get_by_role("button", name="Delete Llama", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name="Delete", exact=True).click()
    expect(page.get_by_role("button", name="Delete Llama", exact=True)).to_have_count(0)
    page.get_by_role("link", name="Used by", exact=True).click()
    page.get_by_role("button", name="Delete this dataset…", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name="Delete", exact=True).click()
    expect(page).to_have_url(re.compile("/datasets$"))
    assert not Dataset.objects.filter(slug="mine").exists()


@pytest.mark.usefixtures("celery_worker_process")
def test_predictions_are_imported_from_the_page_and_undone(
    open_page: OpenPage, study: BrowserStudy, tmp_path: Path
) -> None:
    dataset = owned(study)
    names = list(dataset.labels.order_by("position").values_list("name", flat=True))
    header = ",".join(["instance", *('"' + name.replace('"', '""') + '"' for name in names)])
    file = tmp_path / "guesser.csv"
    file.write_text("\n".join([header, *(f"text-{n},0.5,0.5,0,0,0.1" for n in range(12))]) + "\n")
    page = open_page(study.admin)
    page.goto("/datasets/mine/import")
    with page.expect_file_chooser() as chooser:
        page.get_by_label("Files", exact=True).click()
    chooser.value.set_files(file)
    page.get_by_role("button", name="Check the files", exact=True).click()
    page.get_by_role("button", name="Import", exact=True).click(timeout=WORKER_TIME)
    expect(page.get_by_text("Imported.", exact=True)).to_be_visible(timeout=WORKER_TIME)
    expect(page.get_by_text("✓ Success", exact=True)).to_be_visible()
    assert System.objects.filter(dataset=dataset, model="guesser").exists()
    page.goto("/imports")
    row = page.get_by_role("row").filter(has_text="Import of predictions")
    row.get_by_role("link").first.click()
    page.get_by_role("button", name="Undo this import…", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name="Undo", exact=True).click()
    expect(page.get_by_text(re.compile("^Undone on "))).to_be_visible()
    assert not System.objects.filter(dataset=dataset, model="guesser").exists()
    page.goto("/imports")
    page.get_by_text("System predictions", exact=True).click()
    expect(page.get_by_label("Dataset", exact=True)).to_be_visible()
