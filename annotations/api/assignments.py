"""The places of a study: who has which, and handing them out by name."""

from collections import defaultdict
from collections.abc import Mapping
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import Case, CharField, Count, Exists, OuterRef, Q, QuerySet, Value, When
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.api.paging import PageByPage, filters_of, page_of, paged
from annotations.api.permissions import NotOnlyExpert, person, unblinded_study
from annotations.api.views import APIView
from annotations.designing import reassigning
from annotations.history import events
from annotations.models import Assignment, Comparison, Event, Study
from annotations.shown.event_sentences import Act, assignment_sentence
from annotations.shown.people import ShownPeople
from annotations.shown.place_counts import PlaceCounts, by_expert

STATES = {
    "free": Q(expert=None, released_at=None),
    "given": Q(expert__isnull=False, claimed_at=None, completed_at=None, released_at=None),
    "in_hand": Q(expert__isnull=False, claimed_at__isnull=False, completed_at=None, released_at=None),
    "answered": Q(completed_at__isnull=False, released_at=None),
    "skipped": Q(released_at__isnull=False),
}
STATE = Case(*(When(condition, then=Value(name)) for name, condition in STATES.items()), output_field=CharField())
PLACE = ("id", "place", "expert", "state", "is_pilot")
HELD = Q(expert__isnull=False, completed_at=None)
CELL = ("expert", "state", "id", "is_pilot")


class AssignedFilters(serializers.Serializer[Any]):
    expert = serializers.IntegerField(
        required=False, min_value=0, max_value=2**31 - 1, help_text="Only comparisons this expert has a place in."
    )
    system = serializers.CharField(
        required=False, allow_blank=True, max_length=310, help_text="Words from a system's name."
    )
    search = serializers.CharField(
        required=False, allow_blank=True, max_length=200, help_text="Part of a text's id, or a comparison's number."
    )


class AssignmentFilters(AssignedFilters):
    state = serializers.ChoiceField(
        required=False, choices=list(STATES), help_text="Only comparisons with a place in this state."
    )


class PlaceSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    place = serializers.IntegerField()
    expert = serializers.IntegerField(allow_null=True, help_text="The expert's number; null: free.")
    state = serializers.ChoiceField(choices=list(STATES))
    is_pilot = serializers.BooleanField()


class ComparisonRowSerializer(serializers.Serializer[Any]):
    position = serializers.IntegerField(help_text="The comparison's number in the study.")
    external_id = serializers.CharField(help_text="The text's id as imported.")
    systems = serializers.ListField(
        child=serializers.CharField(), help_text="One system, or the two that are compared."
    )
    is_withdrawn = serializers.BooleanField()

    def to_representation(self, instance: dict[str, Any]) -> dict[str, Any]:
        """Unchanged: a page of 500 has some ten thousand places, too many to go through field by field."""
        return instance


class AssignedComparisonSerializer(ComparisonRowSerializer):
    places = PlaceSerializer(many=True)


