"""A table for the template: cells as papers print them, and wide tables in parts that fit on a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from metaeval.analyses.base.printing import PrintedColumn, naming_columns, printed_cell, printed_columns
from metaeval.analyses.base.table import Row, Table

MOST, WIDE = 13, 10
"""Columns that fit on a page; more than `WIDE` only in smaller letters."""
SHORT, NARROW = 24, 60
"""Characters of a name that is kept on one line, and in a row of a table that takes less than half a page's width."""


@dataclass(frozen=True)
class Head:
    """The heading of a column."""

    title: str
    numeric: bool


@dataclass(frozen=True)
class GroupHead:
    """The heading of neighbouring columns of one group."""

    title: str
    span: int


@dataclass(frozen=True)
class PrintedCell:
    """A cell as papers print it; the first of a row is its head."""

    text: str
    numeric: bool
    head: bool

    @property
    def is_short(self) -> bool:
        """Whether it must not be broken at a hyphen."""
        return len(self.text) <= SHORT


@dataclass(frozen=True)
class TablePart:
    """As much of a table as fits on a page."""

    groups: list[GroupHead]
    heads: list[Head]
    rows: list[list[PrintedCell]]

    @property
    def is_wide(self) -> bool:
        return len(self.heads) > WIDE

    @property
    def is_narrow(self) -> bool:
        """Whether two such tables can stand side by side."""
        longest = [max((len(row[at].text) for row in self.rows), default=0) for at in range(len(self.heads))]
        return len(self.heads) <= 3 and sum(longest) <= NARROW


def table_parts(table: Table) -> list[TablePart]:
    """The table, or its parts: each begins with the columns that name the rows."""
    columns = printed_columns(table)
    return [
        TablePart(
            groups=_groups(part),
            heads=[Head(column.title, column.is_numeric) for column in part],
            rows=[_cells(part, row) for row in table.rows],
        )
        for part in _in_parts(columns, naming_columns(columns))
    ]


def _in_parts(columns: Sequence[PrintedColumn], naming: Sequence[PrintedColumn]) -> list[list[PrintedColumn]]:
    """Columns of one group stay together if possible."""
    if len(columns) <= MOST:
        return [list(columns)]
    rest = [column for column in columns if column not in naming]
    units: list[list[PrintedColumn]] = []
    for group, members in groupby(rest, key=lambda column: column.group):
        together = list(members)
        units += [together] if group else [[column] for column in together]
    parts = [list(naming)]
    for unit in units:
        if len(parts[-1]) > len(naming) and len(parts[-1]) + len(unit) > MOST:
            parts.append(list(naming))
        parts[-1] += unit
    return parts


def _groups(columns: Sequence[PrintedColumn]) -> list[GroupHead]:
    """The headings above the columns; none if no column has a group."""
    found = [GroupHead(group, len(list(members))) for group, members in groupby(columns, key=lambda c: c.group)]
    return found if any(group.title for group in found) else []


def _cells(columns: Sequence[PrintedColumn], row: Row) -> list[PrintedCell]:
    return [PrintedCell(printed_cell(row, column), column.is_numeric, head=not at) for at, column in enumerate(columns)]
