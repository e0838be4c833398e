"""Start, watch, stop and read analysis runs; their figures and tables as files; comparing two, and citing one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.http import Http404, HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.api.downloads import attachment
from annotations.api.paging import filters_of, page_of, paged
from annotations.api.parsing import valid
from annotations.api.views import APIView, person
from annotations.api.waiting import waiting
from annotations.models import Study
from metaeval import figures
from metaeval.analyses.base.printing import FORMATS as TABLE_FORMATS
from metaeval.analyses.base.registry import analyses
from metaeval.analyses.inputs.gathering import Subject
from metaeval.api.access import (
    ResearchersView,
    dataset_subjects,
    free_runs,
    free_subject,
    may_see_tracebacks,
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
    file_stem,
)
from metaeval.documents.citing import citation_of
from metaeval.jobs.answers import ToldAnswers
from metaeval.jobs.comparing import RunComparison, compare_runs
from metaeval.jobs.models import AnalysisRun, AnalysisRunQuerySet
from metaeval.jobs.runs import cancel_run, figure_of, rerun, retry_run, start_run, table_of, tables_of

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
        return _started(request, subject, valid(RunRequestSerializer(data=request.data)))


class DatasetRunsView(ResearchersView):
    """A dataset's runs, newest first; and starting one."""

    @extend_schema(operation_id="dataset_runs_list", parameters=[RunFilters], responses=page_of(RunSerializer))
    def get(self, request: Request, slug: str) -> Response:
        dataset = dataset_subjects(request, slug)[0].dataset
        return _listed(request, AnalysisRun.objects.filter(dataset=dataset))

    @extend_schema(operation_id="dataset_runs_start", request=RunRequestSerializer, responses=STARTED)
    def post(self, request: Request, slug: str) -> Response:
        subjects = dataset_subjects(request, slug)
        body = valid(RunRequestSerializer(data=request.data))
        return _started(request, _fitting(subjects, body["analysis"]), body)


class FreeRunsView(ResearchersView):
    """Your visible runs on several datasets, and simulations; and starting one."""

    @extend_schema(operation_id="free_runs_list", parameters=[RunFilters], responses=page_of(RunSerializer))
    def get(self, request: Request) -> Response:
        return _listed(request, free_runs(request))

    @extend_schema(operation_id="free_runs_start", request=FreeRunRequestSerializer, responses=STARTED)
    def post(self, request: Request) -> Response:
        body = valid(FreeRunRequestSerializer(data=request.data))
        subject = free_subject(request, body.pop("datasets"))
        return _started(request, subject, body)


class RunView(APIView):
    """One run: its progress while it is running, its result once it has finished."""

    @extend_schema(operation_id="runs_show", responses=RunDetailSerializer)
    def get(self, request: Request, pk: UUID) -> Response:
        return _looked_at(request, visible_run(request, pk=pk, whole=True))


class StudyResultView(APIView):
    """The same run at its readable address within the study."""

    @extend_schema(operation_id="studies_result", responses=RunDetailSerializer)
    def get(self, request: Request, slug: str, analysis: str, number: int) -> Response:
        key = {"study__slug": slug, "analysis": analysis, "number": number}
        return _looked_at(request, visible_run(request, **key, whole=True))


class CancelView(APIView):
    """Stop a run that waits or computes."""

    @extend_schema(operation_id="runs_cancel", request=None, responses=RunDetailSerializer)
    def post(self, request: Request, pk: UUID) -> Response:
        return Response(_detail(request, cancel_run(run=visible_run(request, pk=pk), actor=person(request))))


class RerunView(APIView):
    """Compute the same again, on the current data, even if a result is stored."""

    @extend_schema(operation_id="runs_rerun", request=None, responses={202: RunDetailSerializer})
    def post(self, request: Request, pk: UUID) -> Response:
        again = rerun(run=visible_run(request, pk=pk), actor=person(request))
        return Response(_detail(request, again), status=status.HTTP_202_ACCEPTED)


