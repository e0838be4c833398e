"""What each way to draw the two sides costs and gives away, while a study is set up."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations import designing
from annotations.api.paging import filters_of
from annotations.api.permissions import unblinded_study
from annotations.designing.weighing_displays import WeighedDisplay, WeighedDisplays, weigh_displays
from annotations.models import Compares, Runs


class DisplaysQuerySerializer(serializers.Serializer[Any]):
    """Settings to try, instead of the stored ones. Nothing is stored."""

    display_threshold = serializers.FloatField(min_value=0, max_value=0.99, required=False)
    compares = serializers.ChoiceField(choices=Compares.choices, required=False)
    runs = serializers.ChoiceField(choices=Runs.choices, required=False)


class WeighedDisplaySerializer(serializers.Serializer[WeighedDisplay]):
    display_mode = serializers.ChoiceField(choices=["grid", "step", "exact"], source="choice.mode")
    display_step = serializers.FloatField(
        allow_null=True, source="choice.step", help_text="What to store to choose it."
    )
    title = serializers.CharField()
    sentence = serializers.CharField(help_text="What it costs and gives away, in words.")
    warning = serializers.CharField(help_text="Why not to choose it; empty where nothing speaks against it.")
    is_chosen = serializers.BooleanField(source="choice.is_chosen", help_text="Whether it is the study's own.")
    is_recommended = serializers.BooleanField()
    mean_off = serializers.FloatField(
        allow_null=True, source="choice.distortion.mean", help_text="Points between a drawn bar and the prediction."
    )
    most_off = serializers.FloatField(allow_null=True, source="choice.distortion.most")
    identical = serializers.IntegerField(
        source="choice.distortion.identical", help_text="Comparisons that draw two sides that look the same."
    )
    by_grid = serializers.FloatField(
        allow_null=True,
        source="choice.by_grid",
        help_text="How often someone who knows the grid would identify the human side.",
    )
    given_away = serializers.FloatField(
        allow_null=True, help_text="The share of comparisons of which one side can only be a system's."
    )


class WeighedDisplaysSerializer(serializers.Serializer[WeighedDisplays]):
    comparisons = serializers.IntegerField(help_text="How many the figures were measured on, drawn at random.")
    threshold = serializers.FloatField()
    hidden = serializers.FloatField(
        allow_null=True, help_text="The share of the labels that systems predict that have no bar."
    )
    sentence = serializers.CharField()
    displays = WeighedDisplaySerializer(many=True, help_text="The recommended one first.")


class DisplaysView(APIView):
    """What each way to draw costs and gives away, measured on a few comparisons drawn at random."""

    @extend_schema(
        operation_id="study_display", parameters=[DisplaysQuerySerializer], responses=WeighedDisplaysSerializer
    )
    def get(self, request: Request, slug: str) -> Response:
        study = unblinded_study(request, slug)
        designing.put_tried(study, filters_of(request, DisplaysQuerySerializer))
        return Response(WeighedDisplaysSerializer(weigh_displays(study)).data)
