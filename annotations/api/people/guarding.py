"""Guessing passwords, links and tokens: who has to wait, and which devices are known.

Every `authenticate` counts the attempt first (annotations/people/access/limits.py); a middleware turns a refusal into
the answer, whatever the view made of it.
"""

import secrets
from typing import Any

from django.conf import settings
from django.contrib.auth.backends import BaseBackend, ModelBackend
from django.contrib.auth.signals import user_logged_in, user_logged_out, user_login_failed
from django.core import signing
from django.core.exceptions import PermissionDenied
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from annotations.ground.errors import HLVError
from annotations.history import events, security_log
from annotations.models import EventKind, User
from annotations.people.access import limits
from annotations.shown.plurals import filled
from annotations.storing.mail_addresses import normalised
from annotations.storing.origins import client_address

COOKIE = "hlv_device"
SALT = "annotations.api.people.guarding.device"
BACKEND = "annotations.api.people.guarding.PasswordBackend"
MOST_PEOPLE = 8
"""How many people's device one browser may be."""
KNOWN_SECONDS = 366 * 24 * 3600


class TooManyAttempts(HLVError):
    """Somebody has to wait; `data["seconds"]` says how long."""

    code = "locked_out"
    status = 429


def please_wait(seconds: int) -> str:
    """The sentence for whoever has to wait."""
    minutes = max(1, -(-seconds // 60))
    return filled(
        _(
            "Too many failed attempts. Please wait {minutes, plural, one {# minute} other {# minutes}} and try again. "
            "Where you have signed in before, you may still be able to."
        ),
        minutes=minutes,
    )


def lockout_response(seconds: int) -> JsonResponse:
    """The answer to whoever has to wait."""
    from annotations.api.errors import body_of  # it loads views

    body = body_of(TooManyAttempts.code, please_wait(seconds), {"seconds": seconds})
    return JsonResponse(body, status=TooManyAttempts.status, headers={"Retry-After": str(seconds)})


def or_wait(act: Any, **given: Any) -> Any:
    """Do it. Raises TooManyAttempts in place of MustWait."""
    try:
        return act(**given)
    except limits.MustWait as error:
        raise TooManyAttempts(please_wait(error.seconds), seconds=error.seconds) from error


# -- passwords


def known_device(request: HttpRequest, address: str) -> str:
    """The number of this browser, if this account has been signed in to with it; otherwise empty."""
    return _devices(request).get(_tag(address), "")


def counted_for(request: HttpRequest, address: str) -> tuple[list[limits.Limit], bool]:
    """What an attempt on an account counts against, and whether its device is known.

    A known device that has failed too often itself is treated as an unknown one.
    """
    number = known_device(request, address)
    if number and not limits.seconds_to_wait([limits.of_device(number)]):
        return [limits.of_device(number)], True
    return [limits.of_account(address), limits.of_network(client_address(request)), limits.of_all()], False


def _address(credentials: dict[str, Any]) -> str:
    return normalised(str(credentials.get("username") or credentials.get("email") or ""))


class PasswordBackend(BaseBackend):
    """Counts an attempt, then looks at the password, and takes the attempt back if the password is right.

    Whoever has to wait, types a wrong password, or cannot be counted because there is no request is refused, and no
    other backend looks at the password.
    """

    def authenticate(self, request: HttpRequest | None, **credentials: Any) -> User | None:
        if request is None:
            raise PermissionDenied
        limits_of_attempt, _known = counted_for(request, _address(credentials))
        seconds = limits.take(limits_of_attempt)
        request.must_wait = seconds  # type: ignore[attr-defined]  # for the middleware below
        user = None if seconds else ModelBackend().authenticate(request, **credentials)
        if user is None:
            raise PermissionDenied
        forgive(request, user)
        return user

    def get_user(self, user_id: int) -> User | None:
        return ModelBackend().get_user(user_id)


@receiver(user_login_failed)
def note_failed_sign_in(
    sender: Any, credentials: dict[str, Any], request: HttpRequest | None = None, **_more: Any
) -> None:
    """Record an attempt that was counted. Whoever has to wait leaves nothing more."""
    if request is None or getattr(request, "must_wait", False):
        return
    address = _address(credentials)
    user = User.objects.filter(address=address).first()
    counted, is_known = counted_for(request, address)
    person: dict[str, Any] = {"person": user.pk} if user else {}
    events.record(EventKind.SIGN_IN_FAILED, known_device=is_known, **person)
    if user is None:
        security_log.note("no_such_account", typed=address)
    if limits.seconds_to_wait(counted):
        events.record(EventKind.LOCKED_OUT, known_device=is_known, **person)


def forgive(request: HttpRequest, user: User) -> None:
    """The password was right."""
    counted, is_known = counted_for(request, user.address)
    if is_known:
        limits.forgive(wholly=counted)
    else:
        limits.forgive(wholly=counted[:1], once=counted[1:])


# -- links and tokens


def count(counted: limits.Limit) -> None:
    """Count a link or a token that does not exist, or setting out to the provider. Raises TooManyAttempts.

    Links and tokens that do exist are never refused: 256 bits cannot be guessed, and strangers must not shut out people
    who were invited.
    """
    if seconds := limits.take([counted]):
        raise TooManyAttempts(please_wait(seconds), seconds=seconds)


# -- known devices: a signed cookie that names accounts by an HMAC and gives the browser a number for each


def _tag(address: str) -> str:
    return salted_hmac(SALT, address, algorithm="sha256").hexdigest()[:24]


def _devices(request: HttpRequest) -> dict[str, str]:
    cookie = request.COOKIES.get(COOKIE, "")
    if not cookie or len(cookie) > 3000:
        return {}
    try:
        devices = signing.loads(cookie, salt=SALT, max_age=KNOWN_SECONDS)
    except (signing.BadSignature, ValueError):
        return {}
    return {str(tag): str(number) for tag, number in devices.items()} if isinstance(devices, dict) else {}


@receiver(user_logged_in)
def know_device(sender: Any, request: HttpRequest | None, user: User, **_more: Any) -> None:
    """Whoever got in, by whatever way, has a known device from now on."""
    if request is not None and hasattr(request, "origin"):  # not a login that a test or a command makes up
        is_known = bool(known_device(request, user.address))
        events.record(EventKind.SIGNED_IN, actor=user, person=user.pk, known_device=is_known)
        request.known_from_now = user.address  # type: ignore[attr-defined]  # for the middleware below


@receiver(user_logged_out)
def note_sign_out(sender: Any, request: HttpRequest | None, user: User | None, **_more: Any) -> None:
    """Whoever signed out."""
    if user is not None and hasattr(request, "origin"):
        events.record(EventKind.SIGNED_OUT, actor=user, person=user.pk)


class GuardingMiddleware:
    """Answers whoever has to wait, and gives a browser its number, anew with every sign-in."""

    def __init__(self, get_response: Any) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response: HttpResponse = self.get_response(request)
        if seconds := getattr(request, "must_wait", 0):
            return lockout_response(seconds)
        address = getattr(request, "known_from_now", None)
        if address is not None:
            devices = {_tag(address): secrets.token_urlsafe(12)} | {
                tag: number for tag, number in _devices(request).items() if tag != _tag(address)
            }
            response.set_cookie(
                COOKIE,
                signing.dumps(dict(list(devices.items())[:MOST_PEOPLE]), salt=SALT),
                max_age=KNOWN_SECONDS,
                secure=settings.SESSION_COOKIE_SECURE,
                httponly=True,
                samesite="Lax",
            )
        return response
