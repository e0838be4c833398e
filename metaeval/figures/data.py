"""The data of a figure as rows: the data of its marks that have a tooltip."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from annotations.exporting.spreadsheets import csv_lines

PANEL = "panel"
PANELS = ("vconcat", "hconcat", "concat")
Spec = Mapping[str, Any]


def as_csv(spec: Spec) -> str:
    """The rows of all marks that have a tooltip, under the names of its fields; if there are none, of all marks.

    With several panels, the first column names the panel. Undefined values are empty, and no text can run as a formula
    in a spreadsheet.
    """
    marks = [(panel, mark) for panel, mark in _marks(spec, "") if _values(mark, spec)]
    pointed = [(panel, mark) for panel, mark in marks if "tooltip" in mark.get("encoding", {})]
    rows: dict[tuple[tuple[str, object], ...], None] = {}
    for panel, mark in pointed or marks:
        fields = _fields(mark)
        for row in _values(mark, spec):
            kept = {key: _plain(value) for key, value in row.items() if not fields or key in fields}
            rows[tuple({PANEL: panel, **kept}.items())] = None
    columns = list(dict.fromkeys(key for row in rows for key, _ in row))
    if len({dict(row)[PANEL] for row in rows}) < 2:
        columns = [column for column in columns if column != PANEL]
    return "".join(csv_lines(columns, ([dict(row).get(column) for column in columns] for row in rows)))


def _marks(view: Spec, panel: str) -> Iterator[tuple[str, Spec]]:
    """Every view with a mark, and the name of its panel; data and encodings are inherited."""
    for kind in PANELS:
        for place, inner in enumerate(view.get(kind, []), start=1):
            yield from _marks(inner, " / ".join(filter(None, (panel, _name(inner, place)))))
    for layer in view.get("layer", []):
        down = {key: view[key] for key in ("data", "encoding") if key in view}
        yield from _marks({**down, **layer}, panel)
    if "mark" in view:
        yield panel, view


def _name(view: Spec, place: int) -> str:
    """A panel's title, else that of its axis, else its position."""
    title = view.get("title")
    text = title.get("text") if isinstance(title, dict) else title
    return _joined(text) or _axis_title(view) or str(place)


def _axis_title(view: Spec) -> str:
    """The title of the x-axis."""
    own = view.get("encoding", {}).get("x", {}).get("title")
    return _joined(own) or next(filter(None, map(_axis_title, view.get("layer", []))), "")


def _joined(text: object) -> str:
    return " ".join(map(str, text)) if isinstance(text, list) else str(text or "")


def _fields(mark: Spec) -> set[str]:
    tips = mark.get("encoding", {}).get("tooltip", [])
    tips = tips if isinstance(tips, list) else [tips]
    return {str(tip["field"]) for tip in tips if "field" in tip}


def _values(mark: Spec, spec: Spec) -> Sequence[Mapping[str, object]]:
    data = mark.get("data") or spec.get("data") or {}
    found = data.get("values") or spec.get("datasets", {}).get(data.get("name", ""), [])
    return [row for row in found if isinstance(row, dict)] if isinstance(found, list) else []


def _plain(value: object) -> object:
    """The value without zero-width characters, which keep equal names apart, and without line breaks."""
    return value.replace("\u200b", "").replace("\n", " ") if isinstance(value, str) else value
