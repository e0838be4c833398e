"""How a study's plan stands, for its researchers and admins."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations import designing, events
from annotations.api.permissions import person, unblinded_study
from annotations.designing.keys import StatedHash
from annotations.models import Phase


class PlanSystemSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    runs = serializers.ListField(child=serializers.CharField(), help_text="The runs that it averages, if it is a mean.")
    instances = serializers.IntegerField()
    places = serializers.IntegerField()
    completed = serializers.IntegerField()


class TestingUnitSerializer(serializers.Serializer[designing.TestingUnit]):
    exchangeable = serializers.CharField(help_text="What changes places in a permutation test, by default.")
    explained = serializers.CharField(help_text="The same in words, and why.")
    smallest_p = serializers.FloatField(help_text="That a two-sided test can give, whatever the experts answer.")


class PlanExpertSerializer(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    assigned = serializers.IntegerField()
    completed = serializers.IntegerField()


class MatrixCellSerializer(serializers.Serializer[Any]):
    instance = serializers.IntegerField(help_text="Position in the dataset.")
    places = serializers.IntegerField()
    completed = serializers.IntegerField()


class MatrixRowSerializer(serializers.Serializer[Any]):
    system = serializers.CharField(source="name")
    cells = MatrixCellSerializer(many=True, help_text="The instances that the system is shown on, by position.")


class MatrixSerializer(serializers.Serializer[Any]):
    rows = MatrixRowSerializer(source="systems", many=True)


class DistortionSerializer(serializers.Serializer[designing.Distortion]):
    bars = serializers.IntegerField(help_text="Drawn bars of systems' sides.")
    mean = serializers.FloatField(allow_null=True, help_text="Points between a drawn bar and the prediction.")
    p95 = serializers.FloatField(allow_null=True)
    most = serializers.FloatField(allow_null=True)
    far = serializers.FloatField(allow_null=True, help_text="The share of bars that are off by more than 5 points.")
    below = serializers.IntegerField(help_text="Bars of shares that are not above the threshold.")
    undrawn = serializers.IntegerField(help_text="Shares above the threshold that have no bar.")
    people = serializers.FloatField(allow_null=True, help_text="The most that a bar of people's side is off.")
    comparisons = serializers.IntegerField()
    identical = serializers.IntegerField(help_text="Comparisons that draw two sides that look the same.")


class DisplayChoiceSerializer(serializers.Serializer[designing.DisplayChoice]):
    name = serializers.CharField(help_text="In words.")
    display_mode = serializers.ChoiceField(choices=["grid", "step", "exact"], source="mode")
    display_step = serializers.FloatField(allow_null=True, source="step")
    is_chosen = serializers.BooleanField(help_text="Whether it is the study's own.")
    distortion = DistortionSerializer()
    by_grid = serializers.FloatField(allow_null=True, help_text="How often who knows the grid names people's side.")
    learned = serializers.FloatField(
        allow_null=True, help_text="How often, at least, who has learned from other texts does. Null: too few to say."
    )
    given_away = serializers.IntegerField(
        allow_null=True, help_text="Comparisons of which one side can only be a system's."
    )


class StatedHashSerializer(serializers.Serializer[StatedHash]):
    phase = serializers.ChoiceField(choices=Phase.choices)
    sha256 = serializers.CharField(help_text="Of the key: to be noted, and compared with what is told at the end.")
    made_at = serializers.DateTimeField(help_text="When the key was made; in a restored study, when it was restored.")


class PlanSerializer(serializers.Serializer[designing.Overview]):
    is_applied = serializers.BooleanField()
    systems = PlanSystemSerializer(many=True)
    experts = PlanExpertSerializer(many=True)
    instances = serializers.IntegerField()
    matrix = MatrixSerializer(source="*")
    missing_experts = serializers.IntegerField()
    unit = TestingUnitSerializer(allow_null=True, help_text="Null: there are no two systems.")
    statement = serializers.CharField(help_text="In sentences, a line a theme.")
    side_keys = StatedHashSerializer(
        many=True,
        help_text="Of each phase that has begun; the key itself is told by exports once the study is closed.",
    )
    warnings = serializers.ListField(
        child=serializers.CharField(), help_text="What should be mended before the study opens."
    )
    choices = DisplayChoiceSerializer(
        many=True, help_text="What each way to draw costs and gives away; after the draft the study's own only."
    )


class ShownPlanView(APIView):
    """Which systems are shown on which instances, to how many experts, and how far they are."""

    @extend_schema(operation_id="study_plan", responses=PlanSerializer)
    def get(self, request: Request, slug: str) -> Response:
        study = unblinded_study(request, slug)
        plan = designing.overview(study=study)
        events.unblinded_view(actor=person(request), study=study, what="plan")
        return Response(PlanSerializer(plan).data)
