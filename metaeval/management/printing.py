"""A result's table for the terminal, as the field prints it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def table_lines(table: dict[str, Any]) -> list[str]:
    """The table in aligned columns; long notes go below it as footnotes."""
    columns = [column for column in table["columns"] if column["key"] != "notes" and not column["detail"]]
    notes = [row.get("notes", "") for row in table["rows"]]
    marks = {i: f" [{n}]" for n, i in enumerate([i for i, note in enumerate(notes) if note], start=1)}
    body = [
        [_cell(row[column["key"]]) + (marks.get(i, "") if place == 0 else "") for place, column in enumerate(columns)]
        for i, row in enumerate(table["rows"])
    ]
    lines = _aligned([[column["title"] for column in columns], *body])
    return [*lines, *(f"{mark.strip()} {notes[i]}" for i, mark in marks.items())]


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Texts of the first column to the left, numbers to the right, a rule under the head."""
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    lines = [
        "  ".join(
            cell.rjust(width) if place else cell.ljust(width) for place, (cell, width) in enumerate(cells)
        ).rstrip()
        for cells in (list(zip(row, widths, strict=True)) for row in rows)
    ]
    return [lines[0], "─" * sum([*widths, 2 * (len(widths) - 1)]), *lines[1:]]


def _cell(value: Any) -> str:
    """A cell as papers print it. What is undefined is a dash, and a p-value is never printed as 0.

    >>> _cell(0.69212), _cell(0.00001), _cell(None), _cell(26)
    ('0.692', '<0.001', '–', '26')
    """
    if value is None:
        return "–"
    if isinstance(value, float):
        return "<0.001" if 0 < value < 0.0005 else f"{value:.3f}"
    return str(value)
