"""The plans of `metaeval.stats` in the one shape that `Work.run` takes (`metaeval.analyses.work.Plan`)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from metaeval.sampling import Replicates, ResamplingPlan, Seed
from metaeval.stats import CorrelationTest, PermutationPlan
from metaeval.stats.agreement import AgreementBootstrap, BinaryAlphas, Bootstrap, Measure
from metaeval.stats.agreement.measure import LANES

Counts = npt.NDArray[np.int64]


class Permutations:
    """A permutation plan: the values of a block are counts, which add up in any order."""

    def __init__(self, plan: PermutationPlan) -> None:
        self.plan = plan
        # Coefficients take turns, for they take unequally long: so any range of blocks takes as long as another.
        self._order = sorted(
            range(len(plan.blocks)), key=lambda block: (plan.blocks[block].start, plan.blocks[block].part)
        )

    @property
    def blocks(self) -> Sequence[object]:
        return self.plan.blocks

    def block(self, number: int) -> Counts:
        return self.plan.count(self._order[number])

    def merged(self, blocks: Sequence[Counts]) -> tuple[CorrelationTest, ...]:
        return self.plan.tests(sum(blocks, start=self.plan.empty()))


def agreement_plan(measure: Measure, *, resamples: int, seed: Seed) -> ResamplingPlan:
    """A measure of agreement in every bootstrap sample of the items: (resamples,)."""
    return AgreementBootstrap(measure, Bootstrap(resamples=resamples, seed=seed)).plan


def label_alphas_plan(alphas: BinaryAlphas, *, resamples: int, seed: Seed) -> ResamplingPlan:
    """The alphas of all labels in every bootstrap sample of the items: (resamples, labels)."""
    bootstrap = AgreementBootstrap(alphas, Bootstrap(resamples=resamples, seed=seed))

    def draw(stream: np.random.SeedSequence, size: int) -> Replicates:
        if not alphas.table.items:
            return np.full((size, len(alphas.label_names)), np.nan)
        return alphas.alphas(bootstrap.weights(stream, size)).T

    return ResamplingPlan(draw, resamples=resamples, seed=seed, block=LANES)
