"""A run's figures and tables as files."""

from __future__ import annotations

from uuid import UUID

from django.http import Http404, HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.api.downloads import attachment
from annotations.api.views import APIView
from metaeval import figures
from metaeval.analyses.base.printing import FORMATS as TABLE_FORMATS
from metaeval.api.access import result_was_looked_at, visible_run
from metaeval.api.serializers import file_stem
from metaeval.jobs.runs import figure_of, table_of, tables_of

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
        run = visible_run(request, pk, whole=True)
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
        run = visible_run(request, pk, whole=True)
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
        run = visible_run(request, pk, whole=True)
        wanted = TABLE_FORMATS.get(request.query_params.get("format", "json"))
        table = table_of(run, name)
        if wanted is None or table is None:
            raise Http404
        result_was_looked_at(request, run)
        return _file(
            wanted.write(table).encode(), f"{file_stem(run, name)}.{wanted.ending}", f"{wanted.media}; charset=utf-8"
        )


def _file(content: bytes, name: str, kind: str) -> HttpResponse:
    return HttpResponse(content, content_type=kind, headers=attachment(name))
