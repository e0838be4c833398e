"""Exports of a study's responses: the formats, the list of responses, downloads, and exports as background jobs."""

from collections.abc import Callable
from typing import Any, cast
from uuid import UUID

from django.http import FileResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.api.downloads import attachment
from annotations.api.paging import PageByPage, Pages, filters_of, page_of, paged
from annotations.api.parsing import valid
from annotations.api.translating import InTheirLanguage
from annotations.api.views import NeedsLogin, ResearchView, person, unblinded_study
from annotations.api.waiting import WaitingSerializer, waiting
from annotations.background import jobs
from annotations.exporting.columns import COLUMNS, Variable, plain
from annotations.exporting.exports import archive_name, ask, export_responses, take
from annotations.exporting.formats import ExportFormat, formats, zipped
from annotations.exporting.rows import REVISIONS, SCOPES, Filters, ResponseSource
from annotations.history import events
from annotations.models import ExportJob, JobState, Study
from annotations.shown.people import ShownPeople

ORDERS = {
    "comparison": ("comparison__position", "expert__number", "position"),
    "expert": ("expert__number", "position"),
    "completed_at": ("completed_at", "pk"),
    "-completed_at": ("-completed_at", "-pk"),
}
LARGEST = 2**31 - 1
FIELDS: dict[str, Callable[..., serializers.Field[Any, Any, Any, Any]]] = {
    "text": serializers.CharField,
    "integer": serializers.IntegerField,
    "share": serializers.FloatField,
    "boolean": serializers.BooleanField,
    "time": serializers.DateTimeField,
    "texts": lambda **about: serializers.ListField(child=serializers.CharField(), **about),
}


class ExportFormatSerializer(serializers.Serializer[ExportFormat]):
    name = serializers.CharField()
    title = InTheirLanguage()
    description = InTheirLanguage()
    read_by = InTheirLanguage(help_text="Programs that read it.")
    filters = serializers.SerializerMethodField(help_text="The filters that an export in this format supports.")

    def get_filters(self, known: ExportFormat) -> list[str]:
        return sorted(known.filters)


class ExportFormatsView(ResearchView):
    @extend_schema(operation_id="exports_list", responses=page_of(ExportFormatSerializer))
    def get(self, request: Request, slug: str) -> Response:
        """The formats in which the study's responses can be exported."""
        unblinded_study(request, slug)
        return paged(request, list(formats), ExportFormatSerializer, was_plain=True)


class ExportView(ResearchView):
    @extend_schema(operation_id="exports_download", responses={(200, "application/zip"): OpenApiTypes.BINARY})
    def get(self, request: Request, slug: str, format_name: str) -> StreamingHttpResponse:
        """All files of one format as a zip archive. The download is recorded in the study's event log."""
        study = unblinded_study(request, slug)
        files = export_responses(study=study, format_name=format_name, actor=person(request))
        headers: dict[str, Any] = {**attachment(archive_name(study, format_name))}
        return StreamingHttpResponse(zipped(files), content_type="application/zip", headers=headers)


class AnswerFiltersSerializer(serializers.Serializer[Any]):
    """Which answers to export; omitted filters keep their defaults."""

    pilot = serializers.ChoiceField(choices=SCOPES, default="include", help_text="Answers of the pilot.")
    simulated = serializers.ChoiceField(choices=SCOPES, default="include", help_text="Simulated experts.")

    def get_fields(self) -> dict[str, Any]:
        # `from` is a Python keyword.
        days = {"from": "Answered on this day (UTC) or later.", "to": "Answered on this day (UTC) or earlier."}
        named = {
            name: serializers.DateField(required=False, allow_null=True, default=None, help_text=text)
            for name, text in days.items()
        }
        return super().get_fields() | named

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs["from"] and attrs["to"] and attrs["from"] > attrs["to"]:
            raise serializers.ValidationError({"from": [_("The first day is after the last day.")]})
        return attrs


class ExportFiltersSerializer(AnswerFiltersSerializer):
    """Which answers to export, and which files to add. Each format says which of these it supports."""

    revisions = serializers.ChoiceField(
        choices=REVISIONS,
        default="last",
        help_text="`all`: also every stored version of each answer, in a file beside the table.",
    )
    identified = serializers.BooleanField(
        default=False,
        help_text="Names and e-mail addresses of the experts, in a separate file. Only for admins of the study   "
        "who are signed in with a browser.",
    )


class ExportRequestSerializer(serializers.Serializer[Any]):
    format = serializers.CharField(max_length=50)
    filters = ExportFiltersSerializer(required=False)


class ExportProgressSerializer(serializers.Serializer[ExportJob]):
    done = serializers.IntegerField(source="progress_done")
    total = serializers.IntegerField(source="progress_total")
    message = serializers.CharField(source="progress_message")


class ExportJobSerializer(WaitingSerializer):
    id = serializers.UUIDField()
    format = serializers.CharField()
    filters = ExportFiltersSerializer()
    state = serializers.ChoiceField(choices=JobState.choices)
    progress = ExportProgressSerializer(source="*")
    error = serializers.CharField()
    created_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)
    name = serializers.CharField(help_text="The file's name.")
    size = serializers.IntegerField(help_text="In bytes.")
    sha256 = serializers.CharField(help_text="The file's checksum.")
    responses = serializers.IntegerField()
    made_by = serializers.SerializerMethodField()
    expires_at = serializers.DateTimeField(
        allow_null=True, help_text="When the file will be removed; null: there is no file."
    )
    is_there = serializers.BooleanField(source="content", help_text="Whether the file can be downloaded now.")
    may_take = serializers.SerializerMethodField(
        help_text="Whether the person may download it; only admins of the study may if it contains names."
    )

    def get_made_by(self, job: ExportJob) -> str:
        people: ShownPeople = self.context["people"]
        return people.name(job.owner)

    def get_may_take(self, job: ExportJob) -> bool:
        return self.context["people"].with_addresses or not Filters.read(job.filters).identified