class LoadSerializer(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    name = serializers.CharField()
    is_active = serializers.BooleanField()
    given = serializers.IntegerField()
    in_hand = serializers.IntegerField()
    answered = serializers.IntegerField()
    skipped = serializers.IntegerField()


class LastActSerializer(serializers.Serializer[Any]):
    event = serializers.IntegerField(help_text="The event's id, needed to undo it.")
    sentence = serializers.CharField()
    at = serializers.DateTimeField()


class AssignmentSummarySerializer(serializers.Serializer[Any]):
    comparisons = serializers.IntegerField()
    places = serializers.IntegerField()
    free = serializers.IntegerField()
    experts = LoadSerializer(many=True)
    last = LastActSerializer(allow_null=True, help_text="The newest manual change, if it can be undone.")


def filtered(study: Study, wanted: Mapping[str, Any]) -> QuerySet[Comparison]:
    """The comparisons a page asks for, in order, filtered by `AssignedFilters` and by the state of a place."""
    rows = study.comparisons.order_by("position").select_related("instance", "first_system", "second_system")
    parts = [f"{one}_system__{part}" for one in ("first", "second") for part in ("model", "method", "run")]
    rows = rows.only(
        "position",
        "study",
        "identical",
        "instance__position",
        "instance__external_id",
        "instance__withdrawn_at",
        *parts,
    )
    places = Assignment.objects.filter(comparison=OuterRef("pk"))
    place = Q()
    if "expert" in wanted:
        place &= Q(expert__number=wanted["expert"])
    if "state" in wanted:
        place &= STATES[wanted["state"]]
    if place:
        rows = rows.filter(Exists(places.filter(place)))
    for word in wanted.get("system", "").replace("/", " ").split():
        named = (Q(**{f"{part}__icontains": word}) for part in parts)
        rows = rows.filter(reduce(or_, named))
    if search := wanted.get("search"):
        named_so = Q(instance__external_id__icontains=search)
        is_number = search.isascii() and search.isdigit() and len(search) < 10
        rows = rows.filter(named_so | Q(position=int(search)) if is_number else named_so)
    return rows


def row_of(comparison: Comparison) -> dict[str, Any]:
    """What `ComparisonRowSerializer` declares."""
    return {
        "position": comparison.position,
        "external_id": comparison.instance.external_id,
        "systems": [system.name for system in (comparison.first_system, comparison.second_system) if system],
        "is_withdrawn": comparison.instance.withdrawn_at is not None,
    }


def with_places(page: list[Comparison]) -> list[dict[str, Any]]:
    places: dict[int, list[dict[str, Any]]] = defaultdict(list)
    held = Assignment.objects.filter(comparison__in=page, repeat_of=None).annotate(state=STATE).order_by("place", "pk")
    columns = ("pk", "place", "expert__number", "state", "is_pilot")
    for comparison, *place in held.values_list("comparison", *columns):
        places[comparison].append(dict(zip(PLACE, place, strict=True)))
    return [{**row_of(one), "places": places[one.pk]} for one in page]


class AssignmentsView(APIView):
    """Every comparison with its places: who has them, and the state of each."""

    permission_classes = [NotOnlyExpert]

    @extend_schema(
        operation_id="assignments_list",
        parameters=[AssignmentFilters],
        responses=page_of(AssignedComparisonSerializer),
    )
    def get(self, request: Request, slug: str) -> Response:
        study = unblinded_study(request, slug)
        events.unblinded_view(actor=person(request), study=study, what="assignments")
        rows = filtered(study, filters_of(request, AssignmentFilters))
        return paged(request, PageByPage(rows, with_places), AssignedComparisonSerializer)


def summary(study: Study, people: ShownPeople) -> dict[str, Any]:
    held, none = by_expert(study.assignments.filter(released_at=None, repeat_of=None)), PlaceCounts()
    skips = study.assignments.filter(STATES["skipped"]).order_by().values_list("expert")
    skipped: dict[int | None, int] = dict(skips.annotate(Count("pk")))
    last = reassigning.last_act(study)
    return {
        "comparisons": study.comparisons.count(),
        "places": sum(one.places for one in held.values()),
        "free": held.get(None, none).places,
        "experts": [
            {
                "number": one.number,
                "name": people.name(one.user, number=one.number),
                "is_active": one.is_active,
                "given": held.get(one.pk, none).given,
                "in_hand": held.get(one.pk, none).begun,
                "answered": held.get(one.pk, none).answered,
                "skipped": skipped.get(one.pk, 0),
            }
            for one in study.memberships.experts().select_related("user").order_by("number")
        ],
        "last": _told(last, people) if last and last.data["act"] != "undo" and last.data["rows"] else None,
    }


def _told(event: Event, people: ShownPeople) -> dict[str, Any]:
    who = people.name(event.known_actor) or _("Somebody")
    sentence = assignment_sentence(Act(who, "", event.data))
    return {"event": event.pk, "sentence": f"{sentence}.", "at": event.at}


class AssignmentSummaryView(APIView):
    """How much each expert has, and how many places are free."""

    permission_classes = [NotOnlyExpert]

    @extend_schema(operation_id="assignments_summary", responses=AssignmentSummarySerializer)
    def get(self, request: Request, slug: str) -> Response:
        study = unblinded_study(request, slug)
        people = ShownPeople(to=person(request), study=study)
        return Response(AssignmentSummarySerializer(summary(study, people)).data)


class GridFilters(AssignedFilters):
    state = serializers.ChoiceField(
        required=False,
        choices=["free", "held", "answered", "full"],
        help_text="Only comparisons with a free place, a place awaiting its expert, an answer, or no free place.",
    )


class CellSerializer(serializers.Serializer[Any]):
    expert = serializers.IntegerField(help_text="The expert's number.")
    state = serializers.ChoiceField(choices=[state for state in STATES if state != "free"])
    id = serializers.IntegerField(help_text="The place's id, to move it or take it back.")
    is_pilot = serializers.BooleanField()


class GridRowSerializer(ComparisonRowSerializer):
    free = serializers.IntegerField(help_text="Places that no expert has.")
    cells = CellSerializer(many=True)
    seen = serializers.ListField(
        child=serializers.IntegerField(), help_text="Experts who have, or had, the text in another comparison."
    )


def with_cells(page: list[Comparison], study: Study) -> list[dict[str, Any]]:
    cells: dict[int, list[dict[str, Any]]] = defaultdict(list)
    free: dict[int, int] = defaultdict(int)
    had: dict[int, list[tuple[int, int]]] = defaultdict(list)
    of_texts = Assignment.objects.filter(study=study, instance__in=[one.instance_id for one in page])
    placed = of_texts.annotate(state=STATE).order_by("expert__number", "pk")
    columns = ("expert__number", "state", "pk", "is_pilot")
    for comparison, instance, *cell in placed.values_list("comparison", "instance", *columns):
        if cell[0] is None:
            free[comparison] += cell[1] == "free"
        else:
            cells[comparison].append(dict(zip(CELL, cell, strict=True)))
            had[instance].append((comparison, cell[0]))
    return [
        {
            **row_of(one),
            "free": free[one.pk],
            "cells": cells[one.pk],
            "seen": sorted({number for comparison, number in had[one.instance_id] if comparison != one.pk}),
        }
        for one in page
    ]


class AssignmentGridView(APIView):
    """Every comparison with its experts, and who has seen its text elsewhere. It reveals no answers."""

    permission_classes = [NotOnlyExpert]

    @extend_schema(operation_id="assignments_grid", parameters=[GridFilters], responses=page_of(GridRowSerializer))
    def get(self, request: Request, slug: str) -> Response:
        study = unblinded_study(request, slug)
        wanted = filters_of(request, GridFilters)
        state = wanted.pop("state", "")
        rows = filtered(study, wanted)
        places = Assignment.objects.filter(comparison=OuterRef("pk"), released_at=None)
        conditions = {
            "free": Exists(places.filter(expert=None)),
            "held": Exists(places.filter(HELD)),
            "answered": Exists(places.filter(completed_at__isnull=False)),
            "full": ~Exists(places.filter(expert=None)),
        }
        events.unblinded_view(actor=person(request), study=study, what="assignments")
        rows = rows.filter(conditions[state]) if state else rows
        return paged(request, PageByPage(rows, lambda page: with_cells(page, study)), GridRowSerializer)
