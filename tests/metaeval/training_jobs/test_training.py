"""Trainings that really happen: from annotations to systems, by a command, by a worker, and after a kill."""

from __future__ import annotations

import signal
import subprocess
import sys
from datetime import timedelta
from io import StringIO

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from annotations.background import jobs
from annotations.models import JobState, PredictedAnnotations
from metaeval.analyses.inputs.gathering import Subject
from metaeval.jobs.runs import compute
from metaeval.management.commands import train
from metaeval.training.extra import QUEUE
from metaeval.training.registry import methods
from metaeval.training_jobs.lifecycle import (
    advance,
    prepare_training,
    resume_training,
    stop_training,
    work_once,
    work_through,
)
from metaeval.training_jobs.models import Training, TrainingJob, TrainingState
from tests.conftest import ROOT, start_worker, wait_until, worker_environment
from tests.metaeval.training.needing import needs_training, torch_here
from tests.metaeval.training_jobs.world import TINY, judged_dataset

torch_here()
pytestmark = [pytest.mark.django_db(transaction=True), needs_training]


LAUNCHER = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "-m"]


def silent(done, total, message=""):
    """No progress is shown."""


def trained(dataset, **parameters):
    """A training from its preparation to its end, in this process."""
    training = prepare_training(dataset=dataset, parameters={**TINY, **parameters}, starts_itself=True)
    training = work_through(training, processes=1, progress=silent)
    assert training.state == TrainingState.FINISHED, training.error
    return training


def systems_of(training):
    return {one.method: one.predictions for one in training.dataset.systems.defer(None).filter(model=training.model)}


@pytest.mark.long
def test_every_method_ends_in_a_system_with_predictions_of_the_test_texts():
    dataset = judged_dataset()
    training = trained(dataset, methods=[])
    assert training.methods == methods.names()
    assert dataset.systems.count() == len(training.methods)
    assert {one.method for one in PredictedAnnotations.objects.all()} == {"AE", "AEh"}
    for Q in systems_of(training).values():
        known = np.isfinite(Q).all(axis=1)
        np.testing.assert_allclose(Q[known].sum(axis=1), 1, atol=1e-12)
        assert 0 < known.sum() < len(dataset.gold)


def test_a_leaderboard_scores_what_an_ensemble_predicts_of_each_annotator():
    dataset = judged_dataset()
    trained(dataset, methods=["AE", "SL"])
    result = compute(
        subject=Subject.of_dataset(dataset), analysis="leaderboard", parameters={}, seed=0, progress=silent
    )
    standings = {
        table["name"]: {row["system"]: row["score"] for row in table["rows"]}
        for table in result["tables"]
        if table["name"].endswith("_standings")
    }
    ensemble, soft = "small transformer / AE / 1", "small transformer / SL / 1"
    assert set(standings["soft_standings"]) == {"Baseline: random", ensemble, soft}
    assert set(standings["perspectivist_standings"]) == {"Baseline: random", ensemble}
    assert 0 <= standings["perspectivist_standings"][ensemble] <= 1


@pytest.mark.long
def test_texts_with_any_number_of_labels_are_trained_too():
    dataset = judged_dataset(multilabel=True)
    training = trained(dataset, methods=[], split="folds", folds=2)
    assert training.methods == [entry.name for entry in methods if "multilabel" in entry.tasks]
    assert dataset.systems.count() == len(training.methods)
    for Q in systems_of(training).values():
        assert np.isfinite(Q).all()
        assert ((Q >= 0) & (Q <= 1)).all()


@pytest.mark.long
def test_the_same_seed_gives_the_same_digits_and_another_does_not():
    dataset = judged_dataset()
    one, same = (trained(dataset, model=name) for name in ("one", "same"))
    other = prepare_training(dataset=dataset, parameters={**TINY, "model": "other"}, seed=5, starts_itself=True)
    other = work_through(other, processes=1, progress=silent)
    np.testing.assert_array_equal(systems_of(one)["SL"], systems_of(same)["SL"])
    assert not np.array_equal(systems_of(one)["SL"], systems_of(other)["SL"], equal_nan=True)


@pytest.mark.long
def test_a_search_chooses_before_the_fits_and_is_told():
    training = trained(judged_dataset(), methods=["SL"], search=2)
    (search,) = training.jobs.defer(None).filter(kind=TrainingJob.Piece.SEARCH)
    assert len(search.found()["trials"]) == 2
    (fit,) = training.jobs.defer(None).filter(kind=TrainingJob.Piece.FIT)
    assert fit.found()["learning_rate"] == search.found()["settings"]["learning_rate"]
    assert training.dataset.systems.get().options["training"]["search"] == [search.found()]


