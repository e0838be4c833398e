"""Make the tables of a result: plain data for the page, the command and every file format alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

Kind = Literal["", "p", "share"]


def column(key: str, title: str, *, group: str = "", detail: bool = False, kind: Kind = "") -> dict[str, Any]:
    """A column; see `metaeval.analyses.base.result.Column`."""
    return {"key": key, "title": title, "group": group, "detail": detail, "kind": kind}


def table(
    name: str,
    title: str,
    columns: Sequence[dict[str, Any]],
    rows: Iterable[Mapping[str, Any]],
    *,
    notes: Sequence[str] = (),
) -> dict[str, Any]:
    """A named table. Of the rows the cells of the columns are taken, and a missing one is undefined (null).

    >>> table("ranks", "Ranks", [column("system", "System")], [{"system": "A", "other": 1}])["rows"]
    [{'system': 'A'}]
    """
    keys = [entry["key"] for entry in columns]
    return {
        "name": name,
        "title": title,
        "columns": list(columns),
        "rows": [{key: row.get(key) for key in keys} for row in rows],
        "notes": list(notes),
    }
