"""Which runs a person may see, and the trace that looking at a result leaves."""

from __future__ import annotations

from django.shortcuts import get_object_or_404
from rest_framework.request import Request

from annotations import events
from annotations.api.permissions import person
from metaeval.jobs.models import AnalysisRun


def visible_run(request: Request, pk: object, *, whole: bool = False) -> AnalysisRun:
    """The run, if the person may see it; otherwise 404. `whole`: with its result."""
    runs = AnalysisRun.objects.visible_to(person(request)).select_related("study")
    run: AnalysisRun = get_object_or_404(runs.defer(None) if whole else runs, pk=pk)
    return run


def result_was_looked_at(request: Request, run: AnalysisRun) -> None:
    """A result before the study closes is an unblinded view."""
    events.unblinded_view(actor=person(request), study=run.study, what=f"result of {run.analysis}")
