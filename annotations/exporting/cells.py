"""The cells of a tidy table as text, a column at a time: the kind is looked up once, a repeated value written once."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterable, Sequence
from datetime import datetime
from typing import Any

from annotations.exporting.moments import in_iso
from annotations.exporting.spreadsheets import neutralise, quoted

to_json = json.JSONEncoder(ensure_ascii=False).encode
"""The same as `json.dumps(..., ensure_ascii=False)`, which makes an encoder for every call."""
IN_CSV = {True: "true", False: "false", None: ""}
IN_JSON = {True: "true", False: "false", None: "null"}


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
    said = {value: write(value) for value in dict.fromkeys(values)}
    return map(said.__getitem__, values)
