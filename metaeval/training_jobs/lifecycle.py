"""The life of a training: what can be trained; preparing, starting, stopping, resuming; and how it goes on while its
jobs are done, here or by workers.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from annotations.background import jobs
from annotations.background.sweeping import give_up_abandoned
from annotations.background.waiting import refuse_too_many
from annotations.ground.errors import Conflict, HLVError
from annotations.ground.progress import Progress
from annotations.history import events
from annotations.models import Dataset, EventKind, JobState, System, User
from metaeval.analyses.base.parameters import TITLES, values_of
from metaeval.training.applying import troubles, why_not
from metaeval.training.corpus import Corpus
from metaeval.training.judgements import HumanJudgements
from metaeval.training.registry import methods
from metaeval.training.splits import Split, check_development, gives_split
from metaeval.training_jobs.checkpoints import forget_checkpoints
from metaeval.training_jobs.courses import corpus_of, course_of, split_for, stored
from metaeval.training_jobs.models import Training, TrainingJob, TrainingState
from metaeval.training_jobs.parameters import TrainingParameters, called, offered, resolved, validated
from metaeval.training_jobs.progress import so_far, twins_in_words, worker_alive
from metaeval.training_jobs.systems import write_system


class CannotTrain(HLVError):
    """The data do not allow what was asked for; the message says why."""

    status = 409


class WrongState(Conflict):
    """The training is not in a state in which this can be done."""


def form_for(dataset: Dataset) -> dict[str, Any]:
    """What a page needs to offer a training: the methods, and why one does not apply to the dataset; the encoders; the
    parameters as a JSON Schema, with what is offered here as choices. Reads the dataset's annotations once.
    """
    corpus = corpus_of(dataset)
    encoders = {name: called(name) for name in offered()}
    schema = TrainingParameters.model_json_schema()
    values_of(schema["properties"]["methods"])["enum"] = methods.names()
    values_of(schema["properties"]["encoder"]).update({"enum": list(encoders), TITLES: list(encoders.values())})
    return {
        "methods": [
            {
                **{name: getattr(method, name) for name in ("name", "title", "learns", "source")},
                "reason": why_not(method, corpus.judgements),
            }
            for method in methods
        ],
        "encoders": [{"name": name, "title": title} for name, title in encoders.items()],
        "parameters": schema,
        "texts": int(corpus.usable.sum()),
        "annotators": len(corpus.judgements.people),
        "has_given_split": gives_split(corpus),
        "worker_alive": worker_alive(),
    }


def prepare_training(
    *,
    dataset: Dataset,
    parameters: Mapping[str, Any],
    seed: int = 0,
    actor: User | None = None,
    any_folder: bool = False,
    starts_itself: bool = False,
) -> Training:
    """Store a training and have a worker check and measure it. Everything that can be known without torch is refused
    here, before anything starts.

    Args:
        any_folder: whether the encoder may be any folder of this machine, as by a command.
        starts_itself: whether it starts as soon as the check has succeeded.

    Raises:
        BadTraining: the parameters are not what is declared.
        UnknownEncoder: there is no such encoder.
        CannotTrain: a method does not apply, or a name is taken.
        CannotSplit: the texts cannot be split as asked.
    """
    request = validated(parameters)
    request = request.model_copy(update={"encoder": resolved(request.encoder, any_folder=any_folder)})
    request = request.model_copy(update={"model": request.model or called(request.encoder)})
    corpus = corpus_of(dataset)
    split = split_for(corpus, request, seed=seed)
    if request.search:
        check_development(split)
    chosen = applicable(request.methods, [corpus.judgements.of(split.final(fold)) for fold in range(len(split))])
    with transaction.atomic():
        refuse_too_many(TrainingJob, actor)
        dataset = Dataset.objects.select_for_update().get(pk=dataset.pk)
        training = Training(
            dataset=dataset,
            split=stored(split, dataset=dataset),
            owner=actor,
            model=request.model,
            methods=chosen,
            parameters=request.model_dump(mode="json"),
            notes=_notes(corpus, split),
            seed=seed,
            starts_itself=starts_itself,
        )
        refuse_taken_names(training)
        training.save(force_insert=True)
        job = TrainingJob.objects.create(training=training, kind=TrainingJob.Piece.CHECK, owner=actor)
        events.record(
            EventKind.TRAINED, actor=actor, dataset=dataset, training=str(training.pk), methods=chosen, act="prepared"
        )
        jobs.enqueue(job)
    return training


def applicable(named: Sequence[str], learnt: Sequence[HumanJudgements]) -> list[str]:
    """The named methods, or all that apply to what every fold learns from, in the registry's order. Raises
    `CannotTrain`.
    """
    reasons = {
        name: next(filter(None, (why_not(methods.get(name), judgements) for judgements in learnt)), "")
        for name in named or methods.names()
    }
    refused = {name: reason for name, reason in reasons.items() if reason}
    if (named and refused) or len(refused) == len(reasons):
        raise CannotTrain(" ".join(dict.fromkeys(refused.values())), methods=refused)
    return [name for name in reasons if name not in refused]


def refuse_taken_names(training: Training) -> None:
    """Raise `CannotTrain` if the dataset has systems of the training's names, or another training is making them."""
    runs = [str(run) for run in range(1, training.parameters["runs"] + 1)]
    named = {"dataset": training.dataset, "model": training.model}
    taken = System.objects.filter(**named, method__in=training.methods, run__in=runs)
    coming = Training.objects.filter(**named, state=TrainingState.TRAINING).exclude(pk=training.pk)
    if taken.exists() or coming.exists():
        raise CannotTrain(
            f"The dataset already has systems of the model {training.model!r}, or they are being trained. Give the "
            "model another name.",
            fields={"model": ["This name is taken on this dataset. Give the model another name."]},
        )


