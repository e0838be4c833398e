"""Would this study find what is there? Power before a study, and what it could have seen after it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from metaeval.analyses.base import seeding
from metaeval.analyses.base.plans import Together
from metaeval.analyses.base.registry import AnalysisError, analysis
from metaeval.analyses.base.work import Plan, Work
from metaeval.analyses.inputs import NoInputs, StudyInputs
from metaeval.analyses.inputs.fractions import judgements_behind
from metaeval.analyses.power.parameters import PowerOfStudy
from metaeval.analyses.power.tables import tables_of
from metaeval.sampling import stream
from metaeval.stats import JudgedDesign, Judgements, PreferenceVariance, StudyDesign, preference_variance
from metaeval.stats.power_curve import CORRELATIONS, Design, curve_of, power_curve_plan

SYSTEMS, INSTANCES, EXPERTS, PER_COMPARISON = 25, 28, 28, 4
"""Of a study that nobody has planned yet: those of Kurniawan et al. (2025)."""

ASSUMED = {"base": math.log(0.38 / 0.62), "spread": 0.4, "instance_spread": 0.5, "expert_spread": 0.3}
"""On the scale of log-odds, where neither the parameters nor any responses say more."""

GIVEN = {
    "base": "fraction",
    "spread": "system_spread",
    "instance_spread": "instance_spread",
    "expert_spread": "expert_spread",
}
"""The parameter that says each of them."""

OBSERVED = "observed"
FEWEST = 3


@analysis(
    title="Would the study find it?",
    subjects=["study", "nothing"],
    parameters=PowerOfStudy,
    figures=["power_map", "power_curve"],
    example={"simulations": 50, "permutations": 99, "instances": [4, 28], "experts_per_comparison": [2]},
)
def power(inputs: StudyInputs | NoInputs, parameters: PowerOfStudy, seed: int, work: Work) -> dict[str, Any]:
    """The chance that a study finds a correlation, over numbers of instances and experts, by simulation.

    Of a study with responses also: what these very responses could have shown, with the experts and systems as
    different as they turned out to be. Every simulated study is tested by permutation, as a real one is. See
    `power_curve` and `preference_variance` of `metaeval.stats`.
    """
    study = inputs if isinstance(inputs, StudyInputs) else None
    judged = None if study is None else _judged(study, include_pilot=parameters.include_pilot)
    found = None if judged is None else preference_variance(judged)
    if found is not None and found.reason:
        found = None
    assumed = _assumptions(parameters, found)
    planned = _planned(study, parameters)
    work.stage("Simulated studies")
    correlations = sorted({*CORRELATIONS, parameters.correlation})
    designs = {cell.key: cell.design(planned, assumed) for cell in planned.cells if not cell.reason}
    if judged is not None and found is not None:
        spreads = {name: assumption.value for name, assumption in assumed.items()}
        designs[OBSERVED] = JudgedDesign.of(judged, **spreads)
    curves = _curves(designs, parameters, correlations, seed, work)
    cells = [
        {
            "instances": cell.instances,
            "experts_per_comparison": cell.per_comparison,
            "is_planned": cell.is_planned,
            **_answer(curves.get(cell.key), parameters.correlation, cell.reason),
        }
        for cell in planned.cells
    ]
    observed = None
    if found is not None:
        observed = {**found.to_dict(), **_answer(curves[OBSERVED], parameters.correlation)}
    result = {
        "systems": planned.systems,
        "experts": planned.experts,
        "assumptions": [{"name": name, **assumption.to_dict()} for name, assumption in assumed.items()],
        "correlations": correlations,
        "cells": cells,
        OBSERVED: observed,
        "notes": _notes(study, found, assumed),
    }
    exclusions = [] if study is None else study.responses(include_pilot=parameters.include_pilot).exclusions
    return {**result, "tables": tables_of(result, parameters), "exclusions": list(exclusions)}


@dataclass(frozen=True)
class Assumption:
    """A number that the simulation needs, and where it is from."""

    value: float
    source: str

    def to_dict(self) -> dict[str, Any]:
        return {"value": self.value, "source": self.source}


@dataclass(frozen=True)
class _Cell:
    """A cell of the grid."""

    instances: int
    per_comparison: int
    is_planned: bool
    reason: str = ""

    @property
    def key(self) -> str:
        return f"{self.instances}x{self.per_comparison}"

    def design(self, planned: _Planned, assumed: dict[str, Assumption]) -> Design:
        return StudyDesign(
            systems=planned.systems,
            instances=self.instances,
            experts_per_comparison=self.per_comparison,
            experts=planned.experts,
            correlation=0.0,
            **{name: assumption.value for name, assumption in assumed.items()},
        )


@dataclass(frozen=True)
class _Planned:
    """What is planned, and what else the grid looks at."""

    systems: int
    experts: int
    cells: tuple[_Cell, ...]


def _planned(study: StudyInputs | None, parameters: PowerOfStudy) -> _Planned:
    systems = parameters.systems or (SYSTEMS if study is None else len(study.systems))
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
        _Cell(
            row,
            column,
            is_planned=study is not None and (row, column) == (instances, each),
            reason=f"there are only {experts} experts" if column > experts else "",
        )
        for row in rows
        for column in columns
    )
    return _Planned(systems, experts, cells)


def _judged(study: StudyInputs, *, include_pilot: bool) -> Judgements | None:
    """The responses; None where fewer systems were judged than can be correlated."""
    responses = study.responses(include_pilot=include_pilot)
    if len(np.unique(responses.system)) < FEWEST:
        return None
    return judgements_behind(responses, study.systems, both="1", weights="none", average="responses")


def _assumptions(parameters: PowerOfStudy, found: PreferenceVariance | None) -> dict[str, Assumption]:
    """What the parameters say, else the responses, else what is usual."""
    estimated = dict(zip(ASSUMED, found.on_log_odds(), strict=True)) if found is not None else {}
    answer = {}
    for name, usual in ASSUMED.items():
        said = getattr(parameters, GIVEN[name])
        if said is not None:
            answer[name] = Assumption(math.log(said / (1 - said)) if name == "base" else said, "given")
        elif math.isfinite(estimated.get(name, math.nan)):
            answer[name] = Assumption(estimated[name], "estimated from the responses")
        else:
            answer[name] = Assumption(usual, "assumed")
    return answer


def _curves(
    designs: dict[str, Design], parameters: PowerOfStudy, correlations: list[float], seed: int, work: Work
) -> dict[str, dict[str, Any]]:
    """The power curve of every design, as plain data."""
    root = seeding.root(seed, seeding.Purpose.POWER)
    plans: dict[str, Plan] = {
        key: power_curve_plan(
            design,
            correlations=correlations,
            coefficient=parameters.coefficient,
            simulations=parameters.simulations,
            permutations=parameters.permutations,
            alternative=parameters.alternative,
            two_sided="double",
            seed=stream(root, place),
        )
        for place, (key, design) in enumerate(designs.items())
    }
    replicates = work.run({"studies": Together(plans)})["studies"]
    return {
        key: curve_of(values, correlations=correlations, alpha=parameters.alpha, target=parameters.target).to_dict()
        for key, values in replicates.items()
    }


def _answer(curve: dict[str, Any] | None, correlation: float, reason: str = "") -> dict[str, Any]:
    """Power at the one correlation, and the rest of the curve."""
    if curve is None:
        return {
            "power": None,
            "low": None,
            "high": None,
            "mean_observed": None,
            "smallest": None,
            "reason": reason,
            "curve": [],
        }
    point = next(point for point in curve["points"] if point["correlation"] == correlation)
    return {
        **{key: point[key] for key in ("power", "low", "high", "mean_observed")},
        "smallest": curve["smallest"],
        "reason": curve["reason"],
        "curve": curve["points"],
    }


def _notes(study: StudyInputs | None, found: PreferenceVariance | None, assumed: dict[str, Assumption]) -> list[str]:
    notes = []
    if study is not None and found is None:
        notes.append("There are not enough responses yet to say how much systems, instances and experts differ.")
    if found is not None:
        notes += list(found.notes)
        if assumed["spread"].value == 0:
            notes.append(
                "The systems’ fractions differ no more than by the judgements’ noise: nothing could be seen. Say how "
                "far systems differ (the spread of systems) to plan with it."
            )
    return notes
