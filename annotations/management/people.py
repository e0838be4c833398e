"""The users named to a command."""

from __future__ import annotations

from django.core.management.base import CommandError

from annotations.models import User


def actor_of(by: str | None) -> User | None:
    """Who does this, if the command was told."""
    return person_of(by) if by else None


def person_of(email: str) -> User:
    """The user with that address."""
    user = User.objects.at(email)
    if user is None:
        raise CommandError(f"Nobody has the address {email}.")
    return user
