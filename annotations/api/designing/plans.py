"""What a draft's settings amount to, and what each way of drawing costs and reveals, computed live; and a study's plan,
made and shown.
"""

from collections.abc import Iterable
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotations import designing
from annotations.api.assignments import AssignmentFilters, filtered
from annotations.api.paging import CURRENT, PageByPage, filters_of, page_of, paged
from annotations.api.people.profiles import ProfileQuestionSerializer
from annotations.api.views import APIView, person, unblinded_study
from annotations.designing.averaging import candidates
from annotations.designing.displays import WeighedDisplay, WeighedDisplays, plan_figures, weigh_displays
from annotations.designing.keys import StatedHash
from annotations.designing.workload import Step, Workload, checklist, workload
from annotations.history import events
from annotations.models import Compares, Comparison, Phase, Runs, Study
from annotations.shown.place_counts import PlaceCounts, by_comparison, main_places
from annotations.shown.profiles import PRESETS

MOST_CELLS = 12_000
"""The most cells of the matrix at the old address: about half a megabyte."""


class PlanSystemSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    runs = serializers.ListField(child=serializers.CharField(), help_text="The runs it averages, if it is a mean.")
    instances = serializers.IntegerField()
    places = serializers.IntegerField()
    completed = serializers.IntegerField()


class TestingUnitSerializer(serializers.Serializer[designing.TestingUnit]):
    exchangeable = serializers.CharField(help_text="What a permutation test exchanges by default.")
    explained = serializers.CharField(help_text="The same in words, with the reason.")
    smallest_p = serializers.FloatField(
        help_text="The smallest p-value a two-sided test can give, whatever the experts answer."
    )


