"""Start, watch, stop and read analysis runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.api.paging import filters_of, page_of, paged
from annotations.api.views import APIView, NotOnlyExpert, person
from annotations.api.waiting import waiting
from annotations.models import Study
from metaeval.analyses.base.registry import analyses
from metaeval.analyses.inputs.gathering import Subject
from metaeval.api.access import (
    dataset_subjects,
    free_runs,
    free_subject,
    may_see_tracebacks,
    numbered_run,
    result_was_looked_at,
    study_subject,
    told,
    visible_run,
)
from metaeval.api.serializers import (
    FreeRunRequestSerializer,
    RunDetailSerializer,
    RunFilters,
    RunRequestSerializer,
    RunSerializer,
)
from metaeval.jobs.answers import ToldAnswers
from metaeval.jobs.models import AnalysisRun, AnalysisRunQuerySet
from metaeval.jobs.runs import cancel_run, rerun, retry_run, start_run

NEWEST = 100
STARTED = {202: RunDetailSerializer}


class StudyRunsView(APIView):
    """A study's runs, newest first; and starting one."""

    @extend_schema(operation_id="runs_list", parameters=[RunFilters], responses=page_of(RunSerializer))
    def get(self, request: Request, slug: str) -> Response:
        subject = study_subject(request, slug)
        return _listed(request, AnalysisRun.objects.filter(study=subject.study), subject.study)

    @extend_schema(operation_id="runs_start", request=RunRequestSerializer, responses=STARTED)
    def post(self, request: Request, slug: str) -> Response:
        subject = study_subject(request, slug)
        return _started(request, subject, _asked(request, RunRequestSerializer))


class DatasetRunsView(APIView):
    """A dataset's runs, newest first; and starting one."""

    permission_classes = [NotOnlyExpert]

    @extend_schema(operation_id="dataset_runs_list", parameters=[RunFilters], responses=page_of(RunSerializer))
    def get(self, request: Request, slug: str) -> Response:
        dataset = dataset_subjects(request, slug)[0].dataset
        return _listed(request, AnalysisRun.objects.filter(dataset=dataset))

    @extend_schema(operation_id="dataset_runs_start", request=RunRequestSerializer, responses=STARTED)
    def post(self, request: Request, slug: str) -> Response:
        subjects = dataset_subjects(request, slug)
        asked = _asked(request, RunRequestSerializer)
        return _started(request, _fitting(subjects, asked["analysis"]), asked)


class FreeRunsView(APIView):
    """Your visible runs on several datasets, and simulations; and starting one."""

    permission_classes = [NotOnlyExpert]

    @extend_schema(operation_id="free_runs_list", parameters=[RunFilters], responses=page_of(RunSerializer))
    def get(self, request: Request) -> Response:
        return _listed(request, free_runs(request))

    @extend_schema(operation_id="free_runs_start", request=FreeRunRequestSerializer, responses=STARTED)
    def post(self, request: Request) -> Response:
        asked = _asked(request, FreeRunRequestSerializer)
        subject = free_subject(request, asked.pop("datasets"))
        return _started(request, subject, asked)


class RunView(APIView):
    """One run: its progress while it is running, its result once it has finished."""

    @extend_schema(operation_id="runs_show", responses=RunDetailSerializer)
    def get(self, request: Request, pk: UUID) -> Response:
        run = visible_run(request, pk, whole=True)
        if run.result is not None:
            result_was_looked_at(request, run)
        return Response(_detail(request, run))


class StudyResultView(APIView):
    """The same run at its readable address within the study."""

    @extend_schema(operation_id="studies_result", responses=RunDetailSerializer)
    def get(self, request: Request, slug: str, analysis: str, number: int) -> Response:
        run = numbered_run(request, slug, analysis, number)
        if run.result is not None:
            result_was_looked_at(request, run)
        return Response(_detail(request, run))


class CancelView(APIView):
    @extend_schema(operation_id="runs_cancel", request=None, responses=RunDetailSerializer)
    def post(self, request: Request, pk: UUID) -> Response:
        return Response(_detail(request, cancel_run(run=visible_run(request, pk), actor=person(request))))


class RerunView(APIView):
    """Compute the same again, on the current data, even if a result is stored."""

    @extend_schema(operation_id="runs_rerun", request=None, responses={202: RunDetailSerializer})
    def post(self, request: Request, pk: UUID) -> Response:
        again = rerun(run=visible_run(request, pk), actor=person(request))
        return Response(_detail(request, again), status=status.HTTP_202_ACCEPTED)


class RetryView(APIView):
    @extend_schema(operation_id="runs_retry", request=None, responses={202: RunDetailSerializer})
    def post(self, request: Request, pk: UUID) -> Response:
        run = retry_run(run=visible_run(request, pk), actor=person(request))
        return Response(_detail(request, run), status=status.HTTP_202_ACCEPTED)


def _listed(request: Request, runs: AnalysisRunQuerySet, study: Study | None = None) -> Response:
    filters = filters_of(request, RunFilters)
    filters.pop("answers")
    newest = runs.filter(**filters).with_subject().order_by("-created_at", "pk")
    context = waiting(request) | {"answers": told(request, newest, study)}
    return paged(request, newest, RunSerializer, context=context, was_plain=True, plain_rows=NEWEST)


def _asked(request: Request, serializer: type[RunRequestSerializer]) -> dict[str, Any]:
    asked = serializer(data=request.data)
    asked.is_valid(raise_exception=True)
    return dict(asked.validated_data)


def _started(request: Request, subject: Subject, asked: Mapping[str, Any]) -> Response:
    """The run, which waits for a worker; it may find a stored answer to the same question (`answered_by`)."""
    run = start_run(subject=subject, actor=person(request), **asked)
    return Response(_detail(request, run), status=status.HTTP_202_ACCEPTED)


def _fitting(subjects: list[Subject], analysis: str) -> Subject:
    """The subject that fits the analysis; otherwise the first, whose refusal says which subjects fit."""
    known = analyses.get(analysis).subjects
    return next((subject for subject in subjects if subject.kind in known), subjects[0])


def _detail(request: Request, run: AnalysisRun) -> dict[str, Any]:
    for_admin = bool(run.error) and may_see_tracebacks(request, run)
    context = waiting(request) | {"for_admin": for_admin, "answers": ToldAnswers()}
    return dict(RunDetailSerializer(run, context=context).data)
