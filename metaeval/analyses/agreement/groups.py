"""Agreement in groups of items: by how much people agree, how many different labels they gave, or system."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from metaeval.analyses.agreement.measures import interval_of
from metaeval.analyses.agreement.parameters import AgreementParameters, Grouping
from metaeval.analyses.agreement.result import AgreementInGroup
from metaeval.analyses.inputs.judged_items import JudgedItems
from metaeval.sampling import Replicates
from metaeval.stats.agreement import (
    Annotations,
    KrippendorffAlpha,
    LabelDistance,
    Measure,
    PercentageAgreement,
    SetAnnotations,
    SetDistance,
)
from metaeval.stats.uncertainty import Partition, Scale, partitions_by_agreement, partitions_by_labels

MANY_LABELS = 5
TITLES: dict[Grouping, str] = {
    "agreement": "Percentage agreement (PA)",
    "different_labels": "Different labels",
    "systems": "System",
}


@dataclass(frozen=True, eq=False)
class ItemGroups:
    """The items with at least two judgements, in groups, and the alpha of each group under its name in plans."""

    labels: Annotations
    """The judgements; a set of labels counts as one label."""
    partitions: dict[str, tuple[Grouping, Partition]]
    alphas: dict[str, Measure]

    @classmethod
    def of(
        cls, found: JudgedItems, distance: LabelDistance | SetDistance, parameters: AgreementParameters
    ) -> ItemGroups:
        paired = found.with_at_least(2)  # one judgement says nothing about agreement
        data = paired.annotations
        partitions: dict[str, tuple[Grouping, Partition]] = {
            f"{grouping}/{number}": (grouping, part)
            for grouping, parts in partitions_of(paired, parameters.partitions, parameters.bounds)
            for number, part in enumerate(parts)
        }
        constant = parameters.constant_value
        return cls(
            _as_labels(paired),
            partitions,
            {
                name: KrippendorffAlpha(data.only(part.items), distance, constant=constant)
                for name, (_, part) in partitions.items()
            },
        )

    def rows(self, replicates: Mapping[str, Replicates], parameters: AgreementParameters) -> list[AgreementInGroup]:
        """One row per group; the replicates have the groups' names."""
        return [
            AgreementInGroup.with_interval(
                self.alphas[name].result(),
                interval_of(self.alphas[name], replicates[name], parameters),
                grouping=grouping,
                by=TITLES[grouping],
                partition=part.name,
                items=len(part.items),
                share=part.share,
                percentage_agreement=PercentageAgreement(self.labels.only(part.items)).result().value,
            )
            for name, (grouping, part) in self.partitions.items()
        ]


def partitions_of(
    found: JudgedItems, groupings: Sequence[Grouping], bounds: Sequence[float]
) -> Iterator[tuple[Grouping, list[Partition]]]:
    """The groups of each of the requested kinds, if the items have them."""
    labels = _as_labels(found)
    if "agreement" in groupings:
        scale: Scale = "ordinal" if found.is_ordered else "nominal"
        yield "agreement", list(partitions_by_agreement(labels, scale, bounds=bounds)[1:])
    if "different_labels" in groupings:
        yield "different_labels", few_labels(partitions_by_labels(labels)[1:])
    if "systems" in groupings and found.systems:
        names = np.array(found.systems, dtype=object)
        yield (
            "systems",
            [
                Partition(name, tuple(np.flatnonzero(names == name).tolist()), float((names == name).mean()))
                for name in sorted(set(found.systems))
            ],
        )


def few_labels(parts: Sequence[Partition]) -> list[Partition]:
    """The non-empty partitions by number of labels; those with many labels (or sets of labels) are merged."""
    many = [part for part in parts[MANY_LABELS:] if part.items]
    few = [part for part in parts[:MANY_LABELS] if part.items]
    if not many:
        return few
    items = sorted(item for part in many for item in part.items)
    return [*few, Partition(f"more than {MANY_LABELS} labels", tuple(items), sum(part.share for part in many))]


def _as_labels(found: JudgedItems) -> Annotations:
    data = found.annotations
    return data.as_labels() if isinstance(data, SetAnnotations) else data