class RetryView(APIView):
    """Compute again what failed or was stopped, with the same parameters and seed."""

    @extend_schema(operation_id="runs_retry", request=None, responses={202: RunDetailSerializer})
    def post(self, request: Request, pk: UUID) -> Response:
        run = retry_run(run=visible_run(request, pk=pk), actor=person(request))
        return Response(_detail(request, run), status=status.HTTP_202_ACCEPTED)


def _looked_at(request: Request, run: AnalysisRun) -> Response:
    if run.result is not None:
        result_was_looked_at(request, run)
    return Response(_detail(request, run))


def _listed(request: Request, runs: AnalysisRunQuerySet, study: Study | None = None) -> Response:
    filters = filters_of(request, RunFilters)
    filters.pop("answers")
    newest = runs.filter(**filters).with_subject().order_by("-created_at", "pk")
    context = waiting(request) | {"answers": told(request, newest, study)}
    return paged(request, newest, RunSerializer, context=context, was_plain=True, plain_rows=NEWEST)


def _started(request: Request, subject: Subject, body: Mapping[str, Any]) -> Response:
    """The run, which waits for a worker; it may find a stored answer to the same question (`answered_by`)."""
    run = start_run(subject=subject, actor=person(request), **body)
    return Response(_detail(request, run), status=status.HTTP_202_ACCEPTED)


def _fitting(subjects: list[Subject], analysis: str) -> Subject:
    """The subject that fits the analysis; otherwise the first, whose refusal says which subjects fit."""
    kinds = analyses.get(analysis).subjects
    return next((subject for subject in subjects if subject.kind in kinds), subjects[0])


def _detail(request: Request, run: AnalysisRun) -> dict[str, Any]:
    for_admin = bool(run.error) and may_see_tracebacks(request, run)
    context = waiting(request) | {"for_admin": for_admin, "answers": ToldAnswers()}
    return dict(RunDetailSerializer(run, context=context).data)


IMAGES = {"svg": "image/svg+xml", "png": "image/png", "pdf": "application/pdf"}
TEXTS = {"csv": "text/csv; charset=utf-8", "txt": "text/plain; charset=utf-8"}
MEDIA = IMAGES | TEXTS


class FigureView(APIView):
    """A figure: as a Vega-Lite specification, data included, or as an image in the size of a column or a page; its data
    (`csv`), or its caption with the alternative text (`txt`). The specification has both in `usermeta`."""

    @extend_schema(
        operation_id="runs_figure",
        parameters=[
            OpenApiParameter("format", str, enum=["json", *MEDIA], default="json"),
            OpenApiParameter("size", str, enum=list(figures.SIZES), default="screen"),
        ],
        responses={
            (200, "application/json"): OpenApiTypes.OBJECT,
            **{(200, kind): OpenApiTypes.BINARY for kind in IMAGES.values()},
            **{(200, kind.partition(";")[0]): OpenApiTypes.STR for kind in TEXTS.values()},
        },
    )
    def get(self, request: Request, pk: UUID, name: str) -> Response | HttpResponse:
        run = visible_run(request, pk=pk, whole=True)
        kind = request.query_params.get("format", "json")
        size = request.query_params.get("size", "screen")
        if kind not in {"json", *MEDIA} or size not in figures.SIZES:
            raise Http404
        chart = figure_of(run, name, size=size)
        result_was_looked_at(request, run)
        if kind == "json":
            return Response(chart.to_dict())
        return _file(figures.image(chart, kind), f"{file_stem(run, name)}.{kind}", MEDIA[kind])


class TablesView(APIView):
    """All tables of a run, in order."""

    @extend_schema(operation_id="runs_tables", responses={200: OpenApiTypes.OBJECT})
    def get(self, request: Request, pk: UUID) -> Response:
        run = visible_run(request, pk=pk, whole=True)
        tables = tables_of(run)
        result_was_looked_at(request, run)
        return Response({"tables": [table.plain() for table in tables]})


