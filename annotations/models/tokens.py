"""Tokens with which a person's scripts use the API: the library's hashing in a table of our own."""

import uuid
from datetime import datetime
from typing import TYPE_CHECKING

from django.db import models
from django.db.models import F, Q
from knox.models import AbstractAuthToken, AuthTokenManager

if TYPE_CHECKING:
    from annotations.models.people import User


class TokenState(models.TextChoices):
    """A token's state at a given moment. It follows from two times and is not stored."""

    WORKS = "works", "works"
    EXPIRED = "expired", "expired"
    REVOKED = "revoked", "revoked"


class TokenScope(models.TextChoices):
    """What a token may write; it may read whatever its owner may. No scope covers what needs a login."""

    ALL = "all", "whatever its person may"
    READ = "read", "nothing: it only reads"
    MEMBERS = "members", "who takes part in studies"
    ASSIGNMENTS = "assignments", "who answers what"


class ApiTokenQuerySet(models.QuerySet["ApiToken"]):
    def visible_to(self, user: "User") -> "ApiTokenQuerySet":
        """The user's own tokens only: not even operators need to know others'."""
        return self.filter(user=user)

    def working(self, now: datetime) -> "ApiTokenQuerySet":
        return self.filter(revoked_at=None, expiry__gt=now)


class ApiTokenManager(AuthTokenManager.from_queryset(ApiTokenQuerySet)):  # type: ignore[misc]  # untyped library
    """Makes tokens as the library does."""


class ApiToken(AbstractAuthToken):  # type: ignore[misc]  # untyped library
    """A person's named token. Only its SHA-512 is stored: the token itself is shown once.

    It has 256 random bits, so it needs no salt or slow hash. It gives access to whatever the person's login does,
    writes no more than its scope allows, and expires. `digest`, `token_key`, `created` and `expiry` are the library's.
    """

    user = models.ForeignKey("annotations.User", on_delete=models.CASCADE, related_name="+")
    number = models.UUIDField(unique=True, default=uuid.uuid4, editable=False, help_text="What pages and logs call it.")
    name = models.CharField(max_length=100, help_text="What it is for, in the person's words.")
    scope = models.CharField(
        max_length=11,
        choices=TokenScope.choices,
        default=TokenScope.ALL,
        db_default=TokenScope.ALL,
        help_text="What it may write.",
    )
    last_used_at = models.DateTimeField(null=True, blank=True, help_text="Accurate to the minute.")
    revoked_at = models.DateTimeField(null=True, blank=True)

    objects = ApiTokenManager()

    class Meta:
        ordering = ["-created", "number"]
        constraints = [
            models.CheckConstraint(condition=~Q(name=""), name="api_token_has_name"),
            models.CheckConstraint(condition=Q(scope__in=TokenScope.values), name="api_token_scope_known"),
            models.CheckConstraint(condition=Q(expiry__isnull=False, expiry__gt=F("created")), name="api_token_ends"),
        ]

    def __str__(self) -> str:
        # The library's version would print the digest.
        return f"API token {self.number}"

    def state(self, now: datetime) -> TokenState:
        if self.revoked_at is not None:
            return TokenState.REVOKED
        return TokenState.EXPIRED if self.expiry <= now else TokenState.WORKS
