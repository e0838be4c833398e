"""What a draft's settings amount to, computed live; and making the plan."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotations import designing
from annotations.api.designing.plans import ShownPlanView, TestingUnitSerializer
from annotations.api.paging import filters_of
from annotations.api.people.profiles import ProfileQuestionSerializer
from annotations.api.views import APIView, person, unblinded_study
from annotations.designing.averaging import candidates
from annotations.designing.displays import plan_figures
from annotations.designing.workload import Step, Workload, checklist, workload
from annotations.models import Compares, Runs
from annotations.shown.profiles import PRESETS


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
        told = {
            "comparisons": len(plan.draws),
            "places": plan.places,
            "experts_needed": plan.experts_needed,
            "missing_experts": plan.missing_experts,
            "statement": plan.statement,
        }
        return Response(PlannedSerializer(told).data)


def _setup(study: Any, load: Workload) -> dict[str, Any]:
    systems = candidates(study).systems
    unit = designing.unit_of([(one.model, one.method, one.run) for one in systems])
    follows = ("comparisons", "places", "fewest_per_text", "most_per_text", "experts_needed", "missing_experts")
    names = (*Workload.__slots__, *follows, "texts_per_expert", "hours_per_expert", "sentence")
    return {name: getattr(load, name) for name in names} | {
        "available_systems": [one.name for one in designing.all_candidates(study).systems],
        "unit": unit,
        "checklist": checklist(study, load),
        "warnings": [*load.problems, *([unit.warning] if unit and unit.warning else [])],
        "profile_presets": PRESETS,
    }
