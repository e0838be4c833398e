"""A study's set-up, copied, downloaded, and read from a file."""

from __future__ import annotations

import json
from typing import Any

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.api.designing.setting_up import SettingsSerializer
from annotations.api.downloads import attachment
from annotations.api.parsing import valid
from annotations.api.studies import StudySerializer, whole_study
from annotations.api.views import APIView, CanCreateStudies, person, unblinded_study
from metaeval.api.plans import AnalysisPlanRequestSerializer, PlannedAnalysisSerializer
from metaeval.setups import FORMAT, OF_ONE_STUDY, VERSION, begin_from_document, copy_study, setup_document


class StudyCopySerializer(serializers.Serializer[Any]):
    title = serializers.CharField(max_length=200)
    slug = serializers.SlugField(
        max_length=80, required=False, default="", allow_blank=True, help_text="Made from the title if missing."
    )
    keeps_seed = serializers.BooleanField(
        default=False, help_text="Draw the same texts for the same systems; otherwise, draw others."
    )


class SetupDatasetSerializer(serializers.Serializer[Any]):
    slug = serializers.CharField(max_length=80)
    title = serializers.CharField(max_length=500, required=False, default="", allow_blank=True)
    fingerprint = serializers.CharField(max_length=64, required=False, default="", allow_blank=True)


class SetupSettingsSerializer(SettingsSerializer):
    """Settings, except those that are unique to one study."""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        return {name: field for name, field in super().get_fields().items() if name not in OF_ONE_STUDY}


class SetupDocumentSerializer(serializers.Serializer[Any]):
    """A set-up as a file: version 1. No people, no answers, no keys, no texts."""

    format = serializers.ChoiceField(choices=[FORMAT])
    version = serializers.IntegerField(
        min_value=1, max_value=10**6, help_text=(f"Version of the format; here {VERSION}.")
    )
    title = serializers.CharField(max_length=200)
    dataset = SetupDatasetSerializer()
    settings = SetupSettingsSerializer()
    analysis_plan = PlannedAnalysisSerializer(many=True, required=False, default=list)

    def validate_version(self, version: int) -> int:
        if version > VERSION:
            raise serializers.ValidationError(
                f"The file has version {version}; this server reads version {VERSION}. Update the server first."
            )
        return version

    def validate_analysis_plan(self, planned: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return AnalysisPlanRequestSerializer().validate_planned(planned)


class SetupUploadSerializer(serializers.Serializer[Any]):
    """A set-up to create a study from; fields given beside it take precedence."""

    setup = SetupDocumentSerializer()
    title = serializers.CharField(max_length=200, required=False, default="", allow_blank=True)
    slug = serializers.SlugField(max_length=80, required=False, default="", allow_blank=True)
    dataset = serializers.SlugField(
        max_length=80,
        required=False,
        default="",
        allow_blank=True,
        help_text=("If it differs from the one in the file."),
    )


class StudyCopyView(APIView):
    """Create a study with this one's settings, questions and analysis plan, but without people and answers."""

    @extend_schema(operation_id="study_copy", request=StudyCopySerializer, responses={201: StudySerializer})
    def post(self, request: Request, slug: str) -> Response:
        CanCreateStudies().has_permission(request, self)
        study = unblinded_study(request, slug)
        body = valid(StudyCopySerializer(data=request.data))
        return _made(request, copy_study(study=study, actor=person(request), **body).slug)


class SetupFileView(APIView):
    """The set-up as a file, for another study here or elsewhere."""

    @extend_schema(operation_id="study_setup_file", responses=SetupDocumentSerializer)
    def get(self, request: Request, slug: str) -> HttpResponse:
        study = unblinded_study(request, slug)
        content = json.dumps(setup_document(study), indent=2, ensure_ascii=False)
        return HttpResponse(content, content_type="application/json", headers=attachment(f"{study.slug}-setup.json"))


class StudySetupsView(APIView):
    """Create a study from a set-up that was downloaded as a file."""

    permission_classes = [CanCreateStudies]

    @extend_schema(operation_id="study_from_setup", request=SetupUploadSerializer, responses={201: StudySerializer})
    def post(self, request: Request) -> Response:
        body = valid(SetupUploadSerializer(data=request.data))
        document = body.pop("setup")
        return _made(request, begin_from_document(document=document, actor=person(request), **body).slug)


def _made(request: Request, slug: str) -> Response:
    shown = whole_study(unblinded_study(request, slug), person(request))
    return Response(StudySerializer(shown).data, status=status.HTTP_201_CREATED)
