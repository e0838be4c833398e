"""A study's distributions as they were shown to experts, as matrices for metrics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from annotations.ground.arrays import Counts, Integers, Mask, Matrix
from annotations.ground.display_rule import DisplayRule

MULTILABEL = "multilabel"
NO_BAR = "no bar was drawn on one of the sides: a task of single labels has no distribution there"
FIRST_RULE = 1
"""The version of the display rule for studies that were planned before it was stored."""


class ShownPair(NamedTuple):
    """P and Q as experts see them (M, K), and which M of the N instances these are: those where both sides have a
    distribution."""

    P: Matrix
    Q: Matrix
    rows: Mask


@dataclass(frozen=True, eq=False)
class Showing:
    """How a study shows distributions: its rule, and how many people judged each instance (N,), which gives the
    instance's grid of shares."""

    rule: DisplayRule
    people: Integers

    @property
    def parts(self) -> Integers:
        """Into how many parts each instance's values are rounded: (N,)."""
        return np.broadcast_to(self.rule.parts(self.people), self.people.shape)

    def drawn(self, values: Matrix, *, task: str) -> Matrix:
        """A matrix (N, K) as its bars show it: thresholded, then rounded; 0 where no bar is drawn."""
        return self.rule.shown(values, people=self.people, task=task)

    def pair(self, P: Matrix, Q: Matrix, *, task: str) -> ShownPair:
        """What metrics are computed on: both sides as drawn (`drawn` is applied to P, too).

        If the task's rows sum to 1, the drawn values are divided by their sum, and rows without a bar on one side are
        left out. Rows of a multilabel task stay as they are: no bar means that no label was above the threshold.
        """
        return paired(self.drawn(P, task=task), self.drawn(Q, task=task), task=task)

    def looks_alike(self, one: Matrix, other: Matrix, *, instance: Integers, task: str) -> Mask:
        """Whether rows (M, K) of these instances (M,) look the same on both sides, bar for bar."""
        return self.rule.identical(one, other, people=self.people[instance], task=task)


def paired(P: Matrix, Q: Matrix, *, task: str) -> ShownPair:
    """Drawn values of both sides (N, K) as distributions.

    >>> drawn = np.array([[0.6, 0.2], [0.0, 0.0]])
    >>> found = paired(drawn, drawn[::-1], task="multiclass")
    >>> found.P.shape, found.rows.tolist()
    ((0, 2), [False, False])
    >>> paired(drawn[:1], drawn[:1], task="multiclass").P.round(2).tolist()
    [[0.75, 0.25]]
    """
    if task == MULTILABEL:
        return ShownPair(P, Q, np.ones(len(P), dtype=np.bool_))
    sums = P.sum(axis=1), Q.sum(axis=1)
    rows: Mask = (sums[0] > 0) & (sums[1] > 0)
    return ShownPair(P[rows] / sums[0][rows, None], Q[rows] / sums[1][rows, None], rows)


def moved_decisions(exact: Matrix, shown: Matrix, *, task: str) -> int:
    """In how many cases the hard decision on shown values differs from that on exact values.

    Multilabel: values (N, K) that are above one half in only one of them. Otherwise: rows whose most probable label
    (the first of several) changes.

    >>> moved_decisions(np.array([[0.55, 0.3]]), np.array([[0.5, 0.25]]), task="multilabel")
    1
    """
    if task == MULTILABEL:
        return int(((exact > 0.5) != (shown > 0.5)).sum())
    best: tuple[Counts, Counts] = exact.argmax(axis=1), shown.argmax(axis=1)
    return int((best[0] != best[1]).sum())
