"""The places of a study: who has which, and handing them out by name, by rule or by list."""

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
from annotations.api.parsing import valid
from annotations.api.views import APIView, ResearchView, administered_study, person, unblinded_study
from annotations.designing import reassigning
from annotations.designing.reassigning import read_list, specialisms_of, texts_in_field
from annotations.ground.errors import NotFound
from annotations.history import events
from annotations.models import Assignment, Comparison, Event, Membership, Study, TokenScope
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


def filtered(study: Study, filters: Mapping[str, Any]) -> QuerySet[Comparison]:
    """The comparisons a page asks for, in order, filtered by `AssignedFilters` and by the state of a place."""
    rows = study.comparisons.order_by("position").select_related("instance", "first_system", "second_system")
    parts = [f"{side}_system__{part}" for side in ("first", "second") for part in ("model", "method", "run")]
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
    if "expert" in filters:
        place &= Q(expert__number=filters["expert"])
    if "state" in filters:
        place &= STATES[filters["state"]]
    if place:
        rows = rows.filter(Exists(places.filter(place)))
    for word in filters.get("system", "").replace("/", " ").split():
        named = (Q(**{f"{part}__icontains": word}) for part in parts)
        rows = rows.filter(reduce(or_, named))
    if search := filters.get("search"):
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


class AssignmentsView(ResearchView):
    """Every comparison with its places: who has them, and the state of each."""

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
        "places": sum(count.places for count in held.values()),
        "free": held.get(None, none).places,
        "experts": [
            {
                "number": count.number,
                "name": people.name(count.user, number=count.number),
                "is_active": count.is_active,
                "given": held.get(count.pk, none).given,
                "in_hand": held.get(count.pk, none).begun,
                "answered": held.get(count.pk, none).answered,
                "skipped": skipped.get(count.pk, 0),
            }
            for count in study.memberships.experts().select_related("user").order_by("number")
        ],
        "last": _told(last, people) if last and last.data["act"] != "undo" and last.data["rows"] else None,
    }


def _told(event: Event, people: ShownPeople) -> dict[str, Any]:
    who = people.name(event.known_actor) or _("Somebody")
    sentence = assignment_sentence(Act(who, "", event.data))
    return {"event": event.pk, "sentence": f"{sentence}.", "at": event.at}


class AssignmentSummaryView(ResearchView):
    """How much each expert has, and how many places are free."""

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


class AssignmentGridView(ResearchView):
    """Every comparison with its experts, and who has seen its text elsewhere. It reveals no answers."""

    @extend_schema(operation_id="assignments_grid", parameters=[GridFilters], responses=page_of(GridRowSerializer))
    def get(self, request: Request, slug: str) -> Response:
        study = unblinded_study(request, slug)
        filters = filters_of(request, GridFilters)
        state = filters.pop("state", "")
        rows = filtered(study, filters)
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


class PositionsSerializer(serializers.Serializer[Any]):
    expert = serializers.IntegerField(min_value=0, help_text="The expert's number.")
    comparisons = serializers.ListField(
        child=serializers.IntegerField(min_value=0, max_value=2**31 - 1), min_length=1, max_length=reassigning.MOST
    )
    extra = serializers.BooleanField(
        default=False, help_text="If a comparison already has all its experts, add one more place."
    )


class PlacesSerializer(serializers.Serializer[Any]):
    places = serializers.ListField(
        child=serializers.IntegerField(min_value=0, max_value=2**63 - 1),
        min_length=1,
        max_length=reassigning.MOST,
        help_text="The places' ids.",
    )


class MoveSerializer(PlacesSerializer):
    to = serializers.IntegerField(min_value=0, help_text="The number of the expert who receives them.")


class ShareSerializer(serializers.Serializer[Any]):
    rule = serializers.ChoiceField(
        choices=["balance", "specialism"],
        default="balance",
        help_text="`specialism`: each text goes first to experts in its field, by the labels that most people chose; "
        "evenly among them. Experts are not told.",
    )
    labels = serializers.DictField(  # by specialism
        child=serializers.ListField(child=serializers.CharField(max_length=200), max_length=500),
        required=False,
        help_text="The labels that belong to a specialism. If omitted: the label of the same name.",
    )
    dry_run = serializers.BooleanField(default=False, help_text="Only report what would be assigned.")
    experts = serializers.ListField(
        child=serializers.IntegerField(min_value=0),
        required=False,
        max_length=1000,
        help_text="If omitted: all active experts.",
    )
    count = serializers.IntegerField(
        min_value=1,
        max_value=100_000,
        required=False,
        allow_null=True,
        help_text="The most new places one expert may get.",
    )


class SpecialismSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(help_text="As experts stated it themselves.")
    experts = serializers.IntegerField(help_text="How many of the active experts stated it.")
    labels = serializers.ListField(
        child=serializers.CharField(), help_text="Those that belong to it unless the request's `labels` says otherwise."
    )


class ShareRulesSerializer(serializers.Serializer[Any]):
    specialisms = SpecialismSerializer(many=True)
    labels = serializers.ListField(
        child=serializers.CharField(), help_text="All labels of the dataset, as experts read them."
    )


class UploadSerializer(serializers.Serializer[Any]):
    csv = serializers.CharField(max_length=1_000_000, help_text="Two columns, comparison and expert, each by number.")
    dry_run = serializers.BooleanField(default=True)


