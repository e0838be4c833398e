"""A machine's numbers beside people's labels, by how much people agree: Elangovan et al. (2025), Table 2, Figure 6."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from annotations.ground.arrays import Vector
from metaeval.analyses.base.measured import BootstrapInterval
from metaeval.analyses.base.work import Plan
from metaeval.analyses.uncertainty.agreement import EMPTY, ItemPartition, PartitionedItems
from metaeval.analyses.uncertainty.labelled_items import Machine
from metaeval.analyses.uncertainty.parameters import Uncertainty
from metaeval.analyses.uncertainty.result import ContinuousStratum, ValuesOfLabel
from metaeval.sampling import Replicates
from metaeval.stats import COEFFICIENTS, CorrelationBootstrap, bootstrap_interval, correlation

FEWEST = 3
"""With two items, every coefficient is 1 or -1."""
FEW = "fewer than three items"
ONE_LABEL = "people's label has one and the same value on all of these items"
ONE_VALUE = "the machine has one and the same value on all of these items"
QUANTILES = {"p05": 0.05, "p25": 0.25, "p50": 0.5, "p75": 0.75, "p95": 0.95}


class ContinuousMachine:
    """A machine's values for the items, and people's labels as numbers (`points`, one per label, named by `titles`)."""

    def __init__(
        self,
        machine: Machine,
        items: PartitionedItems,
        points: Vector,
        titles: tuple[str, ...],
        parameters: Uncertainty,
    ) -> None:
        self.name, self.items, self.points, self.titles = machine.name, items, points, titles
        self.parameters = parameters
        place = {name: at for at, name in enumerate(machine.annotations.items.tolist())}
        self.values: Vector = np.asarray(machine.values)[[place[name] for name in items.human.items.tolist()]]

    def _of(self, part: ItemPartition) -> tuple[Vector, Vector]:
        """The machine's values in a partition, and people's labels as numbers."""
        return self.values[part.places], self.points[part.typical]

    def _key(self, place: int) -> str:
        return f"{self.items.key(place)}/{self.name}/continuous"

    def plans(self, root: np.random.SeedSequence) -> dict[str, Plan]:
        """The bootstraps of Spearman's coefficient over items, if it is defined; all machines draw the same."""
        *seeds, _ = self.items.seeds(root)
        plans: dict[str, Plan] = {}
        for place, (part, seed) in enumerate(zip(self.items.partitions, seeds, strict=True)):
            values, people = self._of(part)
            if not undefined_because(values, people):
                plans[self._key(place)] = CorrelationBootstrap(
                    {self.name: values},
                    people,
                    coefficients=["spearman"],
                    n_resamples=self.parameters.resamples,
                    seed=seed,
                ).plan
        return plans

    def rows(self, replicates: Mapping[str, Replicates]) -> list[ContinuousStratum]:
        """One row per partition.

        Pearson's r, Spearman's rho and Kendall's tau-b (`metaeval.stats.correlation`) of the machine's values with
        people's typical labels, with a percentile interval of Spearman's over items; the distribution of values for
        every label. Undefined for fewer than three items, and where one side does not vary, e.g. where all items have
        the same label.

        Source: Elangovan et al. 2025, Table 2 and Figure 6.
        """
        rows = []
        order = np.argsort(self.points, kind="stable").tolist()
        for place, part in enumerate(self.items.partitions):
            values, people = self._of(part)
            reason = undefined_because(values, people)
            interval = bootstrap_interval(
                np.zeros(0) if reason else replicates[self._key(place)][:, 0, 0],
                confidence_level=self.parameters.level,
                undefined_because=reason,
            )
            coefficients: dict[str, Any] = {
                name: None if reason else correlation(values, people, name).value for name in COEFFICIENTS
            }
            rows.append(
                ContinuousStratum(
                    **part.described,
                    machine=self.name,
                    **coefficients,
                    reason=reason,
                    interval=BootstrapInterval.from_found(interval),
                    spread=[spread(self.titles[label], values[part.typical == label]) for label in order],
                )
            )
        return rows


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
