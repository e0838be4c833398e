"""What people said about the texts that a model learns from, as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from annotations.ground.arrays import Codes, Counts, Matrix

TrainedTask = Literal["multiclass", "multilabel"]
"""How many labels a text may have: one, or any. The points of a scale are trained as labels, one per text."""

UNKNOWN = -1
"""In place of a person: somebody, but nobody knows who."""


@dataclass(frozen=True)
class HumanJudgements:
    """The human annotations of N instances, one row each."""

    task: TrainedTask
    """Whether a row names one label or any number of them."""
    labels: tuple[str, ...]
    """The K labels, in order."""
    size: int
    """N, how many instances there are; their numbers are 0 to N - 1."""
    instance: Codes
    """(M,) the instance of each annotation, ascending."""
    person: Codes
    """(M,) who gave it, as a place in `people`; `UNKNOWN` (-1) if that is not known."""
    chosen: Matrix
    """(M, K) float64, y: 1 for each label that was given, else 0."""
    count: Counts
    """(M,) how many people gave exactly this; 1 wherever the person is known."""
    people: tuple[str, ...] = ()
    """The codes of the known annotators."""

    @property
    def multilabel(self) -> bool:
        return self.task == "multilabel"

    @cached_property
    def counts(self) -> Counts:
        """(N,) J, how many annotations each instance has."""
        return np.bincount(self.instance, self.count, minlength=self.size).astype(np.int64)

    @cached_property
    def annotated(self) -> Codes:
        """The instances that have an annotation, ascending: the others have nothing to learn from."""
        return np.unique(self.instance)

    @cached_property
    def shares(self) -> Matrix:
        """(N, K) P, the share of an instance's annotations that gave each label; NaN where there is no annotation."""
        votes = np.zeros((self.size, len(self.labels)))
        np.add.at(votes, self.instance, self.chosen * self.count[:, None])
        with np.errstate(invalid="ignore"):
            P: Matrix = votes / self.counts[:, None]
        return P

    @cached_property
    def majority(self) -> Matrix:
        """(N, K) 0 or 1: the label with the largest share, of several the first; multilabel: every label that more
        than half gave, perhaps none.
        """
        return majority_of(self.shares, self.task)

    def of(self, instances: Sequence[int] | Codes) -> HumanJudgements:
        """The annotations of some instances, which are numbered anew in the given order. People keep their places."""
        places = np.asarray(instances, dtype=np.int64)
        if len(np.unique(places)) < len(places):
            raise ValueError("an instance is named twice")
        place = np.full(self.size, -1)
        place[places] = np.arange(len(places))
        rows = np.flatnonzero(place[self.instance] >= 0)
        rows = rows[np.argsort(place[self.instance[rows]], kind="stable")]
        return replace(
            self,
            size=len(places),
            instance=place[self.instance[rows]],
            person=self.person[rows],
            chosen=self.chosen[rows],
            count=self.count[rows],
        )


def majority_of(P: Matrix, task: TrainedTask) -> Matrix:
    """The majority label of each row of P, as 0 or 1.

    >>> majority_of(np.array([[0.25, 0.75], [0.5, 0.5]]), "multiclass").tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    >>> majority_of(np.array([[0.25, 0.75], [0.5, 0.5]]), "multilabel").tolist()
    [[0.0, 1.0], [0.0, 0.0]]
    """
    if task == "multilabel":
        return (P > 0.5).astype(np.float64)
    hard = np.zeros_like(P)
    hard[np.arange(len(P)), P.argmax(axis=1)] = 1.0
    return hard
