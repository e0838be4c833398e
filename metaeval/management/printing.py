"""A result's table for the terminal, as the field prints it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import groupby

from metaeval.analyses.base.printing import PrintedColumn, naming_columns, printed_cell, printed_columns
from metaeval.analyses.base.table import NOTES, Table
from metaeval.documents.report.tables import with_footnotes

GAP = 2
"""Spaces between two columns."""


def table_lines(table: Table, *, width: int = 200) -> list[str]:
    """The table in aligned columns, the remarks of its rows below it as footnotes, each once, and then its own notes.

    An interval is one column, and so is a mean with its deviation. If the table does not fit into `width` characters,
    it becomes several, one below the other, with as many columns as fit in each; those of a group stay together.
    """
    details = {column.key for column in table.columns if column.detail}
    marked, footnotes = with_footnotes(table)
    columns = [column for column in printed_columns(marked) if column.key != NOTES and column.key not in details]
    heads = _heads(columns)
    cells = {
        column.keys: [heads[column.keys], *(printed_cell(row, column) for row in marked.rows)] for column in columns
    }
    widths = {keys: max(map(len, column)) for keys, column in cells.items()}
    blocks = [
        _aligned(list(zip(*(cells[one.keys] for one in block), strict=True)))
        for block in _blocks(columns, widths, width)
    ]
    lines = [line for block in blocks for line in [*block, ""]][:-1]
    return [*lines, *footnotes, *table.notes]


def _blocks(
    columns: Sequence[PrintedColumn], widths: dict[tuple[str, ...], int], width: int
) -> list[list[PrintedColumn]]:
    """The columns, if they fit; otherwise as many groups as fit side by side, each time after those without a group.

    Without any group, columns stand side by side as they fit, each time after those that name the rows.
    """

    def room(chosen: Sequence[PrintedColumn]) -> int:
        return sum(widths[one.keys] for one in chosen) + GAP * (len(chosen) - 1)

    if room(columns) <= width:
        return [list(columns)]
    grouped = [column for column in columns if column.group]
    common = [column for column in columns if not column.group] if grouped else naming_columns(columns)
    units = [list(members) for _, members in groupby(grouped, key=lambda column: column.group)]
    blocks = [common]
    for unit in units or [[column] for column in columns if column not in common]:
        if len(blocks[-1]) > len(common) and room([*blocks[-1], *unit]) > width:
            blocks.append(common)
        blocks[-1] = [*blocks[-1], *unit]
    return blocks


def _heads(columns: Sequence[PrintedColumn]) -> dict[tuple[str, ...], str]:
    """The heading of each column, with its group if several columns have the same title.

    Of several means with their deviations, each has what it is a mean of above it: `PO-JSD ± SD`.
    """
    times = Counter(column.title for column in columns)
    titles = {column.keys: "± SD" if column.group and column.spread else column.title for column in columns}
    return {
        column.keys: " ".join(part for part in (column.group, titles[column.keys]) if part)
        if times[column.title] > 1
        else column.title
        for column in columns
    }


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """The first column left-aligned, numbers right-aligned, a rule under the heading."""
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    lines = [
        (" " * GAP)
        .join(cell.rjust(width) if place else cell.ljust(width) for place, (cell, width) in enumerate(cells))
        .rstrip()
        for cells in (list(zip(row, widths, strict=True)) for row in rows)
    ]
    return [lines[0], "─" * sum([*widths, GAP * (len(widths) - 1)]), *lines[1:]]
