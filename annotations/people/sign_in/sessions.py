"""Sessions in a table of our own (SESSION_ENGINE): one query finds the session and its user; keys are stored hashed.

Nothing is cached, so whoever ends a session, closes an account or changes a password is obeyed by every process from
the next request on.
"""

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.auth.signals import user_logged_in
from django.contrib.sessions.backends import db
from django.contrib.sessions.backends.base import SessionBase
from django.db import transaction
from django.db.models import QuerySet
from django.dispatch import receiver
from django.http import HttpRequest
from django.utils import timezone

from annotations.ground.errors import NotFound
from annotations.history import events
from annotations.models import EventKind, Session, User
from annotations.models.people import hash_of, lifetime_of
from annotations.people.access import roles, tokens
from annotations.people.sign_in.second_factor import WORKS, with_duties

DEVICE = "_device"
TOUCH_AFTER = timedelta(minutes=5)
"""How far `used_at` may lag behind, so that ordinary requests write nothing."""

# The first that a browser's own name for itself contains; most contain those below as well.
BROWSERS = {
    "Edg": "Edge",
    "OPR/": "Opera",
    "SamsungBrowser": "Samsung Internet",
    "Firefox": "Firefox",
    "FxiOS": "Firefox",
    "CriOS": "Chrome",
    "Chrom": "Chrome",
    "Safari": "Safari",
}
SYSTEMS = {
    "Android": "Android",
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Windows": "Windows",
    "Macintosh": "Mac",
    "CrOS": "ChromeOS",
    "Linux": "Linux",
}


class SessionStore(db.SessionStore):
    """Django's sessions in the database, with the hash of the key, and with the user in the same query."""

    row: Session | None = None
    """As it was loaded, with its user."""

    @classmethod
    def get_model_class(cls) -> type[Session]:
        return Session

    def _get_session_from_db(self) -> Session | None:
        key = hash_of(self.session_key or "")
        sessions: QuerySet[Session] = Session.objects.select_related("user").filter(
            session_key=key, expire_date__gt=timezone.now()
        )
        if settings.REQUIRE_SECOND_FACTOR == "researchers":
            sessions = with_duties(sessions)
        self.row = sessions.first()
        if self.row is None:
            self._session_key = None
        elif self.row.user is not None:
            setattr(self.row.user, WORKS, getattr(self.row, WORKS, None))
        return self.row

    def exists(self, session_key: str) -> bool:
        return Session.objects.filter(session_key=hash_of(session_key)).exists()

    def create_model_instance(self, data: dict[str, Any]) -> Session:
        return Session(
            session_key=hash_of(self._get_or_create_session_key()),  # type: ignore[attr-defined]  # not in the stubs
            session_data=self.encode(data),
            expire_date=self.get_expiry_date(),
            user_id=data.get(SESSION_KEY),
            device=data.get(DEVICE, ""),
        )

    def delete(self, session_key: str | None = None) -> None:
        key = session_key or self.session_key
        if key is not None:
            Session.objects.filter(session_key=hash_of(key)).delete()

    def flush(self) -> None:
        self.row = None
        super().flush()

    def cycle_key(self) -> None:
        super().cycle_key()
        self.row = None


@receiver(user_logged_in)
def begin(sender: type[User], request: HttpRequest, user: User, **_: Any) -> None:
    """A session that begins has an end, whatever happens until then, and knows which browser it belongs to."""
    request.session.set_expiry(timezone.now() + lifetime_of(user))
    request.session[DEVICE] = device_of(request.META.get("HTTP_USER_AGENT", ""))


def device_of(user_agent: str) -> str:
    """A browser and a system in words, from what the browser calls itself.

    >>> device_of("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0")
    'Firefox, Linux'
    >>> device_of("curl/8.5.0")
    ''
    """
    parts = [next((name for mark, name in names.items() if mark in user_agent), "") for names in (BROWSERS, SYSTEMS)]
    return ", ".join(filter(None, parts))


def touch(session: Session) -> None:
    """Note that it is in use, at most every few minutes."""
    now = timezone.now()
    if now - session.used_at > TOUCH_AFTER:
        Session.objects.filter(pk=session.pk).update(used_at=now)


@transaction.atomic
def take(session: SessionBase, name: str) -> Any:
    """What a session holds under a name, for one request only: of two at the same time, the other finds nothing."""
    row = Session.objects.select_for_update().filter(pk=hash_of(session.session_key or "")).first()
    held = session.decode(row.session_data) if row else {}
    value = held.pop(name, None)
    if row is not None and value is not None:
        row.session_data = session.encode(held)
        row.save(update_fields=["session_data"])
    session.pop(name, None)
    return value


@transaction.atomic
def end_session(*, user: User, pk: str, actor: User) -> None:
    """Sign one of the person's browsers out, from its next request on. Raises NotFound."""
    if not _ended(user, Session.objects.filter(pk=pk), actor):
        raise NotFound


@transaction.atomic
def end_others(*, user: User, key: str | None, end_tokens: bool = True) -> int:
    """Sign the person out everywhere except in the session with this key; returns how many sessions ended.

    Unless told otherwise it revokes the person's API tokens, too.
    """
    others = Session.objects.exclude(pk=hash_of(key)) if key else Session.objects.all()
    if end_tokens:
        tokens.revoke_all(user=user, actor=user)
    return _ended(user, others, user)


@transaction.atomic
def end_all(*, user: User, actor: User, end_tokens: bool = True) -> int:
    """Sign somebody out everywhere and revoke their API tokens; returns how many sessions ended."""
    if end_tokens:
        tokens.revoke_all(user=user, actor=actor)
    ended = _ended(user, Session.objects.all(), actor)
    roles.end_sessions(user=user)  # also what this server does not know as a session of theirs
    return ended


def _ended(user: User, which: "QuerySet[Session]", actor: User) -> int:
    """End those of the person, and say so in the event log. Sessions that had ended by themselves are not counted."""
    ended, _ = which.filter(user=user, expire_date__gt=timezone.now()).delete()
    if ended:
        themselves = actor == user
        events.record(EventKind.SESSIONS_ENDED, actor=actor, person=user.pk, browsers=ended, themselves=themselves)
    return ended
