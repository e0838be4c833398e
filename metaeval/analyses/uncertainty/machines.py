"""A machine beside people in each partition of the items."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from metaeval.analyses.base.plans import agreement_plan
from metaeval.analyses.base.work import Plan
from metaeval.analyses.inputs.parts import Number
from metaeval.analyses.uncertainty.machine_labels import Machine
from metaeval.analyses.uncertainty.parameters import Uncertainty
from metaeval.analyses.uncertainty.partitioned_items import EMPTY, PartitionedItems, without_spread
from metaeval.analyses.uncertainty.result import (
    ComparedAlphas,
    FourComparisons,
    LabelWinRates,
    MachineBesidePeople,
    MachineStratum,
    PartitionKind,
    RankCorrelations,
    StratumDivergence,
)
from metaeval.sampling import Replicates, Steps
from metaeval.stats import bootstrap_interval
from metaeval.stats.agreement import KrippendorffAlpha, MeasuredAgreement
from metaeval.stats.uncertainty import (
    MeasureComparison,
    Stratum,
    paired,
    side_by_side,
    stratified_table,
    typical_labels,
)

ONE_LABEL = "one label per item"
UNEQUAL = "items with one human judgement, which only one of the two measures counts"


@dataclass(frozen=True, eq=False)
class MachineAgreement:
    """A machine's labels and people's, in every partition of the items that both labelled.

    `alphas` are those of people's majority or median with the machine's, H^w M^w, for resampling.
    """

    machine: Machine
    items: PartitionedItems
    parameters: Uncertainty
    strata: tuple[Stratum, ...]
    alphas: list[KrippendorffAlpha]

    @classmethod
    def of(
        cls,
        machine: Machine,
        items: PartitionedItems,
        parameters: Uncertainty,
        *,
        seed: np.random.SeedSequence,
        steps: Steps,
    ) -> MachineAgreement:
        """`seed` draws the random person of H'M^w."""
        strata = stratified_table(
            items.human,
            machine.annotations,
            items.scale,
            partitions=[part.partition for part in items.partitions],
            typical=items.typical,
            constant=parameters.constant_value,
            base=parameters.base,
            squared=parameters.squared,
            seed=seed,
            progress=steps,
        )
        codes = typical_labels(paired(items.human, machine.annotations).machine, items.scale).codes
        alphas = [
            KrippendorffAlpha(
                side_by_side(part.human, part.typical, codes[part.places]),
                items.scale,
                constant=parameters.constant_value,
            )
            for part in items.partitions
        ]
        return cls(machine, items, parameters, strata, alphas)

    def _key(self, place: int) -> str:
        return f"{self.items.key(place)}/{self.machine.name}"

    def plans(self, root: np.random.SeedSequence) -> dict[str, Plan]:
        """The bootstraps of the alphas, on the same resamples as people's own."""
        *seeds, _ = self.items.seeds(root)
        return {
            self._key(place): agreement_plan(alpha, resamples=self.parameters.resamples, seed=seed)
            for place, (alpha, seed) in enumerate(zip(self.alphas, seeds, strict=True))
        }

    def described(self) -> MachineBesidePeople:
        everything = self.strata[0]
        return MachineBesidePeople(
            name=self.machine.name,
            items=len(self.items.human.items),
            most_labels_an_item=int(self.machine.annotations.table.sizes.max()),
            binned_divergence=everything.divergence.value,
            pooled_divergence=everything.divergence.pooled,
        )

    def rows(self, replicates: Mapping[str, Replicates]) -> list[MachineStratum]:
        """One row per partition: people, the machine, and both."""
        level = self.parameters.level
        return [
            self._row(
                part.kind,
                stratum,
                _compared_alphas(stratum, replicates[self.items.key(place)], replicates[self._key(place)], level),
            )
            for place, (part, stratum) in enumerate(zip(self.items.partitions, self.strata, strict=True))
        ]

    def _row(self, kind: PartitionKind, stratum: Stratum, alphas: ComparedAlphas) -> MachineStratum:
        sizes = self.machine.annotations.table.sizes
        several = bool(len(sizes)) and sizes.max() > 1
        divergence = stratum.divergence
        correlations = stratum.correlations
        return MachineStratum(
            machine=self.machine.name,
            grouping=kind,
            partition=stratum.partition,
            items=stratum.n_items,
            share=stratum.share,
            alpha=alphas,
            percentage=_four(stratum.percentage) if several else _without_machines(stratum.percentage),
            fleiss=_four(stratum.fleiss),
            randolph=_four(stratum.randolph),
            divergence=StratumDivergence(binned=divergence.value, pooled=divergence.pooled, reason=divergence.reason),
            win_rates=LabelWinRates(people=list(stratum.human_win_rates), machine=list(stratum.machine_win_rates)),
            correlations=None if correlations is None else RankCorrelations.from_found(correlations),
            undecided=stratum.undecided,
            notes=[] if stratum.n_items else [EMPTY],
        )


def _compared_alphas(stratum: Stratum, people: Replicates, typical: Replicates, level: float) -> ComparedAlphas:
    """The alphas, with the intervals of H^w M^w and of its difference from people's own, on the same resamples."""
    alpha = stratum.alpha
    alone = without_spread(alpha.typical)
    own = bootstrap_interval(typical, confidence_level=level, undefined_because=alpha.typical.reason or alone)
    same = alpha.among_humans.n_items == alpha.typical.n_items
    reason = alpha.reason or alone or ("" if same else UNEQUAL)
    apart = bootstrap_interval(people - typical, confidence_level=level, undefined_because=reason)
    return ComparedAlphas(
        **_values(alpha),
        reasons=_reasons(alpha),
        typical_low=own.low,
        typical_high=own.high,
        difference_low=apart.low,
        difference_high=apart.high,
        difference_reason=apart.reason,
    )


def _four(found: MeasureComparison) -> FourComparisons:
    return FourComparisons(**_values(found), reasons=_reasons(found))


def _without_machines(found: MeasureComparison) -> FourComparisons:
    """If the machine gave every item one label, there is no agreement among machine labels."""
    return FourComparisons(**{**_values(found), "machines": None}, reasons={**_reasons(found), "machines": ONE_LABEL})


def _values(found: MeasureComparison) -> dict[str, Number]:
    return {**{name: part.value for name, part in _parts(found).items()}, "difference": found.difference}


def _reasons(found: MeasureComparison) -> dict[str, str]:
    return {name: part.reason for name, part in _parts(found).items() if part.reason}


def _parts(found: MeasureComparison) -> dict[str, MeasuredAgreement]:
    """The four: among people, among machines, between typical labels, and of one random person."""
    return {
        "people": found.among_humans,
        "machines": found.among_machines,
        "typical": found.typical,
        "random_person": found.random_human,
    }
