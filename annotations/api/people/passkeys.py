"""Passkeys: one's own on the account page, and as the second step of signing in."""

from typing import Any

from django.utils.decorators import method_decorator
from django.views.decorators.csrf import csrf_protect
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.api.parsing import valid
from annotations.api.people.again import (
    AgainEndingSerializer,
    AgainSerializer,
    EndTokensField,
    OwnView,
    ProvenView,
    end_tokens,
)
from annotations.api.people.guarding import or_wait
from annotations.api.people.second_factor import RecoveryCodesSerializer, pass_step, waiting_person
from annotations.api.people.session import SessionSerializer
from annotations.api.permissions import person
from annotations.api.views import APIView
from annotations.people.sign_in import passkeys, proof, second_factor, sessions

LONGEST = 20_000


class CredentialSerializer(serializers.Serializer[Any]):
    id = serializers.CharField(max_length=1400)
    rawId = serializers.CharField(max_length=1400)  # noqa: N815 - as WebAuthn calls it
    type = serializers.ChoiceField(choices=["public-key"])


class MadeResponseSerializer(serializers.Serializer[Any]):
    clientDataJSON = serializers.CharField(max_length=LONGEST)  # noqa: N815 - as above
    attestationObject = serializers.CharField(max_length=LONGEST)  # noqa: N815 - as above


class MadeCredentialSerializer(CredentialSerializer):
    response = MadeResponseSerializer()


class NewPasskeySerializer(serializers.Serializer[Any]):
    name = serializers.CharField(max_length=100)
    credential = MadeCredentialSerializer(help_text="What `navigator.credentials.create` made, bytes in base64url.")
    end_tokens = EndTokensField()


class UsedResponseSerializer(serializers.Serializer[Any]):
    clientDataJSON = serializers.CharField(max_length=LONGEST)  # noqa: N815 - as above
    authenticatorData = serializers.CharField(max_length=LONGEST)  # noqa: N815 - as above
    signature = serializers.CharField(max_length=LONGEST)


class UsedCredentialSerializer(CredentialSerializer):
    response = UsedResponseSerializer()


class UsedPasskeySerializer(serializers.Serializer[Any]):
    credential = UsedCredentialSerializer(help_text="What `navigator.credentials.get` returned, bytes in base64url.")


class PasskeyOptionsSerializer(serializers.Serializer[Any]):
    options = serializers.JSONField(help_text="For the browser (`publicKey`), bytes in base64url.")


class BeginPasskeyView(ProvenView):
    """What your browser makes a passkey with."""

    @extend_schema(operation_id="passkeys_begin", request=AgainSerializer, responses=PasskeyOptionsSerializer)
    def post(self, request: Request) -> Response:
        user = self.proven(request)
        return Response({"options": passkeys.ask_to_register(user=user, session=request._request.session)})


class PasskeysView(OwnView):
    """Add a passkey; unless you say otherwise your API tokens end, and with the first your other sessions."""

    @extend_schema(operation_id="passkeys_add", request=NewPasskeySerializer, responses={201: RecoveryCodesSerializer})
    def post(self, request: Request) -> Response:
        given = valid(NewPasskeySerializer(data=request.data))
        user, session = person(request), request._request.session
        codes = passkeys.register(user=user, session=session, **given)
        if codes:
            second_factor.pass_second_step(session)
            ends = given["end_tokens"]
            sessions.end_others(user=user, key=session.session_key, end_tokens=ends)
        return Response({"recovery_codes": codes}, status=status.HTTP_201_CREATED)


class RemovePasskeyView(ProvenView):
    """Remove one of your passkeys; unless you say otherwise your API tokens end."""

    @extend_schema(operation_id="passkeys_remove", request=AgainEndingSerializer, responses={204: None})
    def post(self, request: Request, pk: int) -> Response:
        user = self.proven(request)
        passkeys.remove(user=user, pk=pk, end_tokens=end_tokens(request))
        second_factor.forget_if_off(user=user, session=request._request.session)
        return Response(status=status.HTTP_204_NO_CONTENT)


@method_decorator(csrf_protect, name="dispatch")
class AskForPasskeyView(APIView):
    """What your browser asks a passkey for, after the password."""

    permission_classes = [AllowAny]

    @extend_schema(operation_id="session_passkey_begin", request=None, responses=PasskeyOptionsSerializer)
    def post(self, request: Request) -> Response:
        user = waiting_person(request)
        return Response({"options": passkeys.ask_to_sign_in(user=user, session=request._request.session)})


@method_decorator(csrf_protect, name="dispatch")
class PasskeyStepView(APIView):
    """Sign in with a passkey, after the password."""

    permission_classes = [AllowAny]

    @extend_schema(operation_id="session_passkey", request=UsedPasskeySerializer, responses=SessionSerializer)
    def post(self, request: Request) -> Response:
        given = valid(UsedPasskeySerializer(data=request.data))
        user = waiting_person(request)
        or_wait(passkeys.check, user=user, session=request._request.session, **given)
        return pass_step(request, user)


class AskForPasskeyAgainView(OwnView):
    """What your browser asks a passkey for, to prove once more who you are."""

    @extend_schema(operation_id="session_again_passkey_begin", request=None, responses=PasskeyOptionsSerializer)
    def post(self, request: Request) -> Response:
        asked = passkeys.ask_to_sign_in(user=person(request), session=request._request.session)
        return Response({"options": asked})


class PasskeyAgainView(OwnView):
    """Prove once more who you are, with a passkey."""

    @extend_schema(operation_id="session_again_passkey", request=UsedPasskeySerializer, responses={204: None})
    def post(self, request: Request) -> Response:
        given = valid(UsedPasskeySerializer(data=request.data))
        session = request._request.session
        or_wait(passkeys.check, user=person(request), session=session, **given)
        proof.renew(session)
        return Response(status=status.HTTP_204_NO_CONTENT)
