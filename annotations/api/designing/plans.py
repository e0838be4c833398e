"""How a study's plan stands, for its researchers and admins."""

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations import designing, events
from annotations.api.assignments import AssignmentFilters, filtered
from annotations.api.paging import CURRENT, filters_of, page_of, paged
from annotations.api.permissions import person, unblinded_study
from annotations.designing.keys import StatedHash
from annotations.models import Comparison, Phase, Study
from annotations.place_counts import PlaceCounts, by_comparison, main_places

MOST_CELLS = 12_000
"""Of the matrix at the old address: about half a megabyte."""


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
    by_grid = serializers.FloatField(
        allow_null=True, help_text="How often someone who knows the grid would identify the human side."
    )
    learned = serializers.FloatField(
        allow_null=True,
        help_text=(
            "How often, at least, someone who has learned from other texts would identify it. Null: too "
            "few comparisons to say."
        ),
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
    missing_experts = serializers.IntegerField()
    unit = TestingUnitSerializer(allow_null=True, help_text="Null: there are no two systems.")
    statement = serializers.CharField(help_text="In sentences, one line per theme.")
    side_keys = StatedHashSerializer(
        many=True,
        help_text="Of each phase that has begun; the key itself is told by exports once the study is closed.",
    )
    warnings = serializers.ListField(
        child=serializers.CharField(), help_text="What should be fixed before the study opens."
    )
    choices = DisplayChoiceSerializer(
        many=True, help_text="What each way to draw costs and gives away; after the draft the study's own only."
    )


class OldPlanSerializer(PlanSerializer):
    """As before there were versions: with the matrix, whose last systems have no cells where it is large."""

    matrix = MatrixSerializer(source="*")


class PlannedComparisonSerializer(serializers.Serializer[Any]):
    position = serializers.IntegerField(help_text="The comparison's number in the study.")
    instance = serializers.IntegerField(help_text="Position of its text in the dataset.")
    external_id = serializers.CharField(help_text="Of its text.")
    systems = serializers.ListField(child=serializers.CharField(), help_text="One, or two that are compared.")
    places = serializers.IntegerField()
    completed = serializers.IntegerField()
    identical = serializers.BooleanField(allow_null=True, help_text="Whether both sides look the same.")


class ShownPlanView(APIView):
    """Which systems are shown on how many instances, to how many experts, and how far they are."""

    @extend_schema(operation_id="study_plan", responses=PlanSerializer)
    def get(self, request: Request, slug: str) -> Response:
        study = unblinded_study(request, slug)
        plan = designing.overview(study=study, quickly=True)
        events.unblinded_view(actor=person(request), study=study, what="plan")
        if request.path.startswith(CURRENT):
            return Response(PlanSerializer(plan).data)
        return Response(OldPlanSerializer(designing.with_cells(plan, most=MOST_CELLS)).data)


class PlanComparisonsView(APIView):
    """The comparisons of a stored plan, a page at a time; a draft that was not planned has none."""

    @extend_schema(
        operation_id="study_plan_comparisons",
        parameters=[AssignmentFilters],
        responses=page_of(PlannedComparisonSerializer),
    )
    def get(self, request: Request, slug: str) -> Response:
        study = unblinded_study(request, slug)
        wanted = filters_of(request, AssignmentFilters)
        events.unblinded_view(actor=person(request), study=study, what="plan")
        rows: Any = _PlannedComparisons(study, filtered(study, wanted))
        return paged(request, rows, PlannedComparisonSerializer)


class _PlannedComparisons:
    """Comparisons whose places are counted a page at a time: two queries, however many there are."""

    def __init__(self, study: Study, rows: QuerySet[Comparison]) -> None:
        self._study, self._rows = study, rows

    def __len__(self) -> int:
        return self._rows.count()

    def __getitem__(self, part: slice) -> list[dict[str, Any]]:
        page = list(self._rows[part])
        counted, none = by_comparison(main_places(self._study).filter(comparison__in=page)), PlaceCounts()
        return [
            {
                "position": one.position,
                "instance": one.instance.position,
                "external_id": one.instance.external_id,
                "systems": [system.name for system in (one.first_system, one.second_system) if system],
                "identical": one.identical,
                "places": counted.get(one.pk, none).places,
                "completed": counted.get(one.pk, none).answered,
            }
            for one in page
        ]
