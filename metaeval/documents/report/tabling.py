"""A result's table for the template: cells as papers print them, and wide tables in parts that fit a page."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from itertools import groupby

from metaeval.analyses.base.printed import cell_text
from metaeval.analyses.base.table import NOTES, Column, Row, Table

MOST = 10
"""Columns that fit on a page."""


@dataclass(frozen=True)
class Head:
    """What stands over a column."""

    title: str
    numeric: bool


@dataclass(frozen=True)
class GroupHead:
    """What stands over neighbouring columns of one group."""

    title: str
    span: int


@dataclass(frozen=True)
class PrintedCell:
    """A cell as papers print it; the first of a row is its head."""

    text: str
    numeric: bool
    head: bool


@dataclass(frozen=True)
class TablePart:
    """As much of a table as fits a page."""

    title: str
    notes: list[str]
    groups: list[GroupHead]
    heads: list[Head]
    rows: list[list[PrintedCell]]


def table_parts(table: Table) -> list[TablePart]:
    """The table, or its parts: each begins with the columns that name the rows; the notes are below the last one."""
    columns = [column for column in table.columns if not _is_blank(table, column.key)]
    numeric = {column.key for column in columns if _is_numeric(table, column.key)}
    parts = _in_parts(columns, [column for column in columns if _names_rows(table, column)])
    return [
        TablePart(
            title=table.title if not place else f"{table.title} (continued)",
            notes=table.notes if place == len(parts) - 1 else [],
            groups=_groups(part),
            heads=[Head(column.title, column.key in numeric) for column in part],
            rows=[_cells(part, row, numeric) for row in table.rows],
        )
        for place, part in enumerate(parts)
    ]


def _in_parts(columns: list[Column], naming: list[Column]) -> list[list[Column]]:
    """Columns of one group stay together where they can.

    >>> few = [Column(key=f"c{n}", title="") for n in range(15)]
    >>> [[column.key for column in part] for part in _in_parts(few, few[:1])][1]
    ['c0', 'c10', 'c11', 'c12', 'c13', 'c14']
    """
    if len(columns) <= MOST:
        return [columns]
    named = [column.key for column in naming]
    rest = [column for column in columns if column.key not in named]
    units: list[list[Column]] = []
    for group, members in groupby(rest, key=lambda column: column.group):
        together = list(members)
        units += [together] if group else [[column] for column in together]
    parts = [list(naming)]
    for unit in units:
        if len(parts[-1]) > len(naming) and len(parts[-1]) + len(unit) > MOST:
            parts.append(list(naming))
        parts[-1] += unit
    return parts


def _names_rows(table: Table, column: Column) -> bool:
    """The first columns, as far as they hold words."""
    for known in table.columns:
        if _is_numeric(table, known.key) or known.group or known.key == NOTES:
            return False
        if known is column:
            return True
    return False


def _is_blank(table: Table, key: str) -> bool:
    """A column of remarks without a remark."""
    return key == NOTES and not any(row[key] for row in table.rows)


def _is_numeric(table: Table, key: str) -> bool:
    values = [row[key] for row in table.rows if row[key] is not None]
    return all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)


def _groups(columns: list[Column]) -> list[GroupHead]:
    """The headings above the columns; none where no column has a group."""
    found = [GroupHead(group, len(list(members))) for group, members in groupby(columns, key=lambda c: c.group)]
    return found if any(group.title for group in found) else []


def _cells(columns: list[Column], row: Row, numeric: Set[str]) -> list[PrintedCell]:
    return [
        PrintedCell(cell_text(row[column.key], column.kind), column.key in numeric, head=not at)
        for at, column in enumerate(columns)
    ]
