"""Which of a study's results a document shows."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from annotations.models import JobState, Study
from metaeval.jobs.models import AnalysisRun
from metaeval.jobs.planning import meant


def newest_runs(study: Study) -> list[AnalysisRun]:
    """Of every question (analysis, parameters, seed) the newest run with a result, by name.

    Results are deferred: read them one at a time.
    """
    runs: Iterable[AnalysisRun] = AnalysisRun.objects.filter(study=study, state=JobState.SUCCEEDED).order_by(
        "-created_at"
    )
    newest: dict[tuple[Any, ...], AnalysisRun] = {}
    for run in runs:
        newest.setdefault(
            (run.analysis, json.dumps(meant(run.analysis, run.parameters), sort_keys=True), run.seed), run
        )
    return sorted(newest.values(), key=lambda run: (run.analysis, run.created_at))


def of_todays_data(runs: Iterable[AnalysisRun], fingerprint: str) -> tuple[list[AnalysisRun], list[AnalysisRun]]:
    """Runs on the data as they are now, and those on data as they were before."""
    runs = list(runs)
    return [r for r in runs if r.fingerprint == fingerprint], [r for r in runs if r.fingerprint != fingerprint]
