"""A machine's numbers beside people's labels, by how much people agree: Elangovan et al. (2025), Table 2, Figure 6."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from annotations.ground.arrays import Vector
from metaeval.analyses.base.result import BootstrapInterval
from metaeval.analyses.base.work import Plan
from metaeval.analyses.uncertainty.machine_labels import Machine, Sides
from metaeval.analyses.uncertainty.parameters import Uncertainty
from metaeval.analyses.uncertainty.partitioned_items import EMPTY, ItemPartition, PartitionedItems
from metaeval.analyses.uncertainty.result import ContinuousStratum, ValuesOfLabel
from metaeval.sampling import Replicates
from metaeval.stats import COEFFICIENTS, CorrelationBootstrap, bootstrap_interval, correlation

FEWEST = 3
"""With two items, every coefficient is 1 or -1."""
FEW = "fewer than three items"
ONE_LABEL = "people's label has one and the same value on all of these items"
ONE_VALUE = "the machine has one and the same value on all of these items"
QUANTILES = {"p05": 0.05, "p25": 0.25, "p50": 0.5, "p75": 0.75, "p95": 0.95}
NOTHING = np.zeros(0)


@dataclass(frozen=True, eq=False)
class ContinuousMachine:
    """A machine's values for the items (`values`, in their order), and people's labels as numbers (`points`, one per
    label, named by `titles`)."""

    name: str
    items: PartitionedItems
    values: Vector
    points: Vector
    titles: tuple[str, ...]
    parameters: Uncertainty

    @classmethod
    def of_each(
        cls, found: Sides, labelled: Sequence[tuple[Machine | None, PartitionedItems]], parameters: Uncertainty
    ) -> list[ContinuousMachine]:
        """The machines that give numbers."""
        if found.points is None:
            return []
        return [
            cls(machine.name, items, _values(machine, items), found.points, found.titles, parameters)
            for machine, items in labelled
            if machine is not None and machine.values is not None
        ]

    def _of(self, part: ItemPartition) -> tuple[Vector, Vector]:
        """The machine's values in a partition, and people's labels as numbers."""
        return self.values[part.places], self.points[part.typical]

    def _key(self, place: int) -> str:
        return f"{self.items.key(place)}/{self.name}/continuous"

    def plans(self, root: np.random.SeedSequence) -> dict[str, Plan]:
        """The bootstraps of Spearman's coefficient over items, if it is defined; all machines draw the same."""
        *seeds, _ = self.items.seeds(root)
        made: dict[str, Plan] = {}
        for place, (part, seed) in enumerate(zip(self.items.partitions, seeds, strict=True)):
            values, people = self._of(part)
            if not undefined_because(values, people):
                bootstrap = CorrelationBootstrap(
                    {self.name: values},
                    people,
                    coefficients=["spearman"],
                    n_resamples=self.parameters.resamples,
                    seed=seed,
                )
                made[self._key(place)] = bootstrap.plan
        return made

    def rows(self, replicates: Mapping[str, Replicates]) -> list[ContinuousStratum]:
        """One row per partition.

        Pearson's r, Spearman's rho and Kendall's tau-b (`metaeval.stats.correlation`) of the machine's values with
        people's typical labels, with a percentile interval of Spearman's over items; the distribution of values for
        every label. Undefined for fewer than three items, and where one side does not vary, e.g. where all items have
        the same label.

        Source: Elangovan et al. 2025, Table 2 and Figure 6.
        """
        return [
            self._row(part, replicates[self._key(place)][:, 0, 0] if self._key(place) in replicates else NOTHING)
            for place, part in enumerate(self.items.partitions)
        ]

    def _row(self, part: ItemPartition, replicates: Vector) -> ContinuousStratum:
        values, people = self._of(part)
        reason = undefined_because(values, people)
        found = {name: None if reason else correlation(values, people, name).value for name in COEFFICIENTS}
        interval = bootstrap_interval(replicates, confidence_level=self.parameters.level, undefined_because=reason)
        return ContinuousStratum(
            machine=self.name,
            grouping=part.kind,
            partition=part.partition.name,
            items=len(part.places),
            share=part.partition.share,
            **found,
            reason=reason,
            interval=BootstrapInterval.from_found(interval),
            spread=[
                spread(self.titles[label], values[part.typical == label])
                for label in np.argsort(self.points, kind="stable").tolist()
            ],
        )


def undefined_because(values: Vector, people: Vector) -> str:
    """Why no coefficient of a machine's values with people's labels exists; empty if it does."""
    if not len(values):
        return EMPTY
    if len(values) < FEWEST:
        return FEW
    if (people == people[0]).all():
        return ONE_LABEL
    return ONE_VALUE if correlation(values, people).reason else ""


def spread(label: str, values: Vector) -> ValuesOfLabel:
    """Mean and quantiles (linear between two values) of a machine's values for one label of people.

    >>> spread("good", np.array([0.0, 1.0, 2.0])).p25
    0.5
    """
    if not len(values):
        return ValuesOfLabel(label=label, items=0, mean=None, **dict.fromkeys(QUANTILES))
    quantiles = np.quantile(values, list(QUANTILES.values())).tolist()
    return ValuesOfLabel(
        label=label, items=len(values), mean=float(values.mean()), **dict(zip(QUANTILES, quantiles, strict=True))
    )


def _values(machine: Machine, items: PartitionedItems) -> Vector:
    """The machine's values in the order of the items, by their names."""
    place = {name: at for at, name in enumerate(machine.annotations.items.tolist())}
    values: Vector = np.asarray(machine.values)[[place[name] for name in items.human.items.tolist()]]
    return values
