"""The security log (logger `hlvstudy.security`): who did what from where, one line for each, never a text or secret.

Accounts are named by their number. An address that somebody typed, and of which there may be no account, is named by
an HMAC, so that attempts on it can be put together without it being written down.
"""

import logging
from typing import Any

from django.conf import settings
from django.utils.crypto import salted_hmac

from annotations.models.events import EventKind
from annotations.storing import origins

logger = logging.getLogger("hlvstudy.security")
EVENTS = {
    EventKind.SIGNED_IN,
    EventKind.SIGNED_OUT,
    EventKind.SESSIONS_ENDED,
    EventKind.SIGN_IN_FAILED,
    EventKind.LOCKED_OUT,
    EventKind.MEMBER_ADDED,
    EventKind.ROLE_CHANGED,
    EventKind.MEMBER_LEFT,
    EventKind.MEMBER_RETURNED,
    EventKind.INVITED,
    EventKind.INVITATION_REVOKED,
    EventKind.INVITATION_ACCEPTED,
    EventKind.ROLES_CHANGED,
    EventKind.PASSWORD_CHANGED,
    EventKind.ACCOUNT_CLOSED,
    EventKind.ACCOUNT_REOPENED,
    EventKind.BREAK_IN,
    EventKind.ACCESS_RENEWED,
    EventKind.SECOND_FACTOR_ON,
    EventKind.SECOND_FACTOR_OFF,
    EventKind.SECOND_STEP_FAILED,
    EventKind.PASSKEY_ADDED,
    EventKind.PASSKEY_REMOVED,
    EventKind.RECOVERY_CODES_MADE,
    EventKind.RECOVERY_CODE_USED,
    EventKind.PROVIDER_CONNECTED,
    EventKind.PROVIDER_DISCONNECTED,
    EventKind.STEPPED_IN,
    EventKind.TOKEN_MADE,
    EventKind.TOKEN_REVOKED,
    EventKind.UNBLINDED_VIEW,
    EventKind.EXPORTED,
    EventKind.DELETED,
}
"""Sign-ins, changes of rights, and whoever took data away: `events.record` notes all of them here, too."""


def note(what: str, *, account: int | None = None, typed: str = "", **more: int | bool | str | None) -> None:
    """Write one line. `typed` is an address for which there may be no account."""
    origin = origins.current.get()
    client = origin.client if origin else ""
    who = f"account {account}" if account is not None else _hidden("typed", typed) if typed else "nobody"
    facts: dict[str, Any] = {"what": what, "who": who, "from": _shown(client)} | {
        name: value for name, value in more.items() if value is not None
    }
    logger.info(" ".join(f"{name}={value}" for name, value in facts.items()), extra={"security": facts})


def _shown(client: str) -> str:
    if not client:
        return "this machine"
    return _hidden("client", client) if settings.LOG_CLIENT_ADDRESSES == "hashed" else client


def _hidden(kind: str, value: str) -> str:
    return "hmac:" + salted_hmac(f"annotations.security_log.{kind}", value, algorithm="sha256").hexdigest()[:24]
