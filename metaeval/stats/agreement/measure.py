"""What all measures of agreement share: observed and expected disagreement under any weights of the items."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from annotations.ground.arrays import Vector
from metaeval.stats.intervals import Interval
from metaeval.stats.results import Statistic

from .table import CountTable, Weights

NO_ITEMS = "there are no items"
NO_PAIRS = "no item has two annotations"
ALL_EQUAL = "all annotations are equal, so that no disagreement can be expected"

LANES = 64
"""Resamples computed side by side."""


@dataclass(frozen=True)
class MeasuredAgreement(Statistic):
    """A measure of agreement and the numbers behind it.

    Attributes
    ----------
    measure : str
        Name of the measure.
    value : float
        The agreement; NaN where it is undefined.
    observed, expected : float
        Disagreements: value = 1 - observed / expected, or 1 - observed for measures that do not correct for chance,
        whose `expected` is None.
    n_items, n_annotations : int
        How many items and annotations count.
    n_labels : int
        How many distinct labels occur in them.
    excluded : int
        How many items do not count, because fewer than two people labelled them.
    interval : Interval or None
        The interval, if one was asked for.
    reason : str
        Why the value is undefined; empty if it is defined.
    notes : tuple of str
        What a reader should know.
    """

    measure: str
    value: float
    observed: float
    expected: float | None
    n_items: int
    n_annotations: int
    n_labels: int
    excluded: int = 0
    interval: Interval | None = None
    reason: str = ""
    notes: tuple[str, ...] = ()

    def __float__(self) -> float:
        return self.value


class Measure:
    """A measure as a function of the items' weights, so that a resample is one column of weights.

    Subclasses set `name`, `table` and `notes`, and give `disagreements`.
    """

    name: str
    table: CountTable
    notes: tuple[str, ...] = ()
    chance_corrected = True
    constant = math.nan
    """The value where only one label occurs, so that no disagreement is expected by chance."""

    def disagreements(self, weights: Weights) -> tuple[Vector, Vector]:
        """Observed and expected disagreement, shape (lanes,) each, for weights of shape (items, lanes)."""
        raise NotImplementedError

    def values(self, weights: Weights) -> Vector:
        """The measure in each lane; NaN where it is undefined."""
        return self._values(*self.disagreements(weights))

    def without_each(self) -> Vector:
        """The measure of the data without item i, for every i: (items,)."""
        items = self.table.items
        answers = np.empty(items)
        for start in range(0, items, LANES):
            stop = min(start + LANES, items)
            weights = np.ones((items, stop - start))
            weights[np.arange(start, stop), np.arange(stop - start)] = 0.0
            with np.errstate(invalid="ignore"):  # without its only item a measure is 0/0: undefined
                answers[start:stop] = self.values(weights)
        return answers

    def undefined_because(self, expected: float) -> str:
        """Why there is no value; empty where there is one."""
        if not self.table.items:
            return NO_PAIRS if self.table.dropped else NO_ITEMS
        if self.chance_corrected and expected == 0.0 and math.isnan(self.constant):
            return ALL_EQUAL
        return ""

    def result(self) -> MeasuredAgreement:
        """The value of the data, without an interval."""
        observed, expected = (
            (float(part[0]) for part in self.disagreements(np.ones((self.table.items, 1))))
            if self.table.items
            else (math.nan, math.nan)
        )
        reason = self.undefined_because(expected)
        value = math.nan if reason else float(self._values(np.array([observed]), np.array([expected]))[0])
        return MeasuredAgreement(
            measure=self.name,
            value=value,
            observed=observed,
            expected=expected if self.chance_corrected else None,
            n_items=self.table.items,
            n_annotations=self.table.annotations,
            n_labels=self.labels_that_occur(),
            excluded=self.table.dropped,
            reason=reason,
            notes=self.notes,
        )

    def labels_that_occur(self) -> int:
        return len(self.table.observed_values())

    def _values(self, observed: Vector, expected: Vector) -> Vector:
        return chance_corrected(observed, expected, self.constant) if self.chance_corrected else 1 - observed


def chance_corrected(observed: Vector, expected: Vector, constant: float) -> Vector:
    """1 - observed / expected; the constant where no disagreement is expected."""
    some = expected > 0
    answer = 1 - np.divide(observed, expected, out=np.full_like(observed, math.nan), where=some)
    return np.where((expected == 0) & ~some, constant, answer)
