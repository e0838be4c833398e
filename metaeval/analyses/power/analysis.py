"""Would this study find an existing correlation? Power before a study, and what it could have shown, after it; the
designs of the simulated studies: what they assume, the grid of their sizes, and what their test exchanges."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from annotations.designing.testing_unit import MORE, p_in_words
from annotations.ground.units import (
    Crossing,
    Exchangeable,
    count_permutations,
    default_exchangeable,
    explained,
    held_exactly,
    smallest_p,
)
from metaeval.analyses.base.plans import Together
from metaeval.analyses.base.registry import AnalysisError, analysis
from metaeval.analyses.base.wording import PlainWords
from metaeval.analyses.base.work import Plan, Purpose, Work, root_stream
from metaeval.analyses.inputs import NoInputs, StudyInputs, SubjectKind
from metaeval.analyses.inputs.fractions import judgements_behind
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
    UnitOfDesign,
    answer,
    tables_of,
)
from metaeval.sampling import stream
from metaeval.stats import JudgedDesign, Judgements, PreferenceVariance, SharedUnits, StudyDesign, preference_variance
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


SYSTEMS, MODELS = 25, 2
INSTANCES, EXPERTS, PER_COMPARISON = 28, 28, 4
"""Defaults without a planned study: those of Kurniawan et al. (2026), 13 methods with one hole."""

FEWEST = 3
"""The smallest number of systems for a correlation."""

USUAL: dict[AssumedName, float] = {
    "base": math.log(0.38 / 0.62),
    "spread": 0.4,
    "instance_spread": 0.5,
    "expert_spread": 0.3,
}
"""On the scale of log-odds."""

USUALLY_SHARED: dict[AssumedName, float] = {"likeness": 0.84, "model_spread": 1.0}
"""Cautious assumptions for systems that share models and methods. The more alike a method's systems, the less each
adds; the further apart models are, the smaller the share of the systems' differences that is due to methods."""


def assumptions(
    parameters: PowerOfStudy, variance: PreferenceVariance | None, *, is_shared: bool
) -> dict[AssumedName, AssumedNumber]:
    """Every number that the simulation needs: from the parameters, else from the responses, else usual values.

    `is_shared`: whether systems have models or methods in common.
    """
    fraction = parameters.fraction
    requested: dict[AssumedName, float | None] = {
        "base": None if fraction is None else math.log(fraction / (1 - fraction)),
        "spread": parameters.system_spread,
        "instance_spread": parameters.instance_spread,
        "expert_spread": parameters.expert_spread,
        "likeness": parameters.likeness,
        "model_spread": parameters.model_spread,
    }
    estimated = {} if variance is None else dict(zip(USUAL, variance.on_log_odds(), strict=True))
    numbers = {}
    for name, usual in (USUAL | (USUALLY_SHARED if is_shared else {})).items():
        value, estimate = requested[name], estimated.get(name, math.nan)
        if value is not None:
            numbers[name] = AssumedNumber(name=name, value=value, source="given")
        elif math.isfinite(estimate):
            numbers[name] = AssumedNumber(name=name, value=estimate, source="estimated from the responses")
        else:
            numbers[name] = AssumedNumber(name=name, value=usual, source="assumed")
    return numbers


