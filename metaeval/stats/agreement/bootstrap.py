"""Bootstrap intervals of any measure of agreement, over items, in blocks that can be shared.

A resample draws as many items as there are, with replacement, and is one column of weights: how often each item came.
Block b of `LANES` resamples has a stream of random numbers of its own, so that its values do not depend on who
computes it, nor on how many resamples there are in all.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import ndtr, ndtri

from metaeval.stats.seeds import Seed, seed_sequence, stream

from .measure import LANES, Agreement, Interval, Measure
from .table import Vector, Weights

Method = Literal["percentile", "bca"]


@dataclass(frozen=True)
class Bootstrap:
    """How to make an interval: how many resamples, at which level, by which method, from which seed.

    percentile: the (1 - level)/2 and (1 + level)/2 quantiles of the resamples. bca: the bias-corrected and accelerated
    interval of Efron (1987), whose acceleration comes from the jackknife over items.
    """

    resamples: int = 1000
    level: float = 0.95
    method: Method = "percentile"
    seed: Seed = 0

    def __post_init__(self) -> None:
        if self.resamples < 1 or not 0 < self.level < 1 or self.method not in {"percentile", "bca"}:
            msg = (
                f"expected resamples >= 1, 0 < level < 1 and percentile or bca; "
                f"got {self.resamples}, {self.level}, {self.method!r}"
            )
            raise ValueError(msg)


class BootstrapPlan:
    """The work of one interval, cut into blocks.

    >>> from metaeval.stats.agreement import Annotations, KrippendorffAlpha
    >>> alpha = KrippendorffAlpha(Annotations.from_counts([[3, 0], [2, 1], [0, 3], [1, 2]]))
    >>> plan = BootstrapPlan(alpha, Bootstrap(resamples=200, seed=1))
    >>> shards = [plan.values(block) for block in range(len(plan.blocks))]
    >>> plan.interval(shards) == plan.run().interval
    True
    """

    def __init__(self, measure: Measure, bootstrap: Bootstrap) -> None:
        self.measure = measure
        self.bootstrap = bootstrap
        self.root = seed_sequence(bootstrap.seed)
        total = bootstrap.resamples if measure.table.items else 0
        self.blocks = tuple(range(start, min(start + LANES, total)) for start in range(0, total, LANES))

    def weights(self, block: int) -> Weights:
        """How often each item came in the block's resamples: (items, resamples of the block)."""
        from . import kernels

        items, lanes = self.measure.table.items, len(self.blocks[block])
        rng = np.random.Generator(np.random.PCG64(stream(self.root, block)))
        drawn = rng.integers(0, items, (lanes, items), dtype=np.int32)
        weights: Weights = kernels.tally(drawn, items)
        return weights

    def values(self, block: int) -> Vector:
        """The measure in the block's resamples."""
        return self.measure.values(self.weights(block))

    def interval(self, values: Sequence[Vector]) -> Interval:
        """The interval, from the values of all blocks in the blocks' order."""
        sample = np.concatenate([np.empty(0), *values])
        defined = sample[np.isfinite(sample)]
        bounds, reason = (math.nan, math.nan), ""
        if not len(defined):
            reason = "no item has two annotations" if not len(sample) else "the measure is undefined in every resample"
        elif self.bootstrap.method == "percentile":
            bounds = self._quantiles(defined, (1 - self.bootstrap.level) / 2, (1 + self.bootstrap.level) / 2)
        else:
            bounds, reason = self._accelerated(defined)
        return Interval(
            lower=bounds[0],
            upper=bounds[1],
            level=self.bootstrap.level,
            method=self.bootstrap.method,
            resamples=len(sample),
            undefined=len(sample) - len(defined),
            reason=reason,
        )

    def run(self, progress: Callable[[int, int], None] | None = None) -> Agreement:
        """Every block in this process; `progress(done, total)` is called before the first and after each."""
        values = []
        for block in range(len(self.blocks)):
            if progress is not None:
                progress(block, len(self.blocks))
            values.append(self.values(block))
        if progress is not None:
            progress(len(self.blocks), len(self.blocks))
        return self.measure.result(self.interval(values))

    def _accelerated(self, sample: Vector) -> tuple[tuple[float, float], str]:
        """Efron's BCa: quantiles moved by the bias z0 and the acceleration a."""
        value = self.measure.result().value
        if math.isnan(value):
            return (math.nan, math.nan), "the measure is undefined"
        share = ((sample < value).sum() + (sample == value).sum() / 2) / len(sample)
        if share in {0.0, 1.0}:
            return (math.nan, math.nan), "all resamples lie on one side of the value"
        jackknife = self.measure.without_each()
        jackknife = jackknife[np.isfinite(jackknife)]
        away = jackknife.mean() - jackknife if len(jackknife) else np.zeros(1)
        spread = float((away**2).sum())
        acceleration = float((away**3).sum()) / (6 * spread**1.5) if spread > 0 else 0.0
        bias = float(ndtri(share))
        tails = []
        for tail in ((1 - self.bootstrap.level) / 2, (1 + self.bootstrap.level) / 2):
            shifted = bias + float(ndtri(tail))
            tails.append(float(ndtr(bias + shifted / (1 - acceleration * shifted))))
        return self._quantiles(sample, *tails), ""

    @staticmethod
    def _quantiles(sample: Vector, lower: float, upper: float) -> tuple[float, float]:
        low, high = np.quantile(sample, [lower, upper])
        return float(low), float(high)


def measured(measure: Measure, bootstrap: Bootstrap | None) -> Agreement:
    """The measure's value, and its interval where one is asked for."""
    return measure.result() if bootstrap is None else BootstrapPlan(measure, bootstrap).run()
