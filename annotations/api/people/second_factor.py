"""The second factor, an app for codes or passkeys: one's own on the account page, the second step of signing in, and an
admin's reset."""

from typing import Any

from django.contrib.auth import logout
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.api.parsing import valid
from annotations.api.people.again import (
    AgainEndingSerializer,
    AgainSerializer,
    EndTokensField,
    EndTokensSerializer,
    OwnView,
    ProvenView,
    end_tokens,
    require_fresh,
)
from annotations.api.people.authentication import person_of
from annotations.api.people.guarding import or_wait
from annotations.api.people.session import SessionSerializer, session_of
from annotations.api.people.users import AdminView
from annotations.api.views import OpenView, person
from annotations.ground.errors import Conflict, NotAllowed
from annotations.models import Passkey, SecondFactor, User
from annotations.people.sign_in import passkeys, proof, second_factor, sessions
from annotations.people.sign_in.provider_sign_in import join_waiting

LONGEST = 20_000
"""Of what a passkey signs, as the browser sends it."""


class PasswordFirst(Conflict):
    """Nobody has given their password in this session, or it is too long ago."""


class CodeSerializer(serializers.Serializer[Any]):
    code = serializers.CharField(max_length=40, help_text="Of the app; at sign-in, a recovery code works too.")


class FirstCodeSerializer(CodeSerializer, EndTokensSerializer):
    """The code that turns the app on."""


class PasskeySerializer(serializers.Serializer[Passkey]):
    id = serializers.IntegerField()
    name = serializers.CharField()
    created_at = serializers.DateTimeField()
    last_used_at = serializers.DateTimeField(allow_null=True)


class SecondFactorSerializer(serializers.Serializer[Any]):
    is_on = serializers.BooleanField(help_text="Whether signing in asks for a code or a passkey.")
    has_app = serializers.BooleanField(help_text="Whether there is an app that makes codes.")
    passkeys = PasskeySerializer(many=True)
    passkeys_possible = serializers.BooleanField(help_text="Whether browsers allow passkeys at this server's address.")
    is_required = serializers.BooleanField(help_text="Whether this server requires it of you.")
    recovery_codes_left = serializers.IntegerField()


class WaysSerializer(serializers.Serializer[Any]):
    app = serializers.BooleanField(help_text="Whether a code of an app will do.")
    passkey = serializers.BooleanField(help_text="Whether a passkey will do. Recovery codes always do.")


class BegunSerializer(serializers.Serializer[Any]):
    secret = serializers.CharField(help_text="To be typed into the app.")
    qr = serializers.CharField(help_text="The same as a picture (a data URI), to be scanned.")


class RecoveryCodesSerializer(serializers.Serializer[Any]):
    recovery_codes = serializers.ListField(child=serializers.CharField(), help_text="Shown only once.")


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


class SecondFactorView(OwnView):
    """What signing in asks you for besides the password."""

    @extend_schema(operation_id="second_factor_show", responses=SecondFactorSerializer)
    def get(self, request: Request) -> Response:
        user = person(request)
        factor, keys = SecondFactor.objects.filter(user=user).first(), list(user.passkeys.all())
        has_app = factor is not None and factor.confirmed_at is not None
        shown = {
            "is_on": has_app or bool(keys),
            "has_app": has_app,
            "passkeys": keys,
            "passkeys_possible": passkeys.are_possible(),
            "is_required": second_factor.must_have_one(user),
            "recovery_codes_left": len(factor.recovery) if factor else 0,
        }
        return Response(SecondFactorSerializer(shown).data)


class BeginSecondFactorView(ProvenView):
    """Set up an app that makes codes; it counts once confirmed."""

    @extend_schema(operation_id="second_factor_begin", request=AgainSerializer, responses=BegunSerializer)
    def post(self, request: Request) -> Response:
        return Response(BegunSerializer(second_factor.begin(user=self.proven(request))).data)


class ConfirmSecondFactorView(OwnView):
    """Turn it on with a first code; your other sessions end, and unless you say otherwise your API tokens."""

    @extend_schema(operation_id="second_factor_confirm", request=FirstCodeSerializer, responses=RecoveryCodesSerializer)
    def post(self, request: Request) -> Response:
        user = person(request)
        ends = end_tokens(request)
        codes = or_wait(second_factor.confirm, user=user, code=_code(request), end_tokens=ends)
        second_factor.pass_second_step(request._request.session)
        sessions.end_others(user=user, key=request._request.session.session_key, end_tokens=ends)
        return Response({"recovery_codes": codes})


