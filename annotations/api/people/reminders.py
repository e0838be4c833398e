"""Acting on several people of a study at once, for its admins: reminding, renewing expired links, revoking."""

from typing import Any

from django.db import models
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.answering.watching import watch
from annotations.api.people.invitations import (
    ONCE,
    DaysSerializer,
    InvitationSerializer,
    IssuedSerializer,
    days_of,
    once,
    require_fresh_unless_experts,
)
from annotations.api.people.signed_in import SignedInView
from annotations.api.permissions import administered_study, person
from annotations.people.invitations import inviting, letters
from annotations.people.membership.addresses import MAX_ADDRESSES


class Whom(models.TextChoices):
    """The people who have yet to do something."""

    NOT_ACCEPTED = "not_accepted", "invited, and has not accepted"
    NOT_STARTED = "not_started", "accepted, and has answered nothing"
    UNFINISHED = "unfinished", "has answered something, and has more to answer"


class RemindSerializer(serializers.Serializer[Any]):
    who = serializers.ChoiceField(choices=Whom.choices)
    numbers = serializers.ListField(
        child=serializers.IntegerField(min_value=0, max_value=2**31 - 1),
        required=False,
        allow_null=True,
        max_length=2_000,
        help_text="Only these experts of the group. People who have not accepted yet have no number.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs.get("numbers") is not None and attrs["who"] == Whom.NOT_ACCEPTED:
            raise serializers.ValidationError(
                {"numbers": [_("People who have not accepted the invitation have no number yet.")]}
            )
        return attrs


class ReminderSerializer(serializers.Serializer[Any]):
    email = serializers.EmailField()
    number = serializers.IntegerField(allow_null=True, help_text="The expert's number; null: not accepted yet.")
    subject = serializers.CharField(allow_blank=True, help_text="Empty if the server sends the mail itself.")
    text = serializers.CharField(allow_blank=True)


class RemindedSerializer(serializers.Serializer[Any]):
    reminders = ReminderSerializer(many=True)
    lately = ReminderSerializer(
        many=True, help_text="People already reminded within the last day, who are not reminded again."
    )
    is_mailed = serializers.BooleanField(help_text="False: you have to send the messages yourself.")


class RevokeSeveralSerializer(serializers.Serializer[Any]):
    ids = serializers.ListField(child=serializers.UUIDField(), min_length=1, max_length=MAX_ADDRESSES)


class RemindersView(SignedInView):
    """Remind people, each at most once a day."""

    @extend_schema(operation_id="reminders_make", request=RemindSerializer, responses=RemindedSerializer)
    def post(self, request: Request, slug: str) -> Response:
        study = administered_study(request, slug)
        wanted = RemindSerializer(data=request.data)
        wanted.is_valid(raise_exception=True)
        who, numbers = wanted.validated_data["who"], wanted.validated_data.get("numbers")
        if who == Whom.NOT_ACCEPTED:
            reminded = letters.remind_invited(study=study, actor=person(request))
        else:
            begun = who == Whom.UNFINISHED
            behind = {one.number for one in watch(study).experts if one.has_more and (one.done > 0) == begun}
            chosen = behind if numbers is None else behind & set(numbers)
            reminded = letters.remind_experts(study=study, numbers=chosen, begun=begun, actor=person(request))
        return Response(RemindedSerializer(reminded).data)


class RenewExpiredView(SignedInView):
    """New links for everyone whose invitation has expired."""

    @extend_schema(
        operation_id="invitations_renew",
        parameters=[ONCE],
        request=DaysSerializer,
        responses={201: IssuedSerializer(many=True)},
    )
    def post(self, request: Request, slug: str) -> Response:
        study, days, actor = administered_study(request, slug), days_of(request), person(request)
        require_fresh_unless_experts(request, inviting.expired(study).values_list("role", flat=True))
        links = once(
            request, lambda mint: inviting.renew_expired(study=study, days=days, actor=actor, mint=mint), study=study
        )
        return Response(IssuedSerializer(links, many=True).data, status=status.HTTP_201_CREATED)


class RevokeSeveralView(SignedInView):
    """Revoke several invitations."""

    @extend_schema(
        operation_id="invitations_revoke_several",
        request=RevokeSeveralSerializer,
        responses=InvitationSerializer(many=True),
    )
    def post(self, request: Request, slug: str) -> Response:
        study = administered_study(request, slug)
        wanted = RevokeSeveralSerializer(data=request.data)
        wanted.is_valid(raise_exception=True)
        ended = inviting.revoke_several(study=study, ids=wanted.validated_data["ids"], actor=person(request))
        return Response(InvitationSerializer(ended, many=True).data)
