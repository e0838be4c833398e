"""The best temperature of a system, chosen on different instances from those it is judged on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from annotations.ground.arrays import Integers, Mask, Matrix
from metaeval import metrics
from metaeval.metrics.temperature import GRID


@dataclass(frozen=True, eq=False)
class Temperatures:
    """A system's temperatures, one per fold, and the fold of every judged instance.

    `words` say, as part of a name, where they come from; `reason` says why they are unknown (then NaN).
    """

    words: str
    of_folds: tuple[float, ...]
    fold: Integers
    reason: str = ""


def folds_of(instances: int, folds: int, seed: np.random.SeedSequence) -> Integers:
    """The fold of every instance, drawn so that the sizes of folds differ by at most one."""
    return np.random.default_rng(seed).permutation(instances) % folds


def log_probabilities(Q: npt.ArrayLike) -> Matrix:
    """Logarithms, minus infinity for 0: logits for `temperature_scaled`."""
    with np.errstate(divide="ignore"):
        logits: Matrix = np.log(np.asarray(Q, dtype=np.float64))
    return logits


class TemperaturePlan:
    """The criterion along the grid, one temperature per block, for the instances outside each fold: (grid, folds)."""

    def __init__(self, P: Matrix, Q: Matrix, fold: Integers, folds: int, criterion: str) -> None:
        self._P, self._logits, self._criterion = P, log_probabilities(Q), criterion
        self._inside = [fold != number if folds > 1 else np.ones(len(P), dtype=np.bool_) for number in range(folds)]
        self.blocks = GRID

    def block(self, number: int) -> Matrix:
        scaled = metrics.temperature_scaled(self._logits, self.blocks[number])
        return np.array([self._value(scaled, inside) for inside in self._inside])

    def _value(self, scaled: Matrix, inside: Mask) -> float:
        table = metrics.compute(self._P[inside], scaled[inside], "multiclass", [self._criterion])
        return float(table["Q"][self._criterion])

    def merged(self, blocks: Sequence[Matrix]) -> Matrix:
        return np.stack(blocks)


def best(values: Matrix) -> list[float]:
    """The temperature that minimises the criterion in each fold, the lowest of several; NaN if there is none.

    >>> best(np.array([[math.nan, 2.0]] * 3 + [[math.nan, 1.0]] * (len(GRID) - 3)))
    [nan, 0.65]
    """
    chosen = []
    for column in values.T:
        known = ~np.isnan(column)
        chosen.append(GRID[int(np.nanargmin(column))] if known.any() else math.nan)
    return chosen


def scaled_by_fold(Q: Matrix, fold: Integers, temperatures: Sequence[float]) -> Matrix:
    """Every instance at the temperature of its fold."""
    logits = log_probabilities(Q)
    rows = np.empty_like(logits)
    for number, temperature in enumerate(temperatures):
        inside = fold == number
        rows[inside] = metrics.temperature_scaled(logits[inside], temperature)
    return rows
