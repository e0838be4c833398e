"""Who answers which comparison: looked at by researchers, changed by admins."""

from collections import defaultdict
from typing import Any

from django.db.models import Case, CharField, Count, Exists, OuterRef, Q, QuerySet, Value, When
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations import events
from annotations.api.answering.expert import valid
from annotations.api.paging import MOST as MOST_ROWS
from annotations.api.paging import page_of, paged
from annotations.api.permissions import NotOnlyExpert, administered_study, person, unblinded_study
from annotations.designing.places import reassigning
from annotations.designing.places.assignment_lists import read_list
from annotations.designing.places.specialisms import specialisms_of, texts_in_field
from annotations.errors import NotFound
from annotations.models import Assignment, Comparison, Event, Membership, Study, TokenScope
from annotations.place_counts import PlaceCounts, by_expert

STATES = {
    "free": Q(expert=None, released_at=None),
    "given": Q(expert__isnull=False, claimed_at=None, completed_at=None, released_at=None),
    "in_hand": Q(expert__isnull=False, claimed_at__isnull=False, completed_at=None, released_at=None),
    "answered": Q(completed_at__isnull=False, released_at=None),
    "skipped": Q(released_at__isnull=False),
}
STATE = Case(*(When(condition, then=Value(name)) for name, condition in STATES.items()), output_field=CharField())
PLACE = ("id", "place", "expert", "state", "is_pilot")
ACTS = {
    "give": "gave",
    "take_back": "took back",
    "move": "moved",
    "share": "shared out",
    "upload": "gave by a list",
    "undo": "undid the change of",
}


class PlaceSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    place = serializers.IntegerField()
    expert = serializers.IntegerField(allow_null=True, help_text="The expert's number; null: free.")
    state = serializers.ChoiceField(choices=list(STATES))
    is_pilot = serializers.BooleanField()


class AssignedComparisonSerializer(serializers.Serializer[Any]):
    position = serializers.IntegerField(help_text="The comparison's number in the study.")
    external_id = serializers.CharField(help_text="Of its text.")
    systems = serializers.ListField(child=serializers.CharField(), help_text="One, or two that are compared.")
    is_withdrawn = serializers.BooleanField()
    places = PlaceSerializer(many=True)

    def to_representation(self, instance: dict[str, Any]) -> dict[str, Any]:
        """As it is: a page of 500 has some ten thousand places, which must not be asked field by field."""
        return instance


