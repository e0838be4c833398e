"""Reports and bundles of a study: requesting one, following its progress, downloading it."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import FileResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.api.paging import page_of, paged
from annotations.api.parsing import valid
from annotations.api.views import person, unblinded_study
from annotations.api.waiting import WaitingSerializer, waiting
from annotations.background import jobs
from annotations.models import JobState
from metaeval.api.access import ResearchersView
from metaeval.api.serializers import RunProgressSerializer
from metaeval.documents.making import ask, take
from metaeval.documents.models import DocumentKind, StudyDocument

NEWEST = 20
MEDIA = {
    "html": "text/html",
    "pdf": "application/pdf",
    "zip": "application/zip",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
}


class DocumentRequestSerializer(serializers.Serializer[Any]):
    kind = serializers.ChoiceField(choices=DocumentKind.choices)
    with_texts = serializers.BooleanField(
        default=False, help_text="For a bundle: include the instances' texts. They may be confidential."
    )


class DocumentSerializer(WaitingSerializer):
    id = serializers.UUIDField()
    kind = serializers.ChoiceField(choices=DocumentKind.choices)
    with_texts = serializers.BooleanField()
    state = serializers.ChoiceField(choices=JobState.choices)
    progress = RunProgressSerializer(source="*")
    error = serializers.CharField()
    created_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)
    name = serializers.CharField(help_text="The file's name.")
    size = serializers.IntegerField(help_text="In bytes.")
    sha256 = serializers.CharField()
    is_there = serializers.BooleanField(source="content", help_text=("Whether the file can be downloaded now."))


class DocumentsView(ResearchersView):
    """A study's documents, newest first; and requesting one."""

    @extend_schema(operation_id="documents_list", responses=page_of(DocumentSerializer))
    def get(self, request: Request, slug: str) -> Response:
        study = unblinded_study(request, slug)
        newest = StudyDocument.objects.filter(study=study).order_by("-created_at", "pk")
        return paged(request, newest, DocumentSerializer, context=waiting(request), was_plain=True, plain_rows=NEWEST)

    @extend_schema(operation_id="documents_ask", request=DocumentRequestSerializer, responses={202: DocumentSerializer})
    def post(self, request: Request, slug: str) -> Response:
        study = unblinded_study(request, slug)
        body = valid(DocumentRequestSerializer(data=request.data))
        kind = DocumentKind(body["kind"])
        document = ask(study=study, kind=kind, with_texts=body["with_texts"], actor=person(request))
        return Response(_shown(request, document), status=status.HTTP_202_ACCEPTED)


class _OneDocument(ResearchersView):
    def document(self, request: Request, pk: UUID) -> StudyDocument:
        return get_object_or_404(StudyDocument.objects.visible_to(person(request)).select_related("study"), pk=pk)


class DocumentView(_OneDocument):
    """A document's progress."""

    @extend_schema(operation_id="documents_show", responses=DocumentSerializer)
    def get(self, request: Request, pk: UUID) -> Response:
        return Response(_shown(request, self.document(request, pk)))


class CancelDocumentView(_OneDocument):
    """Stop a document that waits or is being made."""

    @extend_schema(operation_id="documents_cancel", request=None, responses=DocumentSerializer)
    def post(self, request: Request, pk: UUID) -> Response:
        return Response(_shown(request, jobs.cancel(self.document(request, pk))))


class DocumentFileView(_OneDocument):
    """The file, as a download only: a report is never opened as a page of this server."""

    @extend_schema(
        operation_id="documents_file",
        responses={(200, media): OpenApiTypes.BINARY for media in MEDIA.values()},
    )
    def get(self, request: Request, pk: UUID) -> FileResponse:
        document = take(document=self.document(request, pk), actor=person(request))
        media = MEDIA[document.name.rpartition(".")[2]]
        return FileResponse(document.content.open("rb"), as_attachment=True, filename=document.name, content_type=media)


def _shown(request: Request, document: StudyDocument) -> dict[str, Any]:
    return dict(DocumentSerializer(document, context=waiting(request)).data)
