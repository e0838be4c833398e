"""Whether the drawn values alone tell people from systems, since only some shares are possible for people.

The guesser knows how many people judged each text, and nothing about the systems. How much a value v
speaks for people is the ratio of two probabilities: that v is shown if the share is k/n, and if the share may be
anything within half a share of k/n, with k from 0 to n equally likely. It is a Bayes guess in closed form: nothing is
fitted, so it works with any number of comparisons. Experts can guess like this, so a study should keep it at chance,
0.5. An undecided guess counts as half right.


Needs no Django.
"""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Protocol

import numpy as np

from annotations.ground.arrays import Counts, Matrix
from annotations.ground.blinding.display_rule import NEARLY, PERCENT

IMPOSSIBLE = -50.0  # the logarithm of "never", finite so that two of them add up


class DrawnSides(Protocol):
    """One comparison: the drawn percentages of both sides, how many people judged the text, and the number of parts."""

    @property
    def people(self) -> int: ...
    @property
    def parts(self) -> int: ...
    @property
    def human(self) -> Counts: ...
    @property
    def system(self) -> Counts: ...


def by_grid(pairs: Sequence[DrawnSides]) -> float:
    """The share of pairs in which the guess by the grid is right."""
    return _rightness(evidence_of(pair) for pair in pairs)


def evidence_of(pair: DrawnSides) -> tuple[float, float]:
    """How much the values of the human and of the system's side speak for people: sums of logarithms."""
    evidence = grid_evidence(pair.people, pair.parts)
    human, system = (float(sum(evidence[value] for value in side.tolist())) for side in (pair.human, pair.system))
    return human, system


@cache
def grid_evidence(people: int, parts: int) -> Matrix:
    """For every percentage, log P(shown | share is k/people) - log P(shown | share is anywhere near k/people).

    >>> bool((grid_evidence(5, 5) == 0).all())  # drawn in fifths, five people cannot be recognised
    True
    >>> bool(grid_evidence(5, 20)[35] < -40)  # 35% is never a share of five people
    True
    """
    steps = np.arange(parts + 1)
    percent = (2 * PERCENT * steps + parts) // (2 * parts)
    shares = np.arange(people + 1) / people
    exactly = np.bincount(np.floor(shares * parts + 0.5 + NEARLY).astype(int), minlength=parts + 1) / len(shares)
    # Each k's neighbourhood, clipped to [0, 1], overlaps each step's values.
    low, high = np.clip(shares - 0.5 / people, 0, 1), np.clip(shares + 0.5 / people, 0, 1)
    first, last = np.clip((steps - 0.5) / parts, 0, 1), np.clip((steps + 0.5) / parts, 0, 1)
    overlap = np.minimum(high[:, None], last) - np.maximum(low[:, None], first)
    nearly = (np.clip(overlap, 0, None) / (high - low)[:, None]).mean(axis=0)
    by_percent = [np.bincount(percent, weights=weights, minlength=PERCENT + 1) for weights in (exactly, nearly)]
    evidence = np.zeros(PERCENT + 1)
    for value in np.flatnonzero(by_percent[1] > 0):
        ratio = by_percent[0][value] / by_percent[1][value]
        evidence[value] = round(float(np.log(ratio)), 9) if ratio > 0 else IMPOSSIBLE
    return evidence


def _rightness(scores: Iterable[tuple[float, float]]) -> float:
    """The share of (human, system) scores in which the human side's is the larger; ties count as half."""
    pairs = np.array(list(scores))
    lead = pairs[:, 0] - pairs[:, 1]
    return float(np.mean(np.where(np.abs(lead) < 1e-6, 0.5, lead > 0)))
