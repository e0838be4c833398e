"""A person's own account, where they are signed in, and their API tokens: only they can see and change them, signed in
with a browser. A token cannot make or list tokens."""

from typing import Any

from django.conf import settings
from django.contrib.auth import logout, update_session_auth_hash
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.api.paging import page_of, paged
from annotations.api.parsing import valid
from annotations.api.people.again import (
    EndTokensField,
    EndTokensSerializer,
    OwnView,
    ProvenView,
    end_tokens,
    require_fresh,
)
from annotations.api.people.session import PasswordField
from annotations.api.people.users import AdminView
from annotations.api.views import SignedInView, person
from annotations.ground.errors import NotAllowed
from annotations.models import ApiToken, Event, Role, Session, StudyState, TokenScope, TokenState, User
from annotations.models.people import hash_of
from annotations.people import accounts
from annotations.people.access import roles, tokens
from annotations.people.sign_in import sessions

MOST = 100
"""How many are shown. More are signed out together."""


class OwnStudySerializer(serializers.Serializer[Any]):
    slug = serializers.CharField(source="study.slug")
    title = serializers.CharField(source="study.title")
    state = serializers.ChoiceField(source="study.state", choices=StudyState.choices)
    role = serializers.ChoiceField(choices=Role.choices)


class AccountSerializer(serializers.Serializer[Any]):
    email = serializers.EmailField()
    name = serializers.CharField(allow_blank=True)
    language = serializers.CharField(allow_blank=True, help_text="The pages' language; empty: the browser's.")
    is_admin = serializers.BooleanField(source="is_superuser", help_text="Whether they administer this server.")
    joined_at = serializers.DateTimeField(source="date_joined")
    studies = serializers.SerializerMethodField()

    def get_studies(self, user: Any) -> OwnStudySerializer(many=True):  # type: ignore[valid-type]  # for the schema
        mine = user.memberships.filter(is_active=True).select_related("study").order_by("study__title", "pk")
        return OwnStudySerializer(mine, many=True).data


class ChangeAccountSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(max_length=200, allow_blank=True, required=False)
    language = serializers.ChoiceField(choices=settings.LANGUAGES, allow_blank=True, required=False)


class PasswordGivenSerializer(serializers.Serializer[Any]):
    password = PasswordField(help_text="The current password.")


class NewPasswordSerializer(PasswordGivenSerializer):
    new_password = PasswordField()
    end_tokens = EndTokensField()


class OpeningsSerializer(serializers.Serializer[Any]):
    sessions = serializers.IntegerField()
    tokens = serializers.IntegerField()
    links = serializers.IntegerField(help_text="For a new password of yours, and invitations that you sent.")
    passkeys = serializers.IntegerField()
    apps = serializers.IntegerField(help_text="Apps for codes.")
    providers = serializers.IntegerField(help_text="Connections to the sign-in provider.")


class SignInSerializer(serializers.Serializer[Any]):
    at = serializers.DateTimeField()
    known_device = serializers.SerializerMethodField(help_text="Whether you had signed in with that browser before.")

    def get_known_device(self, event: Event) -> bool:
        return event.data.get("known_device") is True


class BreakInSerializer(serializers.Serializer[Any]):
    openings = OpeningsSerializer(help_text="What opens your account, or was given away in your name.")
    sign_ins = SignInSerializer(many=True, help_text="The latest, the newest first.")


class EverythingNewSerializer(serializers.Serializer[Any]):
    new_password = PasswordField()


class AccountView(OwnView):
    """What is stored about you."""

    @extend_schema(operation_id="account_show", responses=AccountSerializer)
    def get(self, request: Request) -> Response:
        return Response(AccountSerializer(person(request)).data)

    @extend_schema(operation_id="account_change", request=ChangeAccountSerializer, responses=AccountSerializer)
    def patch(self, request: Request) -> Response:
        body = valid(ChangeAccountSerializer(data=request.data))
        return Response(AccountSerializer(accounts.change_account(user=person(request), **body)).data)


class PasswordView(ProvenView):
    """Change your password; your sessions elsewhere end, and unless you say otherwise your API tokens."""

    @extend_schema(operation_id="account_password", request=NewPasswordSerializer, responses={204: None})
    def post(self, request: Request) -> Response:
        given = valid(NewPasswordSerializer(data=request.data))
        user, ends = self.proven(request), given["end_tokens"]
        accounts.change_password(user=user, password=given["new_password"], end_tokens=ends)
        update_session_auth_hash(request._request, user)
        sessions.end_others(user=user, key=request._request.session.session_key, end_tokens=ends)
        return Response(status=status.HTTP_204_NO_CONTENT)


