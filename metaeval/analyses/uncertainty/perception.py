"""The distribution of people's and machines' labels over the items of each typical label, for perception charts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from metaeval.analyses.uncertainty.machines import MachineAgreement
from metaeval.analyses.uncertainty.partitioned_items import PartitionedItems
from metaeval.analyses.uncertainty.result import Perception, PerceptionBin
from metaeval.stats.uncertainty import Bin


def perception_of(
    titles: Sequence[str], items: PartitionedItems, machines: Sequence[MachineAgreement]
) -> list[Perception]:
    """The bins for each machine (or for people alone, on `items`): the distribution of people's and the machine's
    labels."""
    if not machines:
        return [Perception(machine=None, binned=None, pooled=None, bins=_people_bins(titles, items))]
    answers = []
    for machine in machines:
        divergence = machine.strata[0].divergence
        bins = [_bin(title, found) for title, found in zip(titles, divergence.bins, strict=True)]
        answers.append(
            Perception(machine=machine.machine.name, binned=divergence.value, pooled=divergence.pooled, bins=bins)
        )
    return answers


def _bin(title: str, found: Bin) -> PerceptionBin:
    return PerceptionBin(
        label=title,
        items=found.n_items,
        share=found.share,
        value=found.value,
        human=list(found.human),
        machine=list(found.machine),
        human_typical=list(found.human_typical),
        machine_typical=list(found.machine_typical),
        reason=found.reason,
    )


def _people_bins(titles: Sequence[str], items: PartitionedItems) -> list[PerceptionBin]:
    human, count = items.human, len(titles)
    rows = []
    for place, title in enumerate(titles):
        inside = items.typical == place
        size = int(inside.sum())
        said = np.bincount(human.label[inside[human.item]], minlength=count)
        rows.append(
            PerceptionBin(
                label=title,
                items=size,
                share=size / len(inside),
                value=None,
                human=(said / max(1, said.sum())).tolist(),
                machine=None,
                human_typical=(np.eye(count)[place] * bool(size)).tolist(),
                machine_typical=None,
                reason="there is no machine" if size else "no item has this typical label",
            )
        )
    return rows
