"""Datasets in the browser: looked through, put in other words, predicted, undone, deleted."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from annotations.models import Dataset, User
from metaeval.jobs.models import AnalysisRun
from tests.browser.conftest import PHONE, WORKER_TIME, OpenPage, step, work_off
from tests.browser.study import PASSWORD
from tests.metaeval.analyses.system_scores.training_runs import trained_dataset
from tests.worlds.full import make_full_dataset


@pytest.fixture
def root(transactional_db: None) -> User:
    """Somebody who may do everything with every dataset."""
    return User.objects.create_superuser("root@example.org", PASSWORD)


def test_a_dataset_is_read_predicted_put_in_other_words_and_deleted(
    open_page: OpenPage, root: User, tmp_path: Path
) -> None:
    dataset = make_full_dataset("mine")
    page = open_page(root)
    texts = page.get_by_role("list", name="Texts", exact=True).get_by_role("listitem")
    with step("texts are found by what they say"):
        page.goto("/")
        page.get_by_role("link", name="Datasets", exact=True).click()
        page.get_by_role("link", name=dataset.title, exact=True).click()
        expect(page.get_by_text(re.compile(r"\b12 texts\b.*\b5 labels\b"))).to_be_visible()
        expect(texts).to_have_count(12)
        page.get_by_label("Find in texts", exact=True).fill("NUMBER 7")
        page.get_by_role("button", name="Find", exact=True).click()
        expect(texts).to_have_count(1)
        page.get_by_label("Find in texts", exact=True).fill("")
        page.get_by_role("button", name="Find", exact=True).click()
        expect(texts).to_have_count(12)
    with step("texts are sorted, and the order has an address"):
        order = page.get_by_label("Order", exact=True)
        order.select_option("-disagreement")
        expect(page).to_have_url(re.compile("order=-disagreement"))
        order.select_option("worst")
        expect(texts.first).to_contain_text("systems off by", timeout=WORKER_TIME)
    with step("a text opens with everything that people and systems said of it"):
        texts.first.get_by_role("link").click()
        expect(page.get_by_role("heading", name="People (5)", exact=True)).to_be_visible()
        expect(page.get_by_role("heading", name="RoBERTa / ReL / 0", exact=True)).to_be_visible()
        expect(page.get_by_role("row").filter(has_text="L4")).to_be_visible()
    with step("a label gets a display name"):
        page.goto("/datasets/mine/labels")
        page.get_by_label("Display name of Consumer law", exact=True).fill("Consumers")
        page.get_by_role("button", name="Save", exact=True).click()
        expect(page.get_by_role("status").filter(has_text="✓")).to_be_visible()
        assert dataset.labels.get(position=0).display_name == "Consumers"

    names = list(dataset.labels.order_by("position").values_list("name", flat=True))
    header = ",".join(["instance", *('"' + name.replace('"', '""') + '"' for name in names)])
    file = tmp_path / "guesser.csv"
    file.write_text("\n".join([header, *(f"text-{n},0.5,0.5,0,0,0.1" for n in range(12))]) + "\n")
    guesser = dataset.systems.filter(model="guesser")
    with step("predictions are imported from the dataset's page"):
        page.get_by_role("link", name="Import predictions", exact=True).click()
        with page.expect_file_chooser() as chooser:
            page.get_by_label("Files", exact=True).click()
        chooser.value.set_files(file)
        page.get_by_role("button", name="Check the files", exact=True).click()
        work_off()
        page.get_by_role("button", name="Import", exact=True).click()
        work_off()
        expect(page.get_by_text("✓ Success", exact=True)).to_be_visible()
        assert guesser.exists()
    with step("an import is undone"):
        page.goto("/imports")
        page.get_by_text("System predictions", exact=True).click()
        expect(page.get_by_label("Dataset", exact=True)).to_be_visible()
        page.get_by_role("row").filter(has_text="Import of predictions").get_by_role("link").first.click()
        page.get_by_role("button", name="Undo this import…", exact=True).click()
        page.get_by_role("dialog").get_by_role("button", name="Undo", exact=True).click()
        expect(page.get_by_role("button", name="Undo this import…", exact=True)).to_have_count(0)
        assert not guesser.exists()
    with step("a system and the dataset are deleted"):
        page.goto("/datasets/mine/systems")
        page.get_by_role("button", name="Delete Llama", exact=True).click(timeout=WORKER_TIME)
        page.get_by_role("dialog").get_by_role("button", name="Delete", exact=True).click()
        expect(page.get_by_role("button", name="Delete Llama", exact=True)).to_have_count(0)
        page.get_by_role("link", name="Used by", exact=True).click()
        page.get_by_role("button", name="Delete this dataset…", exact=True).click()
        page.get_by_role("dialog").get_by_role("button", name="Delete", exact=True).click()
        expect(page).to_have_url(re.compile("/datasets$"))
        assert not Dataset.objects.filter(slug="mine").exists()


def test_the_methods_of_a_datasets_systems_are_compared_and_a_study_of_them_begun(
    open_page: OpenPage, root: User
) -> None:
    make_full_dataset("mine")
    trained_dataset("alone", methods=("MV",))
    trained_dataset("without", methods=("SL", "SmF1"))
    trained_dataset("trained", methods=("MV", "SL", "SmF1"), task="multilabel")
    page = open_page(root, look=PHONE)
    plan = page.get_by_role("link", name="Plan a study of these systems", exact=True)
    compare = page.get_by_role("button", name="Compare the methods", exact=True)
    for slug in ("alone", "without"):
        with step(f"with one method or {slug} majority vote there is nothing to compare"):
            page.goto(f"/datasets/{slug}/systems")
            expect(plan).to_be_visible(timeout=WORKER_TIME)
            expect(compare).to_have_count(0)
    with step("with several, the comparison is offered"):
        page.goto("/datasets/mine/systems")
        expect(compare).to_be_visible()
    answer = page.locator("[data-answer]")
    with step("methods are compared with one click, and a method that collapsed is named"):
        page.goto("/datasets/trained/systems")
        compare.click()
        page.wait_for_url("**/runs/*")
        work_off()
        expect(answer).to_be_visible()
        expect(page.get_by_text(re.compile("SmF1 of TwHIN .* 2 of 3")).first).to_be_visible()
        table = page.get_by_role("region", name="Metrics of the systems: means over runs", exact=True)
        expect(table.get_by_role("cell", name=re.compile(r"^0\.\d{3} ± 0\.\d{3}$")).first).to_be_visible()
        figure = page.get_by_role("region", name="Differences from the baseline", exact=True)
        expect(figure.locator("svg.marks")).to_be_visible(timeout=WORKER_TIME)
    with step("the same question again is answered by the stored result"):
        page.goto("/datasets/trained/systems")
        compare.click()
        page.wait_for_url("**/runs/*")
        work_off()
        expect(answer).to_be_visible()
        assert AnalysisRun.objects.exclude(answered_by=None).count() == 1
    with step("a study of the systems is begun with their dataset chosen"):
        plan.click()
        page.wait_for_url("**/studies/new?dataset=trained")
        expect(page.get_by_label("Dataset", exact=True)).to_have_value("trained")
    with step("an address with an unknown dataset leaves the choice open"):
        page.goto("/studies/new?dataset=nowhere")
        expect(page.get_by_label("Dataset", exact=True)).to_have_value("")
