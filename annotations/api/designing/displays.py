"""What each way of drawing the two sides costs and reveals, while a study is being set up."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotations import designing
from annotations.api.paging import filters_of
from annotations.api.views import APIView, unblinded_study
from annotations.designing.displays import WeighedDisplay, WeighedDisplays, weigh_displays
from annotations.models import Compares, Runs


class DisplaysQuerySerializer(serializers.Serializer[Any]):
    """Settings to try, instead of the stored ones. Nothing is stored."""

    display_threshold = serializers.FloatField(min_value=0, max_value=0.99, required=False)
    compares = serializers.ChoiceField(choices=Compares.choices, required=False)
    runs = serializers.ChoiceField(choices=Runs.choices, required=False)


class WeighedDisplaySerializer(serializers.Serializer[WeighedDisplay]):
    display_mode = serializers.ChoiceField(choices=["grid", "step", "exact"], source="choice.mode")
    display_step = serializers.FloatField(
        allow_null=True, source="choice.step", help_text="The value to store in order to choose it."
    )
    title = serializers.CharField()
    sentence = serializers.CharField(help_text="What it costs and reveals, in words.")
    warning = serializers.CharField(help_text="Why not to choose it; empty: there is no reason not to.")
    is_chosen = serializers.BooleanField(source="choice.is_chosen", help_text="Whether the study uses it.")
    is_recommended = serializers.BooleanField()
    mean_off = serializers.FloatField(
        allow_null=True,
        source="choice.distortion.mean",
        help_text="Mean difference between a drawn bar and the prediction, in percentage points.",
    )
    most_off = serializers.FloatField(allow_null=True, source="choice.distortion.most")
    identical = serializers.IntegerField(
        source="choice.distortion.identical", help_text="Comparisons whose two sides look the same when drawn."
    )
    by_grid = serializers.FloatField(
        allow_null=True,
        source="choice.by_grid",
        help_text="How often somebody who knows the grid would identify the human side.",
    )
    given_away = serializers.FloatField(
        allow_null=True, help_text="The share of comparisons in which one side can only be a system's."
    )


class WeighedDisplaysSerializer(serializers.Serializer[WeighedDisplays]):
    comparisons = serializers.IntegerField(help_text="How many randomly drawn comparisons these figures are based on.")
    threshold = serializers.FloatField()
    hidden = serializers.FloatField(
        allow_null=True, help_text="The share of labels predicted by systems that are drawn without a bar."
    )
    sentence = serializers.CharField()
    displays = WeighedDisplaySerializer(many=True, help_text="Recommended one first.")


class DisplaysView(APIView):
    """What each way of drawing costs and reveals, measured on a few randomly drawn comparisons."""

    @extend_schema(
        operation_id="study_display", parameters=[DisplaysQuerySerializer], responses=WeighedDisplaysSerializer
    )
    def get(self, request: Request, slug: str) -> Response:
        study = unblinded_study(request, slug)
        designing.put_tried(study, filters_of(request, DisplaysQuerySerializer))
        return Response(WeighedDisplaysSerializer(weigh_displays(study)).data)
