"""A study as its experts will see it, for the people setting it up. Nothing is stored."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.answering.previewing import preview, preview_step_2
from annotations.api.answering.shapes import task_of
from annotations.api.answering.task_serializers import TaskSerializer
from annotations.api.parsing import valid
from annotations.api.permissions import unblinded_study
from annotations.api.views import APIView
from annotations.shown.consent import consent_text
from annotations.shown.instructions import as_html


class PreviewSerializer(serializers.Serializer[Any]):
    tasks = TaskSerializer(many=True, help_text="The first texts, in step 1, as `next/` returns them to experts.")
    comparisons = serializers.IntegerField(help_text="How many the whole plan has.")
    is_planned = serializers.BooleanField(help_text="False: drawn from the current settings and not stored.")
    consent_html = serializers.CharField(help_text="What experts agree to, as sanitised HTML.")


class PreviewLabelsSerializer(serializers.Serializer[Any]):
    labels = serializers.ListField(child=serializers.IntegerField(min_value=0), max_length=10_000)


class PreviewView(APIView):
    """The first texts of a study, each in step 1, with what experts agree to."""

    @extend_schema(operation_id="study_preview", responses=PreviewSerializer)
    def get(self, request: Request, slug: str) -> Response:
        study = unblinded_study(request, slug)
        found = preview(study=study)
        shown = {
            "tasks": [task_of(one) for one in found.texts],
            "comparisons": found.comparisons,
            "is_planned": found.is_planned,
            "consent_html": as_html(consent_text(study)),
        }
        return Response(shown)


class PreviewStep2View(APIView):
    """Step 2 of one of these texts (numbered from 1), once step 1 is answered. The sides are drawn anew each time."""

    @extend_schema(operation_id="study_preview_step_2", request=PreviewLabelsSerializer, responses=TaskSerializer)
    def post(self, request: Request, slug: str, number: int) -> Response:
        study = unblinded_study(request, slug)
        answer = valid(PreviewLabelsSerializer(data=request.data))
        return Response(task_of(preview_step_2(study=study, number=number, labels=answer["labels"])))
