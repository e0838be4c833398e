"""Signed-in browsers: a row for each, which a person can see and end."""

import hashlib
from collections.abc import Iterable
from datetime import timedelta
from importlib import import_module
from typing import Any

from django.conf import settings
from django.contrib.sessions.backends.base import SessionBase
from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import models
from django.utils import timezone

from annotations.models.people import User


def hash_of(key: str) -> str:
    """What is stored of a session's key, so that a copy of the database signs nobody in.

    A key has 165 random bits, so a plain hash cannot be searched for.
    """
    return hashlib.sha256(key.encode()).hexdigest()


def lifetime_of(user: User) -> timedelta:
    """How long a person stays signed in, counted from when they signed in."""
    return timedelta(hours=settings.ADMIN_SESSION_HOURS) if user.is_superuser else timedelta(days=settings.SESSION_DAYS)


class SessionQuerySet(models.QuerySet["Session"]):
    def of(self, user: User) -> "SessionQuerySet":
        """The sessions in which the person is signed in, the newest first."""
        since = timezone.now() - lifetime_of(user)
        return self.filter(user=user, expire_date__gt=timezone.now(), created_at__gt=since).order_by("-created_at")

    def expired(self) -> "SessionQuerySet":
        return self.filter(expire_date__lt=timezone.now())


class Session(AbstractBaseSession):
    """One browser's session; `session_key` is the hash of the key that only the browser has."""

    session_key = models.CharField(max_length=64, primary_key=True, help_text="The SHA-256 of the browser's key.")
    user = models.ForeignKey(User, null=True, on_delete=models.CASCADE, related_name="sessions")
    created_at = models.DateTimeField(default=timezone.now)
    used_at = models.DateTimeField(default=timezone.now, help_text="When it was last used, to about five minutes.")
    device = models.CharField(
        max_length=60, blank=True, help_text="Browser and system in words, such as: Firefox, Linux."
    )

    objects = SessionQuerySet.as_manager()  # type: ignore[misc,assignment]  # the library's manager is not ours

    class Meta:
        indexes = [models.Index(fields=["user", "-created_at"], name="session_of_user")]

    @classmethod
    def get_session_store_class(cls) -> type[SessionBase]:
        store: type[SessionBase] = import_module(settings.SESSION_ENGINE).SessionStore
        return store

    @property
    def is_too_old(self) -> bool:
        """Whether its person has been signed in for longer than they may be, whatever the row says."""
        return self.user is not None and self.created_at + lifetime_of(self.user) < timezone.now()

    def save(self, *args: Any, **options: Any) -> None:
        """A stored session keeps when it began."""
        if options.get("force_update"):
            fields: Iterable[str] = ("session_data", "expire_date", "user", "device")
            options["update_fields"] = list(fields)
        super().save(*args, **options)
