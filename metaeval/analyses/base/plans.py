"""The plans of `metaeval.stats` in the one shape that `Work.run` takes (`metaeval.analyses.base.work.Plan`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from annotations.ground.arrays import Counts
from metaeval.analyses.base.work import Answered, Plan, block_of
from metaeval.sampling import Replicates, ResamplingPlan, Seed
from metaeval.stats import CorrelationTest, PermutationPlan
from metaeval.stats.agreement import AgreementBootstrap, BinaryAlphas, Bootstrap, Measure
from metaeval.stats.agreement.measure import LANES


class Permutations:
    """A permutation plan: the values of a block are counts, which add up in any order."""

    def __init__(self, plan: PermutationPlan) -> None:
        self.plan = plan
        # Coefficients alternate because they take unequally long: so all ranges of blocks take equally long.
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


class Together:
    """Many short plans as one: quick work does not deserve its own shards.

    Their blocks alternate, so that all ranges of blocks take about equally long.
    """

    def __init__(self, plans: Mapping[str, Plan]) -> None:
        self._plans = dict(plans)
        self._order = sorted(
            (number, place) for place, plan in enumerate(self._plans.values()) for number in range(len(plan.blocks))
        )

    @property
    def blocks(self) -> Sequence[tuple[int, int]]:
        return self._order

    def block(self, number: int) -> Any:
        within, place = self._order[number]
        name, plan = list(self._plans.items())[place]
        return block_of(plan, name, within)

    def merged(self, blocks: Sequence[Any]) -> Answered:
        """The answer of every plan, by name."""
        parts: list[list[Any]] = [[] for _ in self._plans]
        for (_, place), values in zip(self._order, blocks, strict=True):
            parts[place].append(values)
        return {name: plan.merged(part) for (name, plan), part in zip(self._plans.items(), parts, strict=True)}


def agreement_plan(measure: Measure, *, resamples: int, seed: Seed) -> ResamplingPlan:
    """A measure of agreement in every bootstrap sample of the items: (resamples,)."""
    return AgreementBootstrap(measure, Bootstrap(n_resamples=resamples, seed=seed)).plan


def label_alphas_plan(alphas: BinaryAlphas, *, resamples: int, seed: Seed) -> ResamplingPlan:
    """The alphas of all labels in every bootstrap sample of the items: (resamples, labels)."""
    bootstrap = AgreementBootstrap(alphas, Bootstrap(n_resamples=resamples, seed=seed))

    def draw(stream: np.random.SeedSequence, size: int) -> Replicates:
        if not alphas.table.items:
            return np.full((size, len(alphas.label_names)), np.nan)
        return alphas.alphas(bootstrap.weights(stream, size)).T

    return ResamplingPlan(draw, n_resamples=resamples, seed=seed, block=LANES)