@dataclass(frozen=True)
class DesignedUnit:
    """(model, method) of each system, and what is exchanged."""

    names: tuple[tuple[str, str], ...]
    exchangeable: Exchangeable
    by_default: bool
    is_shared: bool
    """Whether systems have models or methods in common, so that they cannot be exchanged freely."""

    @classmethod
    def of_study(cls, study: StudyInputs, parameters: PowerOfStudy) -> DesignedUnit:
        """The unit for the systems that the study compares."""
        return cls._of(tuple((origin["model"], origin["method"]) for origin in study.origins), parameters)

    @classmethod
    def planned(cls, study: StudyInputs | None, parameters: PowerOfStudy) -> DesignedUnit:
        """The unit for the study's systems, unless the parameters request others; then for crossed models and
        methods."""
        if study is None:
            return cls._of(_crossed(parameters, MODELS), parameters)
        own = cls.of_study(study, parameters)
        numbers = (parameters.models, parameters.methods, parameters.systems)
        if numbers in {(None, None, None), (None, None, len(own.names))}:
            return own
        return cls._of(_crossed(parameters, len(own.crossing.model_names) or MODELS), parameters)

    @classmethod
    def _of(cls, names: tuple[tuple[str, str], ...], parameters: PowerOfStudy) -> DesignedUnit:
        usual = default_exchangeable(Crossing.of(names))
        exchangeable = usual if parameters.exchangeable == "default" else parameters.exchangeable
        unlike = parameters.likeness == parameters.model_spread == 0
        return cls(
            names,
            exchangeable,
            by_default=parameters.exchangeable == "default",
            is_shared=exchangeable != "systems" or (usual != "systems" and not unlike),
        )

    @property
    def crossing(self) -> Crossing:
        return Crossing.of(self.names)

    def judged(self, judged: Judgements) -> DesignedUnit:
        """The unit for only the systems with responses; what is exchanged stays the same."""
        places = np.flatnonzero(np.diff(judged.system_starts) > 0)
        return replace(self, names=tuple(self.names[place] for place in places))

    def shared(self, assumed: Mapping[AssumedName, float]) -> SharedUnits | None:
        """For the simulation; None: the systems have nothing in common, and any two can be exchanged."""
        if not self.is_shared:
            return None
        return SharedUnits(self.names, assumed["likeness"], assumed["model_spread"], self.exchangeable)

    def spread_within(self, assumed: Mapping[AssumedName, float]) -> float:
        """How much the systems of one model differ, relative to all systems: the rest is due to the models.

        s / sqrt(1 + m² (1 - 1/M)), for M models that are m times as far apart as the systems of one.
        """
        if not self.is_shared:
            return assumed["spread"]
        models = len(self.crossing.model_names)
        return assumed["spread"] / math.sqrt(1 + assumed["model_spread"] ** 2 * (1 - 1 / models))

    def described(self, parameters: PowerOfStudy) -> UnitOfDesign:
        """The unit in words, with the smallest possible p-value."""
        crossing = self.crossing
        double = parameters.alternative == "two-sided"
        least = smallest_p(crossing, self.exchangeable, permutations=parameters.permutations, double=double)
        return UnitOfDesign(
            exchangeable=self.exchangeable,
            by_default=self.by_default,
            words=explained(crossing, self.exchangeable),
            models=len(crossing.model_names),
            methods=len(crossing.method_names),
            possible=held_exactly(count_permutations(crossing, self.exchangeable)),
            smallest_p=least,
            smallest_in_words=p_in_words(least),
            warning=""
            if least <= parameters.alpha
            else f"The smallest p that such a study can reach is {p_in_words(least)}: it cannot show anything at "
            f"{100 * parameters.alpha:g}%. {MORE[self.exchangeable]}",
        )

    def design_of(self, judged: Judgements, assumed: Mapping[AssumedName, float]) -> JudgedDesign:
        """The same experts on the same comparisons, who answer anew."""
        return JudgedDesign.of(
            judged,
            base=assumed["base"],
            spread=self.judged(judged).spread_within(assumed),
            instance_spread=assumed["instance_spread"],
            expert_spread=assumed["expert_spread"],
            shared=self.shared(assumed),
        )


def _crossed(parameters: PowerOfStudy, usual_models: int) -> tuple[tuple[str, str], ...]:
    """Every method in every model, except the last, which some models lack if the numbers do not divide."""
    models, methods = parameters.models, parameters.methods
    if parameters.systems is None and methods is not None:
        systems = (models or usual_models) * methods
    else:
        systems = parameters.systems or SYSTEMS
    if models is None:
        models = math.ceil(systems / methods) if methods is not None else min(usual_models, systems)
    if methods is None:
        methods = math.ceil(systems / models)
    if not models * (methods - 1) < systems <= models * methods:
        raise AnalysisError(
            f"{systems} systems cannot be {models} models with {methods} methods each, of which at most "
            f"one may lack some models. Expected {models * (methods - 1) + 1} to {models * methods} "
            "systems; or leave out one of the three numbers.",
            systems=systems,
            models=models,
            methods=methods,
        )
    pairs = [(f"model {model + 1}", f"method {method + 1}") for method in range(methods) for model in range(models)]
    return tuple(pairs[:systems])


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


class PlannedGrid:
    """The grid of numbers of instances and experts, from the parameters, else around the study's plan, else around the
    published study."""

    def __init__(self, study: StudyInputs | None, parameters: PowerOfStudy) -> None:
        self.unit = DesignedUnit.planned(study, parameters)
        self.systems = len(self.unit.names)
        if self.systems < FEWEST:
            raise AnalysisError(
                f"The study compares {self.systems} system(s) so far; a correlation over systems needs at least "
                f"{FEWEST}. Plan its comparisons first, or say how many systems there will be.",
                systems=self.systems,
            )
        instances = INSTANCES if study is None else study.instances_per_system
        each = PER_COMPARISON if study is None else study.experts_per_comparison
        self.experts = parameters.experts or max((0 if study is None else len(study.experts)) or EXPERTS, each)
        rows = parameters.instances or sorted(
            {max(1, instances // 4), max(1, instances // 2), instances, 2 * instances}
        )
        columns = parameters.experts_per_comparison or sorted({1, 2, 4, 8, each})
        self.cells = [
            PlannedCell(
                row,
                column,
                is_planned=study is not None and (row, column) == (instances, each),
                reason=f"there are only {self.experts} experts" if column > self.experts else "",
            )
            for row in rows
            for column in columns
        ]

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
