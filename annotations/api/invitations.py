"""Inviting people into a study (admins)."""

from typing import Any

from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers, status
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.api.paging import page_of, paged
from annotations.api.permissions import administered_study, person
from annotations.api.signed_in import SignedInView
from annotations.models import Invitation, InvitationState, LinkPurpose, Role
from annotations.people import inviting
from annotations.people.links import address_of, letter


class InvitationSerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    email = serializers.EmailField()
    role = serializers.ChoiceField(choices=Role.choices, allow_blank=True)
    may_import = serializers.BooleanField()
    may_create = serializers.BooleanField()
    may_administer = serializers.BooleanField()
    purpose = serializers.ChoiceField(choices=LinkPurpose.choices)
    state = serializers.SerializerMethodField()
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField()
    used_at = serializers.DateTimeField(allow_null=True)
    invited_by = serializers.SerializerMethodField()

    @extend_schema_field(serializers.ChoiceField(choices=InvitationState.choices))
    def get_state(self, invitation: Invitation) -> InvitationState:
        return invitation.state(timezone.now())

    def get_invited_by(self, invitation: Invitation) -> str:
        by = invitation.created_by
        return (by.name or by.email) if by else ""


class IssuedSerializer(serializers.Serializer[Any]):
    invitation = InvitationSerializer()
    link = serializers.CharField(help_text="Shown now and never again.")
    subject = serializers.CharField(help_text="For a message, in the study's language.")
    text = serializers.CharField()


class InviteSerializer(serializers.Serializer[Any]):
    addresses = serializers.CharField(
        max_length=50_000,
        help_text="One a line, or separated by commas or semicolons. A name may stand before <address>.",
    )
    role = serializers.ChoiceField(choices=Role.choices, default=Role.EXPERT)
    may_import = serializers.BooleanField(required=False, help_text="Given by admins of the installation only.")
    may_create = serializers.BooleanField(required=False, help_text="Given by admins of the installation only.")
    days = serializers.IntegerField(min_value=1, max_value=inviting.MAX_DAYS, required=False, allow_null=True)


class DaysSerializer(serializers.Serializer[Any]):
    days = serializers.IntegerField(min_value=1, max_value=inviting.MAX_DAYS, required=False, allow_null=True)


def shown(issued: inviting.Issued) -> dict[str, Any]:
    subject, text = letter(issued.invitation, issued.token)
    return {
        "invitation": issued.invitation,
        "link": address_of(issued.token),
        "subject": subject,
        "text": text,
    }


def days_of(request: Request) -> int | None:
    wanted = DaysSerializer(data=request.data)
    wanted.is_valid(raise_exception=True)
    days: int | None = wanted.validated_data.get("days")
    return days


class InvitationsView(SignedInView):
    """Who was invited, and inviting more."""

    permission_classes = [IsAuthenticated]

    @extend_schema(operation_id="invitations_list", responses=page_of(InvitationSerializer))
    def get(self, request: Request, slug: str) -> Response:
        study = administered_study(request, slug)
        found = Invitation.objects.visible_to(person(request)).filter(study=study).select_related("created_by")
        return paged(request, found, InvitationSerializer, was_plain=True)

    @extend_schema(
        operation_id="invitations_make", request=InviteSerializer, responses={201: IssuedSerializer(many=True)}
    )
    def post(self, request: Request, slug: str) -> Response:
        study = administered_study(request, slug)
        wanted = InviteSerializer(data=request.data)
        wanted.is_valid(raise_exception=True)
        issued = inviting.invite(
            study=study,
            addresses=inviting.read_addresses(wanted.validated_data["addresses"]),
            role=Role(wanted.validated_data["role"]),
            rights=inviting.Rights(
                bool(wanted.validated_data.get("may_import")), bool(wanted.validated_data.get("may_create"))
            ),
            days=wanted.validated_data.get("days"),
            actor=person(request),
        )
        links = [shown(one) for one in issued]
        return Response(IssuedSerializer(links, many=True).data, status=status.HTTP_201_CREATED)


class _OneInvitation(SignedInView):
    def invitation(self, request: Request, slug: str, pk: Any) -> Invitation:
        study = administered_study(request, slug)
        return get_object_or_404(Invitation.objects.visible_to(person(request)).filter(study=study), pk=pk)


class RevokeView(_OneInvitation):
    """End an invitation."""

    @extend_schema(operation_id="invitations_revoke", request=None, responses=InvitationSerializer)
    def post(self, request: Request, slug: str, pk: Any) -> Response:
        invitation = inviting.revoke(invitation=self.invitation(request, slug, pk), actor=person(request))
        return Response(InvitationSerializer(invitation).data)


class ReplaceView(_OneInvitation):
    """A new link in the place of one."""

    @extend_schema(operation_id="invitations_replace", request=DaysSerializer, responses={201: IssuedSerializer})
    def post(self, request: Request, slug: str, pk: Any) -> Response:
        invitation = self.invitation(request, slug, pk)
        issued = inviting.replace(invitation=invitation, days=days_of(request), actor=person(request))
        return Response(IssuedSerializer(shown(issued)).data, status=status.HTTP_201_CREATED)


class AccessView(SignedInView):
    """A link by which a member chooses a new password."""

    @extend_schema(operation_id="members_access", request=DaysSerializer, responses={201: IssuedSerializer})
    def post(self, request: Request, slug: str, number: int) -> Response:
        study = administered_study(request, slug)
        member = get_object_or_404(study.memberships.select_related("user"), number=number)
        issued = inviting.renew_access(member=member, days=days_of(request), actor=person(request))
        return Response(IssuedSerializer(shown(issued)).data, status=status.HTTP_201_CREATED)
