"""Signing in through the sign-in provider (OpenID Connect), and connecting one's account to it."""

from typing import Any

from django.conf import settings
from django.contrib.auth import login
from django.contrib.auth.models import AnonymousUser
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.api.parsing import valid
from annotations.api.people.again import AgainSerializer, ProvenView
from annotations.api.people.guarding import BACKEND, count
from annotations.api.people.session import SessionSerializer, session_of
from annotations.api.views import OpenView, person
from annotations.ground.errors import HLVError
from annotations.history import security_log
from annotations.models import Identity, User
from annotations.people.access import limits
from annotations.people.sign_in import proof, provider_sign_in, second_factor
from annotations.storing.origins import client_address


class GoesToSerializer(serializers.Serializer[Any]):
    next = serializers.CharField(
        max_length=2000, required=False, default="/", allow_blank=True, help_text="The page to open afterwards."
    )


class AddressSerializer(serializers.Serializer[Any]):
    address = serializers.CharField(help_text="Where the browser goes.")


class ProviderAnswerSerializer(serializers.Serializer[Any]):
    state = serializers.CharField(max_length=200, allow_blank=True)
    code = serializers.CharField(
        max_length=4000, allow_blank=True, help_text="Empty: the provider sent an error in place of a code."
    )


class ProviderAnsweredSerializer(serializers.Serializer[Any]):
    session = SessionSerializer()
    next = serializers.CharField(help_text="The page to open.")


class ConnectionSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(allow_blank=True, help_text="What the provider is called; empty: there is none.")
    is_connected = serializers.BooleanField()
    last_used_at = serializers.DateTimeField(allow_null=True)


class AskProviderView(OpenView):
    """Set out to the sign-in provider."""

    @extend_schema(operation_id="session_provider_ask", request=GoesToSerializer, responses=AddressSerializer)
    def post(self, request: Request) -> Response:
        given = valid(GoesToSerializer(data=request.data))
        count(limits.of_provider(client_address(request._request)))
        again = request.user if isinstance(request.user, User) else None
        if again and second_factor.has_one(again) and not settings.OIDC_IS_SECOND_FACTOR:
            raise proof.SignInAgain(_("Please use the second factor of your account here."))
        address = provider_sign_in.ask(session=request._request.session, goes_to=given["next"], again=again)
        return Response({"address": address})


class ProviderAnswerView(OpenView):
    """Come back from the sign-in provider."""

    @extend_schema(
        operation_id="session_provider_answer", request=ProviderAnswerSerializer, responses=ProviderAnsweredSerializer
    )
    def post(self, request: Request) -> Response:
        given = valid(ProviderAnswerSerializer(data=request.data))
        session = request._request.session
        signed_in = request.user if isinstance(request.user, User) else None
        try:
            answered = provider_sign_in.answer(session=session, signed_in=signed_in, **given)
        except HLVError as error:
            security_log.note("provider_sign_in_failed", why=error.code)
            raise
        limits.forgive(once=[limits.of_provider(client_address(request._request))])
        user, proven_at = answered.user, answered.proven_at
        if answered.again:
            proof.renew(session, at=proven_at)
        elif signed_in != user:
            login(request._request, user, backend=BACKEND)
            if settings.OIDC_IS_SECOND_FACTOR:
                second_factor.pass_second_step(session)
            # The provider vouches for people who signed in there this morning, too.
            proof.forget(session) if proven_at is None else proof.note(session, at=proven_at)
            request.user = AnonymousUser() if second_factor.is_pending(session) else user
        return Response({"session": session_of(request), "next": answered.goes_to})


class ConnectionView(ProvenView):
    """Whether the sign-in provider's word opens your account; connecting it, and ending that."""

    @extend_schema(operation_id="account_provider_show", responses=ConnectionSerializer)
    def get(self, request: Request) -> Response:
        identity = Identity.objects.filter(user=person(request), issuer=settings.OIDC_ISSUER).first()
        shown = {
            "name": settings.OIDC_NAME if settings.OIDC_ISSUER else "",
            "is_connected": identity is not None,
            "last_used_at": identity.last_used_at if identity else None,
        }
        return Response(ConnectionSerializer(shown).data)

    @extend_schema(operation_id="account_provider_connect", request=AgainSerializer, responses=AddressSerializer)
    def post(self, request: Request) -> Response:
        user = self.proven(request)
        address = provider_sign_in.ask(session=request._request.session, goes_to="/account", connects=user)
        return Response({"address": address})


class DisconnectView(ProvenView):
    """From now on only your password opens your account."""

    @extend_schema(operation_id="account_provider_end", request=AgainSerializer, responses={204: None})
    def post(self, request: Request) -> Response:
        provider_sign_in.disconnect(user=self.proven(request))
        return Response(status=status.HTTP_204_NO_CONTENT)
