"""How far each expert agrees with the others who judged the same items."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from metaeval.analyses.base.plans import agreement_plan
from metaeval.analyses.base.work import Plan
from metaeval.analyses.inputs import StudyInputs
from metaeval.analyses.inputs.judged_items import Judged, judged
from metaeval.analyses.study_quality.parameters import Distance
from metaeval.analyses.study_quality.people import expert_name
from metaeval.sampling import stream
from metaeval.stats import bootstrap_interval
from metaeval.stats.agreement import (
    Agreement,
    AgreementWithRest,
    KrippendorffAlpha,
    LabelDistance,
    Measure,
    SetAnnotations,
    SetDistance,
    agreement_with_rest,
    krippendorff_alpha,
)
from metaeval.stats.agreement.rest import without_person


@dataclass(frozen=True, eq=False)
class Step:
    """One step's judgements, and the measures that are resampled: of all, and of each expert with enough items."""

    found: Judged
    distance: LabelDistance | SetDistance
    overall: Measure
    experts: dict[int, AgreementWithRest]
    """By the expert's number."""
    common: dict[int, int]
    """How many items each expert has that others judged too."""


def steps_of(study: StudyInputs, *, distance: Distance, least_common: int) -> list[Step]:
    """Both steps, as far as anything was judged in them. The study's places are all looked at, repeats apart."""
    steps = []
    for found in judged(study, include_pilot=True):
        data = found.annotations
        if data.annotator is None or not len(data.item):
            continue
        chosen = _distance(found, distance)
        paired = data.table.sizes >= 2
        common = {
            int(number): int(paired[data.item[data.annotator == code]].sum())
            for code, number in enumerate(data.annotators.tolist())
        }
        experts = {
            int(number): AgreementWithRest(data, code, chosen)
            for code, number in enumerate(data.annotators.tolist())
            if common[int(number)] >= least_common
        }
        steps.append(Step(found, chosen, KrippendorffAlpha(data, chosen), experts, common))
    return steps


def _distance(found: Judged, wanted: Distance) -> LabelDistance | SetDistance:
    """The wanted distance where the labels have it. Ordinal distances depend on all judgements: a scale is interval."""
    data = found.annotations
    if isinstance(data, SetAnnotations):
        return wanted if wanted in {"nominal", "jaccard", "masi"} else "masi"
    are_numbers = all(isinstance(label, int | float) for label in data.labels)
    if found.is_ordered and are_numbers and wanted in {"default", "interval"}:
        return "interval"
    return "nominal"


def plans_of(steps: list[Step], *, resamples: int, seed: np.random.SeedSequence) -> dict[str, Plan]:
    """What is to be resampled. An expert's stream is their own, whoever else there is."""
    plans: dict[str, Plan] = {}
    for step in steps:
        root = stream(seed, ("labels", "preferences").index(step.found.name))
        plans[f"{step.found.name}/all"] = agreement_plan(step.overall, resamples=resamples, seed=stream(root, 0))
        for number, measure in step.experts.items():
            plans[f"{step.found.name}/{number}"] = agreement_plan(
                measure, resamples=resamples, seed=stream(root, number + 1)
            )
    return plans


def agreement_rows(
    study: StudyInputs, steps: list[Step], replicates: Mapping[str, Any], *, least_common: int, level: float
) -> list[dict[str, Any]]:
    """For each step the agreement of all, and of each expert with the rest."""
    rows = []
    for step in steps:
        data = step.found.annotations
        codes = {int(number): code for code, number in enumerate(data.annotators.tolist())}
        for number in study.experts:
            measure = step.experts.get(number)
            common = step.common.get(number, 0)
            row = {"step": step.found.name, "expert": expert_name(number), "n_items": common}
            if measure is None:
                rows.append(row | _nothing(common, least_common, judged=number in codes))
                continue
            code = codes[number]
            others = krippendorff_alpha(without_person(data, code), step.distance)
            rows.append(
                row
                | described(measure, replicates[f"{step.found.name}/{number}"], level)
                | {
                    "equal": 1 - agreement_with_rest(data, code, "nominal").observed,
                    "others": others.value,
                }
            )
    return rows


def overall_row(step: Step, replicates: Mapping[str, Any], level: float) -> dict[str, Any]:
    """The agreement of all experts."""
    return described(step.overall, replicates[f"{step.found.name}/all"], level)


def described(measure: Measure, replicates: npt.NDArray[np.float64], level: float) -> dict[str, Any]:
    """A measure with its interval over items."""
    found: Agreement = measure.result()
    if found.reason:
        return {"value": math.nan, "low": math.nan, "high": math.nan, "n": found.n_items, "reason": found.reason}
    interval = bootstrap_interval(replicates, level=level)
    return {
        "value": found.value,
        "low": interval.low,
        "high": interval.high,
        "n": found.n_items,
        "reason": "",
        "interval_reason": interval.reason,
    }


def _nothing(common: int, least_common: int, *, judged: bool) -> dict[str, Any]:
    reason = (
        f"{common} items that others judged too; at least {least_common} are asked for"
        if judged
        else "this expert has not answered the step"
    )
    nan = math.nan
    return {"value": nan, "low": nan, "high": nan, "n": common, "reason": reason, "equal": nan, "others": nan}


def items_of(step: Step) -> str:
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