class RecoveryCodesView(ProvenView):
    """New recovery codes in place of the old ones."""

    @extend_schema(
        operation_id="second_factor_recovery_codes", request=AgainSerializer, responses=RecoveryCodesSerializer
    )
    def post(self, request: Request) -> Response:
        return Response({"recovery_codes": second_factor.renew_recovery_codes(user=self.proven(request))})


class EndSecondFactorView(ProvenView):
    """Turn all of it off: app, passkeys and recovery codes; unless you say otherwise your API tokens end."""

    @extend_schema(operation_id="second_factor_end", request=AgainEndingSerializer, responses={204: None})
    def post(self, request: Request) -> Response:
        user = self.proven(request)
        second_factor.turn_off(user=user, actor=user, end_tokens=end_tokens(request))
        request._request.session.pop(second_factor.VERIFIED, None)
        return Response(status=status.HTTP_204_NO_CONTENT)


class RemoveAppView(ProvenView):
    """Remove the app that makes codes; unless you say otherwise your API tokens end."""

    @extend_schema(operation_id="second_factor_remove_app", request=AgainEndingSerializer, responses={204: None})
    def post(self, request: Request) -> Response:
        user = self.proven(request)
        second_factor.remove_app(user=user, end_tokens=end_tokens(request))
        second_factor.forget_if_off(user=user, session=request._request.session)
        return Response(status=status.HTTP_204_NO_CONTENT)


class SecondStepView(OpenView):
    """Sign in with a code, after the password."""

    @extend_schema(operation_id="session_second_step_ways", responses=WaysSerializer)
    def get(self, request: Request) -> Response:
        user = waiting_person(request)
        has_app = SecondFactor.objects.filter(user=user, confirmed_at__isnull=False).exists()
        ways = {"app": has_app, "passkey": passkeys.are_possible() and user.passkeys.exists()}
        return Response(WaysSerializer(ways).data)

    @extend_schema(operation_id="session_second_step", request=CodeSerializer, responses=SessionSerializer)
    def post(self, request: Request) -> Response:
        code, user = _code(request), waiting_person(request)
        or_wait(second_factor.check, user=user, code=code)
        return pass_step(request, user)


class ResetSecondFactorView(AdminView):
    """Turn off somebody's second factor, because they lost their device; their sessions and API tokens end."""

    @extend_schema(operation_id="users_reset_second_factor", request=EndTokensSerializer, responses={204: None})
    def post(self, request: Request, pk: int) -> Response:
        if pk == person(request).pk:
            raise NotAllowed(_("Turn off your own second factor on your account page."))
        require_fresh(request)
        user, ends = get_object_or_404(User, pk=pk), end_tokens(request)
        second_factor.turn_off(user=user, actor=person(request), end_tokens=ends)
        return Response(status=status.HTTP_204_NO_CONTENT)


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


class AskForPasskeyView(OpenView):
    """What your browser asks a passkey for, after the password."""

    @extend_schema(operation_id="session_passkey_begin", request=None, responses=PasskeyOptionsSerializer)
    def post(self, request: Request) -> Response:
        user = waiting_person(request)
        return Response({"options": passkeys.ask_to_sign_in(user=user, session=request._request.session)})


class PasskeyStepView(OpenView):
    """Sign in with a passkey, after the password."""

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
        options = passkeys.ask_to_sign_in(user=person(request), session=request._request.session)
        return Response({"options": options})


class PasskeyAgainView(OwnView):
    """Prove once more who you are, with a passkey."""

    @extend_schema(operation_id="session_again_passkey", request=UsedPasskeySerializer, responses={204: None})
    def post(self, request: Request) -> Response:
        given = valid(UsedPasskeySerializer(data=request.data))
        session = request._request.session
        or_wait(passkeys.check, user=person(request), session=session, **given)
        proof.renew(session)
        return Response(status=status.HTTP_204_NO_CONTENT)


def waiting_person(request: Request) -> User:
    """Who has given their password in this session and nothing else yet. Raises PasswordFirst."""
    session, user = request._request.session, person_of(request._request)
    if not isinstance(user, User) or not second_factor.is_pending(session) or second_factor.is_stale(session):
        if second_factor.is_pending(session):
            logout(request._request)
        raise PasswordFirst(_("Please sign in with your password again."))
    return user


def pass_step(request: Request, user: User) -> Response:
    """The second step is done: the session is the person's."""
    second_factor.pass_second_step(request._request.session)
    join_waiting(user=user, session=request._request.session)
    request.user = user
    return Response(session_of(request))


def _code(request: Request) -> str:
    given = valid(CodeSerializer(data=request.data))
    return str(given["code"])
