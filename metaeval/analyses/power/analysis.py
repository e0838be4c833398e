"""Would this study find an existing correlation? Power before a study, and what it could have shown, after it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from metaeval.analyses.base.plans import Together
from metaeval.analyses.base.registry import analysis
from metaeval.analyses.base.wording import PlainWords
from metaeval.analyses.base.work import Plan, Purpose, Work, root_stream
from metaeval.analyses.inputs import NoInputs, StudyInputs, SubjectKind
from metaeval.analyses.inputs.fractions import judgements_behind
from metaeval.analyses.power.designs import FEWEST, DesignedUnit, PlannedGrid, assumptions
from metaeval.analyses.power.parameters import PowerOfStudy
from metaeval.analyses.power.result import (
    AssumedName,
    AssumedNumber,
    GridCell,
    ObservedPower,
    PointOfPower,
    PowerFindings,
    PowerOfDesign,
    PowerResult,
    answer,
    tables_of,
)
from metaeval.sampling import stream
from metaeval.stats import Judgements, PreferenceVariance, preference_variance
from metaeval.stats.power.curve import CORRELATIONS, PowerCurve, curve_of, power_curve_plan
from metaeval.stats.power.planned import Design

OBSERVED = "observed"


@analysis(
    title="Power: will this study detect a good metric?",
    subjects=["study", "nothing"],
    parameters=PowerOfStudy,
    result=PowerResult,
    figures=["power_map", "power_curve"],
    version=2,
    example={"simulations": 50, "permutations": 99, "instances": [4, 28], "experts_per_comparison": [2]},
    words=PlainWords(
        question="Will a study of this size detect a good metric?",
        group="Planning",
        shows="The chance of detecting a true correlation, by the number of texts and experts. It needs the plan of a "
        "study, or nothing at all.",
        place=0,
        needs={SubjectKind.STUDY: ("three systems",)},
        compared=(
            "correlation",
            "systems",
            "models",
            "methods",
            "instances",
            "experts_per_comparison",
            "experts",
            "include_pilot",
        ),
        statistics=("target", "alpha", "coefficient", "alternative", "simulations", "permutations"),
        answer=answer,
    ),
)
def power(inputs: StudyInputs | NoInputs, parameters: PowerOfStudy, seed: int, work: Work) -> PowerFindings:
    """Simulates the probability that a study finds a correlation, for different numbers of instances and experts.

    For a study with responses, also what these responses could have shown, with experts and systems that differ as much
    as observed. Every simulated study is tested by permutation, like a real one: if systems share models or methods,
    whole units of them are exchanged, and the smallest possible p-value is stated before there are any data. See
    `power_curve`, `SharedUnits` and `preference_variance` of `metaeval.stats`.
    """
    study = inputs if isinstance(inputs, StudyInputs) else None
    judged = None if study is None else _judged(study, include_pilot=parameters.include_pilot)
    variance = None if judged is None else preference_variance(judged)
    if variance is not None and variance.reason:
        variance = None
    grid = PlannedGrid(study, parameters)
    own = None if study is None or variance is None else DesignedUnit.of_study(study, parameters)
    assumed = assumptions(parameters, variance, is_shared=any(unit and unit.is_shared for unit in (grid.unit, own)))
    numbers = {name: assumption.value for name, assumption in assumed.items()}
    work.stage("Simulated studies")
    correlations = sorted({*CORRELATIONS, parameters.correlation})
    designs: dict[str, Design] = {**grid.designs(numbers)}
    if judged is not None and own is not None:
        designs[OBSERVED] = own.design_of(judged, numbers)
    curves = _curves(designs, parameters, correlations, seed, work)
    cells = [
        GridCell(
            instances=cell.instances,
            experts_per_comparison=cell.per_comparison,
            is_planned=cell.is_planned,
            **_power(curves.get(cell.key), parameters.correlation, cell.reason).plain(),
        )
        for cell in grid.cells
    ]
    observed = None
    if judged is not None and own is not None and variance is not None:
        observed = ObservedPower.from_found(
            variance,
            **_power(curves[OBSERVED], parameters.correlation).plain(),
            unit=own.judged(judged).described(parameters),
        )
    unit = grid.unit.described(parameters)
    findings = PowerFindings(
        systems=grid.systems,
        experts=grid.experts,
        assumptions=list(assumed.values()),
        correlations=correlations,
        cells=cells,
        observed=observed,
        unit=unit,
        notes=[*_notes(study, variance, assumed), *unit.sentences],
        exclusions=[] if study is None else list(study.responses(include_pilot=parameters.include_pilot).exclusions),
        tables=[],
    )
    return findings.model_copy(update={"tables": tables_of(findings, parameters)})


def _judged(study: StudyInputs, *, include_pilot: bool) -> Judgements | None:
    """The responses; None if too few systems were judged for a correlation."""
    responses = study.responses(include_pilot=include_pilot)
    if len(np.unique(responses.system)) < FEWEST:
        return None
    return judgements_behind(responses, study.systems, both="1", weights="none", average="responses")


def _curves(
    designs: Mapping[str, Design], parameters: PowerOfStudy, correlations: Sequence[float], seed: int, work: Work
) -> dict[str, PowerCurve]:
    """The power curve of every design."""
    root = root_stream(seed, Purpose.POWER)
    plans: dict[str, Plan] = {
        key: power_curve_plan(
            design,
            correlations=correlations,
            coefficient=parameters.coefficient,
            n_resamples=parameters.simulations,
            n_test_resamples=parameters.permutations,
            alternative=parameters.alternative,
            two_sided="double",
            seed=stream(root, place),
        )
        for place, (key, design) in enumerate(designs.items())
    }
    replicates = work.run({"studies": Together(plans)})["studies"]
    return {
        key: curve_of(values, correlations=correlations, alpha=parameters.alpha, target=parameters.target)
        for key, values in replicates.items()
    }


def _power(curve: PowerCurve | None, correlation: float, reason: str = "") -> PowerOfDesign:
    """Power at the one correlation, and the rest of the curve; without a curve, the reason."""
    if curve is None:
        return PowerOfDesign(
            power=None, low=None, high=None, mean_observed=None, smallest=None, reason=reason, curve=[]
        )
    points = [PointOfPower.from_found(point) for point in curve.points]
    point = next(point for point in points if point.correlation == correlation)
    return PowerOfDesign(
        power=point.power,
        low=point.low,
        high=point.high,
        mean_observed=point.mean_observed,
        smallest=curve.smallest,
        reason=curve.reason,
        curve=points,
    )


def _notes(
    study: StudyInputs | None, variance: PreferenceVariance | None, assumed: Mapping[AssumedName, AssumedNumber]
) -> list[str]:
    notes = []
    if study is not None and variance is None:
        notes.append("There are not enough responses yet to say how much systems, instances and experts differ.")
    if variance is not None:
        notes += list(variance.notes)
        if assumed["spread"].value == 0:
            notes.append(
                "The systems’ fractions differ no more than the noise of the judgements explains: no "
                "metric could be detected. To plan with this study, say how far systems differ (the "
                "spread of systems)."
            )
    return notes