@pytest.mark.long
def test_a_stopped_training_resumed_ends_with_the_digits_of_one_that_never_stopped():
    dataset = judged_dataset()
    whole = trained(dataset, methods=["SL"], epochs=4, model="whole")
    training = prepare_training(
        dataset=dataset, parameters={**TINY, "methods": ["SL"], "epochs": 4, "model": "stopped"}, starts_itself=True
    )
    assert work_once(training)
    job = training.jobs.get(kind=TrainingJob.Piece.FIT)

    def stop_in_the_third_epoch(done, total, message=""):
        if message.startswith("Epoch 3"):
            raise jobs.JobCancelled

    from metaeval.training_jobs.executing import execute_training_job

    claimed = jobs.claim(TrainingJob, job.pk, job.pk)
    with pytest.raises(jobs.JobCancelled):
        execute_training_job(claimed, stop_in_the_third_epoch)
    stop_training(training=training)
    TrainingJob.objects.filter(pk=job.pk).update(state=JobState.CANCELLED)
    resume_training(training=training)
    assert work_through(training, processes=1, progress=silent).state == TrainingState.FINISHED
    np.testing.assert_array_equal(systems_of(training)["SL"], systems_of(whole)["SL"])
    assert len(training.jobs.defer(None).get(pk=job.pk).found()["epochs"]) == 4


