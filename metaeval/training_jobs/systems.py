"""What comes out of a training, whoever did it: a system for each method and run and, where the model has an output
layer for each annotator, what every single one of them is predicted to say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from annotations.ground.arrays import Codes, Matrix
from annotations.ground.errors import HLVError
from annotations.importing.memory.tables import AnswersTable, PredictionTable, SystemTable
from annotations.importing.writing.predictions import write_predictions
from annotations.models.datasets import matrix_or_error
from metaeval.training.corpus import Corpus
from metaeval.training.judgements import TrainedTask
from metaeval.training.registry import methods, votes
from metaeval.training.targets import ONLY_HEAD
from metaeval.training_jobs.courses import Course
from metaeval.training_jobs.models import TrainingJob

PROVENANCE = "training"
"""The key under which a system's options say how it was trained."""


class Diverged(HLVError):
    """A model predicts what is no number."""


@dataclass(frozen=True, eq=False)
class PredictedFold:
    """What one fold predicts.

    Attributes:
        instances: (n,) the places of its test part.
        logits: (n, H, K), for each of the heads. Of probabilities, `logits_of`; infinite ones are allowed.
        heads: annotators' codes if each has one.
    """

    instances: Codes
    logits: Matrix
    heads: tuple[str, ...] = ONLY_HEAD


def trained_table(
    corpus: Corpus,
    *,
    model: str,
    method: str,
    run: str,
    folds: Sequence[PredictedFold],
    provenance: Mapping[str, Any],
) -> PredictionTable:
    """One system and perhaps its predicted annotations, as `write_predictions` takes them.

    Raises:
        Diverged: a fold predicts what is no number.
        ValueError: two folds predict the same instance.
    """
    task, entry = corpus.judgements.task, methods.get(method)
    tested = np.concatenate([fold.instances for fold in folds])
    if len(np.unique(tested)) < len(tested):
        raise ValueError("an instance is tested twice")
    Q = np.full((len(corpus), len(corpus.judgements.labels)), np.nan)
    for number, fold in enumerate(folds, start=1):
        if np.isnan(fold.logits).any():
            raise Diverged(
                f"{model} / {method} / {run} predicts what is no number in fold {number}: the training diverged. Train "
                "it again with a lower learning rate."
            )
        Q[fold.instances] = entry.predict(fold.logits, task)
    options = {PROVENANCE: {**provenance, "method": method}}
    answers = []
    if entry.needs_people and any(fold.heads != ONLY_HEAD for fold in folds):
        single = _single(corpus, folds)
        if not np.isnan(single).all():
            answers.append(AnswersTable(model, single, method, run, options=options))
    return PredictionTable((SystemTable(model, Q, method, run, options=options),), answers=tuple(answers))


def logits_of(q: Matrix, task: TrainedTask) -> Matrix:
    """The logits of probabilities, of which the inverse is `metaeval.training.registry.activated`; those of 0 and 1
    may be infinite.
    """
    with np.errstate(divide="ignore"):
        logits: Matrix = np.log(q) - np.log1p(-q) if task == "multilabel" else np.log(q)
    return logits


def _single(corpus: Corpus, folds: Sequence[PredictedFold]) -> Matrix:
    """(A, K) what each annotator's head says of the texts that they judged, in the test part of a fold.

    NaN for people without a head, who judged nothing that the fold learnt from, and for texts that no fold tests.
    """
    judgements = corpus.judgements
    answers = np.full((len(judgements.instance), len(judgements.labels)), np.nan)
    for rows, logits in _observed(corpus, folds):
        answers[rows] = votes(logits, judgements.task)
    return answers


def _observed(corpus: Corpus, folds: Sequence[PredictedFold]) -> Iterator[tuple[Codes, Matrix]]:
    """By fold, the annotations of its test part that are predicted, and the logits of their annotators' heads."""
    judgements = corpus.judgements
    for fold in folds:
        place = np.full(len(corpus), -1)
        place[fold.instances] = np.arange(len(fold.instances))
        head = np.full(len(judgements.people) + 1, -1)  # the last is that of UNKNOWN, which is -1
        numbers = {code: number for number, code in enumerate(fold.heads)}
        head[:-1] = [numbers.get(code, -1) for code in judgements.people]
        rows = np.flatnonzero((place[judgements.instance] >= 0) & (head[judgements.person] >= 0))
        yield rows, fold.logits[place[judgements.instance[rows]], head[judgements.person[rows]]]


def write_system(course: Course, *, method: str, run: int) -> None:
    """Store what all folds of a method and run predict. Repeating it changes nothing."""
    training = course.training
    kind = TrainingJob.Piece
    fits = list(training.jobs.defer(None).filter(kind=kind.FIT, method=method, run=run).order_by("fold"))
    searches = training.jobs.defer("outputs").filter(kind=kind.SEARCH, method=method).order_by("fold")
    table = trained_table(
        course.corpus,
        model=training.model,
        method=method,
        run=str(run),
        folds=[_fold(fit) for fit in fits],
        provenance=_provenance(course, fits, list(searches)),
    )
    write_predictions(dataset=training.dataset, table=table, actor=training.owner)


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
