"""Which of a study's places count: those of the pilot, the others, or all."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from annotations.ground.arrays import Mask
from metaeval.analyses.inputs import Reports, StudyInputs
from metaeval.analyses.study_quality.parameters import Pilot
from metaeval.analyses.study_quality.result import Scope


def in_scope(study: StudyInputs, pilot: Pilot) -> tuple[StudyInputs, Scope]:
    """The study with the places that count, and what `auto` was resolved to."""
    answers = study.answers
    scope = _decided(study) if pilot == "auto" else pilot
    kept: Mask = {
        "include": np.ones(len(answers), dtype=np.bool_),
        "leave_out": ~answers.is_pilot,
        "only": answers.is_pilot,
    }[scope]
    place = np.cumsum(kept) - 1
    reported = kept[study.reports.answer]
    reports = Reports(
        answer=place[study.reports.answer[reported]],
        reason=tuple(reason for reason, stays in zip(study.reports.reason, reported, strict=True) if stays),
        skipped=study.reports.skipped[reported],
    )
    return replace(study, answers=answers.of(kept), reports=reports), scope


def _decided(study: StudyInputs) -> Scope:
    """The pilot, as long as there is nothing else."""
    answers = study.answers
    given = answers.is_labelled | answers.is_answered
    return "leave_out" if (given & ~answers.is_pilot).any() or not given.any() else "only"
