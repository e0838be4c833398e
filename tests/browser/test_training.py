"""Trainings in the browser: choosing methods, what a training will take, its progress, and what came of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from annotations.models import Dataset, Role, User, WorkerHeartbeat
from metaeval.training_jobs.models import Training, TrainingState
from tests.browser import training as made
from tests.browser.conftest import DARK_PHONE, LAPTOP, WORKER_TIME, Axe, OpenPage, settled, step, too_wide, wear
from tests.conftest import start_worker
from tests.metaeval.training.needing import needs_training, torch_here
from tests.metaeval.training_jobs.world import judged_dataset
from tests.worlds.studies import make_member, make_study

ADVANCED = re.compile("^Advanced settings")


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


def test_a_training_is_asked_for_where_it_makes_sense(open_page: OpenPage, importer: User, dataset: Dataset) -> None:
    page = open_page(importer)
    check = page.get_by_role("button", name="Check and estimate", exact=True)
    with step("a dataset without trainings leads to the form, which says from what is learnt"):
        page.goto(f"/datasets/{dataset.slug}")
        page.get_by_role("link", name="Train systems", exact=True).click()
        page.get_by_role("link", name="Choose methods", exact=True).click()
        expect(page.get_by_role("heading", name="New training", exact=True)).to_be_visible()
        expect(page.get_by_text(re.compile(r"\b40 .*\b3\b")).first).to_be_visible()
    made.training(dataset, model="mine")
    rate = page.get_by_label("Learning rate", exact=True)
    advanced = page.locator("summary", has_text=ADVANCED)
    with step("what is wrong is said beside its field, which has the focus, and is unfolded for it"):
        expect(page.get_by_label("Runs", exact=True)).to_have_value("3")
        expect(rate).to_be_hidden()
        advanced.click()
        rate.fill("7")
        advanced.click()
        check.click()
        expect(rate).to_be_focused()
        expect(rate).to_have_accessible_description(re.compile(r"\b0\b.*\b1\b"))
        rate.fill("")
    with step("so is what only the server knows"):
        name = page.get_by_label("Name of the model", exact=True)
        name.fill("mine")
        check.click()
        expect(name).to_be_focused()
        expect(name).to_have_attribute("aria-invalid", "true")
        assert Training.objects.count() == 1
    with step("a method that does not apply cannot be chosen and says why"):
        page.goto(f"/datasets/{judged_dataset(known=False, slug='nameless').slug}/trainings/new")
        ensemble = page.get_by_role("checkbox", name="AE annotator ensemble", exact=True)
        expect(ensemble).to_be_disabled()
        expect(ensemble).to_have_accessible_description(re.compile("^AE .*annotation"))
        expect(page.get_by_role("checkbox", name="SL soft labels", exact=True)).to_be_checked()
        expect(page.get_by_text(re.compile(r"^300 models .*\b10\b.*\b3\b.*\b10\b"))).to_be_visible()
    with step("without a method nothing is asked for"):
        page.get_by_role("button", name="Choose none", exact=True).click()
        check.click()
        expect(page.get_by_text(re.compile("at least one"))).to_be_visible()
        assert Training.objects.count() == 1
    with step("without a worker it is prepared all the same, and says what it waits for"):
        page.goto(f"/datasets/{judged_dataset(given=True, slug='split').slug}/trainings/new")
        expect(page.get_by_text("hlvstudy worker -Q training", exact=True)).to_be_visible()
        expect(page.get_by_role("radio", name="As the files say", exact=True)).to_be_checked()
        check.click()
        page.wait_for_url("**/trainings/*")
        expect(page.get_by_role("status").filter(has_text="Waiting for a worker")).to_be_visible()
        expect(page.get_by_text(re.compile("to wait"))).to_be_visible()
        training = Training.objects.get(dataset__slug="split")
        assert (training.state, training.split.kind, len(training.methods)) == (TrainingState.CHECKING, "given", 14)


@pytest.mark.usefixtures("worker_seen")
def test_a_training_is_started_stopped_and_resumed_by_keyboard(
    open_page: OpenPage, importer: User, dataset: Dataset
) -> None:
    training = made.ready(dataset)
    page = open_page(importer)
    stop = page.get_by_role("button", name="Stop…", exact=True)
    asked = page.get_by_role("dialog")
    status = page.get_by_role("status")
    with step("the forecast says how many models and how long"):
        page.goto(f"/trainings/{training.pk}")
        expect(page.get_by_text(re.compile(r"\b2 models\b.*\b2 minutes\b"))).to_be_visible()
    with step("it is started, and what became of it has the focus"):
        page.get_by_role("button", name="Start training", exact=True).press("Enter")
        expect(stop).to_be_visible()
        assert status.and_(page.locator(":focus")).count() == 1
    with step("a question is taken back with Escape"):
        stop.press("Enter")
        expect(asked).to_contain_text("resume")
        page.keyboard.press("Escape")
        expect(asked).to_be_hidden()
        expect(stop).to_be_focused()
    with step("it is stopped"):
        page.keyboard.press("Enter")
        asked.get_by_role("button", name="Stop training", exact=True).press("Enter")
        expect(status.filter(has_text="0 of 2")).to_be_focused()
    with step("and resumed"):
        page.get_by_role("button", name="Resume", exact=True).press("Enter")
        expect(stop).to_be_visible()
        training.refresh_from_db()
        assert training.state == TrainingState.TRAINING


def test_the_state_of_a_training_is_read_and_what_came_of_it_is_used(
    open_page: OpenPage, importer: User, dataset: Dataset, axe: Axe
) -> None:
    page = open_page(importer)
    with step("progress is shown over all and for each method"):
        under_way = made.training(dataset, model="under way", runs=2, ready=1)
        page.goto(f"/trainings/{under_way.pk}")
        whole = page.get_by_role("progressbar", name="The training", exact=True)
        expect(whole).to_have_attribute("aria-valuetext", re.compile("^31%"))
        expect(page.get_by_text("SL, run 1 of 2", exact=True)).to_be_visible()
        first = page.get_by_role("progressbar", name="MV", exact=True)
        expect(first).to_have_attribute("aria-valuetext", "1 of 2")
        chart = page.get_by_label("Loss by epoch", exact=True).locator("svg.marks")
        expect(chart).to_be_visible(timeout=WORKER_TIME)
    with step("nobody is told to start a worker while a command trains"):
        expect(page.get_by_text(re.compile("No worker"))).to_be_hidden()
    with step("a failed training says why"):
        failed = made.failed(dataset, model="failed")
        page.goto(f"/trainings/{failed.pk}")
        reason = failed.jobs.exclude(error="").get().error
        expect(page.get_by_role("alert")).to_contain_text(reason)
    with step("and can be resumed"):
        page.get_by_role("button", name="Resume", exact=True).click()
        expect(page.get_by_role("button", name="Stop…", exact=True)).to_be_visible()
    finished = made.finished(dataset)
    with step("a finished training names the systems that it made, and its curves are taken"):
        page.goto(f"/trainings/{finished.pk}")
        expect(page.get_by_role("status").filter(has_text="small transformer")).to_contain_text("2")
        page.get_by_text("The systems that it made", exact=True).click()
        expect(page.get_by_text("small transformer / MV / 1", exact=True)).to_be_visible()
        with page.expect_download() as svg:
            page.get_by_role("link", name="SVG", exact=True).click()
        assert svg.value.path().read_text().startswith("<svg")
        for look in (LAPTOP, DARK_PHONE):
            wear(page, look)
            assert axe(page) == []
            assert too_wide(page) == 0
    with step("it leads to a study and to a comparison"):
        page.get_by_role("link", name="Plan a study of these systems", exact=True).click()
        expect(page.get_by_label("Dataset", exact=True)).to_have_value(dataset.slug)
        page.go_back()
        page.get_by_role("button", name="Compare the methods", exact=True).click()
        page.wait_for_url("**/runs/*")
        run = dataset.analysis_runs.get()
        assert (run.analysis, run.parameters["baseline"]) == ("system_scores", "MV")
    with step("who may not import is led to no training, and starts none"):
        study = make_study(dataset=dataset)
        page = open_page(make_member(study, Role.RESEARCHER, "researcher@example.org").user)
        page.goto(f"/datasets/{dataset.slug}")
        expect(page.get_by_role("link", name="Systems", exact=True)).to_be_visible()
        expect(page.get_by_role("link", name="Train systems", exact=True)).to_have_count(0)
        page.goto(f"/trainings/{made.ready(dataset, model='ready').pk}")
        expect(page.get_by_role("heading", level=1)).to_contain_text("ready")
        settled(page)
        expect(page.get_by_role("button", name="Start training", exact=True)).to_have_count(0)


@pytest.mark.long
def test_no_state_has_a_barrier_or_scrolls_sideways(
    open_page: OpenPage, importer: User, dataset: Dataset, axe: Axe
) -> None:
    page = open_page(importer)
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
    barriers: dict[str, list[str]] = {}
    for name, address in {"list": here, "form": f"{here}/new", **states}.items():
        page.goto(address)
        settled(page)
        for fold in page.locator("details > summary").all():
            fold.click()
        for look in (LAPTOP, DARK_PHONE):
            wear(page, look)
            at = f"{name}, {look.width} pixels wide"
            barriers[at] = axe(page) + ([f"scrolls {too_wide(page)} pixels sideways"] if too_wide(page) else [])
    assert {at: some for at, some in barriers.items() if some} == {}


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
    page.locator("summary", has_text=ADVANCED).click()
    page.get_by_label("Epochs", exact=True).fill("2")
    page.get_by_role("button", name="Check and estimate", exact=True).click()
    start = page.get_by_role("button", name="Start training", exact=True)
    expect(start).to_be_visible(timeout=WORKER_TIME)
    expect(page.get_by_text(re.compile(r"\b4 models\b.*\b(second|minute)s?\b"))).to_be_visible()
    start.click()
    finished = page.get_by_role("status").filter(has_text="small transformer")
    expect(finished).to_contain_text("2", timeout=WORKER_TIME)
    chart = page.get_by_label("Loss by epoch", exact=True).locator("svg.marks").first
    expect(chart).to_contain_text("learnt from")
    assert axe(page) == []
    assert dataset.systems.count() == 2
    page.get_by_role("button", name="Compare the methods", exact=True).click()
    expect(page.get_by_text("Finished", exact=True)).to_be_visible(timeout=WORKER_TIME)
