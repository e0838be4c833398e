"""A result's table for the terminal, as the field prints it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from metaeval.analyses.base.printed import cell_text
from metaeval.analyses.base.table import NOTES, Column, Table


def table_lines(table: Table, *, width: int = 200) -> list[str]:
    """The table in aligned columns, the remarks of its rows below it as footnotes, each once, and then its own notes.

    If it does not fit into `width` characters, each group of columns becomes a separate table, one below the other.
    """
    columns = [column for column in table.columns if column.key != NOTES and not column.detail]
    common = [column for column in columns if not column.group]
    groups = list(dict.fromkeys(column.group for column in columns if column.group))
    remarks = [str(row.get(NOTES) or "") for row in table.rows]
    heads = _heads(columns)
    numbers = {note: n for n, note in enumerate(dict.fromkeys(filter(None, remarks)), start=1)}
    marks = {i: f" [{numbers[note]}]" for i, note in enumerate(remarks) if note}

    def lines_of(chosen: list[Column]) -> list[str]:
        body = [
            [
                cell_text(row[column.key], column.kind) + (marks.get(i, "") if place == 0 else "")
                for place, column in enumerate(chosen)
            ]
            for i, row in enumerate(table.rows)
        ]
        return _aligned([[heads[column.key] for column in chosen], *body])

    lines = lines_of(columns)
    if groups and len(lines[1]) > width:
        apart = [lines_of([*common, *(c for c in columns if c.group == group)]) for group in groups]
        lines = [line for block in apart for line in [*block, ""]][:-1]
    return [*lines, *(f"[{n}] {note}" for note, n in numbers.items()), *table.notes]


def _heads(columns: Sequence[Column]) -> dict[str, str]:
    """The heading of each column, with its group if several columns have the same title."""
    times = Counter(column.title for column in columns)
    return {
        column.key: " ".join(part for part in (column.group, column.title) if part)
        if times[column.title] > 1
        else column.title
        for column in columns
    }


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """The first column left-aligned, numbers right-aligned, a rule under the heading."""
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    lines = [
        "  ".join(
            cell.rjust(width) if place else cell.ljust(width) for place, (cell, width) in enumerate(cells)
        ).rstrip()
        for cells in (list(zip(row, widths, strict=True)) for row in rows)
    ]
    return [lines[0], "─" * sum([*widths, 2 * (len(widths) - 1)]), *lines[1:]]
