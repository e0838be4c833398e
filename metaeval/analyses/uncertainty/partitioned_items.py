"""Items that people and machines have in common, in partitions by how much people agree on them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from annotations.arrays import Codes
from metaeval.analyses.agreement.measures import few_labels
from metaeval.analyses.uncertainty.machine_labels import Sides
from metaeval.analyses.uncertainty.parameters import Uncertainty
from metaeval.analyses.uncertainty.result import PartitionKind
from metaeval.sampling import stream
from metaeval.stats.agreement import Annotations, MeasuredAgreement
from metaeval.stats.uncertainty import Partition, Scale, partitions_by_agreement, partitions_by_labels

EMPTY = "no item is in this partition"
ONE_ITEM = "one item only, which has no spread"


@dataclass(frozen=True, eq=False)
class ItemPartition:
    """A partition: its items as positions among all, people's labels of them, and their typical labels."""

    kind: PartitionKind
    partition: Partition
    places: Codes
    human: Annotations
    typical: Codes


@dataclass(frozen=True, eq=False)
class PartitionedItems:
    """What all machines that labelled these items share. `number` distinguishes several such sets of items."""

    number: int
    scale: Scale
    human: Annotations
    typical: Codes
    partitions: tuple[ItemPartition, ...]

    @classmethod
    def of(cls, sides: Sides, places: Codes, parameters: Uncertainty, number: int) -> PartitionedItems:
        human, typical = sides.human.only(places), sides.typical[places]
        partitions = []
        for kind, part in _partitions(human, typical, sides.scale, parameters):
            inside = np.array(part.items, dtype=np.int64)
            partitions.append(ItemPartition(kind, part, inside, human.only(part.items), typical[inside]))
        return cls(number, sides.scale, human, typical, tuple(partitions))

    def key(self, place: int) -> str:
        """The name of the plan for people's alpha in a partition."""
        return f"{self.number}/{place}"

    def seeds(self, root: np.random.SeedSequence) -> list[np.random.SeedSequence]:
        """One stream per partition, which draws the same items for people and for every machine; the last is for random
        labellers."""
        mine = stream(root, self.number)
        return [stream(mine, place) for place in range(len(self.partitions) + 1)]


def _partitions(
    human: Annotations, typical: Codes, scale: Scale, parameters: Uncertainty
) -> Iterator[tuple[PartitionKind, Partition]]:
    everything, *by_agreement = partitions_by_agreement(human, scale, bounds=parameters.bounds, typical=typical)
    yield "all", everything
    if "agreement" in parameters.partitions:
        for part in by_agreement:
            yield "agreement", part
    if "different_labels" in parameters.partitions:
        for part in few_labels(partitions_by_labels(human)[1:]):
            yield "different_labels", part


def without_spread(found: MeasuredAgreement) -> str:
    """Why there is no interval although there is a value; empty if there is one."""
    return ONE_ITEM if found.n_items == 1 else ""
