"""How much experts agree: all, each with the others who judged the same items, and those who said the same about
themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from statistics import median

import numpy as np

from annotations.ground.arrays import Vector
from annotations.ground.errors import naming
from metaeval.analyses.base.plans import agreement_plan
from metaeval.analyses.base.work import Plan
from metaeval.analyses.inputs import StudyInputs
from metaeval.analyses.inputs.judged_items import JudgedItems, judged_items
from metaeval.analyses.study_quality.parameters import Distance
from metaeval.analyses.study_quality.result import (
    STEPS,
    AgreementEstimate,
    ExpertAgreement,
    ProfileGroup,
    QualityEstimate,
    QualityMeasure,
    Step,
    expert_name,
)
from metaeval.sampling import stream
from metaeval.stats import bootstrap_interval
from metaeval.stats.agreement import (
    AgreementWithRest,
    KrippendorffAlpha,
    LabelDistance,
    Measure,
    SetAnnotations,
    SetDistance,
    agreement_with_rest,
    krippendorff_alpha,
)
from metaeval.stats.agreement.alpha import without_person

DISTANCES: dict[LabelDistance | SetDistance, str] = {
    "nominal": "equal or not",
    "interval": "squared distance on the scale",
    "jaccard": "Jaccard distance",
    "masi": "MASI distance",
}
FEW_VALUES = 4
"""Up to this many different numbers are separate groups; more are split in two at the median."""
TOO_SMALL = "fewer than two experts of the group answered"


class JudgedStep:
    """One step's judgements, and the measures to resample: over all experts, and for each expert with enough items.

    All of the study's places count, except repeats: in step 1 of a text, in step 2 of a comparison. Without
    `least_common`, no expert is measured alone.
    """

    def __init__(self, name: Step, study: StudyInputs, distance: Distance, least_common: int | None) -> None:
        self.name, self.least_common = name, least_common
        (self.items,) = judged_items(study, steps=[name], include_pilot=True)
        self.annotations = data = self.items.annotations
        self.distance = _distance(self.items, distance)
        self.is_empty = not len(data.item)
        self.experts: dict[int, AgreementWithRest] = {}
        """By the expert's number."""
        self.common: dict[int, int] = {}
        """How many of each expert's items others also judged."""
        if data.annotator is None or self.is_empty:  # a study knows its experts
            return
        self.overall = KrippendorffAlpha(data, self.distance)
        paired = data.annotator[data.table.sizes[data.item] >= 2]
        self.codes = {int(number): code for code, number in enumerate(data.annotators)}
        self.common = dict(zip(self.codes, np.bincount(paired, minlength=len(self.codes)).tolist(), strict=True))
        for number, code in self.codes.items():
            if least_common is not None and self.common[number] >= least_common:
                with naming(expert_name(number)):
                    self.experts[number] = AgreementWithRest(data, code, self.distance)

    def plans(self, *, resamples: int, seed: np.random.SeedSequence) -> dict[str, Plan]:
        """What to resample. Every expert has their own stream, whoever else there is."""
        if self.is_empty:
            return {}
        plans: dict[str, Plan] = {}
        plans[f"{self.name}/all"] = agreement_plan(self.overall, resamples=resamples, seed=stream(seed, 0))
        for number, measure in self.experts.items():
            own = stream(seed, number + 1)
            plans[f"{self.name}/{number}"] = agreement_plan(measure, resamples=resamples, seed=own)
        return plans

    def rows(self, study: StudyInputs, replicates: Mapping[str, Vector], level: float) -> list[ExpertAgreement]:
        """The agreement of each expert with the rest."""
        return [] if self.is_empty else [self._row(number, replicates, level) for number in study.experts]

    def _row(self, number: int, replicates: Mapping[str, Vector], level: float) -> ExpertAgreement:
        data, common = self.annotations, self.common.get(number, 0)
        equal = others = None
        estimate: QualityEstimate
        if number in self.experts:
            code = self.codes[number]
            equal = 1 - agreement_with_rest(data, code, "nominal").observed
            others = krippendorff_alpha(without_person(data, code), self.distance).value
            estimate = _estimate(self.experts[number], replicates[f"{self.name}/{number}"], level)
        else:
            few = f"{common} items that others judged too; at least {self.least_common} are needed"
            reason = few if number in self.common else "this expert has not answered the step"
            estimate = QualityEstimate.undefined(reason, common)
        return ExpertAgreement(
            step=self.name,
            expert=expert_name(number),
            n_items=common,
            equal=equal,
            others=others,
            **estimate.plain(),
        )

    def measure(self, replicates: Mapping[str, Vector], level: float) -> QualityMeasure:
        """The agreement of all experts."""
        measure, title = f"agreement_{self.name}", f"Krippendorff’s alpha, {STEPS[self.name].lower()}"
        if self.is_empty:
            return QualityMeasure.of(measure, title, QualityEstimate.undefined("no answer"))
        estimate = _estimate(self.overall, replicates[f"{self.name}/all"], level)
        notes = [estimate.interval_reason] if estimate.interval_reason else []
        notes.append(f"{self.items.items}, {DISTANCES[self.distance]}")
        return QualityMeasure.of(measure, title, estimate, notes=notes)


