"""Whether experts repeat themselves: what they answered again, and how much of it got the same answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence

import numpy as np

from annotations.ground.arrays import Integers, Mask
from metaeval import stats
from metaeval.analyses.inputs import StudyInputs
from metaeval.analyses.study_quality.naming import ALL, expert_name
from metaeval.analyses.study_quality.result import QualityMeasure, RepeatedAnswers, Step

NO_REPEATS = "nobody was given a comparison again: the study has no deliberate repeats"
"""Nor, for step 1, a text."""

SAME: dict[Step, str] = {"labels": "the same labels", "preferences": "the same preference"}


def repeat_rows(study: StudyInputs, *, level: float) -> list[RepeatedAnswers]:
    """For each step, one row for all and one for each expert who answered something again.

    Step 1 is about a text: whoever judged it beside two systems has labelled it twice. Step 2 is about a comparison;
    the same answer means the same choice of the two sources, whichever sides they were on.
    """
    answers = study.answers
    return [
        *_of_step("labels", study, answers.instance, answers.is_labelled, level=level),
        *_of_step("preferences", study, answers.comparison, answers.is_answered, level=level),
    ]


def repeat_measures(rows: Sequence[RepeatedAnswers]) -> list[QualityMeasure]:
    """The shares over all experts."""
    return [
        QualityMeasure.of(f"consistency_{row.step}", f"Repeats with {SAME[row.step]}", row)
        for row in rows
        if row.expert == ALL
    ]


def _of_step(step: Step, study: StudyInputs, about: Integers, there: Mask, *, level: float) -> list[RepeatedAnswers]:
    """`about`: the text or comparison of every place."""
    answers = study.answers
    places = np.flatnonzero(~answers.is_skipped).tolist()
    asked = {place: (int(answers.expert[place]), int(about[place])) for place in places}
    times = Counter(asked[place] for place in places if there[place])
    repeated = [place for place in places if there[place] and times[asked[place]] > 1]
    found = stats.self_consistency(
        [expert_name(asked[place][0]) for place in repeated],
        [asked[place] for place in repeated],
        [_said(study, step, place) for place in repeated],
        confidence_level=level,
    )
    again = len(places) - len(set(asked.values()))
    overall = _row(step, ALL, found.overall, again, kappa=found.kappa, kappa_reason=found.reason)
    return [overall, *(_row(step, share.name, share, again) for share in found.experts)]


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
