"""The grid of numbers of instances and experts: the plan and its alternatives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from metaeval.analyses.base.registry import AnalysisError
from metaeval.analyses.inputs import StudyInputs
from metaeval.analyses.power.parameters import PowerOfStudy
from metaeval.analyses.power.result import AssumedName
from metaeval.analyses.power.unit_of_design import DesignedUnit
from metaeval.stats import StudyDesign

INSTANCES, EXPERTS, PER_COMPARISON = 28, 28, 4
"""Defaults without a planned study: those of Kurniawan et al. (2026)."""

FEWEST = 3
"""The smallest number of systems for a correlation."""


@dataclass(frozen=True)
class PlannedCell:
    """A cell of the grid; `reason` says why there cannot be such a study."""

    instances: int
    per_comparison: int
    is_planned: bool
    reason: str = ""

    @property
    def key(self) -> str:
        return f"{self.instances}x{self.per_comparison}"


@dataclass(frozen=True)
class PlannedGrid:
    """The grid, and what all its cells have in common."""

    systems: int
    unit: DesignedUnit
    experts: int
    cells: tuple[PlannedCell, ...]

    def designs(self, assumed: Mapping[AssumedName, float]) -> dict[str, StudyDesign]:
        """The designs of the possible studies, by the keys of their cells."""
        shared, spread = self.unit.shared(assumed), self.unit.spread_within(assumed)
        return {
            cell.key: StudyDesign(
                systems=self.systems,
                instances=cell.instances,
                experts_per_comparison=cell.per_comparison,
                experts=self.experts,
                correlation=0.0,
                base=assumed["base"],
                spread=spread,
                instance_spread=assumed["instance_spread"],
                expert_spread=assumed["expert_spread"],
                shared=shared,
            )
            for cell in self.cells
            if not cell.reason
        }


def planned_grid(study: StudyInputs | None, parameters: PowerOfStudy) -> PlannedGrid:
    """The grid from the parameters, else around the study's plan, else around the published study."""
    unit = DesignedUnit.planned(study, parameters)
    systems = len(unit.names)
    if systems < FEWEST:
        raise AnalysisError(
            f"The study compares {systems} system(s) so far; a correlation over systems needs at least {FEWEST}. "
            "Plan its comparisons first, or say how many systems there will be.",
            systems=systems,
        )
    instances = INSTANCES if study is None else study.instances_per_system
    each = PER_COMPARISON if study is None else study.experts_per_comparison
    experts = parameters.experts or max((0 if study is None else len(study.experts)) or EXPERTS, each)
    rows = parameters.instances or sorted({max(1, instances // 4), max(1, instances // 2), instances, 2 * instances})
    columns = parameters.experts_per_comparison or sorted({1, 2, 4, 8, each})
    cells = tuple(
        PlannedCell(
            row,
            column,
            is_planned=study is not None and (row, column) == (instances, each),
            reason=f"there are only {experts} experts" if column > experts else "",
        )
        for row in rows
        for column in columns
    )
    return PlannedGrid(systems, unit, experts, cells)
