"""Which of a study's results a document shows."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from django.db.models import QuerySet

from annotations.models import Dataset, JobState, Study
from metaeval.jobs.models import AnalysisRun, Subjects
from metaeval.jobs.planning import meant


def newest_runs(study: Study) -> list[AnalysisRun]:
    """For every question (analysis, parameters, seed), the newest run with a result, by name.

    Results are deferred: read them one at a time.
    """
    return _newest(AnalysisRun.objects.filter(study=study))


def newest_runs_of_dataset(dataset: Dataset) -> list[AnalysisRun]:
    """The same for questions about a dataset itself: how systems predict it, whatever experts say."""
    return _newest(AnalysisRun.objects.filter(dataset=dataset, subject=Subjects.DATASET))


def _newest(asked: QuerySet[AnalysisRun]) -> list[AnalysisRun]:
    runs: Iterable[AnalysisRun] = asked.filter(state=JobState.SUCCEEDED).order_by("-created_at")
    newest: dict[tuple[Any, ...], AnalysisRun] = {}
    for run in runs:
        newest.setdefault(
            (run.analysis, json.dumps(meant(run.analysis, run.parameters), sort_keys=True), run.seed), run
        )
    return sorted(newest.values(), key=lambda run: (run.analysis, run.created_at))


def of_todays_data(runs: Iterable[AnalysisRun], fingerprint: str) -> tuple[list[AnalysisRun], list[AnalysisRun]]:
    """Runs on the current data, and those on earlier states of the data."""
    runs = list(runs)
    return [r for r in runs if r.fingerprint == fingerprint], [r for r in runs if r.fingerprint != fingerprint]
