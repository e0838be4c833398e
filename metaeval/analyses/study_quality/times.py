"""How long experts took: the time in which the page was used."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from annotations.ground.arrays import Mask, Vector
from metaeval.analyses.inputs import StudyInputs
from metaeval.analyses.study_quality.naming import ALL, STEPS, all_and_each
from metaeval.analyses.study_quality.result import AnswerTimes, QualityEstimate, QualityMeasure, Step


def time_rows(study: StudyInputs, quick_seconds: float) -> list[AnswerTimes]:
    """Seconds for each step, one row for all and one for each expert."""
    answers = study.answers
    return [
        *_of_step("labels", study, answers.is_labelled, answers.labels_ms / 1000, quick_seconds),
        *_of_step("preferences", study, answers.is_answered, answers.preference_ms / 1000, quick_seconds),
    ]


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


def _of_step(
    step: Step, study: StudyInputs, is_there: Mask, seconds: Vector, quick_seconds: float
) -> Iterator[AnswerTimes]:
    given = is_there & ~study.answers.is_skipped
    for name, mine in all_and_each(study.experts, study.answers.expert):
        yield _times(step, name, seconds[given & mine], quick_seconds)


def _times(step: Step, expert: str, seconds: Vector, quick_seconds: float) -> AnswerTimes:
    known = seconds[np.isfinite(seconds)]
    quick = int((known < quick_seconds).sum())
    q1, middle, q3 = np.quantile(known, [0.25, 0.5, 0.75]).tolist() if len(known) else (None, None, None)
    reason = "" if len(known) else "no answer" if not len(seconds) else ("no answer has a known time")
    return AnswerTimes(
        step=step,
        expert=expert,
        answers=len(seconds),
        unknown=len(seconds) - len(known),
        median=middle,
        q1=q1,
        q3=q3,
        total=float(known.sum()),
        quick=quick,
        quick_share=quick / len(known) if len(known) else None,
        reason=reason,
    )
