"""Machines that give every item a label at random, uniformly: the baseline of agreement with people."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from annotations.ground.arrays import Codes, Vector
from metaeval.analyses.uncertainty.parameters import Uncertainty
from metaeval.analyses.uncertainty.partitioned_items import ItemPartition, PartitionedItems
from metaeval.analyses.uncertainty.result import RandomLabellersMeasures, RandomLabellersRange
from metaeval.sampling import Replicates, ResamplingPlan
from metaeval.stats import bootstrap_interval
from metaeval.stats.agreement import krippendorff_alpha
from metaeval.stats.uncertainty import jensen_shannon, side_by_side

DRAWS_A_BLOCK = 8


class RandomLabellers:
    """Many random labellers of the same items, each in every partition."""

    def __init__(self, items: PartitionedItems, parameters: Uncertainty) -> None:
        self.items, self.parameters = items, parameters
        self.key = f"{items.number}/random"

    def plan(self, seed: np.random.SeedSequence) -> ResamplingPlan:
        """For every labeller, alpha and percentage agreement with people's typical label, and binned divergence:
        (labellers, partitions, 3)."""
        return ResamplingPlan(self._drawn, n_resamples=self.parameters.draws, seed=seed, block=DRAWS_A_BLOCK)

    def _drawn(self, stream_of_block: np.random.SeedSequence, size: int) -> Replicates:
        items = self.items
        rng = np.random.default_rng(stream_of_block)
        drawn = rng.integers(0, len(items.human.labels), (size, len(items.human.items)))
        values = np.full((size, len(items.partitions), 3), math.nan)
        for place, part in enumerate(items.partitions):
            if not len(part.places):
                continue
            spread = _by_bin(part)
            for number in range(size):
                codes = drawn[number, part.places]
                pair = side_by_side(part.human, part.typical, codes)
                alpha = krippendorff_alpha(pair, items.scale, constant=self.parameters.constant_value)
                agreement = (codes == part.typical).mean()
                values[number, place] = alpha.value, agreement, self._divergence(spread, part.typical, codes)
        return values

    def _divergence(self, spread: Mapping[int, Vector], typical: Codes, codes: Codes) -> float:
        parts = []
        for label, shares in spread.items():
            inside = codes[typical == label]
            machine = np.bincount(inside, minlength=len(shares)) / len(inside)
            distance = jensen_shannon(shares, machine, base=self.parameters.base, squared=self.parameters.squared)
            parts.append(len(inside) / len(typical) * distance)
        return math.fsum(parts)

    def measures(self, values: Replicates) -> RandomLabellersMeasures:
        """The values of all labellers in one partition, (labellers, 3), as ranges."""
        alpha, percentage, divergence = (_range(column, self.parameters.level) for column in values.T)
        return RandomLabellersMeasures(alpha=alpha, percentage=percentage, divergence=divergence)


def _by_bin(part: ItemPartition) -> dict[int, Vector]:
    """The shares of all human labels of the items with each typical label."""
    found = {}
    for label in np.unique(part.typical).tolist():
        said = part.human.label[part.typical[part.human.item] == label]
        found[label] = np.bincount(said, minlength=len(part.human.labels)) / len(said)
    return found


def _range(values: Replicates, level: float) -> RandomLabellersRange:
    known = values[~np.isnan(values)]
    interval = bootstrap_interval(values, confidence_level=level)
    mean = float(known.mean()) if len(known) else math.nan
    return RandomLabellersRange(mean=mean, low=interval.low, high=interval.high, reason=interval.reason)
