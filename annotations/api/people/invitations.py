"""Inviting people into a study (admins)."""

import json
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any

from django.db import models
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.answering.watching import watch
from annotations.api.paging import page_of, paged
from annotations.api.parsing import valid
from annotations.api.people.again import require_fresh
from annotations.api.views import SignedInView, administered_study, person
from annotations.models import Invitation, InvitationState, JobState, LinkPurpose, Role, Study
from annotations.people.invitations import inviting, letters
from annotations.people.invitations.links import LONGEST_KEY, Issued, Mint, Repeatable, address_of, issue_once, letter
from annotations.people.membership.addresses import MAX_ADDRESSES, Line, read_addresses, read_table

HEADER = "Idempotency-Key"
ONCE = OpenApiParameter(
    HEADER,
    {"type": "string", "minLength": 1, "maxLength": LONGEST_KEY, "pattern": "^[!-~]+$"},
    OpenApiParameter.HEADER,
    description="For one day, the same key with the same request returns the same links.",
)


class InvitationSerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    email = serializers.EmailField()
    name = serializers.CharField(allow_blank=True)
    role = serializers.ChoiceField(choices=Role.choices, allow_blank=True)
    may_import = serializers.BooleanField()
    may_create = serializers.BooleanField()
    may_administer = serializers.BooleanField()
    purpose = serializers.ChoiceField(choices=LinkPurpose.choices)
    state = serializers.ChoiceField(choices=InvitationState.choices, read_only=True)
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField()
    used_at = serializers.DateTimeField(allow_null=True)
    invited_by = serializers.SerializerMethodField()
    mail = serializers.SerializerMethodField(help_text="Status of the latest e-mail; null: none was sent.")
    mailed_at = serializers.SerializerMethodField(help_text="When it was sent.")
    mail_error = serializers.SerializerMethodField(help_text="Why it was not sent.")

    # Invitations loaded without their mails are new, so none has been sent.
    @extend_schema_field(serializers.ChoiceField(choices=JobState.choices, allow_null=True))
    def get_mail(self, invitation: Invitation) -> str | None:
        return getattr(invitation, "mail", None)

    def get_mailed_at(self, invitation: Invitation) -> datetime | None:
        sent: datetime | None = getattr(invitation, "mailed_at", None)
        return sent if self.get_mail(invitation) == JobState.SUCCEEDED else None

    def get_mail_error(self, invitation: Invitation) -> str:
        return getattr(invitation, "mail_error", None) or ""

    def get_invited_by(self, invitation: Invitation) -> str:
        by = invitation.created_by
        return (by.name or by.email) if by else ""


class IssuedSerializer(serializers.Serializer[Any]):
    invitation = InvitationSerializer()
    link = serializers.CharField(help_text="Shown only once.")
    subject = serializers.CharField(help_text="The subject for a message, in the study's language.")
    text = serializers.CharField()


