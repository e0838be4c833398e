"""The material of every part of a report: the study, its data as arrays, its plan and its results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from annotations.models import Study
from metaeval.analyses.inputs import StudyInputs
from metaeval.analyses.inputs.gathering import Subject, gather
from metaeval.documents.report.entries import ReportedResult, entries_of, primary
from metaeval.documents.report.numbering import Numbering
from metaeval.documents.results import newest_runs, newest_runs_of_dataset
from metaeval.jobs.plan_models import StampedPlan
from metaeval.jobs.planning import in_todays_words, planned_rows


@dataclass(frozen=True)
class ReportedPlan:
    """What was planned, and when it was fixed; without a time, it can still change."""

    rows: Sequence[dict[str, Any]]
    sha256: str = ""
    at: datetime | None = None

    @property
    def is_fixed(self) -> bool:
        return self.at is not None


@dataclass(frozen=True)
class Material:
    """All of the material, and the counter of figures and tables."""

    study: Study
    inputs: StudyInputs
    plan: ReportedPlan
    entries: Sequence[ReportedResult]
    not_installed: Sequence[str]
    """Analyses with results that this installation cannot read."""
    main: ReportedResult | None
    """The result that the study is about."""
    numbering: Numbering


def material_of(study: Study, inputs: StudyInputs) -> Material:
    """Everything that the results and the plan need from the database.

    Questions about the dataset itself come beside those about the study, unless the study was asked the same.
    """
    runs = newest_runs(study)
    asked = {run.analysis for run in runs}
    of_dataset = [run for run in newest_runs_of_dataset(study.dataset) if run.analysis not in asked]
    today = gather(Subject.of_dataset(study.dataset), whole=False).fingerprint if of_dataset else ""
    runs += of_dataset
    entries = entries_of(runs, {inputs.fingerprint, today})
    shown = {entry.run.pk for entry in entries}
    plan = _plan(study)
    return Material(
        study=study,
        inputs=inputs,
        plan=plan,
        entries=entries,
        not_installed=sorted({run.analysis for run in runs if run.pk not in shown}),
        main=primary(entries, [row["analysis"] for row in plan.rows]),
        numbering=Numbering(),
    )


def _plan(study: Study) -> ReportedPlan:
    stamped = StampedPlan.objects.filter(study=study).first()
    if stamped is None:
        return ReportedPlan(planned_rows(study))
    return ReportedPlan([in_todays_words(row) for row in stamped.content], stamped.sha256, stamped.at)
