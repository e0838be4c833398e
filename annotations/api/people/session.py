"""Signing in and out. The pages keep a session cookie and send the CSRF token with every write."""

from typing import Any

from django.contrib.auth import authenticate, login, logout
from django.http import HttpRequest, JsonResponse
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_protect, ensure_csrf_cookie
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations.api.errors import body_of
from annotations.api.people.this_machine import is_demo_here
from annotations.background.health import sends_mail
from annotations.errors import HLVError
from annotations.models import User


class BadLogin(HLVError):
    """Wrong address or password, without saying which."""

    code = "bad_login"
    status = 400


def lockout_response(_request: HttpRequest, *_more: Any) -> JsonResponse:
    """The response of django-axes (AXES_LOCKOUT_CALLABLE) after too many wrong passwords."""
    detail = _("Too many wrong passwords. Please wait a quarter of an hour and try again.")
    return JsonResponse(body_of("locked_out", detail), status=429)


class CredentialsSerializer(serializers.Serializer[Any]):
    email = serializers.CharField(max_length=254)
    password = serializers.CharField(max_length=1000, trim_whitespace=False, style={"input_type": "password"})


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


def session_of(request: Request) -> dict[str, Any]:
    user = request.user if request.user.is_authenticated else None
    session = {
        "user": user,
        "sends_mail": user is not None and sends_mail(),
        "is_demo": is_demo_here(request._request),
    }
    return dict(SessionSerializer(session).data)


@method_decorator(ensure_csrf_cookie, name="dispatch")
@method_decorator(csrf_protect, name="dispatch")
class SessionView(APIView):
    """Who you are signed in as; signing in and out."""

    permission_classes = [AllowAny]

    @extend_schema(operation_id="session_show", responses=SessionSerializer)
    def get(self, request: Request) -> Response:
        return Response(session_of(request))

    @extend_schema(operation_id="session_start", request=CredentialsSerializer, responses=SessionSerializer)
    def post(self, request: Request) -> Response:
        credentials = CredentialsSerializer(data=request.data)
        credentials.is_valid(raise_exception=True)
        user = authenticate(
            request=request._request,
            # In lower case, so that guesses under different spellings count against one account.
            email=credentials.validated_data["email"].lower(),
            password=credentials.validated_data["password"],
        )
        if user is None:
            raise BadLogin(_("The e-mail address or the password is wrong."))
        login(request._request, user)
        request.user = user
        return Response(session_of(request))

    @extend_schema(operation_id="session_end", request=None, responses={204: None})
    def delete(self, request: Request) -> Response:
        logout(request._request)
        return Response(status=status.HTTP_204_NO_CONTENT)