def steps_of(study: StudyInputs, *, distance: Distance, least_common: int) -> list[JudgedStep]:
    """Both steps."""
    steps = []
    for step, title in STEPS.items():
        with naming(title):
            steps.append(JudgedStep(step, study, distance, least_common))
    return steps


def _distance(items: JudgedItems, distance: Distance) -> LabelDistance | SetDistance:
    """The requested distance if the labels have it. Ordinal distances depend on all judgements, so a scale is
    interval."""
    data = items.annotations
    if isinstance(data, SetAnnotations):
        return distance if distance in {"nominal", "jaccard", "masi"} else "masi"
    are_numbers = all(isinstance(label, int | float) for label in data.labels)
    return "interval" if items.is_ordered and are_numbers and distance in {"default", "interval"} else "nominal"


def _estimate(measure: Measure, replicates: Vector, level: float) -> AgreementEstimate:
    agreement = measure.result()
    if agreement.reason:
        return AgreementEstimate(value=None, low=None, high=None, n=agreement.n_items, reason=agreement.reason)
    interval = bootstrap_interval(replicates, confidence_level=level)
    return AgreementEstimate(
        value=agreement.value,
        low=interval.low,
        high=interval.high,
        n=agreement.n_items,
        reason="",
        interval_reason=interval.reason,
    )


def group_rows(study: StudyInputs, *, distance: Distance, least_common: int) -> list[ProfileGroup]:
    """One row per group of experts, question by question; none if the study asked nothing.

    Agreement is Krippendorff's alpha of the group's experts with each other. Experts who skipped a question are in none
    of its groups.
    """
    profiles: dict[str, dict[int, str]] = {}
    for number, question, answer in study.profiles:
        profiles.setdefault(question, {})[number] = answer
    return [
        _group(study, question, group, experts, distance=distance, least_common=least_common)
        for question, answers in profiles.items()
        for group, experts in groups_of(answers).items()
    ]


def groups_of(answers: Mapping[int, str]) -> dict[str, list[int]]:
    """The experts by their answers; in two halves if the answers are many different numbers.

    >>> groups_of({0: "civil", 1: "criminal", 2: "civil"})
    {'civil': [0, 2], 'criminal': [1]}
    >>> groups_of({number: str(number) for number in range(6)})
    {'up to 2.5': [0, 1, 2], 'more than 2.5': [3, 4, 5]}
    """
    try:
        numbers = {expert: float(answer) for expert, answer in answers.items()}
    except ValueError:
        numbers = {}
    groups: dict[str, list[int]] = {}
    if numbers and len(set(numbers.values())) > FEW_VALUES:
        middle = median(numbers.values())
        groups = {f"up to {middle:g}": [], f"more than {middle:g}": []}
        for expert, number in numbers.items():
            groups[f"{'up to' if number <= middle else 'more than'} {middle:g}"].append(expert)
        return groups
    for expert in sorted(answers, key=lambda expert: (numbers.get(expert, 0.0), answers[expert], expert)):
        groups.setdefault(answers[expert], []).append(expert)
    return groups


def _group(
    study: StudyInputs, question: str, group: str, experts: list[int], *, distance: Distance, least_common: int
) -> ProfileGroup:
    answers = study.answers.of(np.isin(study.answers.expert, experts))
    counting = answers.counting(answers.is_answered, include_pilot=True).kept
    one_side = counting & (answers.a_chosen != answers.b_chosen)
    people = study.compares == "human_vs_system" and bool(one_side.any())
    alphas: dict[Step, float] = {}
    reasons = []
    for number, name in enumerate(STEPS, start=1):
        step = JudgedStep(name, replace(study, answers=answers), distance, None)
        common = 0 if step.is_empty else int((step.annotations.table.sizes >= 2).sum())
        reason = f"{common} items that two of the group judged; at least {least_common} are needed"
        if common >= least_common:
            alpha = step.overall.result()
            reason, alphas[name] = alpha.reason, alpha.value
        if reason:
            is_small = len(np.unique(answers.expert[counting])) < 2
            reasons.append(f"step {number}: {TOO_SMALL if is_small else reason}")
    return ProfileGroup(
        question=question,
        group=group,
        experts=len(experts),
        answers=int(counting.sum()),
        people_chosen=float(answers.first_chosen[one_side].mean()) if people else None,
        one_side=int(one_side.sum()),
        label_agreement=alphas.get("labels"),
        preference_agreement=alphas.get("preferences"),
        reason="; ".join(dict.fromkeys(reasons)),
    )
