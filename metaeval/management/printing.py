"""A result's table for the terminal, as the field prints it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def table_lines(table: dict[str, Any], *, width: int = 200) -> list[str]:
    """The table in aligned columns, notes below it as footnotes.

    Where `width` characters do not hold it, each group of columns becomes a table of its own, one below the other.
    """
    columns = [column for column in table["columns"] if column["key"] != "notes" and not column["detail"]]
    common = [column for column in columns if not column["group"]]
    groups = list(dict.fromkeys(column["group"] for column in columns if column["group"]))
    notes = [row.get("notes", "") for row in table["rows"]]
    marks = {i: f" [{n}]" for n, i in enumerate([i for i, note in enumerate(notes) if note], start=1)}

    def lines_of(chosen: list[dict[str, Any]]) -> list[str]:
        body = [
            [
                _cell(row[column["key"]]) + (marks.get(i, "") if place == 0 else "")
                for place, column in enumerate(chosen)
            ]
            for i, row in enumerate(table["rows"])
        ]
        return _aligned([[column["title"] for column in chosen], *body])

    lines = lines_of(columns)
    if groups and len(lines[1]) > width:
        apart = [lines_of([*common, *(c for c in columns if c["group"] == group)]) for group in groups]
        lines = [line for block in apart for line in [*block, ""]][:-1]
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
