"""Whether experts repeat themselves: deliberate repeats, and how many got the same answer."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from annotations.arrays import Mask
from metaeval import stats
from metaeval.analyses.inputs import StudyInputs
from metaeval.analyses.study_quality.naming import ALL, expert_name
from metaeval.analyses.study_quality.result import QualityMeasure, RepeatedAnswers, Step

NO_REPEATS = "nobody was given a comparison again: the study has no deliberate repeats"

SAME: dict[Step, str] = {"labels": "the same labels", "preferences": "the same preference"}


def repeat_rows(study: StudyInputs, *, level: float) -> list[RepeatedAnswers]:
    """For each step, one row for all and one for each expert who answered something again.

    In step 2, the same answer means the same choice of the two sources, whichever sides they were on.
    """
    answers = study.answers
    return [
        *_of_step("labels", study, answers.is_labelled, level=level),
        *_of_step("preferences", study, answers.is_answered, level=level),
    ]


def repeat_measures(rows: Sequence[RepeatedAnswers]) -> list[QualityMeasure]:
    """The shares over all experts."""
    return [
        QualityMeasure.of(f"consistency_{row.step}", f"Repeats with {SAME[row.step]}", row)
        for row in rows
        if row.expert == ALL
    ]


def _of_step(step: Step, study: StudyInputs, there: Mask, *, level: float) -> list[RepeatedAnswers]:
    answers = study.answers
    again = np.flatnonzero((answers.repeat_of >= 0) & ~answers.is_skipped)
    pairs = [(place, int(answers.repeat_of[place])) for place in again.tolist()]
    both = [(place, first) for place, first in pairs if there[place] and there[first]]
    said = [_said(study, step, place) for pair in both for place in pair]
    who = [expert_name(int(answers.expert[place])) for pair in both for place in pair]
    asked = [first for _, first in both for _ in range(2)]
    found = stats.self_consistency(who, asked, said, confidence_level=level)
    overall = _row(step, ALL, found.overall, len(again), kappa=found.kappa, kappa_reason=found.reason)
    return [overall, *(_row(step, share.name, share, len(again)) for share in found.experts)]


def _row(
    step: Step, expert: str, share: stats.Share, repeats: int, *, kappa: float | None = None, kappa_reason: str = ""
) -> RepeatedAnswers:
    return RepeatedAnswers(
        step=step,
        expert=expert,
        value=share.value,
        low=share.low,
        high=share.high,
        n=share.n,
        kappa=kappa,
        reason=_no_repeats(repeats) if share.reason else "",
        kappa_reason="" if share.reason else kappa_reason,
    )


def _said(study: StudyInputs, step: Step, place: int) -> tuple[Hashable, ...]:
    answers = study.answers
    if step == "labels":
        return tuple(np.flatnonzero(answers.labels[place]).tolist())
    return (bool(answers.first_chosen[place]), bool(answers.second_chosen[place]))


def _no_repeats(places: int) -> str:
    if not places:
        return NO_REPEATS
    return f"none of the {places} repeats is answered yet"
