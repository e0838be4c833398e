"""The server's people, for its admins: permissions, closing accounts, inviting."""

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.api.paging import filters_of, page_of, paged
from annotations.api.parsing import valid
from annotations.api.people.again import require_fresh
from annotations.api.people.invitations import (
    ONCE,
    DaysSerializer,
    InvitationSerializer,
    IssuedSerializer,
    PeopleSerializer,
    lines_of,
    once,
    replaced,
)
from annotations.api.views import Administers, SignedInView, person
from annotations.models import Invitation, User
from annotations.people.access import roles
from annotations.people.access.roles import ROLES, people
from annotations.people.invitations import inviting


class UserSerializer(serializers.Serializer[User]):
    id = serializers.IntegerField()
    email = serializers.EmailField()
    name = serializers.CharField(allow_blank=True)
    can_import = serializers.BooleanField(source="imports")
    can_create_studies = serializers.BooleanField(source="creates")
    is_admin = serializers.BooleanField(source="is_superuser")
    is_active = serializers.BooleanField(help_text="False: the account is closed.")
    has_second_factor = serializers.BooleanField(help_text="Whether signing in asks them for a code.")
    last_signed_in_at = serializers.DateTimeField(source="last_login", allow_null=True)
    joined_at = serializers.DateTimeField(source="date_joined")
    studies = serializers.IntegerField(help_text="How many studies they take part in, in any role.")


class ChangeUserSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(max_length=200, allow_blank=True, required=False)
    can_import = serializers.BooleanField(required=False)
    can_create_studies = serializers.BooleanField(required=False)
    is_admin = serializers.BooleanField(required=False)
    is_active = serializers.BooleanField(required=False)


class InviteHereSerializer(PeopleSerializer):
    may_import = serializers.BooleanField(default=False)
    may_create = serializers.BooleanField(default=False)
    may_administer = serializers.BooleanField(default=False)
    days = serializers.IntegerField(min_value=1, max_value=inviting.MAX_DAYS, required=False, allow_null=True)


class AdminView(SignedInView):
    """For admins of the server who are signed in with a browser: a stolen token must not make an admin."""

    permission_classes = [Administers]


class UserFilters(serializers.Serializer[Any]):
    search = serializers.CharField(
        required=False, allow_blank=True, max_length=254, help_text="Part of the name or the address."
    )
    role = serializers.ChoiceField(required=False, choices=list(ROLES))


class UsersView(AdminView):
    """Everyone with an account."""

    @extend_schema(operation_id="users_list", parameters=[UserFilters], responses=page_of(UserSerializer))
    def get(self, request: Request) -> Response:
        return paged(request, people(**filters_of(request, UserFilters)), UserSerializer)


class UserView(AdminView):
    """One person: what they may do, and whether they can sign in."""

    @extend_schema(operation_id="users_change", request=ChangeUserSerializer, responses=UserSerializer)
    def patch(self, request: Request, pk: int) -> Response:
        require_fresh(request)
        user = get_object_or_404(people(), pk=pk)
        body = valid(ChangeUserSerializer(data=request.data))
        roles.change_person(user=user, actor=person(request), **body)
        return Response(UserSerializer(people().get(pk=pk)).data)


class ArrivalsView(AdminView):
    """Who was invited to the server rather than to a study; and inviting more people."""

    @extend_schema(operation_id="users_invitations_list", responses=page_of(InvitationSerializer))
    def get(self, request: Request) -> Response:
        invitations = (
            Invitation.objects.visible_to(person(request)).filter(study=None).select_related("created_by").with_mail()
        )
        return paged(request, invitations, InvitationSerializer)

    @extend_schema(
        operation_id="users_invitations_make",
        parameters=[ONCE],
        request=InviteHereSerializer,
        responses={201: IssuedSerializer(many=True)},
    )
    def post(self, request: Request) -> Response:
        require_fresh(request)
        given = valid(InviteHereSerializer(data=request.data))
        return once(
            request,
            lambda mint: inviting.invite_here(
                addresses=lines_of(given),
                rights=inviting.Rights(given["may_import"], given["may_create"], given["may_administer"]),
                days=given.get("days"),
                actor=person(request),
                mint=mint,
            ),
        )


class _OneArrival(AdminView):
    def invitation(self, request: Request, pk: Any) -> Invitation:
        return get_object_or_404(Invitation.objects.visible_to(person(request)).filter(study=None), pk=pk)


class RevokeArrivalView(_OneArrival):
    """Revoke an invitation to the server."""

    @extend_schema(operation_id="users_invitations_revoke", request=None, responses=InvitationSerializer)
    def post(self, request: Request, pk: Any) -> Response:
        invitation = inviting.revoke(invitation=self.invitation(request, pk), actor=person(request))
        return Response(InvitationSerializer(invitation).data)


class ReplaceArrivalView(_OneArrival):
    """Replace a link to the server with a new one."""

    @extend_schema(
        operation_id="users_invitations_replace",
        parameters=[ONCE],
        request=DaysSerializer,
        responses={201: IssuedSerializer},
    )
    def post(self, request: Request, pk: Any) -> Response:
        require_fresh(request)
        return replaced(request, self.invitation(request, pk))
