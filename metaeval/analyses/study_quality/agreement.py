"""How much each expert agrees with the others who judged the same items."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from annotations.ground.arrays import Vector
from annotations.ground.errors import naming
from metaeval.analyses.base.plans import agreement_plan
from metaeval.analyses.base.work import Plan
from metaeval.analyses.inputs import StudyInputs
from metaeval.analyses.inputs.judged_items import JudgedItems, judged_items
from metaeval.analyses.study_quality.naming import STEPS, expert_name
from metaeval.analyses.study_quality.parameters import Distance
from metaeval.analyses.study_quality.result import AgreementEstimate, ExpertAgreement, QualityMeasure, Step
from metaeval.sampling import stream
from metaeval.stats import bootstrap_interval
from metaeval.stats.agreement import (
    AgreementWithRest,
    KrippendorffAlpha,
    LabelDistance,
    Measure,
    MeasuredAgreement,
    SetAnnotations,
    SetDistance,
    agreement_with_rest,
    krippendorff_alpha,
)
from metaeval.stats.agreement.alpha import without_person


@dataclass(frozen=True, eq=False)
class JudgedStep:
    """One step's judgements, and the measures to resample: over all experts, and for each expert with enough items."""

    name: Step
    found: JudgedItems
    distance: LabelDistance | SetDistance
    overall: Measure
    experts: dict[int, AgreementWithRest]
    """By the expert's number."""
    common: dict[int, int]
    """How many of each expert's items others also judged."""
    codes: dict[int, int]
    """Each expert's code in the annotations."""


def steps_of(study: StudyInputs, *, distance: Distance, least_common: int) -> list[JudgedStep]:
    """Both steps, if anything was judged in them. All of the study's places count, except repeats: in step 1 of a
    text, in step 2 of a comparison."""
    steps = []
    for step in STEPS:
        with naming(STEPS[step]):
            (found,) = judged_items(study, steps=[step], include_pilot=True)
            judged = _judged_step(step, found, _distance(found, distance), least_common)
            steps += [] if judged is None else [judged]
    return steps


def _judged_step(
    step: Step, found: JudgedItems, distance: LabelDistance | SetDistance, least_common: int
) -> JudgedStep | None:
    data = found.annotations
    if data.annotator is None or not len(data.item):
        return None
    paired = data.annotator[data.table.sizes[data.item] >= 2]
    numbers = [int(number) for number in data.annotators]
    common = dict(zip(numbers, np.bincount(paired, minlength=len(numbers)).tolist(), strict=True))
    codes = {number: code for code, number in enumerate(numbers)}
    experts = {}
    for number, code in codes.items():
        if common[number] >= least_common:
            with naming(expert_name(number)):
                experts[number] = AgreementWithRest(data, code, distance)
    return JudgedStep(step, found, distance, KrippendorffAlpha(data, distance), experts, common, codes)


def _distance(found: JudgedItems, wanted: Distance) -> LabelDistance | SetDistance:
    """The requested distance if the labels have it. Ordinal distances depend on all judgements, so a scale is
    interval."""
    data = found.annotations
    if isinstance(data, SetAnnotations):
        return wanted if wanted in {"nominal", "jaccard", "masi"} else "masi"
    are_numbers = all(isinstance(label, int | float) for label in data.labels)
    if found.is_ordered and are_numbers and wanted in {"default", "interval"}:
        return "interval"
    return "nominal"


def plans_of(steps: list[JudgedStep], *, resamples: int, seed: np.random.SeedSequence) -> dict[str, Plan]:
    """What to resample. Every expert has their own stream, whoever else there is."""
    plans: dict[str, Plan] = {}
    for step in steps:
        root = stream(seed, tuple(STEPS).index(step.name))
        plans[f"{step.name}/all"] = agreement_plan(step.overall, resamples=resamples, seed=stream(root, 0))
        for number, measure in step.experts.items():
            plans[f"{step.name}/{number}"] = agreement_plan(measure, resamples=resamples, seed=stream(root, number + 1))
    return plans


def agreement_rows(
    study: StudyInputs,
    steps: list[JudgedStep],
    replicates: Mapping[str, Vector],
    *,
    least_common: int,
    level: float,
) -> list[ExpertAgreement]:
    """For each step, the agreement of each expert with the rest."""
    return [
        _with_rest(step, number, replicates, least_common=least_common, level=level)
        for step in steps
        for number in study.experts
    ]


def agreement_measures(steps: list[JudgedStep], replicates: Mapping[str, Vector], level: float) -> list[QualityMeasure]:
    """The agreement of all experts, step by step."""
    return [
        _overall(name, next((step for step in steps if step.name == name), None), replicates, level) for name in STEPS
    ]


def _with_rest(
    step: JudgedStep,
    number: int,
    replicates: Mapping[str, Vector],
    *,
    least_common: int,
    level: float,
) -> ExpertAgreement:
    data, common = step.found.annotations, step.common.get(number, 0)
    measure = step.experts.get(number)
    if measure is None:
        return ExpertAgreement(
            step=step.name,
            expert=expert_name(number),
            n_items=common,
            value=None,
            low=None,
            high=None,
            n=common,
            equal=None,
            others=None,
            reason=f"{common} items that others judged too; at least {least_common} are needed"
            if number in step.common
            else "this expert has not answered the step",
        )
    code = step.codes[number]
    return ExpertAgreement(
        step=step.name,
        expert=expert_name(number),
        n_items=common,
        equal=1 - agreement_with_rest(data, code, "nominal").observed,
        others=krippendorff_alpha(without_person(data, code), step.distance).value,
        **_estimated(measure, replicates[f"{step.name}/{number}"], level).plain(),
    )


def _overall(name: Step, step: JudgedStep | None, replicates: Mapping[str, Vector], level: float) -> QualityMeasure:
    measure, title = f"agreement_{name}", f"Krippendorff’s alpha, {STEPS[name].lower()}"
    if step is None:
        return QualityMeasure.undefined(measure, title, "no answer")
    found = _estimated(step.overall, replicates[f"{name}/all"], level)
    notes = [found.interval_reason] if found.interval_reason else []
    return QualityMeasure.of(measure, title, found, notes=[*notes, items_of(step)])


def _estimated(measure: Measure, replicates: Vector, level: float) -> AgreementEstimate:
    """A measure with its interval over items."""
    found: MeasuredAgreement = measure.result()
    if found.reason:
        return AgreementEstimate(value=None, low=None, high=None, n=found.n_items, reason=found.reason)
    interval = bootstrap_interval(replicates, confidence_level=level)
    return AgreementEstimate(
        value=found.value,
        low=interval.low,
        high=interval.high,
        n=found.n_items,
        reason="",
        interval_reason=interval.reason,
    )


def items_of(step: JudgedStep) -> str:
    """What the step's items are called, and how they are compared."""
    names = {
        "nominal": "equal or not",
        "interval": "squared distance on the scale",
        "jaccard": "Jaccard distance",
        "masi": "MASI distance",
        "ordinal": "ranks",
        "ratio": "ratios",
    }
    return f"{step.found.items}, {names[step.distance]}"