class LoadSerializer(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    name = serializers.CharField()
    is_active = serializers.BooleanField()
    given = serializers.IntegerField()
    in_hand = serializers.IntegerField()
    answered = serializers.IntegerField()
    skipped = serializers.IntegerField()


class LastActSerializer(serializers.Serializer[Any]):
    event = serializers.IntegerField(help_text="To undo it.")
    sentence = serializers.CharField()
    at = serializers.DateTimeField()


class AssignmentSummarySerializer(serializers.Serializer[Any]):
    comparisons = serializers.IntegerField()
    places = serializers.IntegerField()
    free = serializers.IntegerField()
    experts = LoadSerializer(many=True)
    last = LastActSerializer(allow_null=True, help_text="The newest change by hand, if it can be undone.")


class PositionsSerializer(serializers.Serializer[Any]):
    expert = serializers.IntegerField(min_value=0, help_text="The expert's number.")
    comparisons = serializers.ListField(
        child=serializers.IntegerField(min_value=0, max_value=2**31 - 1), min_length=1, max_length=reassigning.MOST
    )
    extra = serializers.BooleanField(
        default=False, help_text="Where a comparison has all its experts, make one more place."
    )


class PlacesSerializer(serializers.Serializer[Any]):
    places = serializers.ListField(
        child=serializers.IntegerField(min_value=0, max_value=2**63 - 1),
        min_length=1,
        max_length=reassigning.MOST,
        help_text="Their ids.",
    )


class MoveSerializer(PlacesSerializer):
    to = serializers.IntegerField(min_value=0, help_text="The number of the expert who gets them.")


class ShareSerializer(serializers.Serializer[Any]):
    rule = serializers.ChoiceField(
        choices=["balance", "specialism"],
        default="balance",
        help_text="`specialism`: texts first to those whose field they are in, by the labels that most people chose; "
        "evenly among them. Experts are not told.",
    )
    labels = serializers.DictField(  # of a specialism
        child=serializers.ListField(child=serializers.CharField(max_length=200), max_length=500),
        required=False,
        help_text="The labels that belong to a specialism; left out: the label of the same name.",
    )
    dry_run = serializers.BooleanField(default=False, help_text="Only say what would be given.")
    experts = serializers.ListField(
        child=serializers.IntegerField(min_value=0), required=False, max_length=1000, help_text="Left out: all active."
    )
    count = serializers.IntegerField(
        min_value=1, max_value=100_000, required=False, allow_null=True, help_text="New places an expert gets at most."
    )


class SpecialismSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(help_text="As experts said it of themselves.")
    experts = serializers.IntegerField(help_text="How many of those who take part said so.")
    labels = serializers.ListField(
        child=serializers.CharField(), help_text="Those that belong to it where `labels` of the request says nothing."
    )


class ShareRulesSerializer(serializers.Serializer[Any]):
    specialisms = SpecialismSerializer(many=True)
    labels = serializers.ListField(child=serializers.CharField(), help_text="All of the dataset, as experts read them.")


class UploadSerializer(serializers.Serializer[Any]):
    csv = serializers.CharField(max_length=1_000_000, help_text="Two columns: comparison, expert (their numbers).")
    dry_run = serializers.BooleanField(default=True)


class UndoSerializer(serializers.Serializer[Any]):
    event = serializers.IntegerField(min_value=0, max_value=2**63 - 1)


class ActedSerializer(serializers.Serializer[Any]):
    event = serializers.IntegerField(allow_null=True, help_text="To undo it; null: nothing was changed.")
    changed = serializers.IntegerField(help_text="Places that changed hands.")
    left = serializers.IntegerField(help_text="Free places that could be given to nobody.")
    problems = serializers.ListField(child=serializers.CharField(), help_text="Of a list: why it cannot be followed.")


class SharedExpertSerializer(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    places = serializers.IntegerField(help_text="New ones.")
    in_field = serializers.IntegerField(help_text="How many of these are of texts in the expert's field.")


class SharedOutSerializer(ActedSerializer):
    experts = SharedExpertSerializer(many=True, help_text="What each of them gets.")


def acted(event: Event | None, *, left: int = 0, problems: list[str] | None = None, changed: int = 0) -> Response:
    told = {
        "event": event.pk if event else None,
        "changed": event.data["assignments"] if event else changed,
        "left": left,
        "problems": problems or [],
    }
    return Response(ActedSerializer(told).data)


def expert(study: Study, number: int) -> Membership:
    found = study.memberships.experts().filter(number=number).first()
    if found is None:
        raise NotFound
    return found


def filtered(study: Study, query: Any) -> QuerySet[Comparison]:
    """The comparisons that a page asks for, in their order."""
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
    wanted = Q()
    if (number := query.get("expert", "")).isascii() and number.isdigit() and len(number) < 10:
        wanted &= Q(expert__number=int(number))
    if query.get("state") in STATES:
        wanted &= STATES[query["state"]]
    if wanted:
        rows = rows.filter(Exists(places.filter(wanted)))
    for word in query.get("system", "").replace("/", " ").split():
        rows = rows.filter(
            Q(second_system__model__icontains=word)
            | Q(second_system__method__icontains=word)
            | Q(second_system__run__icontains=word)
            | Q(first_system__model__icontains=word)
            | Q(first_system__method__icontains=word)
            | Q(first_system__run__icontains=word)
        )
    if search := query.get("search", "").strip():
        named = Q(instance__external_id__icontains=search)
        is_number = search.isascii() and search.isdigit() and len(search) < 10
        rows = rows.filter(named | Q(position=int(search)) if is_number else named)
    return rows


class _Rows:
    """Comparisons whose places are read a page at a time: two queries, however many there are."""

    def __init__(self, rows: QuerySet[Comparison]) -> None:
        self._rows = rows

    def __len__(self) -> int:
        return self._rows.count()

    def __getitem__(self, part: slice) -> list[dict[str, Any]]:
        page = list(self._rows[part])
        places: dict[int, list[dict[str, Any]]] = defaultdict(list)
        held = (
            Assignment.objects.filter(comparison__in=page, repeat_of=None).annotate(state=STATE).order_by("place", "pk")
        )
        columns = ("pk", "place", "expert__number", "state", "is_pilot")
        for comparison, *told in held.values_list("comparison", *columns):
            places[comparison].append(dict(zip(PLACE, told, strict=True)))
        return [
            {
                "position": one.position,
                "external_id": one.instance.external_id,
                "systems": [system.name for system in (one.first_system, one.second_system) if system],
                "is_withdrawn": one.instance.withdrawn_at is not None,
                "places": places[one.pk],
            }
            for one in page
        ]


class AssignmentsView(APIView):
    """Every comparison with its places: who has them, and how far they are."""

    permission_classes = [NotOnlyExpert]

    @extend_schema(
        operation_id="assignments_list",
        parameters=[
            OpenApiParameter("expert", OpenApiTypes.INT, description="Comparisons that this expert has."),
            OpenApiParameter("state", OpenApiTypes.STR, enum=list(STATES), description="With a place in this state."),
            OpenApiParameter("system", OpenApiTypes.STR, description="Words of a system's name."),
            OpenApiParameter("search", OpenApiTypes.STR, description="Part of a text's id, or a comparison's number."),
            OpenApiParameter("page", OpenApiTypes.INT),
            OpenApiParameter("limit", OpenApiTypes.INT, description=f"Rows a page, {MOST_ROWS} at most."),
        ],
        responses=page_of(AssignedComparisonSerializer),
    )
    def get(self, request: Request, slug: str) -> Response:
        study = unblinded_study(request, slug)
        events.unblinded_view(actor=person(request), study=study, what="assignments")
        rows: Any = _Rows(filtered(study, request.query_params))
        return paged(request, rows, AssignedComparisonSerializer)


def summary(study: Study) -> dict[str, Any]:
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
                "name": one.user.name or one.user.email,
                "is_active": one.is_active,
                "given": held.get(one.pk, none).given,
                "in_hand": held.get(one.pk, none).begun,
                "answered": held.get(one.pk, none).answered,
                "skipped": skipped.get(one.pk, 0),
            }
            for one in study.memberships.experts().select_related("user").order_by("number")
        ],
        "last": _told(last) if last and last.data["act"] != "undo" and last.data["rows"] else None,
    }


