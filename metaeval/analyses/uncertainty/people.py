"""How much people agree among themselves in each partition of the items."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from metaeval.analyses.base.plans import agreement_plan
from metaeval.analyses.base.work import Plan
from metaeval.analyses.uncertainty.parameters import Uncertainty
from metaeval.analyses.uncertainty.partitioned_items import EMPTY, ItemPartition, PartitionedItems, without_spread
from metaeval.analyses.uncertainty.random_labellers import RandomLabellers
from metaeval.analyses.uncertainty.result import PeopleStratum
from metaeval.sampling import Replicates
from metaeval.stats import Interval, bootstrap_interval
from metaeval.stats.agreement import (
    FleissKappa,
    KrippendorffAlpha,
    Measure,
    MeasuredAgreement,
    PairwiseAgreement,
    PercentageAgreement,
    RandolphKappa,
)


@dataclass(frozen=True, eq=False)
class PeopleAgreement:
    """People's alpha in every partition of the items, beside random labellers."""

    items: PartitionedItems
    parameters: Uncertainty
    alphas: list[KrippendorffAlpha]
    random: RandomLabellers

    @classmethod
    def of(cls, items: PartitionedItems, parameters: Uncertainty) -> PeopleAgreement:
        alphas = [
            KrippendorffAlpha(part.human, items.scale, constant=parameters.constant_value) for part in items.partitions
        ]
        return cls(items, parameters, alphas, RandomLabellers(items, parameters))

    def plans(self, root: np.random.SeedSequence) -> dict[str, Plan]:
        """The bootstraps of the alphas over items, and random labellers."""
        *seeds, last = self.items.seeds(root)
        made: dict[str, Plan] = {
            self.items.key(place): agreement_plan(alpha, resamples=self.parameters.resamples, seed=seed)
            for place, (alpha, seed) in enumerate(zip(self.alphas, seeds, strict=True))
        }
        return made | {self.random.key: self.random.plan(last)}

    def rows(self, replicates: Mapping[str, Replicates]) -> list[PeopleStratum]:
        """One row per partition: how much people agree, and how much a random labeller agrees with them."""
        rows = []
        for place, (part, measure) in enumerate(zip(self.items.partitions, self.alphas, strict=True)):
            alpha = measure.result()
            interval = bootstrap_interval(
                replicates[self.items.key(place)],
                confidence_level=self.parameters.level,
                undefined_because=alpha.reason or without_spread(alpha),
            )
            rows.append(self._row(part, alpha, interval, replicates[self.random.key][:, place]))
        return rows

    def _row(
        self, part: ItemPartition, alpha: MeasuredAgreement, interval: Interval, random: Replicates
    ) -> PeopleStratum:
        data, constant = part.human, self.parameters.constant_value
        measures: dict[str, Measure] = {
            "percentage": PercentageAgreement(data),
            "pairwise": PairwiseAgreement(data),
            "fleiss": FleissKappa(data, constant=constant),
            "randolph": RandolphKappa(data, labels="observed", constant=constant),
        }
        return PeopleStratum(
            grouping=part.kind,
            partition=part.partition.name,
            items=len(part.places),
            share=part.partition.share,
            annotations=len(data.item),
            labels_that_occur=len(np.unique(data.label)),
            alpha=alpha.value,
            low=interval.low,
            high=interval.high,
            **{name: measure.result().value for name, measure in measures.items()},
            random=self.random.measures(random),
            reason=alpha.reason if len(part.places) else EMPTY,
        )
