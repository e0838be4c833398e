"""Exports that a worker writes: ask for one with filters, watch it, take the file."""

from typing import Any
from uuid import UUID

from django.http import FileResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations.api.paging import page_of, paged
from annotations.api.permissions import NotOnlyExpert, person, unblinded_study
from annotations.background import jobs
from annotations.exporting.jobs import ask, take
from annotations.models import ExportJob, JobState

SCOPES = [("include", "include"), ("exclude", "exclude"), ("only", "only")]


class ExportFiltersSerializer(serializers.Serializer[Any]):
    pilot = serializers.ChoiceField(choices=SCOPES, default="include")
    simulated = serializers.ChoiceField(choices=SCOPES, default="include", help_text="Simulated experts.")
    since = serializers.DateTimeField(required=False, allow_null=True, default=None)
    until = serializers.DateTimeField(required=False, allow_null=True, default=None, help_text="Up to, without it.")


class ExportRequestSerializer(ExportFiltersSerializer):
    format = serializers.CharField(max_length=50)


class ExportProgressSerializer(serializers.Serializer[ExportJob]):
    done = serializers.IntegerField(source="progress_done")
    total = serializers.IntegerField(source="progress_total")
    message = serializers.CharField(source="progress_message")


class ExportJobSerializer(serializers.Serializer[ExportJob]):
    id = serializers.UUIDField()
    format = serializers.CharField()
    filters = ExportFiltersSerializer()
    state = serializers.ChoiceField(choices=JobState.choices)
    progress = ExportProgressSerializer(source="*")
    error = serializers.CharField()
    created_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)
    name = serializers.CharField(help_text="What the file is called.")
    size = serializers.IntegerField(help_text="Bytes.")
    responses = serializers.IntegerField()
    is_there = serializers.BooleanField(source="content", help_text="Whether the file can be taken now.")
    worker_alive = serializers.SerializerMethodField()

    def get_worker_alive(self, _job: ExportJob) -> bool:
        return bool(self.context["worker_alive"])


class ExportFilesView(APIView):
    """The exports that were asked for, the newest first, and the way to ask for one."""

    permission_classes = [NotOnlyExpert]

    @extend_schema(operation_id="export_files_list", responses=page_of(ExportJobSerializer))
    def get(self, request: Request, slug: str) -> Response:
        newest = ExportJob.objects.filter(study=unblinded_study(request, slug)).order_by("-created_at", "pk")
        return paged(request, newest, ExportJobSerializer, context={"worker_alive": jobs.worker_alive()})

    @extend_schema(
        operation_id="export_files_ask", request=ExportRequestSerializer, responses={202: ExportJobSerializer}
    )
    def post(self, request: Request, slug: str) -> Response:
        study = unblinded_study(request, slug)
        asked = ExportRequestSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        filters = {name: asked.validated_data[name] for name in ("pilot", "simulated", "since", "until")}
        filters |= {name: filters[name].isoformat() for name in ("since", "until") if filters[name]}
        job = ask(study=study, format_name=asked.validated_data["format"], filters=filters, actor=person(request))
        return Response(_shown(job), status=status.HTTP_202_ACCEPTED)


class _OneExport(APIView):
    permission_classes = [NotOnlyExpert]

    def job(self, request: Request, pk: UUID) -> ExportJob:
        return get_object_or_404(ExportJob.objects.visible_to(person(request)).select_related("study"), pk=pk)


class ExportFileView(_OneExport):
    """How far an export is."""

    @extend_schema(operation_id="export_files_show", responses=ExportJobSerializer)
    def get(self, request: Request, pk: UUID) -> Response:
        return Response(_shown(self.job(request, pk)))


class CancelExportView(_OneExport):
    @extend_schema(operation_id="export_files_cancel", request=None, responses=ExportJobSerializer)
    def post(self, request: Request, pk: UUID) -> Response:
        return Response(_shown(jobs.cancel(self.job(request, pk))))


class ExportContentView(_OneExport):
    """The file of an export."""

    @extend_schema(operation_id="export_files_take", responses={(200, "application/zip"): OpenApiTypes.BINARY})
    def get(self, request: Request, pk: UUID) -> FileResponse:
        job = take(job=self.job(request, pk), actor=person(request))
        return FileResponse(
            job.content.open("rb"), as_attachment=True, filename=job.name, content_type="application/zip"
        )


def _shown(job: ExportJob) -> dict[str, Any]:
    # Stored filters have their times as text, which is what a serializer of times writes.
    return dict(ExportJobSerializer(job, context={"worker_alive": jobs.worker_alive()}).data)
