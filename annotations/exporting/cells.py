"""The cells of a tidy table as text, a column at a time: the kind is looked up once, a repeated value written once.

Times of very many rows are read as the database writes them, because making an object of each takes longer.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from django.db import models
from django.db.models.functions import Cast

from annotations.exporting.spreadsheets import neutralise, quoted

to_json = json.JSONEncoder(ensure_ascii=False).encode
"""The same as `json.dumps(..., ensure_ascii=False)`, which makes an encoder for every call."""
IN_CSV = {True: "true", False: "false", None: ""}
IN_SQLITE = len("2026-11-02 12:00:00.123456")
IN_POSTGRESQL = IN_SQLITE + len("+00")
IN_JSON = {True: "true", False: "false", None: "null"}
Clock = Callable[[Any], Any]
"""What makes of a time as the database writes it what a row is to have: `moment` or `moment_in_iso`."""


def in_iso(time: datetime, timespec: str = "microseconds") -> str:
    """A time as ISO 8601 in UTC with microseconds."""
    return (time if time.tzinfo is UTC else time.astimezone(UTC)).isoformat("T", timespec)


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


def plain(value: Any) -> Any:
    """A value as plain JSON: times as ISO 8601 in UTC with microseconds.

    >>> plain(datetime.fromisoformat("2026-11-02T00:00Z")), plain(("a", "b"))
    ('2026-11-02T00:00:00.000000+00:00', ['a', 'b'])
    """
    if isinstance(value, datetime):
        return in_iso(value)
    return list(value) if isinstance(value, tuple) else value


def csv_cells(kind: str, values: Sequence[Any]) -> Iterable[Any]:
    """Cells to be put between commas as they are. Texts are neutralised, and quoted where they must be.

    >>> list(csv_cells("boolean", [True, None])), list(csv_cells("text", ["=1", None, "a, b"]))
    (['true', ''], ["'=1", '', '"a, b"'])
    """
    if kind == "boolean":
        return map(IN_CSV.__getitem__, values)
    if kind in {"text", "texts"}:
        return _each_once(values, _csv_text)
    if kind == "time":
        values = _moments(values)
    return ["" if value is None else value for value in values]


def _csv_text(value: Any) -> str:
    if value is None:
        return ""
    return quoted(neutralise(to_json(list(value)) if isinstance(value, tuple) else str(value)))


def json_cells(kind: str, values: Sequence[Any]) -> Iterable[Any]:
    """Cells to be put into a line of JSON as they are.

    >>> list(json_cells("boolean", [True, None])), list(json_cells("texts", [("a", "b")]))
    (['true', 'null'], ['["a", "b"]'])
    """
    if kind == "boolean":
        return map(IN_JSON.__getitem__, values)
    if kind in {"text", "texts"}:
        return _each_once(values, lambda value: to_json(plain(value)))
    if kind == "time":
        return ["null" if text is None else f'"{text}"' for text in _moments(values)]
    return ["null" if value is None else value for value in values]


def _moments(times: Sequence[datetime | str | None]) -> list[str | None]:
    return [time if time is None or isinstance(time, str) else in_iso(time) for time in times]


def _each_once(values: Sequence[Hashable], write: Callable[[Any], Any]) -> Iterable[Any]:
    texts = {value: write(value) for value in dict.fromkeys(values)}
    return map(texts.__getitem__, values)
