"""Proving once more who one is: the one gate before what gives lasting power, and how a page passes it.

A stolen session, or a page left open, must not make a token, a passkey or a link that outlives it. Whoever has a
second factor proves it with that, because a password alone does not sign them in; others with their password, or
through the sign-in provider (annotations/api/people/provider.py).
"""

from typing import Any

from django.conf import settings
from django.contrib.auth import authenticate
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.api.parsing import valid
from annotations.api.people.guarding import or_wait
from annotations.api.people.session import BadLogin, PasswordField
from annotations.api.people.this_machine import is_demo_here
from annotations.api.views import SignedInView, person
from annotations.models import Identity, Passkey, SecondFactor, User
from annotations.people.sign_in import passkeys, second_factor
from annotations.people.sign_in import proof as fresh


class EndTokensField(serializers.BooleanField):
    """Whether an act ends API tokens: it does unless it is told otherwise, in whatever form the request comes."""

    default_empty_html = True

    def __init__(self, **options: Any) -> None:
        super().__init__(default=True, help_text="Whether your API tokens end as well.", **options)


class EndTokensSerializer(serializers.Serializer[Any]):
    end_tokens = EndTokensField()


class AgainSerializer(serializers.Serializer[Any]):
    password = PasswordField(
        required=False, help_text="In place of signing in again first, for people without a second factor."
    )


class AgainEndingSerializer(AgainSerializer, EndTokensSerializer):
    """For acts that end API tokens."""


def end_tokens(request: Request) -> bool:
    return bool(valid(EndTokensSerializer(data=request.data))["end_tokens"])


def require_fresh(request: Request) -> None:
    """Raises SignInAgain. In a demo on this very machine everybody may step into every role, so nothing is asked."""
    if not is_demo_here(request._request):
        fresh.require(request._request.session)


class OwnView(SignedInView):
    """Open to everybody who is signed in."""

    def confirm(self, request: Request, password: str) -> User:
        """Raises BadLogin. Wrong passwords count towards the lockout, as they do at sign-in.

        For people without a second factor, the right one is as good as having just signed in.
        """
        user = person(request)
        if authenticate(request=request._request, email=user.address, password=password) is None:
            raise BadLogin(_("The password is wrong."))
        if not second_factor.has_one(user):
            fresh.renew(request._request.session)
        return user


class ProvenView(OwnView):
    """For what changes how a person signs in."""

    def proven(self, request: Request) -> User:
        """The person, who has just proved who they are, perhaps in this very request. Raises SignInAgain, BadLogin."""
        given = valid(AgainSerializer(data=request.data))
        if "password" in given:
            self.confirm(request, given["password"])
        require_fresh(request)
        return person(request)


class WaysAgainSerializer(serializers.Serializer[Any]):
    password = serializers.BooleanField(help_text="Whether the password will do.")
    app = serializers.BooleanField(help_text="Whether a code of an app will do.")
    passkey = serializers.BooleanField(help_text="Whether a passkey will do.")
    recovery_code = serializers.BooleanField(help_text="Whether a recovery code will do.")
    provider = serializers.CharField(allow_blank=True, help_text="The sign-in provider that will do; empty: none.")


class ProofSerializer(serializers.Serializer[Any]):
    password = PasswordField(required=False)
    code = serializers.CharField(max_length=40, required=False, help_text="Of the app, or a recovery code.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if len(attrs) != 1:
            raise serializers.ValidationError(_("Give either the password or a code."))
        return attrs


class AgainView(OwnView):
    """How you can prove once more who you are; and proving it, which counts for five minutes."""

    @extend_schema(operation_id="session_again_ways", responses=WaysAgainSerializer)
    def get(self, request: Request) -> Response:
        user = person(request)
        has_app = SecondFactor.objects.filter(user=user, confirmed_at__isnull=False).exists()
        has_keys = Passkey.objects.filter(user=user).exists()
        has_one = has_app or has_keys
        is_connected = Identity.objects.filter(user=user, issuer=settings.OIDC_ISSUER).exists()
        by_provider = settings.OIDC_ISSUER and is_connected and (not has_one or settings.OIDC_IS_SECOND_FACTOR)
        ways = {
            "password": not has_one,
            "app": has_app,
            "passkey": has_keys and passkeys.are_possible(),
            "recovery_code": has_one,
            "provider": settings.OIDC_NAME if by_provider else "",
        }
        return Response(WaysAgainSerializer(ways).data)

    @extend_schema(operation_id="session_again", request=ProofSerializer, responses={204: None})
    def post(self, request: Request) -> Response:
        user, proof = person(request), valid(ProofSerializer(data=request.data))
        if "code" in proof:
            or_wait(second_factor.check, user=user, code=proof["code"])
            fresh.renew(request._request.session)
        else:
            self.confirm(request, proof["password"])
            require_fresh(request)  # a password alone does not do for people with a second factor
        return Response(status=status.HTTP_204_NO_CONTENT)
