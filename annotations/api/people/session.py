"""Signing in and out. The pages keep a session cookie and send the CSRF token with every write."""

from typing import Any

from django.conf import settings
from django.contrib.auth import authenticate, login, logout
from django.contrib.auth.models import AnonymousUser
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.views.decorators.csrf import ensure_csrf_cookie
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.api.parsing import valid
from annotations.api.people.authentication import must_turn_on
from annotations.api.people.this_machine import is_demo_here
from annotations.api.views import OpenView
from annotations.ground.errors import HLVError
from annotations.models import User
from annotations.people.invitations.letters import sends_mail
from annotations.people.sign_in.provider_sign_in import join_waiting
from annotations.people.sign_in.second_factor import is_pending
from annotations.storing.mail_addresses import normalised


class BadLogin(HLVError):
    """Wrong address or password, without saying which."""

    status = 400


class PasswordField(serializers.CharField):
    """A password, exactly as it was typed."""

    def __init__(self, **options: Any) -> None:
        super().__init__(max_length=1000, trim_whitespace=False, style={"input_type": "password"}, **options)


class CredentialsSerializer(serializers.Serializer[Any]):
    email = serializers.CharField(max_length=254)
    password = PasswordField()


class SessionUserSerializer(serializers.Serializer[User]):
    id = serializers.IntegerField(help_text="Identifies whose answers a browser keeps until they are stored.")
    email = serializers.EmailField()
    name = serializers.CharField()
    language = serializers.CharField(help_text="The pages' language, as chosen by the person; empty: the browser's.")
    can_import = serializers.BooleanField()
    can_create_studies = serializers.BooleanField()
    is_admin = serializers.BooleanField(source="is_superuser")


class SessionSerializer(serializers.Serializer[Any]):
    user = SessionUserSerializer(allow_null=True)
    sends_mail = serializers.BooleanField(help_text="Whether this server mails invitations and reminders itself.")
    is_demo = serializers.BooleanField(
        help_text="Whether this is a demo whose roles can be entered without a password."
    )
    provider = serializers.CharField(
        allow_blank=True, help_text="What the sign-in provider is called; empty: there is none."
    )
    second_step = serializers.ChoiceField(
        choices=["", "code", "turn_on"],
        help_text="Before anything else: type a code of the second factor, or turn one on.",
    )


def second_step_of(request: Request) -> str:
    """What is left to do before the session can be used."""
    if is_pending(request._request.session):
        return "code"
    return "turn_on" if must_turn_on(request._request, request.user) else ""


def session_of(request: Request) -> dict[str, Any]:
    user = request.user if request.user.is_authenticated else None
    session = {
        "user": user,
        "sends_mail": user is not None and sends_mail(),
        "is_demo": is_demo_here(request._request),
        "provider": settings.OIDC_NAME if settings.OIDC_ISSUER else "",
        "second_step": second_step_of(request),
    }
    return dict(SessionSerializer(session).data)


@method_decorator(ensure_csrf_cookie, name="dispatch")
class SessionView(OpenView):
    """Who you are signed in as; signing in and out."""

    @extend_schema(operation_id="session_show", responses=SessionSerializer)
    def get(self, request: Request) -> Response:
        return Response(session_of(request))

    @extend_schema(operation_id="session_start", request=CredentialsSerializer, responses=SessionSerializer)
    def post(self, request: Request) -> Response:
        credentials = valid(CredentialsSerializer(data=request.data))
        user = authenticate(
            request=request._request,
            # One spelling, so that guesses under different ones count against one account.
            email=normalised(credentials["email"]),
            password=credentials["password"],
        )
        if user is None:
            raise BadLogin(_("The e-mail address or the password is wrong."))
        login(request._request, user)
        if is_pending(request._request.session):
            request.user = AnonymousUser()
        else:
            request.user = user
            join_waiting(user=user, session=request._request.session)
        return Response(session_of(request))

    @extend_schema(operation_id="session_end", request=None, responses={204: None})
    def delete(self, request: Request) -> Response:
        logout(request._request)
        return Response(status=status.HTTP_204_NO_CONTENT)
