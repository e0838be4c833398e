"""What follows the end of a job: the fits after a search, the systems after the last fold, the end of a training.

Workers call this after every job and in every sweep, so nothing depends on a single process: it looks at the rows, does
what is due, and does nothing if it is called again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import transaction
from django.utils import timezone

from annotations.background.jobs import ask_all_to_stop
from annotations.ground.errors import HLVError
from annotations.models import JobState
from metaeval.training_jobs.assembling import write_system
from metaeval.training_jobs.checkpoints import forget_checkpoints
from metaeval.training_jobs.models import Training, TrainingJob, TrainingState
from metaeval.training_jobs.starting import CannotTrain, begin, make_jobs, refuse_taken_names
from metaeval.training_jobs.teaching import course_of

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
