"""A training goes on: its jobs are done, here or by workers, and what follows the end of each."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from annotations.background import jobs
from annotations.background.jobs import ask_all_to_stop
from annotations.background.sweeping import give_up_abandoned
from annotations.ground.errors import HLVError
from annotations.ground.progress import Progress
from annotations.models import JobState
from metaeval.training_jobs.checkpoints import forget_checkpoints
from metaeval.training_jobs.courses import course_of
from metaeval.training_jobs.models import Training, TrainingJob, TrainingState
from metaeval.training_jobs.progress import so_far
from metaeval.training_jobs.starting import CannotTrain, begin, make_jobs, refuse_taken_names
from metaeval.training_jobs.systems import write_system

Kind = TrainingJob.Piece


def advance_all() -> None:
    """Advance every training that is under way."""
    for pk in Training.objects.filter(state__in=Training.UNDER_WAY).values_list("pk", flat=True):
        advance(pk)
    forget_checkpoints()


def advance(pk: Any) -> None:
    """Do what is due for one training."""
    with transaction.atomic():
        training = Training.objects.select_for_update().filter(pk=pk, state__in=Training.UNDER_WAY).first()
        if training is None:
            return
        if training.state == TrainingState.CHECKING:
            _after_the_check(training)
        else:
            _after_jobs(training)


def _after_the_check(training: Training) -> None:
    job = training.jobs.defer(None).get(kind=Kind.CHECK)
    if job.state == JobState.SUCCEEDED:
        training.forecast = job.found()
        training.state = TrainingState.READY
        training.save(update_fields=["forecast", "state"])
        if training.starts_itself:
            try:
                refuse_taken_names(training)
            except CannotTrain as error:
                _end(training, TrainingState.FAILED, error=error.message)
            else:
                begin(training)
    elif job.state == JobState.FAILED:
        _end(training, TrainingState.FAILED, error=job.error)


def _after_jobs(training: Training) -> None:
    jobs = list(training.jobs.exclude(kind=Kind.CHECK))
    fitted = {(job.method, job.fold) for job in jobs if job.kind == Kind.FIT}
    searched = [(job.method, job.fold) for job in jobs if job.kind == Kind.SEARCH and job.state == JobState.SUCCEEDED]
    runs = range(1, training.parameters["runs"] + 1)
    if new := [(method, run, fold) for method, fold in searched if (method, fold) not in fitted for run in runs]:
        make_jobs(training, Kind.FIT, new)
    mine = training.dataset.systems.filter(model=training.model, options__training__id=str(training.pk))
    written = set(mine.values_list("method", "run"))
    due = [(method, run) for method, run in due_systems(training, jobs) if (method, str(run)) not in written]
    if due and (refused := _write(training, due)):
        ask_all_to_stop(training.jobs.all())
        _end(training, TrainingState.FAILED, error=refused)
        return
    jobs = list(training.jobs.exclude(kind=Kind.CHECK))
    if all(job.is_final for job in jobs):
        failed = [job for job in jobs if job.state == JobState.FAILED]
        if failed:
            _end(training, TrainingState.FAILED, error=told(failed))
        elif any(job.state == JobState.CANCELLED for job in jobs):
            _end(training, TrainingState.STOPPED)
        else:
            _end(training, TrainingState.FINISHED)


def _write(training: Training, due: Sequence[tuple[str, int]]) -> str:
    """Store the systems that are due; returns the sentence that says why one cannot be stored, such as a name that
    somebody has imported meanwhile.
    """
    course = course_of(training)
    try:
        for method, run in due:
            write_system(course, method=method, run=run)
    except HLVError as error:
        return error.message
    return ""


def due_systems(training: Training, jobs: Sequence[TrainingJob]) -> list[tuple[str, int]]:
    """The methods and runs all of whose folds are fitted."""
    folds = training.split.folds
    done: dict[tuple[str, int], int] = {}
    for job in jobs:
        if job.kind == Kind.FIT and job.state == JobState.SUCCEEDED:
            done[job.method, job.run] = done.get((job.method, job.run), 0) + 1
    return [key for key, count in done.items() if count == folds]


def told(failed: Sequence[TrainingJob]) -> str:
    """The first failure, and how many others there are."""
    others = len(failed) - 1
    more = f" {others} more failed." if others else ""
    return f"{failed[0].name}: {failed[0].error}{more}"


def _end(training: Training, state: TrainingState, *, error: str = "") -> None:
    training.state, training.error, training.finished_at = state, error, timezone.now()
    training.save(update_fields=["state", "error", "finished_at"])


LOOK_AGAIN_SECONDS = 0.5


def work_through(training: Training, *, processes: int, progress: Progress) -> Training:
    """Work until the training has ended or waits to be started; returns it as it is then. No worker need be there that
    would give up jobs whose process is dead.
    """
    with _helped(training, processes - 1):
        while True:
            give_up_abandoned(training.jobs.all())
            advance(training.pk)
            training.refresh_from_db()
            if training.state not in Training.UNDER_WAY:
                return training
            progress(*so_far(training))
            if not work_once(training):
                time.sleep(LOOK_AGAIN_SECONDS)


def work_once(training: Training) -> bool:
    """Do one waiting job; False if there is none, or another process was faster."""
    now = timezone.now()
    waiting = training.jobs.filter(Q(state=JobState.QUEUED) | Q(state=JobState.RUNNING, lease_until__lt=now))
    pk = waiting.order_by("created_at", "pk").values_list("pk", flat=True).first()
    return pk is not None and jobs.run(TrainingJob, pk)


@contextmanager
def _helped(training: Training, helpers: int) -> Iterator[None]:
    """Other processes that do the same until the training has ended."""
    command = [sys.executable, "-m", "hlvstudy", "manage", "train", "--help-with", str(training.pk)]
    started = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for _ in range(helpers)]  # noqa: S603 (our own program)
    try:
        yield
    finally:
        for process in started:
            process.terminate()
        for process in started:
            process.wait()


def help_with(training: Training) -> None:
    """Do jobs of a training that another process watches over, until it has ended."""
    while training.state in Training.UNDER_WAY:
        if not work_once(training):
            time.sleep(LOOK_AGAIN_SECONDS)
        training.refresh_from_db()
