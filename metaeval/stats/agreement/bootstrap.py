"""Bootstrap intervals of any measure of agreement, over items.

A resample draws as many items as there are, with replacement, and is one column of weights: how often each item was
drawn. `LANES` resamples are computed side by side; together they are one block of the plan that distributes the work.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import get_args

import numpy as np

from metaeval.checking import checked_choice, checked_count, checked_level, checked_type
from metaeval.sampling import Replicates, ResamplingPlan, Seed, Steps, chosen_seed
from metaeval.stats.intervals import IntervalMethod, bootstrap_interval

from .measure import LANES, Measure, MeasuredAgreement
from .table import Weights


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
        rng = np.random.Generator(np.random.PCG64(stream))
        drawn = rng.integers(0, items, (size, items), dtype=np.int32)
        weights: Weights = kernels.tally(drawn, items)
        return weights

    def result(self, replicates: Replicates) -> MeasuredAgreement:
        """The measure of the data with its interval, from all replicates (n_resamples,)."""
        found = self.measure.result()
        wanted = self.bootstrap
        interval = bootstrap_interval(
            replicates,
            confidence_level=wanted.confidence_level,
            method=wanted.method,
            observed=found.value,
            jackknife=self.measure.without_each() if wanted.method == "bca" and not found.reason else (),
            undefined_because=found.reason,
        )
        return replace(found, interval=interval)

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
    """The measure's value, with an interval if one is asked for."""
    return measure.result() if bootstrap is None else AgreementBootstrap(measure, bootstrap).run()
