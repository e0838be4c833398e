"""Changing who answers which comparison: by hand, by rule or by list. Each change is an event; the newest can be
undone.
"""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.api.parsing import valid
from annotations.api.permissions import administered_study, person, unblinded_study
from annotations.api.views import APIView
from annotations.designing import reassigning
from annotations.designing.reassigning import read_list, specialisms_of, texts_in_field
from annotations.ground.errors import NotFound
from annotations.models import Event, Membership, Study, TokenScope


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
    """Take back places that have not been started."""

    token_scope = TokenScope.ASSIGNMENTS

    @extend_schema(operation_id="assignments_take_back", request=PlacesSerializer, responses=ActedSerializer)
    def post(self, request: Request, slug: str) -> Response:
        study = administered_study(request, slug)
        places = valid(PlacesSerializer(data=request.data))["places"]
        return acted(reassigning.take_back(study=study, assignments=places, actor=person(request)))


class MoveView(APIView):
    """Give places that have not been started to another expert."""

    token_scope = TokenScope.ASSIGNMENTS

    @extend_schema(operation_id="assignments_move", request=MoveSerializer, responses=ActedSerializer)
    def post(self, request: Request, slug: str) -> Response:
        study = administered_study(request, slug)
        wanted = valid(MoveSerializer(data=request.data))
        to = expert(study, wanted["to"])
        return acted(reassigning.move(study=study, assignments=wanted["places"], to=to, actor=person(request)))


class ShareView(APIView):
    """Assign free places by a rule."""

    token_scope = TokenScope.ASSIGNMENTS

    @extend_schema(operation_id="assignments_share_rules", responses=ShareRulesSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """What specialisms can be matched on: what experts said about themselves, and the labels of the dataset."""
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
    """Assign what a list says, all of it or nothing; a dry run names every row that cannot be applied."""

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
    """Undo the newest manual change."""

    token_scope = TokenScope.ASSIGNMENTS

    @extend_schema(operation_id="assignments_undo", request=UndoSerializer, responses=ActedSerializer)
    def post(self, request: Request, slug: str) -> Response:
        study = administered_study(request, slug)
        event = valid(UndoSerializer(data=request.data))["event"]
        return acted(reassigning.undo(study=study, event=event, actor=person(request)))
