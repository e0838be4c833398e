"""Trainings in the browser: choosing methods, what a training will take, its progress, and what came of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from annotations.models import Dataset, Role, User, WorkerHeartbeat
from metaeval.training_jobs.models import Training, TrainingState
from tests.browser import training as made
from tests.browser.conftest import DARK_PHONE, LAPTOP, WORKER_TIME, Look, OpenPage
from tests.conftest import start_worker
from tests.metaeval.training.needing import needs_training, torch_here
from tests.metaeval.training_jobs.world import judged_dataset
from tests.worlds.studies import make_member, make_study

Axe = Callable[[Page], list[str]]
SIDEWAYS = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture
def importer(transactional_db: None) -> User:
    return User.objects.create_superuser("root@example.org", "a long password", name="Robin Researcher")


@pytest.fixture
def dataset(transactional_db: None) -> Dataset:
    return judged_dataset()


@pytest.fixture
def worker_seen(transactional_db: None) -> None:
    """A worker has been seen, though none does anything: a training stays as the test made it."""
    WorkerHeartbeat.objects.create(name="somewhere:1", seen_at=timezone.now() + timedelta(hours=1))


@pytest.fixture
def training_worker(transactional_db: None, tmp_path: Path) -> Iterator[None]:
    """A worker that takes trainings, and everything else."""
    torch_here()
    process = start_worker(tmp_path, processes=1, queues="celery,training")
    try:
        yield
    finally:
        process.terminate()
        process.wait(timeout=60)


def test_a_dataset_without_trainings_says_what_one_gives_and_leads_to_the_form(
    open_page: OpenPage, importer: User, dataset: Dataset
) -> None:
    page = open_page(importer)
    page.goto(f"/datasets/{dataset.slug}")
    page.get_by_role("link", name="Train systems", exact=True).click()
    expect(page.get_by_text(re.compile("^Train systems on these annotations: "))).to_be_visible()
    page.get_by_role("link", name="Choose methods", exact=True).click()
    expect(page.get_by_role("heading", name="New training", exact=True)).to_be_visible()
    expect(page.get_by_text("To learn from: 40 texts labelled by 3 annotators.", exact=True)).to_be_visible()


def test_methods_that_do_not_apply_cannot_be_chosen_and_say_why(open_page: OpenPage, importer: User) -> None:
    page = open_page(importer)
    page.goto(f"/datasets/{judged_dataset(known=False).slug}/trainings/new")
    ensemble = page.get_by_role("checkbox", name="AE annotator ensemble", exact=True)
    expect(ensemble).to_be_disabled()
    expect(ensemble).to_have_accessible_description(re.compile("^AE needs to know who gave each annotation"))
    expect(page.get_by_role("checkbox", name="SL soft labels", exact=True)).to_be_checked()
    expect(page.get_by_text(re.compile(r"^300 models to train: 10 methods × 3 runs × 10 folds\."))).to_be_visible()
    page.get_by_role("button", name="Choose none", exact=True).click()
    page.get_by_role("button", name="Check and estimate", exact=True).click()
    expect(page.get_by_text("Please choose at least one method.", exact=True)).to_be_visible()
    assert not Training.objects.exists()


def test_what_is_wrong_is_said_beside_its_field_and_has_the_focus(
    open_page: OpenPage, importer: User, dataset: Dataset
) -> None:
    made.training(dataset, model="mine")
    page = open_page(importer)
    page.goto(f"/datasets/{dataset.slug}/trainings/new")
    rate = page.get_by_label("Learning rate", exact=True)
    expect(page.get_by_label("Runs", exact=True)).to_have_value("3")
    expect(rate).to_be_hidden()
    page.get_by_text("Advanced settings All have safe defaults", exact=True).click()
    rate.fill("7")
    page.get_by_text("Advanced settings All have safe defaults", exact=True).click()
    page.get_by_role("button", name="Check and estimate", exact=True).click()
    expect(rate).to_be_focused()
    expect(rate).to_have_accessible_description(re.compile("Please enter a number above 0 and of at most 1"))
    rate.fill("")
    name = page.get_by_label("Name of the model", exact=True)
    name.fill("mine")
    page.get_by_role("button", name="Check and estimate", exact=True).click()
    expect(name).to_be_focused()
    expect(name).to_have_accessible_description(re.compile("This name is taken on this dataset"))
    assert Training.objects.count() == 1


def test_without_a_worker_a_training_is_prepared_all_the_same_and_says_what_it_waits_for(
    open_page: OpenPage, importer: User
) -> None:
    dataset = judged_dataset(given=True)
    page = open_page(importer)
    page.goto(f"/datasets/{dataset.slug}/trainings/new")
    expect(page.get_by_text(re.compile("^No worker takes trainings at the moment"))).to_be_visible()
    expect(page.get_by_text("hlvstudy worker -Q training", exact=True)).to_be_visible()
    expect(page.get_by_role("radio", name="As the files say", exact=True)).to_be_checked()
    page.get_by_role("button", name="Check and estimate", exact=True).click()
    page.wait_for_url("**/trainings/*")
    said = page.get_by_role("status").filter(has_text="Waiting for a worker")
    expect(said).to_be_visible()
    expect(page.get_by_text(re.compile("so this has to wait"))).to_be_visible()
    training = Training.objects.get()
    assert (training.state, training.split.kind, len(training.methods)) == (TrainingState.CHECKING, "given", 14)


@pytest.mark.usefixtures("worker_seen")
def test_a_training_is_started_stopped_and_resumed_by_keyboard(
    open_page: OpenPage, importer: User, dataset: Dataset
) -> None:
    training = made.ready(dataset)
    page = open_page(importer)
    page.goto(f"/trainings/{training.pk}")
    forecast = "Training 2 models takes about 2 minutes if one follows the other"
    expect(page.get_by_text(re.compile(f"^{forecast}"))).to_be_visible()
    page.get_by_role("button", name="Start training", exact=True).press("Enter")
    status = page.get_by_role("status").filter(has_text="The systems are being trained.")
    expect(status).to_be_focused()
    page.get_by_role("button", name="Stop…", exact=True).press("Enter")
    asked = page.get_by_role("dialog", name="Stop this training?", exact=True)
    expect(asked).to_contain_text("You can resume it later")
    page.keyboard.press("Escape")
    expect(asked).to_be_hidden()
    expect(page.get_by_role("button", name="Stop…", exact=True)).to_be_focused()
    page.keyboard.press("Enter")
    asked.get_by_role("button", name="Stop training", exact=True).press("Enter")
    stopped = page.get_by_role("status").filter(has_text="Stopped. Models trained: 0 of 2.")
    expect(stopped).to_be_focused()
    page.get_by_role("button", name="Resume", exact=True).press("Enter")
    expect(status).to_be_visible()
    training.refresh_from_db()
    assert training.state == TrainingState.TRAINING


def test_nobody_is_told_to_start_a_worker_while_a_command_trains(
    open_page: OpenPage, importer: User, dataset: Dataset
) -> None:
    training = made.training(dataset, runs=2, ready=1)
    page = open_page(importer)
    page.goto(f"/trainings/{training.pk}")
    expect(page.get_by_text("SL, run 1 of 2", exact=True)).to_be_visible()
    expect(page.get_by_text(re.compile("^No worker takes trainings"))).to_be_hidden()


@pytest.mark.usefixtures("worker_seen")
def test_progress_is_shown_over_all_and_for_each_method(open_page: OpenPage, importer: User, dataset: Dataset) -> None:
    training = made.training(dataset, runs=2, ready=1)
    page = open_page(importer)
    page.goto(f"/trainings/{training.pk}")
    whole = page.get_by_role("progressbar", name="The training", exact=True)
    expect(whole).to_have_attribute("aria-valuetext", re.compile("^31%"))
    expect(page.get_by_text("SL, run 1 of 2", exact=True)).to_be_visible()
    first = page.get_by_role("progressbar", name="MV", exact=True)
    expect(first).to_have_attribute("aria-valuetext", "1 of 2")
    expect(page.get_by_label("Loss by epoch", exact=True).locator("svg.marks")).to_be_visible()


def test_a_failed_training_says_why_and_can_be_resumed(open_page: OpenPage, importer: User, dataset: Dataset) -> None:
    training = made.failed(dataset)
    page = open_page(importer)
    page.goto(f"/trainings/{training.pk}")
    expect(page.get_by_role("alert")).to_contain_text("There is not enough memory. Choose a smaller batch size.")
    page.get_by_role("button", name="Resume", exact=True).click()
    expect(page.get_by_text("The systems are being trained.", exact=True)).to_be_visible()


def test_a_finished_training_leads_to_a_comparison_and_to_a_study(
    open_page: OpenPage, importer: User, dataset: Dataset
) -> None:
    training = made.finished(dataset)
    page = open_page(importer)
    page.goto(f"/trainings/{training.pk}")
    expect(page.get_by_text("2 systems of the model small transformer were trained.", exact=True)).to_be_visible()
    page.get_by_text("The systems that it made", exact=True).click()
    expect(page.get_by_text("small transformer / MV / 1", exact=True)).to_be_visible()
    with page.expect_download() as svg:
        page.get_by_role("link", name="SVG", exact=True).click()
    assert svg.value.path().read_text().startswith("<svg")
    page.get_by_role("link", name="Plan a study of these systems", exact=True).click()
    expect(page.get_by_label("Dataset", exact=True)).to_have_value(dataset.slug)
    page.go_back()
    page.get_by_role("button", name="Compare the methods", exact=True).click()
    page.wait_for_url("**/runs/*")
    run = dataset.analysis_runs.get()
    assert (run.analysis, run.parameters["baseline"]) == ("system_scores", "MV")


def test_who_may_not_import_does_not_see_that_there_are_trainings(open_page: OpenPage, dataset: Dataset) -> None:
    training = made.ready(dataset)
    study = make_study(dataset=dataset)
    page = open_page(make_member(study, Role.RESEARCHER, "researcher@example.org").user)
    page.goto(f"/datasets/{dataset.slug}")
    expect(page.get_by_role("link", name="Systems", exact=True)).to_be_visible()
    expect(page.get_by_role("link", name="Train systems", exact=True)).to_have_count(0)
    page.goto(f"/trainings/{training.pk}")
    expect(page.get_by_role("button", name="Start training", exact=True)).to_have_count(0)


@pytest.mark.parametrize("look", [LAPTOP, DARK_PHONE], ids=["light-laptop", "dark-phone"])
def test_no_state_has_a_barrier_or_scrolls_sideways(
    open_page: OpenPage, importer: User, dataset: Dataset, axe: Axe, look: Look
) -> None:
    page = open_page(importer, look=look)
    states = {
        name: f"/trainings/{make(dataset, model=name).pk}"
        for name, make in {
            "checking": made.checking,
            "ready": made.ready,
            "training": made.training,
            "stopped": made.stopped,
            "failed": made.failed,
            "finished": made.finished,
        }.items()
    }
    here = f"/datasets/{dataset.slug}/trainings"
    found: dict[str, list[str]] = {}
    for name, address in {"list": here, "form": f"{here}/new", **states}.items():
        page.goto(address)
        page.wait_for_load_state("networkidle")
        for fold in page.locator("details > summary").all():
            fold.click()
        found[name] = axe(page)
        if sideways := page.evaluate(SIDEWAYS):
            found[name] = [*found[name], f"scrolls {sideways} pixels sideways"]
    assert {where: barriers for where, barriers in found.items() if barriers} == {}


@needs_training
@pytest.mark.long
@pytest.mark.usefixtures("training_worker")
def test_systems_are_trained_from_the_form_to_the_comparison(open_page: OpenPage, importer: User, axe: Axe) -> None:
    dataset = judged_dataset(texts=20)
    page = open_page(importer)
    page.goto(f"/datasets/{dataset.slug}/trainings/new")
    page.get_by_role("button", name="Choose none", exact=True).click()
    for method in ("MV majority vote", "SL soft labels"):
        page.get_by_role("checkbox", name=method, exact=True).check()
    page.get_by_label("Runs", exact=True).fill("1")
    page.get_by_label("Folds", exact=True).fill("2")
    page.get_by_text("Advanced settings All have safe defaults", exact=True).click()
    page.get_by_label("Epochs", exact=True).fill("2")
    page.get_by_role("button", name="Check and estimate", exact=True).click()
    start = page.get_by_role("button", name="Start training", exact=True)
    expect(start).to_be_visible(timeout=WORKER_TIME)
    expect(page.get_by_text(re.compile("^Training 4 models takes about "))).to_be_visible()
    start.click()
    finished = page.get_by_text("2 systems of the model small transformer were trained.", exact=True)
    expect(finished).to_be_visible(timeout=WORKER_TIME)
    chart = page.get_by_label("Loss by epoch", exact=True).locator("svg.marks").first
    expect(chart).to_contain_text("learnt from")
    assert axe(page) == []
    assert dataset.systems.count() == 2
    page.get_by_role("button", name="Compare the methods", exact=True).click()
    expect(page.get_by_text("Finished", exact=True)).to_be_visible(timeout=WORKER_TIME)
