"""Who a request comes from: a session or an API token, the page it was made for, and the second factor.

The settings refer to this module, so it imports no views."""

import re
from collections.abc import Callable
from functools import partial
from typing import Any

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY, get_user
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import translation
from django.utils.crypto import constant_time_compare
from django.utils.functional import SimpleLazyObject
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.plumbing import build_bearer_security_scheme_object
from knox.auth import TokenAuthentication as KnoxTokenAuthentication
from rest_framework.authentication import get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from annotations.api.people.guarding import count
from annotations.ground.errors import Conflict, NotAllowed
from annotations.models import ApiToken, TokenScope, TokenState, User
from annotations.people.access import limits
from annotations.people.access.tokens import note_use
from annotations.people.sign_in.second_factor import VERIFIED, is_pending, must_have_one
from annotations.people.sign_in.sessions import SessionStore, touch
from annotations.storing.origins import client_address


class OneQueryAuthentication(AuthenticationMiddleware):
    """Django's authentication, with the same checks, for sessions that bring their user along."""

    def process_request(self, request: HttpRequest) -> None:
        super().process_request(request)
        request.user = SimpleLazyObject(partial(_cached, request))  # type: ignore[assignment]  # as Django does


def user_of(request: HttpRequest) -> User | AnonymousUser:
    """The signed-in user of a request; nobody while the second step is to be done.

    Whatever is out of the ordinary (a session that began under an earlier SECRET_KEY, say) is left to Django.
    """
    user = person_of(request)
    return AnonymousUser() if is_pending(request.session) else user


def person_of(request: HttpRequest) -> User | AnonymousUser:
    """Who a session belongs to, even if the second step is still to be done."""
    session = request.session
    key = session.get(SESSION_KEY)
    row = session.row if isinstance(session, SessionStore) else None
    if key is None or row is None or row.user is None or str(row.user_id) != key:
        return get_user(request)
    if row.is_too_old:
        session.flush()
        return AnonymousUser()
    if session.get(BACKEND_SESSION_KEY) not in settings.AUTHENTICATION_BACKENDS or not row.user.is_active:
        return AnonymousUser()
    if not constant_time_compare(session.get(HASH_SESSION_KEY, ""), row.user.get_session_auth_hash()):
        return get_user(request)
    touch(row)
    return row.user


def _cached(request: HttpRequest) -> User | AnonymousUser:
    if not hasattr(request, "_cached_user"):
        request._cached_user = user_of(request)  # type: ignore[attr-defined]  # where Django keeps it, too
    return request._cached_user  # type: ignore[attr-defined,no-any-return]  # as above


HEADER = "X-HLV-User"
OTHER_USER = gettext_noop("Somebody else has since signed in with this browser. Nothing was sent in their name.")


class OtherUser(Conflict):
    """The page belongs to a different person than the session or the token."""


def is_another(request: HttpRequest, user: User) -> bool:
    """Whether the page that sent this was made for somebody else."""
    return request.headers.get(HEADER, "") not in {"", str(user.pk)}


class SamePersonMiddleware:
    """A page says who it is acting for (`X-HLV-User`), because somebody else may since have signed in in another tab.

    Without this, an answer waiting in the browser of a shared computer could be stored as somebody else's. It stands
    before all views of the API, so that none can forget it. Sessions are compared here; who a token belongs to is
    known where tokens are read (`TokenAuthentication`), which compares it there.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if HEADER in request.headers and request.path_info.startswith("/api/"):
            user = request.user  # the views ask for it, too: it is looked up once
            if isinstance(user, User) and is_another(request, user):
                from annotations.api.errors import body_of  # it loads views, whose settings name this module

                return JsonResponse(body_of(OtherUser.code, translation.gettext(OTHER_USER)), status=OtherUser.status)
        return self.get_response(request)


TURN_ON_FIRST = gettext_noop(
    "This server asks you for a second factor. Please turn it on first: Your account, second factor."
)
OPEN = ("/api/v1/session/", "/api/v1/account/second-factor/", "/api/v1/account/sign-out/", "/api/v1/account/sessions/")
CLOSED = ("/api/", "/django-admin/")


class NeedsSecondFactor(NotAllowed):
    """Turn on a second factor first."""

    code = "second_factor_required"


def must_turn_on(request: HttpRequest, user: object) -> bool:
    """Whether the person of this session has to turn it on. Who has one, has passed it: no query for them."""
    return isinstance(user, User) and not request.session.get(VERIFIED) and must_have_one(user)


class SecondFactorMiddleware:
    """Stands before all views of the API and of Django's admin pages, so that none can forget it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        path = request.path_info
        if path.startswith(CLOSED) and not path.startswith(OPEN) and must_turn_on(request, request.user):
            from annotations.api.errors import body_of  # it loads views, whose settings name this module

            body = body_of(NeedsSecondFactor.code, translation.gettext(TURN_ON_FIRST))
            return JsonResponse(body, status=NeedsSecondFactor.status)
        return self.get_response(request)


SHAPE = re.compile(rb"hlv_[0-9a-f]{64}")
REFUSED = gettext_noop("This API token is not valid: it is unknown, has expired or was revoked.")


READING = {"GET", "HEAD", "OPTIONS"}


class BeyondScope(NotAllowed):
    """The token's scope does not cover this."""


class TokenAuthentication(KnoxTokenAuthentication):  # type: ignore[misc]  # the library has no types
    """A token gives access to whatever its owner's login does. Refusals have the same wording, whatever the cause."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        if not get_authorization_header(request):
            return None
        try:
            pair: tuple[User, ApiToken] | None = super().authenticate(request)
        except AuthenticationFailed:
            count(limits.of_tokens(client_address(request._request)))
            raise AuthenticationFailed(REFUSED) from None
        if pair is not None:
            if is_another(request._request, pair[0]):
                raise OtherUser(OTHER_USER)
            _refuse_beyond_scope(request, pair[1])
        return pair

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
        return auth_token.state() != TokenState.WORKS


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

    target_class = "annotations.api.people.authentication.TokenAuthentication"
    name = "apiToken"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        # "Bearer" is a scheme's name, not a password.
        return dict(build_bearer_security_scheme_object(header_name="Authorization", token_prefix="Bearer"))  # noqa: S106