class PeopleSerializer(serializers.Serializer[Any]):
    """Whom to invite, as a list or a table."""

    addresses = serializers.CharField(
        max_length=50_000,
        required=False,
        help_text="One per line, or separated by commas or semicolons. A name may stand before <address>.",
    )
    table = serializers.CharField(
        max_length=100_000,
        required=False,
        help_text="Instead of a list: CSV with the columns email, name and role. Only email is required.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("addresses" in attrs) == ("table" in attrs):
            raise serializers.ValidationError({"addresses": [_("Enter a list of addresses or upload a table.")]})
        return attrs


class InviteSerializer(PeopleSerializer):
    role = serializers.ChoiceField(
        choices=Role.choices, default=Role.EXPERT, help_text="The role of everyone for whom the table gives none."
    )
    may_import = serializers.BooleanField(required=False, help_text="Only admins of the server may grant this.")
    may_create = serializers.BooleanField(required=False, help_text="Only admins of the server may grant this.")
    days = serializers.IntegerField(min_value=1, max_value=inviting.MAX_DAYS, required=False, allow_null=True)


class DaysSerializer(serializers.Serializer[Any]):
    days = serializers.IntegerField(min_value=1, max_value=inviting.MAX_DAYS, required=False, allow_null=True)


def lines_of(given: dict[str, Any]) -> list[Line]:
    return read_table(given["table"]) if "table" in given else read_addresses(given["addresses"])


def once(
    request: Request, make: Callable[[Mint], list[Issued]], *, study: Study | None = None, many: bool = True
) -> Response:
    """The links (without `many` the only one) that this request creates and mails, or that it created when it was sent
    before."""

    def made(mint: Mint) -> list[Issued]:
        issued = make(mint)
        letters.post(study=study, invitations=[issue.invitation for issue in issued], actor=person(request))
        return issued

    key = request.headers.get(HEADER)
    repeatable = None
    if key is not None:
        body = json.dumps(request.data, sort_keys=True).encode()
        repeatable = Repeatable(person(request), request.path, key, body)
    links = [_shown(issue) for issue in issue_once(repeatable, made)]
    data = IssuedSerializer(links, many=True).data if many else IssuedSerializer(links[0]).data
    return Response(data, status=status.HTTP_201_CREATED)


def _shown(issued: Issued) -> dict[str, Any]:
    subject, text = letter(issued.invitation, issued.token)
    return {
        "invitation": issued.invitation,
        "link": address_of(issued.token),
        "subject": subject,
        "text": text,
    }


def days_of(request: Request) -> int | None:
    return valid(DaysSerializer(data=request.data)).get("days")


def require_fresh_unless_experts(request: Request, roles: Iterable[str]) -> None:
    """Links that let people see a study unblinded take a fresh sign-in; experts are invited every day. Raises
    SignInAgain.
    """
    if set(roles) - {Role.EXPERT}:
        require_fresh(request)


class InvitationsView(SignedInView):
    """Who was invited; and inviting more people."""

    @extend_schema(operation_id="invitations_list", responses=page_of(InvitationSerializer))
    def get(self, request: Request, slug: str) -> Response:
        study = administered_study(request, slug)
        invitations = (
            Invitation.objects.visible_to(person(request)).filter(study=study).select_related("created_by").with_mail()
        )
        return paged(request, invitations, InvitationSerializer, was_plain=True)

    @extend_schema(
        operation_id="invitations_make",
        parameters=[ONCE],
        request=InviteSerializer,
        responses={201: IssuedSerializer(many=True)},
    )
    def post(self, request: Request, slug: str) -> Response:
        study = administered_study(request, slug)
        given = valid(InviteSerializer(data=request.data))
        lines, role = lines_of(given), Role(given["role"])
        rights = inviting.Rights(bool(given.get("may_import")), bool(given.get("may_create")))
        require_fresh_unless_experts(request, [line.role or role for line in lines])
        return once(
            request,
            lambda mint: inviting.invite(
                study=study,
                addresses=lines,
                role=role,
                rights=rights,
                days=given.get("days"),
                actor=person(request),
                mint=mint,
            ),
            study=study,
        )


class _OneInvitation(SignedInView):
    def invitation(self, request: Request, slug: str, pk: Any) -> Invitation:
        study = administered_study(request, slug)
        return get_object_or_404(Invitation.objects.visible_to(person(request)).filter(study=study), pk=pk)


def replaced(request: Request, invitation: Invitation) -> Response:
    days, actor = days_of(request), person(request)
    return once(
        request,
        lambda mint: [inviting.replace(invitation=invitation, days=days, actor=actor, mint=mint)],
        study=invitation.study,
        many=False,
    )


class RevokeView(_OneInvitation):
    """Revoke an invitation."""

    @extend_schema(operation_id="invitations_revoke", request=None, responses=InvitationSerializer)
    def post(self, request: Request, slug: str, pk: Any) -> Response:
        invitation = inviting.revoke(invitation=self.invitation(request, slug, pk), actor=person(request))
        return Response(InvitationSerializer(invitation).data)


class ReplaceView(_OneInvitation):
    """Replace a link with a new one."""

    @extend_schema(
        operation_id="invitations_replace",
        parameters=[ONCE],
        request=DaysSerializer,
        responses={201: IssuedSerializer},
    )
    def post(self, request: Request, slug: str, pk: Any) -> Response:
        invitation = self.invitation(request, slug, pk)
        as_member = invitation.purpose == LinkPurpose.ACCESS
        require_fresh(request) if as_member else require_fresh_unless_experts(request, [invitation.role])
        return replaced(request, invitation)


class AccessView(SignedInView):
    """Make a link for a member to choose a new password."""

    @extend_schema(
        operation_id="members_access", parameters=[ONCE], request=DaysSerializer, responses={201: IssuedSerializer}
    )
    def post(self, request: Request, slug: str, number: int) -> Response:
        study = administered_study(request, slug)
        member = get_object_or_404(study.memberships.select_related("user"), number=number)
        require_fresh(request)
        days, actor = days_of(request), person(request)
        return once(
            request,
            lambda mint: [inviting.renew_access(member=member, days=days, actor=actor, mint=mint)],
            study=study,
            many=False,
        )


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
        body = valid(RemindSerializer(data=request.data))
        who, numbers = body["who"], body.get("numbers")
        if who == Whom.NOT_ACCEPTED:
            reminded = letters.remind_invited(study=study, actor=person(request))
        else:
            begun = who == Whom.UNFINISHED
            behind = {
                expert.number for expert in watch(study).experts if expert.has_more and (expert.done > 0) == begun
            }
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
        return once(
            request, lambda mint: inviting.renew_expired(study=study, days=days, actor=actor, mint=mint), study=study
        )


class RevokeSeveralView(SignedInView):
    """Revoke several invitations."""

    @extend_schema(
        operation_id="invitations_revoke_several",
        request=RevokeSeveralSerializer,
        responses=InvitationSerializer(many=True),
    )
    def post(self, request: Request, slug: str) -> Response:
        study = administered_study(request, slug)
        ids = valid(RevokeSeveralSerializer(data=request.data))["ids"]
        ended = inviting.revoke_several(study=study, ids=ids, actor=person(request))
        return Response(InvitationSerializer(ended, many=True).data)
