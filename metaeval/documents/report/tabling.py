"""A result's table for the template: cells as papers print them, and wide tables in parts that fit a page."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from metaeval.analyses.base.table import NOTES
from metaeval.analyses.base.table_formats import cell_text

MOST = 10
"""Columns that fit on a page."""

Column = dict[str, Any]
Table = dict[str, Any]


def table_parts(table: Table) -> list[dict[str, Any]]:
    """The table, or its parts: each begins with the columns that name the rows; the notes are below the last one."""
    columns = [column for column in table["columns"] if not _is_blank(table, column["key"])]
    parts = _in_parts(columns, [column for column in columns if _names_rows(table, column)])
    return [
        {
            "title": table["title"] if not place else f"{table['title']} (continued)",
            "notes": table["notes"] if place == len(parts) - 1 else [],
            "groups": _groups(part),
            "heads": [{"title": column["title"], "numeric": _is_numeric(table, column["key"])} for column in part],
            "rows": [_cells(table, part, row) for row in table["rows"]],
        }
        for place, part in enumerate(parts)
    ]


def _in_parts(columns: list[Column], naming: list[Column]) -> list[list[Column]]:
    """Columns of one group stay together where they can.

    >>> few = [{"key": str(n), "group": ""} for n in range(15)]
    >>> [[column["key"] for column in part] for part in _in_parts(few, few[:1])][1]
    ['0', '10', '11', '12', '13', '14']
    """
    if len(columns) <= MOST:
        return [columns]
    named = [column["key"] for column in naming]
    rest = [column for column in columns if column["key"] not in named]
    units: list[list[Column]] = []
    for group, members in groupby(rest, key=lambda column: str(column["group"])):
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
    for known in table["columns"]:
        if _is_numeric(table, known["key"]) or known["group"] or known["key"] == NOTES:
            return False
        if known is column:
            return True
    return False


def _is_blank(table: Table, key: str) -> bool:
    """A column of remarks without a remark."""
    return key == NOTES and not any(row[key] for row in table["rows"])


def _is_numeric(table: Table, key: str) -> bool:
    values = [row[key] for row in table["rows"] if row[key] is not None]
    return all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)


def _groups(columns: list[Column]) -> list[dict[str, Any]]:
    """The headings above the columns; none where no column has a group."""
    found = [
        {"title": group, "span": len(list(members))} for group, members in groupby(columns, key=lambda c: c["group"])
    ]
    return found if any(group["title"] for group in found) else []


def _cells(table: Table, columns: list[Column], row: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            "text": cell_text(row[column["key"]], column["kind"]),
            "numeric": _is_numeric(table, column["key"]),
            "head": not at,
        }
        for at, column in enumerate(columns)
    ]
