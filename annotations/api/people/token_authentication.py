"""Requests with an API token: `Authorization: Bearer hlv_...` and nothing else (addresses end up in access logs)."""

import re
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.plumbing import build_bearer_security_scheme_object
from knox.auth import TokenAuthentication as KnoxTokenAuthentication
from rest_framework.authentication import get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from annotations.api.people.guarding import note_wrong_token
from annotations.api.people.same_person import SENTENCE, OtherUser, is_another
from annotations.ground.errors import NotAllowed
from annotations.models import ApiToken, TokenScope, TokenState, User
from annotations.people.access.tokens import note_use

SHAPE = re.compile(rb"hlv_[0-9a-f]{64}")
REFUSED = gettext_noop("This API token is not valid: it is unknown, has expired or was revoked.")


READING = {"GET", "HEAD", "OPTIONS"}


class BeyondScope(NotAllowed):
    """The token's scope does not cover this."""

    code = "beyond_scope"


class TokenAuthentication(KnoxTokenAuthentication):  # type: ignore[misc]  # the library has no types
    """A token gives access to whatever its owner's login does. Refusals have the same wording, whatever the cause."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        if not get_authorization_header(request):
            return None
        try:
            found: tuple[User, ApiToken] | None = super().authenticate(request)
        except AuthenticationFailed:
            note_wrong_token(request._request)
            raise AuthenticationFailed(REFUSED) from None
        if found is not None:
            if is_another(request._request, found[0]):
                raise OtherUser(SENTENCE)
            _refuse_beyond_scope(request, found[1])
        return found

    def authenticate_credentials(self, token: bytes) -> tuple[User, ApiToken]:
        # The library would decode and look up anything it is sent.
        if not SHAPE.fullmatch(token):
            raise AuthenticationFailed(REFUSED)
        user, row = super().authenticate_credentials(token)
        note_use(row)
        return user, row

    def authenticate_header(self, request: Any) -> str | None:
        """Only a request with a token is asked for a valid one; a browser is asked to sign in, as usual."""
        header: str = super().authenticate_header(request)
        return header if get_authorization_header(request) else None

    def _cleanup_token(self, auth_token: ApiToken) -> bool:
        """Whether the token has ended. The library would then delete it, but its owner's list still shows it."""
        return auth_token.state(timezone.now()) != TokenState.WORKS


def _refuse_beyond_scope(request: Request, token: ApiToken) -> None:
    """A view's `token_scope` names the narrower scope that may write there; without it, only tokens of full scope
    may.
    """
    if token.scope == TokenScope.ALL or request.method in READING:
        return
    context = request.parser_context or {}
    if getattr(context.get("view"), "token_scope", None) != token.scope:
        raise BeyondScope(
            f"This API token may only change {TokenScope(token.scope).label}. "
            "Create one with permission to change this."
            if token.scope != TokenScope.READ
            else _("This API token is read-only. Create one with permission to write this.")
        )


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  # its registration has no types
    """How the API's schema describes it."""

    target_class = "annotations.api.people.token_authentication.TokenAuthentication"
    name = "apiToken"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        # "Bearer" is a scheme's name, not a password.
        return dict(build_bearer_security_scheme_object(header_name="Authorization", token_prefix="Bearer"))  # noqa: S106
