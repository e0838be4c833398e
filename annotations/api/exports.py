"""Exporting a study's responses: the formats available, and the streamed download."""

from typing import Any

from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.api.downloads import attachment
from annotations.api.paging import page_of, paged
from annotations.api.permissions import NotOnlyExpert, person, unblinded_study
from annotations.api.translating import InTheirLanguage
from annotations.api.views import APIView
from annotations.exporting.exports import archive_name, export_responses
from annotations.exporting.formats import ExportFormat, formats
from annotations.exporting.sinks import zipped


class ExportFormatSerializer(serializers.Serializer[ExportFormat]):
    name = serializers.CharField()
    title = InTheirLanguage()
    description = InTheirLanguage()
    read_by = InTheirLanguage(help_text="Programs that read it.")
    filters = serializers.SerializerMethodField(help_text="The filters that an export in this format supports.")

    def get_filters(self, known: ExportFormat) -> list[str]:
        return sorted(known.filters)


class ExportFormatsView(APIView):
    permission_classes = [NotOnlyExpert]

    @extend_schema(operation_id="exports_list", responses=page_of(ExportFormatSerializer))
    def get(self, request: Request, slug: str) -> Response:
        """The formats in which the study's responses can be exported."""
        unblinded_study(request, slug)
        return paged(request, list(formats), ExportFormatSerializer, was_plain=True)


class ExportView(APIView):
    permission_classes = [NotOnlyExpert]

    @extend_schema(operation_id="exports_download", responses={(200, "application/zip"): OpenApiTypes.BINARY})
    def get(self, request: Request, slug: str, format_name: str) -> StreamingHttpResponse:
        """All files of one format as a zip archive. The download is recorded in the study's event log."""
        study = unblinded_study(request, slug)
        files = export_responses(study=study, format_name=format_name, actor=person(request))
        headers: dict[str, Any] = {**attachment(archive_name(study, format_name))}
        return StreamingHttpResponse(zipped(files), content_type="application/zip", headers=headers)