@pytest.mark.long
def test_a_killed_training_goes_on_from_its_last_epoch_and_ends_with_the_same_digits():
    dataset = judged_dataset()
    parameters = {**TINY, "methods": ["AE"], "epochs": 40}
    whole = trained(dataset, **parameters, model="whole")
    training = prepare_training(dataset=dataset, parameters={**parameters, "model": "killed"}, starts_itself=True)
    assert work_once(training)
    job = training.jobs.get(kind=TrainingJob.Piece.FIT)
    command = [sys.executable, "-m", "hlvstudy", "manage", "train", "--help-with", str(training.pk)]
    helper = subprocess.Popen(command, cwd=ROOT, env=worker_environment())
    mine = TrainingJob.objects.filter(pk=job.pk).exclude(checkpoint="")
    wait_until(lambda: mine.exists() or helper.poll() is not None, seconds=120)
    helper.send_signal(signal.SIGKILL)
    helper.wait()
    killed = TrainingJob.objects.get(pk=job.pk)
    assert killed.state == JobState.RUNNING, "it ended before it could be killed"
    TrainingJob.objects.filter(pk=job.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
    assert work_through(training, processes=1, progress=silent).state == TrainingState.FINISHED
    np.testing.assert_array_equal(systems_of(training)["AE"], systems_of(whole)["AE"])
    assert TrainingJob.objects.get(pk=job.pk).checkpoint == ""


@pytest.mark.long
def test_a_worker_of_the_queue_does_the_whole_training(tmp_path):
    dataset = judged_dataset()
    worker = start_worker(tmp_path, processes=2, queues=QUEUE)
    try:
        training = prepare_training(dataset=dataset, parameters={**TINY, "runs": 2}, starts_itself=True)
        wait_until(lambda: Training.objects.get(pk=training.pk).state in Training.ENDED, seconds=180)
    finally:
        worker.terminate()
        worker.wait(timeout=30)
    training = Training.objects.get(pk=training.pk)
    assert training.state == TrainingState.FINISHED, training.error
    assert dataset.systems.count() == 4


@pytest.mark.long
def test_a_stop_stops_a_worker_in_the_middle_of_a_fit(tmp_path):
    worker = start_worker(tmp_path, processes=1, queues=QUEUE)
    try:
        training = prepare_training(
            dataset=judged_dataset(), parameters={**TINY, "methods": ["SL"], "epochs": 1000}, starts_itself=True
        )
        fits = training.jobs.filter(kind=TrainingJob.Piece.FIT)
        wait_until(lambda: fits.filter(progress_done__gt=0).exists(), seconds=120)
        stop_training(training=training)
        wait_until(lambda: fits.filter(state=JobState.CANCELLED).exists(), seconds=20)
    finally:
        worker.terminate()
        worker.wait(timeout=30)
    job = fits.get()
    assert 0 < job.progress_done < job.progress_total
    assert job.checkpoint, "it goes on from here"


@pytest.mark.long
def test_two_processes_of_one_launcher_train_together_and_one_of_them_stores():
    dataset = judged_dataset()
    command = [
        *LAUNCHER,
        "hlvstudy",
        "manage",
        "train",
        dataset.slug,
        "--methods",
        "SL",
        "--runs",
        "2",
        "--epochs",
        "2",
    ]
    done = subprocess.run(
        [*command, "--epochs", "2", "--split", "shares", "--quiet"],
        cwd=ROOT,
        env=worker_environment() | {"ACCELERATE_USE_CPU": "true", "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=200,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("2 systems of the model small transformer were trained") == 1
    assert dataset.systems.count() == 2
    assert Training.objects.count() == 1


def test_a_fit_that_kills_every_process_is_given_up_without_a_worker_to_say_so():
    training = prepare_training(dataset=judged_dataset(), parameters={**TINY, "methods": ["SL"]}, starts_itself=True)
    assert work_once(training)
    training.jobs.filter(kind=TrainingJob.Piece.FIT).update(
        state=JobState.RUNNING, attempts=3, lease_until=timezone.now() - timedelta(seconds=1)
    )
    training = work_through(training, processes=1, progress=silent)
    assert training.state == TrainingState.FAILED
    assert "may need more memory than the machine has" in training.error


def test_the_command_says_what_it_will_take_and_what_came_out():
    dataset = judged_dataset()
    out = StringIO()
    few = {"runs": 2, "epochs": 1, "split": "shares", "processes": 1}
    call_command("train", dataset.slug, methods=["MV", "SL"], **few, quiet=True, stdout=out)
    said = out.getvalue()
    assert "4 fits of 2 methods take about" in said
    assert "4 systems of the model small transformer were trained" in said
    assert dataset.systems.count() == 4


@pytest.mark.long
def test_the_command_only_checks_when_asked_to():
    dataset = judged_dataset()
    out = StringIO()
    call_command("train", dataset.slug, methods=["SL"], check=True, quiet=True, stdout=out)
    assert "of memory" in out.getvalue()
    training = Training.objects.get()
    assert training.state == TrainingState.READY
    assert not training.jobs.filter(kind=TrainingJob.Piece.FIT).exists()
    assert f"train --resume {training.pk}" in out.getvalue()
    call_command("train", resume=training.pk, queue=True, quiet=True, stdout=out)
    training.refresh_from_db()
    assert training.state == TrainingState.TRAINING
    advance(training.pk)


@pytest.mark.long
def test_what_was_only_checked_is_started_by_its_id():
    dataset = judged_dataset()
    few = {"runs": 1, "epochs": 1, "split": "shares"}
    call_command("train", dataset.slug, methods=["SL"], **few, check=True, quiet=True, stdout=StringIO())
    call_command("train", resume=Training.objects.get().pk, processes=1, quiet=True, stdout=StringIO())
    assert dataset.systems.count() == 1


@pytest.mark.long
def test_the_command_goes_on_with_what_was_killed():
    dataset = judged_dataset()
    training = prepare_training(dataset=dataset, parameters={**TINY, "methods": ["SL"]}, starts_itself=True)
    assert work_once(training)
    job = training.jobs.get(kind=TrainingJob.Piece.FIT)
    long_ago = timezone.now() - timedelta(minutes=5)
    TrainingJob.objects.filter(pk=job.pk).update(state=JobState.RUNNING, lease_owner=job.pk, lease_until=long_ago)
    call_command("train", resume=training.pk, processes=1, quiet=True, stdout=StringIO())
    training.refresh_from_db()
    assert training.state == TrainingState.FINISHED
    assert dataset.systems.count() == 1


def test_a_training_that_is_resumed_uses_as_many_processes_as_a_new_one(monkeypatch):
    dataset = judged_dataset()
    training = prepare_training(dataset=dataset, parameters={**TINY, "methods": ["SL"]}, starts_itself=True)
    assert work_once(training)
    stop_training(training=training)
    used = []

    def alone(training, *, processes, progress):
        used.append(processes)
        return work_through(training, processes=1, progress=progress)

    monkeypatch.setattr(train, "work_through", alone)
    call_command("train", resume=training.pk, processes=3, quiet=True, stdout=StringIO())
    assert used == [3]


def test_the_command_needs_a_dataset_or_a_training():
    with pytest.raises(CommandError, match="--resume ID"):
        call_command("train")


def test_the_command_names_the_datasets_that_exist():
    judged_dataset()
    with pytest.raises(CommandError, match="Known: problems"):
        call_command("train", "nothing")