def start_training(*, training: Training, actor: User | None = None) -> Training:
    """Begin what was checked.

    Raises:
        WrongState: it was not checked, or has begun.
        CannotTrain: systems of its names have come meanwhile.
    """
    with transaction.atomic():
        refuse_too_many(TrainingJob, training.owner)
        training = Training.objects.select_for_update().get(pk=training.pk)
        if training.state != TrainingState.READY:
            raise WrongState(f"This training is {training.get_state_display()}, so it cannot be started.")
        refuse_taken_names(training)
        begin(training)
        _record(training, actor, "started")
    return training


def begin(training: Training) -> None:
    """Create the first jobs of a training that is locked."""
    training.state, training.started_at = TrainingState.TRAINING, training.started_at or timezone.now()
    training.save(update_fields=["state", "started_at"])
    folds = range(training.split.folds)
    if training.parameters["search"]:
        make_jobs(training, TrainingJob.Piece.SEARCH, [(name, 0, fold) for fold in folds for name in training.methods])
    else:
        runs = range(1, training.parameters["runs"] + 1)
        make_jobs(
            training,
            TrainingJob.Piece.FIT,
            [(name, run, fold) for run in runs for fold in folds for name in training.methods],
        )


def make_jobs(training: Training, kind: TrainingJob.Piece, pieces: Sequence[tuple[str, int, int]]) -> None:
    """Create the jobs for methods, runs and folds, those that exist already left as they are, and call workers.

    A few calls are enough: whoever has done one job looks for the next.
    """
    rows = [
        TrainingJob(training=training, kind=kind, method=name, run=run, fold=fold, owner=training.owner)
        for name, run, fold in pieces
    ]
    TrainingJob.objects.bulk_create(rows, ignore_conflicts=True, batch_size=500)
    call_workers(training)


def call_workers(training: Training) -> None:
    """Call for the first waiting jobs."""
    for job in training.jobs.filter(state=JobState.QUEUED).order_by("created_at", "pk")[: TrainingJob.CALLED]:
        jobs.enqueue(job)


