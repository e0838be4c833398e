"""Trainings in every state, made in the database, for the pages' tests."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import numpy as np
from django.utils import timezone

from annotations.models import Dataset, JobState
from metaeval.training_jobs.courses import course_of
from metaeval.training_jobs.lifecycle import prepare_training, stop_training
from metaeval.training_jobs.models import Training, TrainingJob
from tests.metaeval.training_jobs.world import ended, measured, under_way

EPOCHS = 4


def checking(dataset: Dataset, **parameters: Any) -> Training:
    """One that waits for a worker."""
    return prepare_training(dataset=dataset, parameters={"methods": ["MV", "SL"], "runs": 1, **parameters})


def ready(dataset: Dataset, **parameters: Any) -> Training:
    return measured(dataset, **parameters)


def training(dataset: Dataset, *, ready: int = 1, **parameters: Any) -> Training:
    """One of which some models are trained and another is under way."""
    found = under_way(dataset, **parameters)
    fits = found.jobs.filter(kind=TrainingJob.Piece.FIT).order_by("created_at", "pk")
    for job in fits[:ready]:
        _fitted(job)
    now = fits[ready]
    TrainingJob.objects.filter(pk=now.pk).update(
        state=JobState.RUNNING,
        started_at=timezone.now(),
        progress_done=1,
        progress_total=EPOCHS,
        lease_owner=now.pk,
        lease_until=timezone.now() + timedelta(hours=1),
        attempts=1,
    )
    return Training.objects.get(pk=found.pk)


def stopped(dataset: Dataset, **parameters: Any) -> Training:
    found = training(dataset, **parameters)
    stop_training(training=found)
    found.jobs.filter(state=JobState.RUNNING).update(state=JobState.CANCELLED, finished_at=timezone.now())
    return Training.objects.get(pk=found.pk)


def failed(dataset: Dataset, **parameters: Any) -> Training:
    """One whose last model could not be trained."""
    found = under_way(dataset, **parameters)
    *most, last = found.jobs.filter(kind=TrainingJob.Piece.FIT).order_by("created_at", "pk")
    for job in most:
        _fitted(job)
    ended(last, JobState.FAILED, error="There is not enough memory. Choose a smaller batch size.", attempts=1)
    return Training.objects.get(pk=found.pk)


def finished(dataset: Dataset, **parameters: Any) -> Training:
    found = under_way(dataset, **parameters)
    for job in found.jobs.filter(kind=TrainingJob.Piece.FIT):
        _fitted(job)
    return Training.objects.get(pk=found.pk)


def _fitted(job: TrainingJob) -> None:
    """A model that says the first label with certainty, and whose loss falls."""
    course = course_of(job.training)
    instances = course.predicted(job.fold)
    labels = len(course.corpus.judgements.labels)
    heads = list(course.corpus.judgements.people) if job.method.startswith("AE") else [""]
    logits = np.tile([4.0, *[-4.0] * (labels - 1)], (len(instances), len(heads)))
    epochs = [{"loss": 0.7 / (n + 1), "dev_loss": 0.75 / (n + 1), "seconds": 1.5} for n in range(EPOCHS)]
    result = {"epochs": epochs, "versions": {}, "learning_rate": 0.001, "heads": heads, "instances": instances.tolist()}
    ended(job, result=result, outputs=logits, finished_at=timezone.now())
