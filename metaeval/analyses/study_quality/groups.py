"""Experts by what they said about themselves: how much each group answered, what it chose, and how much it agrees."""

from __future__ import annotations

from dataclasses import replace
from statistics import median

import numpy as np

from metaeval.analyses.inputs import StudyInputs
from metaeval.analyses.study_quality.agreement import steps_of
from metaeval.analyses.study_quality.parameters import Distance
from metaeval.analyses.study_quality.result import ProfileGroup

FEW_VALUES = 4
"""Up to this many different numbers are separate groups; more are split in two at the median."""
TOO_SMALL = "fewer than two experts of the group answered"


def group_rows(study: StudyInputs, *, distance: Distance, least_common: int) -> list[ProfileGroup]:
    """One row per group of experts, question by question; none if the study asked nothing.

    Agreement is Krippendorff's alpha of the group's experts with each other. Experts who skipped a question are in none
    of its groups.
    """
    questions = dict.fromkeys(question for _, question, _ in study.profiles)
    return [
        _row(study, question, group, experts, distance=distance, least_common=least_common)
        for question in questions
        for group, experts in groups_of(
            {number: said for number, asked, said in study.profiles if asked == question}
        ).items()
    ]


def groups_of(said: dict[int, str]) -> dict[str, list[int]]:
    """The experts by their answers; in two halves if the answers are many different numbers.

    >>> groups_of({0: "civil", 1: "criminal", 2: "civil"})
    {'civil': [0, 2], 'criminal': [1]}
    >>> groups_of({number: str(number) for number in range(6)})
    {'up to 2.5': [0, 1, 2], 'more than 2.5': [3, 4, 5]}
    """
    numbers = _numbers(said)
    groups: dict[str, list[int]] = {}
    if numbers and len(set(numbers.values())) > FEW_VALUES:
        middle = median(numbers.values())
        groups = {f"up to {middle:g}": [], f"more than {middle:g}": []}
        for expert, number in numbers.items():
            groups[f"{'up to' if number <= middle else 'more than'} {middle:g}"].append(expert)
        return groups
    in_order = sorted(said, key=lambda expert: (numbers.get(expert, 0.0), said[expert], expert))
    for expert in in_order:
        groups.setdefault(said[expert], []).append(expert)
    return groups


def _numbers(said: dict[int, str]) -> dict[int, float]:
    """The answers as numbers; empty if any is not a number."""
    try:
        return {expert: float(answer) for expert, answer in said.items()}
    except ValueError:
        return {}


def _row(
    study: StudyInputs, question: str, group: str, experts: list[int], *, distance: Distance, least_common: int
) -> ProfileGroup:
    answers = study.answers.of(np.isin(study.answers.expert, experts))
    counted = answers.counting(answers.is_answered, include_pilot=True).kept
    one_side = counted & (answers.a_chosen != answers.b_chosen)
    people = study.compares == "human_vs_system" and bool(one_side.any())
    steps = {step.name: step for step in steps_of(replace(study, answers=answers), distance=distance, least_common=1)}
    alphas, reasons = {}, []
    for name, words in (("labels", "step 1"), ("preferences", "step 2")):
        step = steps.get(name)  # type: ignore[call-overload]  # the same two names
        common = 0 if step is None else int((step.found.annotations.table.sizes >= 2).sum())
        found = None if step is None or common < least_common else step.overall.result()
        if found is not None and not found.reason:
            alphas[name] = found.value
        elif len(np.unique(answers.expert[counted])) < 2:
            reasons.append(f"{words}: {TOO_SMALL}")
        else:
            few = f"{common} items that two of the group judged; at least {least_common} are needed"
            reasons.append(f"{words}: {found.reason if found is not None else few}")
    return ProfileGroup(
        question=question,
        group=group,
        experts=len(experts),
        answers=int(counted.sum()),
        people_chosen=float(answers.first_chosen[one_side].mean()) if people else None,
        one_side=int(one_side.sum()),
        label_agreement=alphas.get("labels"),
        preference_agreement=alphas.get("preferences"),
        reason="; ".join(dict.fromkeys(reasons)),
    )
