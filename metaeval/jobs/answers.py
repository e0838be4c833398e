"""The answers of runs, in one sentence each: stored with a result, or made on demand for older results."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any
from uuid import UUID

from django.db.models import Max, Q

from annotations.ground.errors import HLVError
from annotations.models import JobState
from metaeval.analyses.base.registry import analyses
from metaeval.jobs.models import AnalysisRun, AnalysisRunQuerySet

AT_ONCE = 20
"""For how many earlier results one request makes the sentence; the rest get theirs when workers tidy up."""

UNREADABLE = "This result was stored by another version of the program. Compute it again to read its answer."


def sentence_of(analysis: str, result: Mapping[str, Any] | None) -> str:
    """A result in one sentence; if it cannot be read, a sentence that says so."""
    try:
        return analyses.get(analysis).answer(result or {})
    except HLVError:
        return UNREADABLE


def store_answers() -> None:
    """Store the sentences of some results of earlier versions."""
    for pk, sentence in _made(_earlier(AnalysisRun.objects.all())).items():
        AnalysisRun.objects.filter(pk=pk, answer="").update(answer=sentence)


def latest_of(runs: AnalysisRunQuerySet) -> dict[str, AnalysisRun]:
    """For every analysis, the newest run with a result."""
    finished = runs.filter(state=JobState.SUCCEEDED).order_by()
    newest = finished.values("analysis").annotate(at=Max("finished_at")).values_list("analysis", "at")
    condition = Q(pk__in=[])
    for analysis, at in newest:
        condition |= Q(analysis=analysis, finished_at=at)
    return {run.analysis: run for run in runs.filter(condition, state=JobState.SUCCEEDED)}


class ToldAnswers:
    """The sentences of some runs; those that must be made are read in one query."""

    def __init__(self, runs: AnalysisRunQuerySet | None = None) -> None:
        self._runs = runs

    def of(self, run: AnalysisRun) -> str:
        if run.answer or run.state != JobState.SUCCEEDED:
            return run.answer
        if self._runs is None:
            return sentence_of(run.analysis, run.result)
        return self._made.get(run.pk, "")

    @cached_property
    def _made(self) -> dict[UUID, str]:
        return {} if self._runs is None else _made(_earlier(self._runs))


def _earlier(runs: AnalysisRunQuerySet) -> AnalysisRunQuerySet:
    """The newest results without a sentence."""
    return runs.filter(state=JobState.SUCCEEDED, answer="").order_by("-created_at", "pk")


def _made(runs: AnalysisRunQuerySet) -> dict[UUID, str]:
    rows = runs.values_list("pk", "analysis", "result")[:AT_ONCE]
    return {pk: sentence_of(analysis, result) for pk, analysis, result in rows}
