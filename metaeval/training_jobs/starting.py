"""Prepare a training, start, stop and resume it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from django.db import transaction
from django.utils import timezone

from annotations.background import jobs
from annotations.background.waiting import refuse_too_many
from annotations.ground.errors import Conflict, HLVError
from annotations.history import events
from annotations.models import Dataset, EventKind, JobState, System, User
from metaeval.training.applying import troubles, why_not
from metaeval.training.corpus import Corpus
from metaeval.training.judgements import HumanJudgements
from metaeval.training.registry import methods
from metaeval.training.splits import Split, check_development
from metaeval.training_jobs.courses import corpus_of, split_for, stored
from metaeval.training_jobs.models import Training, TrainingJob, TrainingState
from metaeval.training_jobs.parameters import called, resolved, validated
from metaeval.training_jobs.progress import twins_in_words


class CannotTrain(HLVError):
    """The data do not allow what was asked for; the message says why."""

    code = "cannot_train"
    status = 409


class WrongState(Conflict):
    """The training is not in a state in which this can be done."""

    code = "wrong_state"


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