class PlanExpertSerializer(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    assigned = serializers.IntegerField()
    completed = serializers.IntegerField()


class MatrixCellSerializer(serializers.Serializer[Any]):
    instance = serializers.IntegerField(help_text="The instance's position in the dataset.")
    places = serializers.IntegerField()
    completed = serializers.IntegerField()


class MatrixRowSerializer(serializers.Serializer[Any]):
    system = serializers.CharField(source="name")
    cells = MatrixCellSerializer(many=True, help_text="The instances the system is shown on, by position.")


class MatrixSerializer(serializers.Serializer[Any]):
    rows = MatrixRowSerializer(source="systems", many=True)


class DistortionSerializer(serializers.Serializer[designing.Distortion]):
    bars = serializers.IntegerField(help_text="Number of bars drawn on systems' sides.")
    mean = serializers.FloatField(
        allow_null=True, help_text="Mean difference between a drawn bar and the prediction, in percentage points."
    )
    p95 = serializers.FloatField(allow_null=True)
    most = serializers.FloatField(allow_null=True)
    far = serializers.FloatField(allow_null=True, help_text="The share of bars that are off by more than 5 points.")
    below = serializers.IntegerField(help_text="Bars drawn for shares that are not above the threshold.")
    undrawn = serializers.IntegerField(help_text="Shares above the threshold that are drawn without a bar.")
    people = serializers.FloatField(
        allow_null=True, help_text="The largest difference between a bar on the human side and the exact share."
    )
    comparisons = serializers.IntegerField()
    identical = serializers.IntegerField(help_text="Comparisons whose two sides look the same when drawn.")


class DisplayChoiceSerializer(serializers.Serializer[designing.DisplayChoice]):
    name = serializers.CharField(help_text="Its name in words.")
    display_mode = serializers.ChoiceField(choices=["grid", "step", "exact"], source="mode")
    display_step = serializers.FloatField(allow_null=True, source="step")
    is_chosen = serializers.BooleanField(help_text="Whether the study uses it.")
    distortion = DistortionSerializer()
    by_grid = serializers.FloatField(
        allow_null=True, help_text="How often somebody who knows the grid would identify the human side."
    )
    learned = serializers.FloatField(
        allow_null=True,
        help_text=(
            "How often, at least, somebody who has learned from other texts would identify it. Null: too "
            "few comparisons to say."
        ),
    )
    given_away = serializers.IntegerField(
        allow_null=True, help_text="Comparisons in which one side can only be a system's."
    )


class StatedHashSerializer(serializers.Serializer[StatedHash]):
    phase = serializers.ChoiceField(choices=Phase.choices)
    sha256 = serializers.CharField(
        help_text="The key's checksum: note it now and compare it when the key is published at the end."
    )
    made_at = serializers.DateTimeField(help_text="When the key was made; in a restored study, when it was restored.")


class PlanSerializer(serializers.Serializer[designing.Overview]):
    is_applied = serializers.BooleanField()
    systems = PlanSystemSerializer(many=True)
    experts = PlanExpertSerializer(many=True)
    instances = serializers.IntegerField()
    missing_experts = serializers.IntegerField()
    unit = TestingUnitSerializer(allow_null=True, help_text="Null: there are fewer than two systems.")
    statement = serializers.CharField(help_text="In sentences, one line per topic.")
    side_keys = StatedHashSerializer(
        many=True,
        help_text="One per phase that has begun; exports contain the key itself once the study is closed.",
    )
    warnings = serializers.ListField(
        child=serializers.CharField(), help_text="What should be fixed before the study opens."
    )
    choices = DisplayChoiceSerializer(
        many=True, help_text="What each way of drawing costs and reveals; after the draft, only the study's own."
    )


class OldPlanSerializer(PlanSerializer):
    """As before the API had versions: with the matrix, which omits the last systems' cells if it is large."""

    matrix = MatrixSerializer(source="*")


class PlannedComparisonSerializer(serializers.Serializer[Any]):
    position = serializers.IntegerField(help_text="The comparison's number in the study.")
    instance = serializers.IntegerField(help_text="Its text's position in the dataset.")
    external_id = serializers.CharField(help_text="The text's id as imported.")
    systems = serializers.ListField(
        child=serializers.CharField(), help_text="One system, or the two that are compared."
    )
    places = serializers.IntegerField()
    completed = serializers.IntegerField()
    identical = serializers.BooleanField(allow_null=True, help_text="Whether both sides look the same.")


class ShownPlanView(APIView):
    """Which systems are shown on how many instances, to how many experts, and how many answers there are."""

    @extend_schema(operation_id="study_plan", responses=PlanSerializer)
    def get(self, request: Request, slug: str) -> Response:
        study = unblinded_study(request, slug)
        plan = designing.overview(study=study, quickly=True)
        events.unblinded_view(actor=person(request), study=study, what="plan")
        if request.path.startswith(CURRENT):
            return Response(PlanSerializer(plan).data)
        return Response(OldPlanSerializer(designing.with_cells(plan, most=MOST_CELLS)).data)


class PlanComparisonsView(APIView):
    """The comparisons of a stored plan, one page at a time; a draft that has not been planned has none."""

    @extend_schema(
        operation_id="study_plan_comparisons",
        parameters=[AssignmentFilters],
        responses=page_of(PlannedComparisonSerializer),
    )
    def get(self, request: Request, slug: str) -> Response:
        study = unblinded_study(request, slug)
        filters = filters_of(request, AssignmentFilters)
        events.unblinded_view(actor=person(request), study=study, what="plan")
        rows: Any = PageByPage(filtered(study, filters), lambda page: _planned(study, page))
        return paged(request, rows, PlannedComparisonSerializer)


def _planned(study: Study, rows: Iterable[Comparison]) -> list[dict[str, Any]]:
    """Comparisons with the counts of their places. Two queries, however many there are."""
    page = list(rows)
    counted, none = by_comparison(main_places(study).filter(comparison__in=page)), PlaceCounts()
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


class SetupQuerySerializer(serializers.Serializer[Any]):
    """Numbers to try, instead of the stored settings. Nothing is stored."""

    instances_per_system = serializers.IntegerField(min_value=1, max_value=10**6, required=False)
    experts_per_comparison = serializers.IntegerField(min_value=1, max_value=10**4, required=False)
    repeats_per_expert = serializers.IntegerField(min_value=0, max_value=1000, required=False)
    experts = serializers.IntegerField(min_value=0, max_value=10**6, required=False)
    compares = serializers.ChoiceField(choices=Compares.choices, required=False)
    runs = serializers.ChoiceField(choices=Runs.choices, required=False)


class PaceSerializer(serializers.Serializer[Any]):
    seconds = serializers.IntegerField()
    is_measured = serializers.BooleanField(help_text="Measured in studies of this server; otherwise assumed.")
    sentence = serializers.CharField()


class StepSerializer(serializers.Serializer[Step]):
    step = serializers.ChoiceField(choices=["data", "compared", "asked", "how_much", "people", "plan"])
    done = serializers.BooleanField()
    sentence = serializers.CharField()


class SetupSerializer(serializers.Serializer[Any]):
    systems = serializers.IntegerField()
    texts = serializers.IntegerField(help_text="How many the dataset has.")
    available_systems = serializers.ListField(
        child=serializers.CharField(),
        help_text="The systems that can be compared, with runs averaged or not, as requested.",
    )
    instances_per_system = serializers.IntegerField()
    experts_per_comparison = serializers.IntegerField()
    comparisons = serializers.IntegerField()
    places = serializers.IntegerField()
    fewest_per_text = serializers.IntegerField(help_text="How many comparisons the least-used text appears in.")
    most_per_text = serializers.IntegerField()
    experts = serializers.IntegerField()
    experts_needed = serializers.IntegerField()
    missing_experts = serializers.IntegerField()
    repeats_per_expert = serializers.IntegerField()
    texts_per_expert = serializers.IntegerField(help_text="Including those answered a second time.")
    hours_per_expert = serializers.FloatField()
    pace = PaceSerializer()
    sentence = serializers.CharField()
    unit = TestingUnitSerializer(allow_null=True, help_text="Null: there are fewer than two systems.")
    checklist = StepSerializer(many=True, help_text="Missing steps first.")
    warnings = serializers.ListField(child=serializers.CharField())
    profile_presets = ProfileQuestionSerializer(many=True, help_text="Questions about experts to start from.")


class PlannedSerializer(serializers.Serializer[Any]):
    comparisons = serializers.IntegerField()
    places = serializers.IntegerField()
    experts_needed = serializers.IntegerField()
    missing_experts = serializers.IntegerField()
    statement = serializers.CharField()


class SetupView(APIView):
    """What the settings amount to: comparisons, places, experts and hours; and which decisions are still missing."""

    @extend_schema(operation_id="study_setup", parameters=[SetupQuerySerializer], responses=SetupSerializer)
    def get(self, request: Request, slug: str) -> Response:
        study = unblinded_study(request, slug)
        tried = filters_of(request, SetupQuerySerializer)
        experts = tried.pop("experts", None)
        designing.put_tried(study, tried)
        load = workload(study, experts=experts)
        return Response(SetupSerializer(_setup(study, load)).data)


class PlanView(ShownPlanView):
    """Which systems are shown on which instances, to how many experts; and planning a draft, as often as needed."""

    @extend_schema(operation_id="study_plan_make", request=None, responses=PlannedSerializer)
    def post(self, request: Request, slug: str) -> Response:
        study = unblinded_study(request, slug)
        plan = designing.apply_plan(study=study, actor=person(request))
        plan_figures(study=unblinded_study(request, slug))  # in advance, so nobody who opens the plan has to wait
        data = {
            "comparisons": len(plan.draws),
            "places": plan.places,
            "experts_needed": plan.experts_needed,
            "missing_experts": plan.missing_experts,
            "statement": plan.statement,
        }
        return Response(PlannedSerializer(data).data)


def _setup(study: Any, load: Workload) -> dict[str, Any]:
    systems = candidates(study).systems
    unit = designing.unit_of([(system.model, system.method, system.run) for system in systems])
    follows = ("comparisons", "places", "fewest_per_text", "most_per_text", "experts_needed", "missing_experts")
    names = (*Workload.__slots__, *follows, "texts_per_expert", "hours_per_expert", "sentence")
    return {name: getattr(load, name) for name in names} | {
        "available_systems": [system.name for system in designing.all_candidates(study).systems],
        "unit": unit,
        "checklist": checklist(study, load),
        "warnings": [*load.problems, *([unit.warning] if unit and unit.warning else [])],
        "profile_presets": PRESETS,
    }


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
