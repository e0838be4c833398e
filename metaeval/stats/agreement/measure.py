"""What all measures of agreement share: observed and expected disagreement under any weights of the items, and the
bootstrap over items.

A resample draws as many items as there are, with replacement, and is one column of weights: how often each item was
drawn. `LANES` resamples are computed side by side; together they are one block of the plan that distributes the work.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import get_args

import numpy as np

from annotations.ground.arrays import Vector
from metaeval.checking import checked_choice, checked_count, checked_level, checked_type
from metaeval.describing import described
from metaeval.sampling import Replicates, ResamplingPlan, Seed, Steps, chosen_seed
from metaeval.stats.intervals import Interval, IntervalMethod, bootstrap_interval
from metaeval.stats.results import Statistic

from .annotations import CountTable, Weights

NO_ITEMS = "there are no items"
NO_PAIRS = "no item has two annotations"
ALL_EQUAL = "all annotations are equal, so that no disagreement can be expected"

LANES = 64
"""Resamples computed side by side."""


@described
@dataclass(frozen=True)
class MeasuredAgreement(Statistic):
    """A measure of agreement and the numbers behind it."""

    measure: str
    """Name of the measure."""
    value: float
    """The agreement; NaN where it is undefined."""
    observed: float
    expected: float | None
    """Disagreements: value = 1 - observed / expected, or 1 - observed for measures that do not correct for chance,
    whose `expected` is None."""
    n_items: int
    n_annotations: int
    """How many items and annotations count."""
    n_labels: int
    """How many distinct labels occur in them."""
    excluded: int = 0
    """How many items do not count, because fewer than two people labelled them."""
    interval: Interval | None = None
    """The interval, if one was asked for."""
    reason: str = ""
    notes: tuple[str, ...] = ()

    def __float__(self) -> float:
        return self.value


class Measure:
    """A measure as a function of the items' weights, so that a resample is one column of weights.

    Subclasses set `name`, `table` and `notes`, and give `disagreements`.

    Parameters
    ----------
    annotations : Annotations or SetAnnotations
        The labels, or sets of labels.
    distance : {'nominal', 'ordinal', 'interval', 'ratio', 'jaccard', 'masi'}, default 'nominal'
        The distance between two labels, or between two sets of labels.
    constant : float, default NaN
        The value where only one label occurs, so that no disagreement is expected by chance.
    """

    name: str
    table: CountTable
    notes: tuple[str, ...] = ()
    chance_corrected = True
    constant = math.nan

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


@dataclass(frozen=True)
class Bootstrap:
    """How to compute the interval of a measure of agreement.

    Attributes
    ----------
    n_resamples : int, default 1000
        How many resamples of items to draw.
    confidence_level : float, default 0.95
        Confidence level of the interval, between 0 and 1.
    method : {'percentile', 'bca'}, default 'percentile'
        See `bootstrap_interval`. BCa's acceleration comes from the jackknife over items.
    seed, rng : int, SeedSequence or Generator, optional
        Where the random numbers come from. Both mean the same, so pass only one. The default is 0.
    """

    n_resamples: int = 1000
    confidence_level: float = 0.95
    method: IntervalMethod = "percentile"
    seed: Seed | None = None
    rng: Seed | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "seed", chosen_seed(self.seed, self.rng))
        object.__setattr__(self, "rng", None)  # it has become the seed
        checked_count("n_resamples", self.n_resamples)
        checked_level(self.confidence_level)
        checked_choice("method", self.method, get_args(IntervalMethod))


class AgreementBootstrap:
    """The work for one interval: `plan` distributes it, `result` takes all replicates.

    Parameters
    ----------
    measure : Measure
        A measure as a function of the items' weights.
    bootstrap : Bootstrap
        How to compute the interval.

    Examples
    --------
    >>> from metaeval.stats.agreement import Annotations, KrippendorffAlpha
    >>> alpha = KrippendorffAlpha(Annotations.from_counts([[3, 0], [2, 1], [0, 3], [1, 2]]))
    >>> bootstrap = AgreementBootstrap(alpha, Bootstrap(n_resamples=200, seed=1))
    >>> shards = [bootstrap.plan.block(number) for number in range(len(bootstrap.plan.blocks))]
    >>> bootstrap.result(bootstrap.plan.merged(shards)) == bootstrap.run()
    True
    """

    def __init__(self, measure: Measure, bootstrap: Bootstrap) -> None:
        self.measure = measure
        self.bootstrap = bootstrap
        self.plan = ResamplingPlan(self._draw, n_resamples=bootstrap.n_resamples, seed=bootstrap.seed, block=LANES)

    def weights(self, stream: np.random.SeedSequence, size: int) -> Weights:
        """How often each item is drawn in `size` resamples: (items, size)."""
        from . import kernels

        items = self.measure.table.items
        rng = np.random.default_rng(stream)
        drawn = rng.integers(0, items, (size, items), dtype=np.int32)
        weights: Weights = kernels.tally(drawn, items)
        return weights

    def result(self, replicates: Replicates) -> MeasuredAgreement:
        """The measure of the data with its interval, from all replicates (n_resamples,)."""
        result, method = self.measure.result(), self.bootstrap.method
        interval = bootstrap_interval(
            replicates,
            confidence_level=self.bootstrap.confidence_level,
            method=method,
            observed=result.value,
            jackknife=self.measure.without_each() if method == "bca" and not result.reason else (),
            undefined_because=result.reason,
        )
        return replace(result, interval=interval)

    def run(self, progress: Steps | None = None) -> MeasuredAgreement:
        """Run every block in this process; `progress(done, total)` is called before the first and after each."""
        return self.result(self.plan.run(progress))

    def _draw(self, stream: np.random.SeedSequence, size: int) -> Replicates:
        if not self.measure.table.items:
            return np.full(size, math.nan)
        return self.measure.values(self.weights(stream, size))


def checked_bootstrap(bootstrap: object) -> None:
    """Refuse anything that is not a `Bootstrap`."""
    checked_type("bootstrap", bootstrap, (Bootstrap, type(None)), "a Bootstrap, or None for no interval")


def measured(measure: Measure, bootstrap: Bootstrap | None) -> MeasuredAgreement:
    """The measure's value, with an interval if there is a bootstrap."""
    checked_bootstrap(bootstrap)
    return measure.result() if bootstrap is None else AgreementBootstrap(measure, bootstrap).run()
