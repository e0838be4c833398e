"""Times of very many rows: read as the database writes them, because making an object of each takes longer."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from django.db import models
from django.db.models.functions import Cast

IN_SQLITE = len("2026-11-02 12:00:00.123456")
IN_POSTGRESQL = IN_SQLITE + len("+00")
Clock = Callable[[Any], Any]
"""What makes of a time as the database writes it what a row is to have: `moment` or `moment_in_iso`."""


def in_iso(time: datetime) -> str:
    """A time as ISO 8601 in UTC with microseconds."""
    return (time if time.tzinfo is UTC else time.astimezone(UTC)).isoformat("T", "microseconds")


def as_text(field: str) -> Cast:
    """A field as the database writes it: reading very many times or lists of labels value by value is slow."""
    return Cast(field, models.TextField())


def moment(text: Any) -> Any:
    """A time that was read `as_text`. PostgreSQL writes the offset; SQLite does not: it is in UTC.

    >>> moment("2026-11-02 12:00:00.5+00") == moment("2026-11-02 12:00:00.500000")
    True
    """
    if text is None:
        return None
    time = datetime.fromisoformat(text)
    return time.replace(tzinfo=UTC) if time.tzinfo is None else time


def moment_in_iso(text: Any) -> Any:
    """The same as a text (`in_iso`). Most times have all six digits, and need only a few other characters.

    >>> moment_in_iso("2026-11-02 12:00:00.000005+00"), moment_in_iso("2026-11-02 12:00:00")
    ('2026-11-02T12:00:00.000005+00:00', '2026-11-02T12:00:00.000000+00:00')
    """
    if text is None:
        return None
    if (len(text) == IN_POSTGRESQL and text.endswith("+00")) or (len(text) == IN_SQLITE and text[20:].isdigit()):
        return f"{text[:10]}T{text[11:26]}+00:00"
    return in_iso(moment(text))
