"""What experts reported: by reason, by instance, and for which share of the places."""

from __future__ import annotations

import numpy as np

from metaeval.analyses.inputs import StudyInputs
from metaeval.analyses.study_quality.result import QualityEstimate, QualityMeasure, ReportedInstance, ReportsOfReason
from metaeval.stats import wilson_interval

REASONS = {
    "unreadable": "cannot be read",
    "distressing": "distressing",
    "identifies_person": "identifies a person",
    "other": "something else",
}


def report_rows(study: StudyInputs) -> list[ReportsOfReason]:
    """Reports by reason."""
    reports = study.reports
    about = study.answers.instance[reports.answer]
    by = study.answers.expert[reports.answer]
    rows = []
    for reason, title in REASONS.items():
        these = np.array([one == reason for one in reports.reason], dtype=np.bool_)
        rows.append(
            ReportsOfReason(
                reason=title,
                reports=int(these.sum()),
                left=int(reports.skipped[these].sum()),
                instances=len(np.unique(about[these])),
                experts=len(np.unique(by[these])),
            )
        )
    return rows


def reported_instances(study: StudyInputs) -> list[ReportedInstance]:
    """Every reported instance, those with most reports first."""
    found: dict[int, list[int]] = {}
    for number, place in enumerate(study.answers.instance[study.reports.answer].tolist()):
        found.setdefault(place, []).append(number)
    had = np.unique(np.stack([study.answers.instance, study.answers.expert]), axis=1)
    shown = np.bincount(had[0], minlength=len(study.P))
    return [
        ReportedInstance(
            instance=study.data.instances[place],
            reports=len(numbers),
            experts=int(shown[place]),
            reasons=", ".join(sorted({REASONS[study.reports.reason[number]] for number in numbers})),
        )
        for place, numbers in sorted(found.items(), key=lambda entry: (-len(entry[1]), entry[0]))
    ]


def reported_share(study: StudyInputs, level: float) -> QualityMeasure:
    """The share of the taken places for which something was reported."""
    name, title = "reported", "Share of places with a report"
    n, reported = len(study.answers), len(np.unique(study.reports.answer))
    if not n:
        return QualityMeasure.undefined(name, title, "no place was taken")
    low, high = wilson_interval(reported, n, confidence_level=level)
    return QualityMeasure.of(name, title, QualityEstimate(value=reported / n, low=low, high=high, n=n, reason=""))