def stop_training(*, training: Training, actor: User | None = None) -> Training:
    """Stop all its jobs, those under way within a step. What is finished stays, and it can be resumed.

    Raises:
        WrongState: it is not under way.
    """
    with transaction.atomic():
        training = Training.objects.select_for_update().get(pk=training.pk)
        if training.state not in Training.UNDER_WAY:
            raise WrongState(f"This training is {training.get_state_display()}, so there is nothing to stop.")
        training.state, training.finished_at = TrainingState.STOPPED, timezone.now()
        training.save(update_fields=["state", "finished_at"])
        jobs.ask_all_to_stop(training.jobs.all())
        _record(training, actor, "stopped")
    return training


def resume_training(*, training: Training, actor: User | None = None) -> Training:
    """Go on with what was stopped or failed: each fit from its last epoch.

    Raises:
        WrongState: it was neither stopped nor has it failed, or a job of it has not stopped yet.
    """
    with transaction.atomic():
        refuse_too_many(TrainingJob, training.owner)
        training = Training.objects.select_for_update().get(pk=training.pk)
        if training.state not in {TrainingState.STOPPED, TrainingState.FAILED}:
            raise WrongState(f"This training is {training.get_state_display()}, so it cannot be resumed.")
        if training.jobs.exclude(state__in=TrainingJob.FINAL).exists():
            raise WrongState("This training is still stopping. Please try again in a moment.")
        checked = training.forecast is not None
        training.state = TrainingState.TRAINING if checked else TrainingState.CHECKING
        training.error, training.finished_at = "", None
        training.save(update_fields=["state", "error", "finished_at"])
        jobs.put_back(training.jobs.all())
        call_workers(training)
        if checked and not training.started_at:
            begin(training)
        _record(training, actor, "resumed")
    return training


def _notes(corpus: Corpus, split: Split) -> list[str]:
    """What is no reason against the training, but worth knowing before it."""
    learnt = np.unique(np.concatenate([split.final(fold) for fold in range(len(split))]))
    notes = troubles(corpus.judgements.of(learnt))
    if split.twins:
        notes.append(twins_in_words(split.twins))
    return notes


def _record(training: Training, actor: User | None, act: str) -> None:
    events.record(EventKind.TRAINED, actor=actor, dataset=training.dataset, training=str(training.pk), act=act)


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
    pieces = list(training.jobs.exclude(kind=Kind.CHECK))
    fitted = {(job.method, job.fold) for job in pieces if job.kind == Kind.FIT}
    searched = [(job.method, job.fold) for job in pieces if job.kind == Kind.SEARCH and job.state == JobState.SUCCEEDED]
    runs = range(1, training.parameters["runs"] + 1)
    if new := [(method, run, fold) for method, fold in searched if (method, fold) not in fitted for run in runs]:
        make_jobs(training, Kind.FIT, new)
    mine = training.dataset.systems.filter(model=training.model, options__training__id=str(training.pk))
    written = set(mine.values_list("method", "run"))
    due = [(method, run) for method, run in due_systems(training, pieces) if (method, str(run)) not in written]
    if due and (refused := _write(training, due)):
        jobs.ask_all_to_stop(training.jobs.all())
        _end(training, TrainingState.FAILED, error=refused)
        return
    pieces = list(training.jobs.exclude(kind=Kind.CHECK))
    if all(job.is_final for job in pieces):
        failed = [job for job in pieces if job.state == JobState.FAILED]
        if failed:
            _end(training, TrainingState.FAILED, error=told(failed))
        elif any(job.state == JobState.CANCELLED for job in pieces):
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


def due_systems(training: Training, pieces: Sequence[TrainingJob]) -> list[tuple[str, int]]:
    """The methods and runs all of whose folds are fitted."""
    folds = training.split.folds
    done: dict[tuple[str, int], int] = {}
    for job in pieces:
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
