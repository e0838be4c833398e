"""A result's table in the body of a report: only as many rows and columns as a reader can take in at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from metaeval.analyses.base.printing import PrintedColumn, printed_columns
from metaeval.analyses.base.table import NOTES, Row, Table

ROWS = 15
"""A table with more rows than this shows the first ones."""
FIRST = 10
COLUMNS, BESIDE = 9, 5
"""Columns of a table as wide as the page, and of one beside a figure."""


@dataclass(frozen=True)
class Shortened:
    """What is left of a table, and what is not shown."""

    table: Table
    rows: int
    """How many rows the whole table has if some are not shown; else 0."""
    columns: int
    """How many columns are not shown."""

    @property
    def is_whole(self) -> bool:
        return not self.rows and not self.columns

    def not_shown(self, where: str) -> list[str]:
        """What is not shown and where to find it, as a sentence; nothing if everything is shown."""
        if self.is_whole:
            return []
        if self.rows:
            return [f"The first {len(self.table.rows)} of {self.rows:,} rows; {where} has all of it."]
        return [f"{where} has all columns."]


def shortened(table: Table, *, rows: int = ROWS, first: int = FIRST, columns: int = COLUMNS) -> Shortened:
    """The main rows and columns of a table.

    Empty columns, and those that a wide table does not show at first, are left out. Of the others, as many are kept as
    fit: groups of columns from the left, and the remarks if there is room for them.
    """
    filled = [column for column in printed_columns(table) if not _is_empty(table.rows, column)]
    kept = _that_fit([column for column in filled if column.is_main], columns)
    cut = len(table.rows) > rows
    keys = {key for column in kept for key in column.keys}
    return Shortened(
        _of(table, keys, table.rows[:first] if cut else table.rows),
        len(table.rows) if cut else 0,
        len(filled) - len(kept),
    )


def first_rows(table: Table, count: int) -> Table:
    """The same columns with the first rows."""
    return table.model_copy(update={"rows": table.rows[:count]})


def _that_fit(columns: Sequence[PrintedColumn], most: int) -> list[PrintedColumn]:
    """Columns without a group are taken one by one, those of a group all or none, except the first. Beside a figure,
    there are no remarks."""
    if most <= BESIDE:
        columns = [column for column in columns if column.key != NOTES]
    if len(columns) <= most:
        return list(columns)
    kept: list[PrintedColumn] = []
    data = [column for column in columns if column.key != NOTES]
    for group, members in groupby(data, key=lambda column: column.group):
        together, room = list(members), most - len(kept)
        is_first = not any(column.group for column in kept)
        if room <= 0 or (group and len(together) > room and not is_first):
            break
        kept += together[:room]
    notes = [column for column in columns if column.key == NOTES]
    return [*kept, *notes] if len(kept) + len(notes) <= most else kept


def _is_empty(rows: Sequence[Row], column: PrintedColumn) -> bool:
    return bool(rows) and all(row[key] is None or row[key] == "" for row in rows for key in column.keys)


def _of(table: Table, keys: set[str], rows: Sequence[Row]) -> Table:
    columns = [column for column in table.columns if column.key in keys]
    return Table(
        name=table.name,
        title=table.title,
        columns=columns,
        rows=[{column.key: row[column.key] for column in columns} for row in rows],
        notes=table.notes,
    )
