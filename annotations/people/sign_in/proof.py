"""When a person last proved who they are in a session, by the server's clock.

What gives lasting power (a token, a passkey, a password, a link that lets somebody in) takes a proof that is at most
five minutes old, so that a stolen session, or a page left open, gives none.
"""

import time
from datetime import timedelta

from django.contrib.sessions.backends.base import SessionBase
from django.utils.translation import gettext as _

from annotations.ground.errors import NotAllowed

PROVEN_AT = "_proven_at"
FRESH_FOR = timedelta(minutes=5)


class SignInAgain(NotAllowed):
    """The person has to prove who they are once more (`session/again/`), and can then repeat the request."""


def note(session: SessionBase, *, at: float | None = None) -> None:
    """The person has proved who they are: now, or when somebody says that they did."""
    session[PROVEN_AT] = int(time.time() if at is None else min(at, time.time()))


def forget(session: SessionBase) -> None:
    """Nobody says when the person proved it."""
    session.pop(PROVEN_AT, None)


def renew(session: SessionBase, *, at: float | None = None) -> None:
    """The same in a session that goes on: it gets a new key, so that a stolen copy of it is worth nothing."""
    note(session, at=at)
    session.cycle_key()


def is_fresh(session: SessionBase) -> bool:
    """Whether the last proof is recent. Sessions that began before proofs were noted have none."""
    return time.time() - int(session.get(PROVEN_AT, 0)) <= FRESH_FOR.total_seconds()


def require(session: SessionBase) -> None:
    """Raises SignInAgain."""
    if not is_fresh(session):
        raise SignInAgain(_("Please confirm first that it is you."))
