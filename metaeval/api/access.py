"""Who may see results, and the trace that looking at them leaves."""

from __future__ import annotations

from datetime import timedelta
from typing import cast

from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils import timezone
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.views import APIView

from annotations import events
from annotations.models import Event, EventKind, Membership, Study, StudyState, User
from metaeval.jobs.models import AnalysisRun

SAME_LOOK = timedelta(minutes=10)
"""A page asks again and again while it is open: that is one look."""


def person(request: Request) -> User:
    """Who is asking. Views are only reached by people who are signed in."""
    return cast(User, request.user)


class SeesSomeStudy(IsAuthenticated):
    """Researchers and admins of any study. For experts there is nothing here, not even a refusal."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        if not super().has_permission(request, view):
            return False
        user = person(request)
        if not (user.is_superuser or Membership.objects.filter(user=user).unblinded().exists()):
            raise Http404
        return True


def unblinded_study(request: Request, slug: str) -> Study:
    """The study, if the person is its researcher or admin; otherwise 404."""
    return get_object_or_404(Study.objects.unblinded_for(person(request)).select_related("dataset"), slug=slug)


def visible_run(request: Request, pk: object, *, whole: bool = False) -> AnalysisRun:
    """The run, if the person may see it; otherwise 404. `whole`: with its result."""
    runs = AnalysisRun.objects.visible_to(person(request)).select_related("study")
    run: AnalysisRun = get_object_or_404(runs.defer(None) if whole else runs, pk=pk)
    return run


def leave_trace(request: Request, study: Study, what: str) -> None:
    """Looking at unblinded data before the study closes leaves an event, once for every look."""
    if study.state == StudyState.CLOSED:
        return
    user = person(request)
    lately = Event.objects.filter(
        kind=EventKind.UNBLINDED_VIEW, actor=user, study=study, data__what=what, at__gt=timezone.now() - SAME_LOOK
    )
    if not lately.exists():
        events.unblinded_view(actor=user, study=study, what=what)