def _told(event: Event) -> dict[str, Any]:
    number = event.data["assignments"]
    who = event.actor_email or "Somebody"
    sentence = f"{who} {ACTS[event.data['act']]} {number} {'place' if number == 1 else 'places'}."
    return {"event": event.pk, "sentence": sentence, "at": event.at}


class AssignmentSummaryView(APIView):
    """How much each expert has, and how many places are free."""

    permission_classes = [NotOnlyExpert]

    @extend_schema(operation_id="assignments_summary", responses=AssignmentSummarySerializer)
    def get(self, request: Request, slug: str) -> Response:
        return Response(AssignmentSummarySerializer(summary(unblinded_study(request, slug))).data)


class GiveView(APIView):
    """Give comparisons to an expert."""

    token_scope = TokenScope.ASSIGNMENTS

    @extend_schema(operation_id="assignments_give", request=PositionsSerializer, responses=ActedSerializer)
    def post(self, request: Request, slug: str) -> Response:
        study = administered_study(request, slug)
        wanted = valid(PositionsSerializer(data=request.data))
        wanted["expert"] = expert(study, wanted["expert"])
        return acted(reassigning.give(study=study, actor=person(request), **wanted))


class TakeBackView(APIView):
    """Take places back that nobody has begun."""

    token_scope = TokenScope.ASSIGNMENTS

    @extend_schema(operation_id="assignments_take_back", request=PlacesSerializer, responses=ActedSerializer)
    def post(self, request: Request, slug: str) -> Response:
        study = administered_study(request, slug)
        places = valid(PlacesSerializer(data=request.data))["places"]
        return acted(reassigning.take_back(study=study, assignments=places, actor=person(request)))


