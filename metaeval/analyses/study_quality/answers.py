"""The answers of both steps: how long experts took for them, and whether they repeat themselves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence

import numpy as np

from annotations.ground.arrays import Integers, Mask, Vector
from metaeval import stats
from metaeval.analyses.inputs import StudyInputs
from metaeval.analyses.study_quality.result import (
    ALL,
    STEPS,
    AnswerTimes,
    QualityEstimate,
    QualityMeasure,
    RepeatedAnswers,
    Step,
    all_and_each,
    expert_name,
)

NO_REPEATS = "nobody was given a comparison again: the study has no deliberate repeats"
"""Nor, for step 1, a text."""

SAME: dict[Step, str] = {"labels": "the same labels", "preferences": "the same preference"}


def time_rows(study: StudyInputs, quick_seconds: float) -> list[AnswerTimes]:
    """Seconds in which the page of each step was used, one row for all and one for each expert."""
    answers, rows = study.answers, []
    steps: dict[Step, tuple[Mask, Vector]] = {
        "labels": (answers.is_labelled, answers.labels_ms),
        "preferences": (answers.is_answered, answers.preference_ms),
    }
    for step, (is_answered, milliseconds) in steps.items():
        for name, mine in all_and_each(study.experts, answers.expert):
            answered = milliseconds[is_answered & ~answers.is_skipped & mine] / 1000
            seconds = answered[np.isfinite(answered)]
            quick = int((seconds < quick_seconds).sum())
            q1, middle, q3 = np.quantile(seconds, [0.25, 0.5, 0.75]).tolist() if len(seconds) else (None, None, None)
            rows.append(
                AnswerTimes(
                    step=step,
                    expert=name,
                    answers=len(answered),
                    unknown=len(answered) - len(seconds),
                    median=middle,
                    q1=q1,
                    q3=q3,
                    total=float(seconds.sum()),
                    quick=quick,
                    quick_share=quick / len(seconds) if len(seconds) else None,
                    reason="" if len(seconds) else "no answer has a known time" if len(answered) else "no answer",
                )
            )
    return rows


def time_measures(rows: Sequence[AnswerTimes]) -> list[QualityMeasure]:
    """The medians of all experts."""
    return [
        QualityMeasure.of(
            f"seconds_{row.step}",
            f"Median seconds, {STEPS[row.step].lower()}",
            QualityEstimate(value=row.median, low=row.q1, high=row.q3, n=row.answers - row.unknown, reason=row.reason),
            notes=[] if row.reason else ["limits: quartiles"],
        )
        for row in rows
        if row.expert == ALL
    ]


def repeat_rows(study: StudyInputs, *, level: float) -> list[RepeatedAnswers]:
    """For each step, one row for all and one for each expert who answered something again.

    Step 1 is about a text: whoever judged it beside two systems has labelled it twice. Step 2 is about a comparison;
    the same answer means the same choice of the two sources, whichever sides they were on.
    """
    answers = study.answers
    labels: list[Hashable] = [tuple(np.flatnonzero(row).tolist()) for row in answers.labels]
    choices: list[Hashable] = list(zip(answers.first_chosen.tolist(), answers.second_chosen.tolist(), strict=True))
    return [
        *_repeats("labels", study, answers.instance, answers.is_labelled, labels, level=level),
        *_repeats("preferences", study, answers.comparison, answers.is_answered, choices, level=level),
    ]


def _repeats(
    step: Step, study: StudyInputs, subjects: Integers, is_answered: Mask, choices: Sequence[Hashable], *, level: float
) -> list[RepeatedAnswers]:
    """`subjects`: the text or comparison of every place; `choices`: what was answered there."""
    answers = study.answers
    places = np.flatnonzero(~answers.is_skipped).tolist()
    turns = {place: (int(answers.expert[place]), int(subjects[place])) for place in places}
    times = Counter(turns[place] for place in places if is_answered[place])
    repeated = [place for place in places if is_answered[place] and times[turns[place]] > 1]
    consistency = stats.self_consistency(
        [expert_name(turns[place][0]) for place in repeated],
        [turns[place] for place in repeated],
        [choices[place] for place in repeated],
        confidence_level=level,
    )
    count = len(places) - len(set(turns.values()))
    no_repeats = f"none of the {count} repeats is answered yet" if count else NO_REPEATS
    return [
        RepeatedAnswers(
            step=step,
            expert=name,
            value=share.value,
            low=share.low,
            high=share.high,
            n=share.n,
            kappa=kappa,
            reason=no_repeats if share.reason else "",
            kappa_reason="" if share.reason else kappa_reason,
        )
        for name, share, kappa, kappa_reason in [
            (ALL, consistency.overall, consistency.kappa, consistency.reason),
            *((share.name, share, None, "") for share in consistency.experts),
        ]
    ]


def repeat_measures(rows: Sequence[RepeatedAnswers]) -> list[QualityMeasure]:
    """The shares over all experts."""
    return [
        QualityMeasure.of(f"consistency_{row.step}", f"Repeats with {SAME[row.step]}", row)
        for row in rows
        if row.expert == ALL
    ]