class SignOutView(OwnView):
    """Sign out here and everywhere else; unless you say otherwise, your API tokens end."""

    @extend_schema(operation_id="account_sign_out", request=EndTokensSerializer, responses={204: None})
    def post(self, request: Request) -> Response:
        key, ends = request._request.session.session_key, end_tokens(request)
        sessions.end_others(user=person(request), key=key, end_tokens=ends)
        roles.end_sessions(user=person(request))
        logout(request._request)
        return Response(status=status.HTTP_204_NO_CONTENT)


class BreakInView(ProvenView):
    """Somebody was in your account: what opens it, when it was signed in to, and ending all of it."""

    @extend_schema(operation_id="account_break_in_show", responses=BreakInSerializer)
    def get(self, request: Request) -> Response:
        return _told(person(request), accounts.openings(person(request)))

    @extend_schema(operation_id="account_break_in", request=EverythingNewSerializer, responses=BreakInSerializer)
    def post(self, request: Request) -> Response:
        body = valid(EverythingNewSerializer(data=request.data))
        user = self.proven(request)
        ended = accounts.end_break_in(user=user, password=body["new_password"])
        logout(request._request)
        return _told(user, ended)


def _told(user: User, openings: accounts.Openings) -> Response:
    return Response(BreakInSerializer({"openings": openings, "sign_ins": accounts.sign_ins(user)}).data)


class CloseView(OwnView):
    """Leave all studies and close your account."""

    @extend_schema(operation_id="account_close", request=PasswordGivenSerializer, responses={204: None})
    def post(self, request: Request) -> Response:
        self.confirm(request, valid(PasswordGivenSerializer(data=request.data))["password"])
        accounts.close_own_account(user=person(request))
        logout(request._request)
        return Response(status=status.HTTP_204_NO_CONTENT)


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
    sessions = list(Session.objects.of(user)[:MOST])
    return Response(SignedInOnSerializer(sessions, many=True, context={"current": current}).data)


def _which(request: Request) -> tuple[str | None, bool]:
    """Which session (None: all that are meant), and whether tokens end; with one session they never do."""
    body = valid(EndSessionSerializer(data=request.data))
    return body["id"], body["end_tokens"]


class ApiTokenSerializer(serializers.Serializer[ApiToken]):
    id = serializers.UUIDField(source="number")
    name = serializers.CharField()
    state = serializers.ChoiceField(choices=TokenState.choices, read_only=True)
    scope = serializers.ChoiceField(choices=TokenScope.choices, help_text="What the token may write.")
    created_at = serializers.DateTimeField(source="created")
    expires_at = serializers.DateTimeField(source="expiry")
    last_used_at = serializers.DateTimeField(allow_null=True, help_text="Accurate to the minute.")


class MakeTokenSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(max_length=100, help_text="What the token is for.")
    days = serializers.IntegerField(min_value=1, max_value=tokens.MAX_DAYS, default=tokens.DEFAULT_DAYS)
    scope = serializers.ChoiceField(
        choices=TokenScope.choices,
        default=TokenScope.ALL,
        help_text="What the token may write; it may read whatever you may.",
    )


class MadeTokenSerializer(serializers.Serializer[Any]):
    token = ApiTokenSerializer()
    secret = serializers.CharField(help_text="Shown only once.")


class TokensView(SignedInView):
    """Your API tokens; and creating one, which takes a sign-in that is at most five minutes old."""

    @extend_schema(operation_id="tokens_list", responses=page_of(ApiTokenSerializer))
    def get(self, request: Request) -> Response:
        mine = ApiToken.objects.visible_to(person(request))
        return paged(request, mine, ApiTokenSerializer, was_plain=True)

    @extend_schema(operation_id="tokens_make", request=MakeTokenSerializer, responses={201: MadeTokenSerializer})
    def post(self, request: Request) -> Response:
        require_fresh(request)
        body = valid(MakeTokenSerializer(data=request.data))
        made = tokens.make(user=person(request), actor=person(request), **body)
        shown = MadeTokenSerializer({"token": made.row, "secret": made.secret})
        return Response(shown.data, status=status.HTTP_201_CREATED)


class RevokeTokenView(SignedInView):
    """Revoke a token immediately."""

    @extend_schema(operation_id="tokens_revoke", request=None, responses=ApiTokenSerializer)
    def post(self, request: Request, pk: Any) -> Response:
        token = get_object_or_404(ApiToken.objects.visible_to(person(request)), number=pk)
        return Response(ApiTokenSerializer(tokens.revoke(token=token, actor=person(request))).data)
