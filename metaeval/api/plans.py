"""The analysis plan of a study: reading it, and changing it until the study opens."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.api.translating import said
from annotations.api.views import APIView, person, unblinded_study
from annotations.models import Study
from metaeval.api.serializers import ObjectField
from metaeval.jobs.models import StampedPlan
from metaeval.jobs.plan_sentences import AnalysisInWords, in_words
from metaeval.jobs.planning import CHOICES, EDITABLE, in_todays_words, planned_rows, set_plan
from metaeval.jobs.runs import MAX_SEED

MOST = 50


class PlannedAnalysisSerializer(serializers.Serializer[Any]):
    analysis = serializers.CharField(max_length=80)
    parameters = ObjectField(required=False, default=dict)
    seed = serializers.IntegerField(
        required=False,
        allow_null=True,
        default=None,
        min_value=0,
        max_value=MAX_SEED,
        help_text=("If empty, one is drawn."),
    )
    note = serializers.CharField(
        required=False, allow_blank=True, default="", max_length=500, help_text="What is expected, and why."
    )


class AnalysisPlanRequestSerializer(serializers.Serializer[Any]):
    planned = PlannedAnalysisSerializer(many=True)

    def validate_planned(self, planned: list[dict[str, Any]]) -> list[dict[str, Any]]:
        if len(planned) > MOST:
            raise serializers.ValidationError(f"A plan holds at most {MOST} analyses, and this one has {len(planned)}.")
        return planned


class AnalysisPlanSerializer(serializers.Serializer[Any]):
    planned = PlannedAnalysisSerializer(many=True)
    can_change = serializers.BooleanField(help_text="While the study is a draft or in its pilot.")
    sha256 = serializers.CharField(
        allow_null=True, help_text=("The hash of the plan that was fixed when the study opened.")
    )
    stamped_at = serializers.DateTimeField(allow_null=True)


class AnalysisPlanView(APIView):
    """What a study plans to compute. It is fixed, with its SHA-256 and the time, when the study opens."""

    @extend_schema(operation_id="analysis_plan", responses=AnalysisPlanSerializer)
    def get(self, request: Request, slug: str) -> Response:
        return Response(_plan(unblinded_study(request, slug)))

    @extend_schema(
        operation_id="analysis_plan_set", request=AnalysisPlanRequestSerializer, responses=AnalysisPlanSerializer
    )
    def put(self, request: Request, slug: str) -> Response:
        study = unblinded_study(request, slug)
        asked = AnalysisPlanRequestSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        set_plan(study=study, planned=asked.validated_data["planned"], actor=person(request))
        return Response(_plan(study))


class AnalysisInWordsSerializer(serializers.Serializer[AnalysisInWords]):
    analysis = serializers.CharField()
    title = serializers.CharField(help_text="The question that it answers.")
    sentences = serializers.ListField(child=serializers.CharField())


class ChosenAnalysisSerializer(serializers.Serializer[Any]):
    analysis = serializers.CharField()
    parameters = ObjectField()


class PlanChoiceSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    title = serializers.CharField()
    sentence = serializers.CharField()
    is_made = serializers.BooleanField(help_text="Whether the plan is this choice.")
    planned = ChosenAnalysisSerializer(many=True, help_text="What to send as the plan.")


class PlanInWordsSerializer(serializers.Serializer[Any]):
    planned = AnalysisInWordsSerializer(many=True, help_text="In the order of the plan.")
    choices = PlanChoiceSerializer(
        many=True, help_text=("Ready-made plans to choose from; the first is a new study's.")
    )


class PlanInWordsView(APIView):
    """The analysis plan in sentences, and ready-made plans to choose from."""

    @extend_schema(operation_id="analysis_plan_words", responses=PlanInWordsSerializer)
    def get(self, request: Request, slug: str) -> Response:
        study = unblinded_study(request, slug)
        rows = _rows(study, StampedPlan.objects.filter(study=study).first())
        choices = [
            {
                "name": one.name,
                "title": said(one.title),
                "sentence": said(one.sentence),
                "is_made": one.is_made(rows),
                "planned": one.planned,
            }
            for one in CHOICES
        ]
        return Response(PlanInWordsSerializer({"planned": in_words(study, rows), "choices": choices}).data)


def _rows(study: Study, stamped: StampedPlan | None) -> list[dict[str, Any]]:
    return [in_todays_words(row) for row in stamped.content] if stamped else planned_rows(study)


def _plan(study: Study) -> dict[str, Any]:
    stamped = StampedPlan.objects.filter(study=study).first()
    content = {
        "planned": _rows(study, stamped),
        "can_change": stamped is None and study.state in EDITABLE,
        "sha256": stamped.sha256 if stamped else None,
        "stamped_at": stamped.at if stamped else None,
    }
    return dict(AnalysisPlanSerializer(content).data)
