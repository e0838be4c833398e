"""Make and revoke a person's own API tokens, which are shown once and always expire."""

from dataclasses import dataclass
from datetime import timedelta

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from annotations.ground.errors import Conflict, HLVError
from annotations.history import events
from annotations.models import ApiToken, EventKind, TokenScope, User

MAX_DAYS = 366
DEFAULT_DAYS = 90
MOST = 20
"""How many of a person's tokens may be valid at a time; nobody keeps track of more."""
USED_EVERY = timedelta(minutes=1)


class BadToken(HLVError):
    """The name or the number of days is not valid."""

    code = "invalid"


class TooManyTokens(Conflict):
    """The person has too many valid tokens."""


@dataclass(frozen=True, slots=True)
class Made:
    """A token's row, and the token. The secret is not stored anywhere: show it now or never."""

    row: ApiToken
    secret: str


@transaction.atomic
def make(
    *, user: User, name: str, days: int = DEFAULT_DAYS, scope: str = TokenScope.ALL, actor: User | None = None
) -> Made:
    """Make a new token for `user`, valid for so many days. Without an actor it is the operator at the machine's shell.

    Args:
        scope: what it may write, one of `TokenScope`.

    Raises:
        BadToken: no name, or not 1 to 366 days.
        TooManyTokens: 20 of the person's tokens are already valid.
    """
    user = User.objects.select_for_update().get(pk=user.pk)
    name = name.strip()
    if not name or len(name) > 100:
        raise BadToken(
            _("A token needs a name that says what it is for, with no more than 100 characters."), name=["required"]
        )
    if not 1 <= days <= MAX_DAYS:
        raise BadToken(
            _("A token is valid for 1 to {max_days} days.").format(max_days=MAX_DAYS),
            days=[_("from 1 to {max_days}").format(max_days=MAX_DAYS)],
        )
    if ApiToken.objects.visible_to(user).working(timezone.now()).count() >= MOST:
        raise TooManyTokens(
            _("You already have {most} valid tokens. Revoke those you no longer use.").format(most=MOST)
        )
    row, secret = ApiToken.objects.create(user=user, expiry=timedelta(days=days), name=name, scope=scope)
    events.record(EventKind.TOKEN_MADE, actor=actor, token=str(row.number), person=user.pk, days=days, scope=scope)
    return Made(row, secret)


@transaction.atomic
def revoke(*, token: ApiToken, actor: User | None = None) -> ApiToken:
    """Revoke a token. Doing it twice changes nothing."""
    locked: ApiToken = ApiToken.objects.select_for_update().get(pk=token.pk)
    if locked.revoked_at is None:
        _end([locked], actor)
    return locked


@transaction.atomic
def revoke_all(*, user: User, actor: User | None = None) -> int:
    """Revoke all of a person's valid tokens, as when they choose a new password; returns how many."""
    working = list(ApiToken.objects.visible_to(user).select_for_update().working(timezone.now()))
    _end(working, actor)
    return len(working)


def _end(tokens: list[ApiToken], actor: User | None) -> None:
    now = timezone.now()
    for token in tokens:
        token.revoked_at = now
    ApiToken.objects.bulk_update(tokens, ["revoked_at"])
    about: list[tuple[None, dict[str, str | int]]] = [
        (None, {"token": str(token.number), "person": token.user_id}) for token in tokens
    ]
    events.record_each(EventKind.TOKEN_REVOKED, about, actor=actor)


def note_use(token: ApiToken) -> None:
    """Store when the token was last used, with at most one write per minute, however busy its script is."""
    now = timezone.now()
    if token.last_used_at is None or now - token.last_used_at >= USED_EVERY:
        ApiToken.objects.filter(pk=token.pk).update(last_used_at=now)
