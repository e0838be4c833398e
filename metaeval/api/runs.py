"""Start, watch, stop and read analysis runs."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import Http404, HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations import jobs
from annotations.api.permissions import person, unblinded_study
from annotations.exporting.spreadsheets import csv_lines
from annotations.models import Study
from metaeval.api.access import result_was_looked_at, visible_run
from metaeval.api.serializers import RunDetailSerializer, RunRequestSerializer, RunSerializer
from metaeval.figures import UnknownFigureError
from metaeval.jobs.models import AnalysisRun
from metaeval.jobs.running import cancel_run, figure_of, result_of, retry_run, start_run

NEWEST = 100


class StudyRunsView(APIView):
    """A study's runs, the newest first, and the way to start one."""

    @extend_schema(operation_id="runs_list", responses=RunSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        study = unblinded_study(request, slug)
        runs = AnalysisRun.objects.filter(study=study).select_related("study")[:NEWEST]
        return Response(RunSerializer(runs, many=True, context={"worker_alive": jobs.worker_alive()}).data)

    @extend_schema(operation_id="runs_start", request=RunRequestSerializer, responses={202: RunDetailSerializer})
    def post(self, request: Request, slug: str) -> Response:
        study = unblinded_study(request, slug)
        asked = RunRequestSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        run = start_run(study=study, actor=person(request), **asked.validated_data)
        return Response(_detail(request, run), status=status.HTTP_202_ACCEPTED)


class RunView(APIView):
    """One run: its progress while it works, its result when it is done."""

    @extend_schema(operation_id="runs_show", responses=RunDetailSerializer)
    def get(self, request: Request, pk: UUID) -> Response:
        run = visible_run(request, pk, whole=True)
        if run.result is not None:
            result_was_looked_at(request, run)
        return Response(_detail(request, run))


class CancelView(APIView):
    @extend_schema(operation_id="runs_cancel", request=None, responses=RunDetailSerializer)
    def post(self, request: Request, pk: UUID) -> Response:
        return Response(_detail(request, cancel_run(run=visible_run(request, pk))))


class RetryView(APIView):
    @extend_schema(operation_id="runs_retry", request=None, responses={202: RunDetailSerializer})
    def post(self, request: Request, pk: UUID) -> Response:
        run = retry_run(run=visible_run(request, pk), actor=person(request))
        return Response(_detail(request, run), status=status.HTTP_202_ACCEPTED)


class FigureView(APIView):
    """A figure as a Vega-Lite specification, data included."""

    @extend_schema(operation_id="runs_figure", responses={200: OpenApiTypes.OBJECT})
    def get(self, request: Request, pk: UUID, name: str) -> Response:
        run = visible_run(request, pk, whole=True)
        try:
            spec = figure_of(run, name)
        except UnknownFigureError as error:
            raise Http404(str(error)) from error
        result_was_looked_at(request, run)
        return Response(spec)


class TableView(APIView):
    """The published table: as JSON, or as CSV whose texts no spreadsheet runs."""

    @extend_schema(
        operation_id="runs_table",
        parameters=[OpenApiParameter("format", str, enum=["json", "csv"], default="json")],
        responses={(200, "application/json"): OpenApiTypes.OBJECT, (200, "text/csv"): OpenApiTypes.STR},
    )
    def get(self, request: Request, pk: UUID) -> Response | HttpResponse:
        run = visible_run(request, pk, whole=True)
        table = result_of(run)["table"]
        result_was_looked_at(request, run)
        if request.query_params.get("format") != "csv":
            return Response(table)
        keys = [column["key"] for column in table["columns"]]
        lines = csv_lines(keys, ([row[key] for key in keys] for row in table["rows"]))
        return HttpResponse(
            "".join(lines),
            content_type="text/csv; charset=utf-8",
            headers={"Content-Disposition": f'attachment; filename="{run.study.slug}-{run.analysis}.csv"'},
        )


def _detail(request: Request, run: AnalysisRun) -> dict[str, Any]:
    user = person(request)
    for_admin = bool(run.error) and Study.objects.administered_by(user).filter(pk=run.study_id).exists()
    context = {"worker_alive": jobs.worker_alive(), "for_admin": for_admin}
    return dict(RunDetailSerializer(run, context=context).data)