class MoveView(APIView):
    """Give places that nobody has begun to somebody else."""

    token_scope = TokenScope.ASSIGNMENTS

    @extend_schema(operation_id="assignments_move", request=MoveSerializer, responses=ActedSerializer)
    def post(self, request: Request, slug: str) -> Response:
        study = administered_study(request, slug)
        wanted = valid(MoveSerializer(data=request.data))
        to = expert(study, wanted["to"])
        return acted(reassigning.move(study=study, assignments=wanted["places"], to=to, actor=person(request)))


class ShareView(APIView):
    """Give free places out by a rule."""

    token_scope = TokenScope.ASSIGNMENTS

    @extend_schema(operation_id="assignments_share_rules", responses=ShareRulesSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """What a specialism can be matched with: what experts said of themselves, and the labels of the dataset."""
        study = unblinded_study(request, slug)
        labels = [label.shown for label in study.dataset.labels.all()]
        return Response(ShareRulesSerializer({"specialisms": specialisms_of(study), "labels": labels}).data)

    @extend_schema(operation_id="assignments_share", request=ShareSerializer, responses=SharedOutSerializer)
    def post(self, request: Request, slug: str) -> Response:
        study = administered_study(request, slug)
        wanted = valid(ShareSerializer(data=request.data))
        members = study.memberships.experts().filter(is_active=True)
        if "experts" in wanted:
            members = members.filter(number__in=wanted["experts"])
        experts = list(members)
        by_field = wanted["rule"] == "specialism"
        shared = reassigning.share_evenly(
            study=study,
            experts=experts,
            most_each=wanted.get("count"),
            fields=texts_in_field(study=study, members=experts, labels=wanted.get("labels")) if by_field else None,
            dry_run=wanted["dry_run"],
            actor=person(request),
        )
        told = [dict(zip(("number", "places", "in_field"), one, strict=True)) for one in shared.experts]
        event = shared.event.pk if shared.event else None
        answer = {"event": event, "changed": shared.changed, "left": shared.left, "problems": [], "experts": told}
        return Response(SharedOutSerializer(answer).data)


class UploadView(APIView):
    """Give what a list says: a dry run names every row that cannot be followed; then all of it, or nothing."""

    token_scope = TokenScope.ASSIGNMENTS

    @extend_schema(operation_id="assignments_upload", request=UploadSerializer, responses=ActedSerializer)
    def post(self, request: Request, slug: str) -> Response:
        study = administered_study(request, slug)
        wanted = valid(UploadSerializer(data=request.data))
        pairs, problems = read_list(study=study, text=wanted["csv"])
        if problems or wanted["dry_run"]:
            return acted(None, problems=problems, changed=len(pairs))
        return acted(reassigning.give_listed(study=study, pairs=pairs, actor=person(request)))


class UndoView(APIView):
    """Take the newest change by hand back."""

    token_scope = TokenScope.ASSIGNMENTS

    @extend_schema(operation_id="assignments_undo", request=UndoSerializer, responses=ActedSerializer)
    def post(self, request: Request, slug: str) -> Response:
        study = administered_study(request, slug)
        event = valid(UndoSerializer(data=request.data))["event"]
        return acted(reassigning.undo(study=study, event=event, actor=person(request)))
