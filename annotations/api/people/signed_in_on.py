"""Where a person is signed in: seen and ended by them and, if something is wrong, by an admin of the server."""

from typing import Any

from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.api.people.again import EndTokensField, OwnView
from annotations.api.people.users import AdminView
from annotations.api.permissions import person
from annotations.ground.errors import NotAllowed
from annotations.models import Session, User
from annotations.models.people import hash_of
from annotations.people.sign_in import sessions

MOST = 100
"""How many are shown. More are signed out together."""


class SignedInOnSerializer(serializers.Serializer[Any]):
    id = serializers.CharField(source="pk", help_text="Names the session; nobody can sign in with it.")
    device = serializers.CharField(help_text="The browser and its system in words; empty if it did not say.")
    created_at = serializers.DateTimeField(help_text="When the person signed in.")
    used_at = serializers.DateTimeField(help_text="Last used, to about five minutes.")
    is_current = serializers.SerializerMethodField(help_text="Whether this request came from it.")

    def get_is_current(self, session: Session) -> bool:
        return bool(session.pk == self.context["current"])


class EndSessionSerializer(serializers.Serializer[Any]):
    id = serializers.CharField(
        max_length=64, allow_null=True, help_text="Which; null: all but this one, or all of somebody else."
    )
    end_tokens = EndTokensField()


class SignedInOnView(OwnView):
    """The browsers in which you are signed in, the newest first; sign out of one, or of all others."""

    @extend_schema(operation_id="account_sessions", responses=SignedInOnSerializer(many=True))
    def get(self, request: Request) -> Response:
        return _listed(request, person(request))

    @extend_schema(operation_id="account_end_session", request=EndSessionSerializer, responses={204: None})
    def post(self, request: Request) -> Response:
        which, ends = _which(request)
        if which is None:
            sessions.end_others(user=person(request), key=request._request.session.session_key, end_tokens=ends)
        else:
            sessions.end_session(user=person(request), pk=which, actor=person(request))
        return Response(status=status.HTTP_204_NO_CONTENT)


class UserSessionsView(AdminView):
    """The browsers in which somebody is signed in, the newest first; sign them out of one, or of all."""

    @extend_schema(operation_id="users_sessions", responses=SignedInOnSerializer(many=True))
    def get(self, request: Request, pk: int) -> Response:
        return _listed(request, get_object_or_404(User, pk=pk))

    @extend_schema(operation_id="users_end_session", request=EndSessionSerializer, responses={204: None})
    def post(self, request: Request, pk: int) -> Response:
        user, (which, ends) = get_object_or_404(User, pk=pk), _which(request)
        if user == person(request):
            raise NotAllowed(_("End your own sessions on your account page."))
        if which is None:
            sessions.end_all(user=user, actor=person(request), end_tokens=ends)
        else:
            sessions.end_session(user=user, pk=which, actor=person(request))
        return Response(status=status.HTTP_204_NO_CONTENT)


def _listed(request: Request, user: User) -> Response:
    current = hash_of(request._request.session.session_key or "")
    found = list(Session.objects.of(user)[:MOST])
    return Response(SignedInOnSerializer(found, many=True, context={"current": current}).data)


def _which(request: Request) -> tuple[str | None, bool]:
    """Which session (None: all that are meant), and whether tokens end; with one session they never do."""
    wanted = EndSessionSerializer(data=request.data)
    wanted.is_valid(raise_exception=True)
    return wanted.validated_data["id"], wanted.validated_data["end_tokens"]