class UndoSerializer(serializers.Serializer[Any]):
    event = serializers.IntegerField(min_value=0, max_value=2**63 - 1)


class ActedSerializer(serializers.Serializer[Any]):
    event = serializers.IntegerField(
        allow_null=True, help_text="The event's id, needed to undo it; null: nothing was changed."
    )
    changed = serializers.IntegerField(help_text="How many places changed hands.")
    left = serializers.IntegerField(help_text="Free places that no expert could take.")
    problems = serializers.ListField(child=serializers.CharField(), help_text="For a list: why it cannot be applied.")


class SharedExpertSerializer(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    places = serializers.IntegerField(help_text="How many new places.")
    in_field = serializers.IntegerField(help_text="How many of these are for texts in the expert's field.")


class SharedOutSerializer(ActedSerializer):
    experts = SharedExpertSerializer(many=True, help_text="What each expert gets.")


def acted(event: Event | None, *, left: int = 0, problems: list[str] | None = None, changed: int = 0) -> Response:
    data = {
        "event": event.pk if event else None,
        "changed": event.data["assignments"] if event else changed,
        "left": left,
        "problems": problems or [],
    }
    return Response(ActedSerializer(data).data)


def expert(study: Study, number: int) -> Membership:
    member = study.memberships.experts().filter(number=number).first()
    if member is None:
        raise NotFound
    return member


class _AssigningView(APIView):
    """By hand, by rule or by list. Each change is an event; the newest can be undone."""

    token_scope = TokenScope.ASSIGNMENTS


class GiveView(_AssigningView):
    """Give comparisons to an expert."""

    @extend_schema(operation_id="assignments_give", request=PositionsSerializer, responses=ActedSerializer)
    def post(self, request: Request, slug: str) -> Response:
        study = administered_study(request, slug)
        body = valid(PositionsSerializer(data=request.data))
        body["expert"] = expert(study, body["expert"])
        return acted(reassigning.give(study=study, actor=person(request), **body))


class TakeBackView(_AssigningView):
    """Take back places that have not been started."""

    @extend_schema(operation_id="assignments_take_back", request=PlacesSerializer, responses=ActedSerializer)
    def post(self, request: Request, slug: str) -> Response:
        study = administered_study(request, slug)
        places = valid(PlacesSerializer(data=request.data))["places"]
        return acted(reassigning.take_back(study=study, assignments=places, actor=person(request)))


class MoveView(_AssigningView):
    """Give places that have not been started to another expert."""

    @extend_schema(operation_id="assignments_move", request=MoveSerializer, responses=ActedSerializer)
    def post(self, request: Request, slug: str) -> Response:
        study = administered_study(request, slug)
        body = valid(MoveSerializer(data=request.data))
        to = expert(study, body["to"])
        return acted(reassigning.move(study=study, assignments=body["places"], to=to, actor=person(request)))


class ShareView(_AssigningView):
    """Assign free places by a rule."""

    @extend_schema(operation_id="assignments_share_rules", responses=ShareRulesSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """What specialisms can be matched on: what experts said about themselves, and the labels of the dataset."""
        study = unblinded_study(request, slug)
        labels = [label.shown for label in study.dataset.labels.all()]
        return Response(ShareRulesSerializer({"specialisms": specialisms_of(study), "labels": labels}).data)

    @extend_schema(operation_id="assignments_share", request=ShareSerializer, responses=SharedOutSerializer)
    def post(self, request: Request, slug: str) -> Response:
        study = administered_study(request, slug)
        body = valid(ShareSerializer(data=request.data))
        members = study.memberships.experts().filter(is_active=True)
        if "experts" in body:
            members = members.filter(number__in=body["experts"])
        experts = list(members)
        by_field = body["rule"] == "specialism"
        shared = reassigning.share_evenly(
            study=study,
            experts=experts,
            most_each=body.get("count"),
            fields=texts_in_field(study=study, members=experts, labels=body.get("labels")) if by_field else None,
            dry_run=body["dry_run"],
            actor=person(request),
        )
        shares = [dict(zip(("number", "places", "in_field"), row, strict=True)) for row in shared.experts]
        event = shared.event.pk if shared.event else None
        answer = {"event": event, "changed": shared.changed, "left": shared.left, "problems": [], "experts": shares}
        return Response(SharedOutSerializer(answer).data)


class UploadView(_AssigningView):
    """Assign what a list says, all of it or nothing; a dry run names every row that cannot be applied."""

    @extend_schema(operation_id="assignments_upload", request=UploadSerializer, responses=ActedSerializer)
    def post(self, request: Request, slug: str) -> Response:
        study = administered_study(request, slug)
        body = valid(UploadSerializer(data=request.data))
        pairs, problems = read_list(study=study, text=body["csv"])
        if problems or body["dry_run"]:
            return acted(None, problems=problems, changed=len(pairs))
        return acted(reassigning.give_listed(study=study, pairs=pairs, actor=person(request)))


class UndoView(_AssigningView):
    """Undo the newest manual change."""

    @extend_schema(operation_id="assignments_undo", request=UndoSerializer, responses=ActedSerializer)
    def post(self, request: Request, slug: str) -> Response:
        study = administered_study(request, slug)
        event = valid(UndoSerializer(data=request.data))["event"]
        return acted(reassigning.undo(study=study, event=event, actor=person(request)))
