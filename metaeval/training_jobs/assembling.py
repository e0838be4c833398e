"""The folds of one method and run, put together as a system that says where it comes from."""

from __future__ import annotations

from typing import Any

import numpy as np

from annotations.models.datasets import matrix_or_error
from metaeval.training_jobs.models import TrainingJob
from metaeval.training_jobs.systems import PredictedFold, write_trained
from metaeval.training_jobs.teaching import Course


def write_system(course: Course, *, method: str, run: int) -> None:
    """Store what all folds of a method and run predict. Repeating it changes nothing."""
    training = course.training
    kind = TrainingJob.Piece
    fits = list(training.jobs.defer(None).filter(kind=kind.FIT, method=method, run=run).order_by("fold"))
    searches = training.jobs.defer("outputs").filter(kind=kind.SEARCH, method=method).order_by("fold")
    write_trained(
        dataset=training.dataset,
        corpus=course.corpus,
        model=training.model,
        method=method,
        run=str(run),
        folds=[_fold(fit) for fit in fits],
        provenance=_provenance(course, fits, list(searches)),
        actor=training.owner,
    )


def _fold(fit: TrainingJob) -> PredictedFold:
    heads = tuple(fit.found()["heads"])
    outputs = matrix_or_error(fit.outputs)
    return PredictedFold(
        instances=np.array(fit.found()["instances"], dtype=np.int64),
        logits=outputs.reshape(len(outputs), len(heads), -1),
        heads=heads,
    )


def _provenance(course: Course, fits: list[TrainingJob], searches: list[TrainingJob]) -> dict[str, Any]:
    training = course.training
    return {
        "id": str(training.pk),
        "data": training.dataset.fingerprint,
        "split": course.split.stated(),
        "parameters": training.parameters,
        "seed": training.seed,
        "seeds": [course.fit_seed(fit.run, fit.fold) for fit in fits],
        "learning_rates": [fit.found()["learning_rate"] for fit in fits],
        "search": [search.found() for search in searches],
        "versions": fits[0].found()["versions"],
    }
