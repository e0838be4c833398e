"""Tables on paper: shortened for the body of a report, in parts that fit a page, with remarks as footnotes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from metaeval.analyses.base.printing import PrintedColumn, naming_columns, printed_cell, printed_columns
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
    shown = _that_fit([column for column in filled if column.is_main], columns)
    cut = len(table.rows) > rows
    keys = {key for column in shown for key in column.keys}
    return Shortened(
        _of(table, keys, table.rows[:first] if cut else table.rows),
        len(table.rows) if cut else 0,
        len(filled) - len(shown),
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
    shown: list[PrintedColumn] = []
    data = [column for column in columns if column.key != NOTES]
    for group, members in groupby(data, key=lambda column: column.group):
        together, room = list(members), most - len(shown)
        is_first = not any(column.group for column in shown)
        if room <= 0 or (group and len(together) > room and not is_first):
            break
        shown += together[:room]
    notes = [column for column in columns if column.key == NOTES]
    return [*shown, *notes] if len(shown) + len(notes) <= most else shown


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
    groups = [GroupHead(group, len(list(members))) for group, members in groupby(columns, key=lambda c: c.group)]
    return groups if any(group.title for group in groups) else []


def _cells(columns: Sequence[PrintedColumn], row: Row) -> list[PrintedCell]:
    return [PrintedCell(printed_cell(row, column), column.is_numeric, head=not at) for at, column in enumerate(columns)]


def with_footnotes(table: Table) -> tuple[Table, list[str]]:
    """The table without its column of remarks, each row with a mark after its name, and the footnotes, each once.

    >>> from metaeval.analyses.base.table import column
    >>> rows = [{"a": "x", "notes": "Why."}, {"a": "y", "notes": ""}, {"a": "z", "notes": "Why."}]
    >>> whole = Table(name="t", title="T", columns=[column("a", "A"), column(NOTES, "Notes")], rows=rows)
    >>> marked, notes = with_footnotes(whole)
    >>> marked.rows, notes
    ([{'a': 'x [1]'}, {'a': 'y'}, {'a': 'z [1]'}], ['[1] Why.'])
    """
    remarks = [str(row.get(NOTES) or "") for row in table.rows]
    numbers = {remark: at for at, remark in enumerate(dict.fromkeys(filter(None, remarks)), start=1)}
    if not numbers or len(table.columns) == 1:
        return table, []
    columns = [column for column in table.columns if column.key != NOTES]
    first = next(column for column in printed_columns(table) if column.key != NOTES)
    rows = []
    for row, remark in zip(table.rows, remarks, strict=True):
        cells = {column.key: row[column.key] for column in columns}
        if remark:
            cells[first.key] = f"{printed_cell(row, first)} [{numbers[remark]}]"
        rows.append(cells)
    marked = table.model_copy(update={"columns": columns, "rows": rows})
    return marked, [f"[{number}] {remark}" for remark, number in numbers.items()]