class ExportFilesView(ResearchView):
    """The requested exports, newest first; and requesting one."""

    @extend_schema(operation_id="export_files_list", responses=page_of(ExportJobSerializer))
    def get(self, request: Request, slug: str) -> Response:
        study = unblinded_study(request, slug)
        newest = ExportJob.objects.filter(study=study).select_related("owner").order_by("-created_at", "pk")
        return paged(request, newest, ExportJobSerializer, context=_context(request, study))

    @extend_schema(
        operation_id="export_files_ask", request=ExportRequestSerializer, responses={202: ExportJobSerializer}
    )
    def post(self, request: Request, slug: str) -> Response:
        study = unblinded_study(request, slug)
        asked = valid(ExportRequestSerializer(data=request.data))
        filters = Filters.read(asked.get("filters", {}))
        _refuse_tokens(request, filters)
        job = ask(study=study, format_name=asked["format"], filters=filters, actor=person(request))
        return Response(_shown(request, job), status=status.HTTP_202_ACCEPTED)


class _OneExport(ResearchView):
    def job(self, request: Request, pk: UUID) -> ExportJob:
        return get_object_or_404(ExportJob.objects.visible_to(person(request)).select_related("study", "owner"), pk=pk)


class ExportFileView(_OneExport):
    """An export's progress."""

    @extend_schema(operation_id="export_files_show", responses=ExportJobSerializer)
    def get(self, request: Request, pk: UUID) -> Response:
        return Response(_shown(request, self.job(request, pk)))


class CancelExportView(_OneExport):
    """Stop an export that waits or runs."""

    @extend_schema(operation_id="export_files_cancel", request=None, responses=ExportJobSerializer)
    def post(self, request: Request, pk: UUID) -> Response:
        return Response(_shown(request, jobs.cancel(self.job(request, pk))))


class ExportContentView(_OneExport):
    """An export's file."""

    @extend_schema(operation_id="export_files_take", responses={(200, "application/zip"): OpenApiTypes.BINARY})
    def get(self, request: Request, pk: UUID) -> FileResponse:
        job = self.job(request, pk)
        _refuse_tokens(request, Filters.read(job.filters))
        job = take(job=job, actor=person(request))
        return FileResponse(
            job.content.open("rb"), as_attachment=True, filename=job.name, content_type="application/zip"
        )


def _refuse_tokens(request: Request, filters: Filters) -> None:
    """Names and e-mail addresses are only for people who are signed in, as on the page of people."""
    if filters.identified and request.auth is not None:
        raise NeedsLogin(_("You need to sign in with a browser to do this. An API token is not enough."))


def _context(request: Request, study: Study) -> dict[str, Any]:
    return waiting(request) | {"people": ShownPeople(to=person(request), study=study)}


def _shown(request: Request, job: ExportJob) -> dict[str, Any]:
    # Stored filters hold dates as text, just as a date serializer writes them.
    return dict(ExportJobSerializer(job, context=_context(request, job.study)).data)


def _field(column: Variable) -> serializers.Field[Any, Any, Any, Any]:
    says = column.says + (f" One of {', '.join(f'`{value}`' for value in column.values)}." if column.values else "")
    return FIELDS[column.kind](allow_null=column.nullable, help_text=says)


# The columns are declared once, with the table (annotations/exporting/columns.py).
CollectedAnswerSerializer = cast(
    "type[serializers.Serializer[Any]]",
    type("CollectedAnswerSerializer", (serializers.Serializer,), {column.name: _field(column) for column in COLUMNS}),
)


class ResponsesQuerySerializer(AnswerFiltersSerializer):
    expert = serializers.IntegerField(required=False, min_value=0, max_value=LARGEST, help_text="The expert's number.")
    comparison = serializers.IntegerField(
        required=False, min_value=0, max_value=LARGEST, help_text="The comparison's number."
    )
    ordering = serializers.ChoiceField(required=False, default="comparison", choices=list(ORDERS))


class ResponsesView(ResearchView):
    @extend_schema(
        operation_id="responses_list",
        parameters=[ResponsesQuerySerializer],
        responses=page_of(CollectedAnswerSerializer),
    )
    def get(self, request: Request, slug: str) -> Response:
        """The answers that count, with the columns of the exported table. Experts appear by number only.

        Until the study is closed, each request is recorded in its event log as a look at unblinded data.
        """
        study = unblinded_study(request, slug)
        filters = filters_of(request, ResponsesQuerySerializer)
        source = ResponseSource(study, Filters.read(filters))
        places = source.places().order_by(*ORDERS[filters["ordering"]])
        for name, field in {"expert": "expert__number", "comparison": "comparison__position"}.items():
            if name in filters:
                places = places.filter(**{field: filters[name]})
        events.unblinded_view(actor=person(request), study=study, what="responses")
        # The rows are plain JSON already; a serializer would take as long as the database.
        pages = Pages()
        page = PageByPage(
            places.values_list("pk", flat=True), lambda places: [plain(row) for row in source.rows_of(list(places))]
        )
        rows: Any = pages.paginate_queryset(cast("Any", page), request)
        return pages.get_paginated_response(rows)
