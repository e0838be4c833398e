"""Changing a running study: adding places to its comparisons, and pausing and resuming a system."""

from dataclasses import asdict
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.api.designing.plans import PaceSerializer
from annotations.api.paging import filters_of, page_of, paged
from annotations.api.parsing import valid
from annotations.api.views import APIView, ResearchView, administered_study, person, unblinded_study
from annotations.designing.adjusting import Chosen, add_places, cost_of, pause_system, resume_system, running_systems

MOST_NAMED = 2_000


class CostQuerySerializer(serializers.Serializer[Any]):
    """How many places to add, and to which comparisons; if none are named: to all."""

    more = serializers.IntegerField(min_value=1, max_value=100, default=1, help_text="Places to add per comparison.")
    system = serializers.CharField(max_length=310, required=False)


class MorePlacesSerializer(serializers.Serializer[Any]):
    """How many places to add, and to which comparisons: those that match everything named; if nothing is named: all."""

    more = serializers.IntegerField(min_value=1, max_value=100, help_text="Places to add per comparison.")
    comparisons = serializers.ListField(
        child=serializers.IntegerField(min_value=0, max_value=2**31 - 1),
        required=False,
        min_length=1,
        max_length=MOST_NAMED,
        help_text="Comparisons, by number.",
    )
    instances = serializers.ListField(
        child=serializers.CharField(max_length=200),
        required=False,
        min_length=1,
        max_length=MOST_NAMED,
        help_text="Texts, by id.",
    )
    systems = serializers.ListField(
        child=serializers.CharField(max_length=310), required=False, min_length=1, max_length=MOST_NAMED
    )


class PlacesCostSerializer(serializers.Serializer[Any]):
    comparisons = serializers.IntegerField()
    places = serializers.IntegerField(help_text="How many places would be added.")
    experts = serializers.IntegerField(help_text="Active experts.")
    missing_experts = serializers.IntegerField(help_text="How many more experts the free places would need.")
    hours = serializers.FloatField(help_text="For all experts together.")
    hours_per_expert = serializers.FloatField()
    pace = PaceSerializer()
    sentence = serializers.CharField()


class AddedPlacesSerializer(serializers.Serializer[Any]):
    places = serializers.IntegerField(help_text="How many places were added.")
    experts_per_comparison = serializers.IntegerField(
        help_text="The study's setting; it rises if all comparisons got more."
    )


class NamedSystemSerializer(serializers.Serializer[Any]):
    system = serializers.CharField(max_length=310, help_text="Its name in the study.")


class RunningSystemSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    is_paused = serializers.BooleanField()
    comparisons = serializers.IntegerField()
    free = serializers.IntegerField(help_text="Places that no expert has.")


class PausedSystemsSerializer(serializers.Serializer[Any]):
    paused_systems = serializers.ListField(child=serializers.CharField())


class MorePlacesView(APIView):
    """More places for comparisons of a running study: what they would cost, and adding them."""

    @extend_schema(operation_id="study_places_cost", parameters=[CostQuerySerializer], responses=PlacesCostSerializer)
    def get(self, request: Request, slug: str) -> Response:
        study = unblinded_study(request, slug)
        filters = filters_of(request, CostQuerySerializer)
        chosen = Chosen(systems=[filters["system"]] if "system" in filters else None)
        return Response(PlacesCostSerializer(cost_of(study=study, more=filters["more"], chosen=chosen)).data)

    @extend_schema(
        operation_id="study_places_add", request=MorePlacesSerializer, responses={201: AddedPlacesSerializer}
    )
    def post(self, request: Request, slug: str) -> Response:
        study = administered_study(request, slug)
        body = valid(MorePlacesSerializer(data=request.data))
        more = body.pop("more")
        made = add_places(study=study, more=more, chosen=Chosen(**body), actor=person(request))
        study.refresh_from_db(fields=["experts_per_comparison"])
        data = {"places": made, "experts_per_comparison": study.experts_per_comparison}
        return Response(AddedPlacesSerializer(data).data, status=status.HTTP_201_CREATED)


class RunningSystemsView(ResearchView):
    """The systems in the study's comparisons, which of them are paused, and how many places are free."""

    @extend_schema(operation_id="study_systems_list", responses=page_of(RunningSystemSerializer))
    def get(self, request: Request, slug: str) -> Response:
        rows = [asdict(system) for system in running_systems(unblinded_study(request, slug))]
        return paged(request, rows, RunningSystemSerializer)


class PauseSystemView(APIView):
    """Stop assigning places in a system's comparisons. Experts can still answer the ones they already have."""

    @extend_schema(operation_id="study_system_pause", request=NamedSystemSerializer, responses=PausedSystemsSerializer)
    def post(self, request: Request, slug: str) -> Response:
        study = administered_study(request, slug)
        name = valid(NamedSystemSerializer(data=request.data))["system"]
        study = pause_system(study=study, system=name, actor=person(request))
        return Response(PausedSystemsSerializer({"paused_systems": study.paused_systems}).data)


class ResumeSystemView(APIView):
    """Resume assigning places in a paused system's comparisons."""

    @extend_schema(operation_id="study_system_resume", request=NamedSystemSerializer, responses=PausedSystemsSerializer)
    def post(self, request: Request, slug: str) -> Response:
        study = administered_study(request, slug)
        name = valid(NamedSystemSerializer(data=request.data))["system"]
        study = resume_system(study=study, system=name, actor=person(request))
        return Response(PausedSystemsSerializer({"paused_systems": study.paused_systems}).data)
