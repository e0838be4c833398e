"""Two tables of one analysis side by side, row by row: what each says, and how far apart they are."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from metaeval.analyses.base.printed import (
    PrintedColumn,
    cell_text,
    naming_columns,
    printed_cell,
    printed_columns,
    row_keys,
)
from metaeval.analyses.base.table import NOTES, Cell, Row, Table
from metaeval.analyses.inputs.parts import Part

Where = Literal["both", "first", "second"]


class ComparedCell(Part):
    """A cell as papers print it, in both results; empty if one has no such row or column."""

    first: str
    second: str
    difference: str = Field(
        description="The second minus the first; empty if either is not a number, or if they are equal."
    )
    differs: bool


class ComparedRow(Part):
    """What one row is about, and its cells in the order of the columns."""

    name: list[str] = Field(description="What the row is about: one cell per naming column.")
    where: Where
    cells: list[ComparedCell]


class ComparedTable(Part):
    """A table in both results."""

    name: str
    title: str
    naming: list[str] = Field(description="The titles of the columns that name the rows.")
    columns: list[str] = Field(description="The titles of the compared columns.")
    rows: list[ComparedRow]
    compared: int = Field(description="How many cells are in both.")
    changed: int = Field(description="How many cells differ, counting those that only one of them has.")


def compare_tables(first: Table | None, second: Table | None, *, whole: bool = True) -> ComparedTable:
    """Join the rows of two tables by what they are about; with `whole`, rows that are the same in both are kept."""
    either = second or first
    if either is None:
        raise ValueError("one of the two tables must be given")
    columns = _columns(first, second)
    left, right = (dict(zip(row_keys(one), one.rows, strict=True)) if one else {} for one in (first, second))
    rows, compared, changed = [], 0, 0
    for name in [*right, *(name for name in left if name not in right)]:
        cells = [_cell(left.get(name), right.get(name), column) for column in columns]
        where: Where = "both" if name in left and name in right else "first" if name in left else "second"
        compared += len(cells) if where == "both" else 0
        differing = sum(cell.differs for cell in cells)
        changed += differing
        if whole or differing:
            rows.append(ComparedRow(name=list(name), where=where, cells=cells))
    return ComparedTable(
        name=either.name,
        title=either.title,
        naming=[one.title for one in naming_columns(printed_columns(either))],
        columns=[_heading(column) for column in columns],
        rows=rows,
        compared=compared,
        changed=changed,
    )


def _columns(first: Table | None, second: Table | None) -> list[PrintedColumn]:
    """The columns to compare: those of either table that neither name the rows nor hold remarks."""
    found: dict[tuple[str, ...], PrintedColumn] = {}
    for one in (second, first):
        if one is None:
            continue
        printed = printed_columns(one)
        for column in printed[len(naming_columns(printed)) :]:
            if column.key != NOTES:
                found.setdefault(column.keys, column)
    return list(found.values())


def _heading(column: PrintedColumn) -> str:
    return ": ".join(dict.fromkeys(part for part in (column.group, column.title) if part))


def _cell(first: Row | None, second: Row | None, column: PrintedColumn) -> ComparedCell:
    one, other = _values(first, column), _values(second, column)
    return ComparedCell(
        first=printed_cell(first, column) if first is not None and one is not None else "",
        second=printed_cell(second, column) if second is not None and other is not None else "",
        difference=_difference(one, other, column),
        differs=one != other,
    )


def _values(row: Row | None, column: PrintedColumn) -> tuple[Cell, ...] | None:
    """Every digit of what the cell prints; None if the row or the column is missing."""
    if row is None or any(key not in row for key in column.keys):
        return None
    return tuple(row[key] for key in column.keys)


def _difference(first: tuple[Cell, ...] | None, second: tuple[Cell, ...] | None, column: PrintedColumn) -> str:
    if first is None or second is None or first == second or column.high is not None:
        return ""
    one, other = first[0], second[0]  # of a mean with its deviation, the mean
    if isinstance(one, bool | str | None) or isinstance(other, bool | str | None):
        return ""
    text = cell_text(other - one, "share" if column.kind == "share" else "").replace("-", "−")
    if not text.strip("−0. %"):
        return "too small to print"
    return text if text.startswith("−") else f"+{text}"