class TableView(APIView):
    """One table: JSON with all digits, CSV that no spreadsheet runs, LaTeX (booktabs), or Markdown."""

    @extend_schema(
        operation_id="runs_table",
        parameters=[OpenApiParameter("format", str, enum=list(TABLE_FORMATS), default="json")],
        responses={
            (200, "application/json"): OpenApiTypes.OBJECT,
            **{(200, kind.media): OpenApiTypes.STR for name, kind in TABLE_FORMATS.items() if name != "json"},
        },
    )
    def get(self, request: Request, pk: UUID, name: str) -> HttpResponse:
        run = visible_run(request, pk=pk, whole=True)
        writer = TABLE_FORMATS.get(request.query_params.get("format", "json"))
        table = table_of(run, name)
        if writer is None or table is None:
            raise Http404
        result_was_looked_at(request, run)
        return _file(
            writer.write(table).encode(), f"{file_stem(run, name)}.{writer.ending}", f"{writer.media}; charset=utf-8"
        )


def _file(content: bytes, name: str, kind: str) -> HttpResponse:
    return HttpResponse(content, content_type=kind, headers=attachment(name))


WHERE = ("both", "first", "second")


class ChangeSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    first = serializers.CharField()
    second = serializers.CharField()


class ComparedCellSerializer(serializers.Serializer[Any]):
    first = serializers.CharField(help_text="As papers print it; empty if there is no such row or column.")
    second = serializers.CharField()
    difference = serializers.CharField(
        help_text=("The second minus the first; empty if they are equal or not numbers.")
    )
    differs = serializers.BooleanField()


class ComparedRowSerializer(serializers.Serializer[Any]):
    name = serializers.ListField(child=serializers.CharField(), help_text="What the row is about.")
    where = serializers.ChoiceField(choices=WHERE)
    cells = ComparedCellSerializer(many=True)


class ComparedTableSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    title = serializers.CharField()
    naming = serializers.ListField(child=serializers.CharField())
    columns = serializers.ListField(child=serializers.CharField())
    rows = ComparedRowSerializer(many=True)
    compared = serializers.IntegerField(help_text="How many cells are in both.")
    changed = serializers.IntegerField(help_text="How many cells differ.")


class RunComparisonSerializer(serializers.Serializer[RunComparison]):
    """What changed from the first run to the second."""

    first = RunSerializer()
    second = RunSerializer()
    asked = ChangeSerializer(many=True, help_text="Parameters, and the seed.")
    is_same_data = serializers.BooleanField()
    counts = ChangeSerializer(many=True)
    versions = ChangeSerializer(many=True)
    tables = ComparedTableSerializer(
        many=True, help_text=("All of the main one; for the others, the rows that changed.")
    )
    compared = serializers.IntegerField()
    changed = serializers.IntegerField()


class CitationSerializer(serializers.Serializer[Any]):
    """A result as cited in a paper."""

    text = serializers.CharField()
    bibtex = serializers.CharField()
    works = serializers.ListField(child=serializers.CharField(), help_text="The papers whose method it is.")


class ComparisonView(APIView):
    """Two finished runs of one analysis side by side."""

    @extend_schema(operation_id="runs_compare", responses=RunComparisonSerializer)
    def get(self, request: Request, pk: UUID, other: UUID) -> Response:
        first, second = (visible_run(request, pk=key, whole=True) for key in (pk, other))
        comparison = compare_runs(first=first, second=second)
        for run in {run_key.study_id: run_key for run_key in (first, second)}.values():
            result_was_looked_at(request, run)
        context = waiting(request) | {"answers": ToldAnswers()}
        return Response(RunComparisonSerializer(comparison, context=context).data)


class CitationView(APIView):
    """How to cite the result: in plain words and as BibTeX, with the papers whose method it uses."""

    @extend_schema(operation_id="runs_cite", responses=CitationSerializer)
    def get(self, request: Request, pk: UUID) -> Response:
        run = visible_run(request, pk=pk, whole=True)
        about = RunSerializer().get_about(run)
        page = f"/studies/{run.study.slug}/results/{run.analysis}/{run.number}" if run.study else f"/runs/{run.pk}"
        citation = citation_of(run, about=about, url=request.build_absolute_uri(page))
        result_was_looked_at(request, run)
        return Response(CitationSerializer(citation).data)
