"""Tables of results: columns are declared once, with a result's fields, for pages, commands, files and reference.

A field of a part with a title is a column. What the title cannot say stands in the field's type: `Share`, `PValue`,
`Reason`, or `Annotated` with `InTable`.

>>> class Waiting(Part):
...     expert: str = Field(title="Expert")
...     seconds: Annotated[Number, InTable(note="Breaks do not count.")] = Field(title="Seconds")
...     late: Share = Field(title="Late")
...     reason: Reason
>>> times = table_of("times", "Times", Waiting, [Waiting(expert="Anna", seconds=None, late=0.5, reason="no answers")])
>>> [(column.key, column.title, column.kind) for column in times.columns]
[('expert', 'Expert', ''), ('seconds', 'Seconds', ''), ('late', 'Late', 'share'), ('notes', 'Notes', '')]
>>> times.rows, times.notes
([{'expert': 'Anna', 'seconds': None, 'late': 0.5, 'notes': 'undefined: no answers'}], ['Breaks do not count.'])
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator
from pydantic.fields import FieldInfo

from metaeval.analyses.inputs.parts import Number, Part
from metaeval.frames import DataFrame, frame_of

Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
Cell = str | int | float | bool | None
Row = dict[str, Cell]
Kind = Literal["", "p", "share"]
NOTES = "notes"
"""The key of a column of remarks, which a page shows last and the terminal as footnotes."""


class Column(Part):
    """A column of a table."""

    key: Name
    title: str
    group: str = Field(default="", description="Neighbouring columns of one group are shown under one heading.")
    detail: bool = Field(default=False, description="A narrow table may leave it out.")
    kind: Kind = Field(
        default="",
        description="p: a p-value, never printed as 0. share: printed in per cent. Empty: printed as it is.",
    )


class Table(Part):
    """A named table. Every row has a cell for every column; null means undefined."""

    name: Name
    title: str = Field(min_length=1)
    columns: list[Column] = Field(min_length=1)
    rows: list[Row]
    notes: list[str] = Field(default=[], description="Sentences printed below the table.")

    @model_validator(mode="after")
    def _rows_fit_columns(self) -> Table:
        keys = [column.key for column in self.columns]
        if len(set(keys)) != len(keys):
            msg = f"the table {self.name} has two columns with the same key"
            raise ValueError(msg)
        for number, row in enumerate(self.rows):
            if set(row) != set(keys):
                msg = f"row {number} of the table {self.name} has the cells {sorted(row)}; expected {sorted(keys)}"
                raise ValueError(msg)
        return self

    def to_frame(self) -> DataFrame:
        """The rows as a DataFrame, one column per key; null is NaN in a column of numbers."""
        return frame_of(self.rows, index=[], columns=[column.key for column in self.columns])


def column(key: str, title: str, *, group: str = "", detail: bool = False, kind: Kind = "") -> Column:
    """A column; shorter to write than `Column`."""
    return Column(key=key, title=title, group=group, detail=detail, kind=kind)


def table(
    name: str,
    title: str,
    columns: Sequence[Column],
    rows: Iterable[Mapping[str, object]],
    *,
    notes: Sequence[str] = (),
) -> Table:
    """A named table. Only the columns' cells are taken from the rows, and a missing one is undefined (null).

    >>> table("ranks", "Ranks", [column("system", "System")], [{"system": "A", "other": 1}]).rows
    [{'system': 'A'}]
    """
    taken = [{entry.key: row.get(entry.key) for entry in columns} for row in rows]
    return Table.model_validate(
        {"name": name, "title": title, "columns": list(columns), "rows": taken, "notes": list(notes)}
    )


@dataclass(frozen=True)
class InTable:
    """How a field of a result is shown in tables, as far as its title does not say it; a part of the field's type."""

    kind: Kind = ""
    group: str = ""
    detail: bool = False
    key: str = ""
    """The column's key, if it is not the field's name."""
    words: Mapping[Any, str] = field(default_factory=dict)
    """What values are called."""
    limit: bool = False
    """It is a limit of an interval: its title follows the level."""
    note: str = ""
    """A sentence that explains the column below the table."""
    remark: str = ""
    """The template of a remark: a field that is not empty is no column, but stands among the notes."""


Share = Annotated[Number, InTable(kind="share")]
PValue = Annotated[Number, InTable(kind="p")]
Limit = Annotated[Number, InTable(limit=True)]
ShareLimit = Annotated[Number, InTable(kind="share", limit=True)]
Reason = Annotated[str, InTable(remark="undefined: {}")]
"""Why something is undefined; empty if it is defined."""

Cells = Part | Mapping[str, object]


def table_of(
    name: str,
    title: str,
    parts: type[Part] | Sequence[type[Part]],
    rows: Iterable[Cells | Sequence[Cells]],
    columns: Sequence[str | Column] = (),
    *,
    level: float = 0.95,
    titles: Mapping[str, str] | None = None,
    notes: Sequence[str] = (),
) -> Table:
    """A table whose columns are fields of parts of a result.

    A row is a part, or several parts beside each other, such as a ranking and one of its systems; further cells stand
    in a dictionary. `columns` chooses fields (all that have a title, if it is empty), and may declare columns that are
    no fields. `titles` replaces titles. Remarks are gathered in a last column. `level` is the intervals' level.
    """
    fields = _fields(parts)
    columns = columns or [key for key, (info, how) in fields.items() if info.title and not how.remark]
    shown = [_column(entry, fields, level, titles or {}) if isinstance(entry, str) else entry for entry in columns]
    if any(how.remark for _, how in fields.values()) and all(entry.key != NOTES for entry in shown):
        shown.append(column(NOTES, "Notes"))
    explained = [fields[entry.key][1].note for entry in shown if entry.key in fields]
    return table(name, title, shown, map(_row, rows), notes=[*filter(None, explained), *notes])


def columns_of(
    part: type[Part], keys: Sequence[str], *, prefix: str = "", level: float = 0.95, **changes: str | bool
) -> list[Column]:
    """Columns for fields of a part that a table shows more than once, such as a test for each coefficient.

    `prefix` begins the keys, as in `cells_of`; `changes` are changes to the columns, such as their group.
    """
    fields = _fields(part)
    columns = [_column(key, fields, level, {}) for key in keys]
    return [entry.model_copy(update={"key": prefix + entry.key, **changes}) for entry in columns]


def cells_of(part: Part, prefix: str) -> dict[str, object]:
    """The cells of a part that a table shows more than once."""
    return {prefix + key: value for key, value in _row(part).items()}


def _fields(parts: type[Part] | Sequence[type[Part]]) -> dict[str, tuple[FieldInfo, InTable]]:
    """The fields of parts by the keys of their columns, in order; the first part with a key has it."""
    fields: dict[str, tuple[FieldInfo, InTable]] = {}
    for part in [parts] if isinstance(parts, type) else parts:
        for name, how in _shown(part).items():
            fields.setdefault(how.key or name, (part.model_fields[name], how))
    return fields


@cache
def _shown(part: type[Part]) -> dict[str, InTable]:
    """How the fields of a part are shown; a table may have 50,000 rows of it."""
    return {name: _in_table(info) for name, info in part.model_fields.items()}


def _in_table(info: FieldInfo) -> InTable:
    """What a field's type says about how it is shown; of two that say the same thing, the outer one counts."""
    shown = InTable()
    for how in info.metadata:
        if isinstance(how, InTable):
            shown = replace(shown, **{key: value for key, value in vars(how).items() if value})
    return shown


def _column(
    key: str, fields: Mapping[str, tuple[FieldInfo, InTable]], level: float, titles: Mapping[str, str]
) -> Column:
    info, how = fields[key]
    title = titles.get(key) or info.title or key
    title = f"{100 * level:g}% {title}" if how.limit else title
    return column(key, title, group=how.group, detail=how.detail, kind=how.kind)


def _row(cells: Cells | Sequence[Cells]) -> dict[str, object]:
    row: dict[str, object] = {}
    remarks: list[str] = []
    for part in [cells] if isinstance(cells, (Part, Mapping)) else cells:
        if isinstance(part, Mapping):
            remarks += [str(value) for key, value in part.items() if key == NOTES and value]
            row |= part
            continue
        for name, how in _shown(type(part)).items():
            value = getattr(part, name)
            value = how.words.get(value, value) if how.words else value
            if not how.remark:
                row.setdefault(how.key or name, value)
            elif value:
                remarks += [how.remark.format(text) for text in ([value] if isinstance(value, str) else value)]
    return row | ({NOTES: "; ".join(remarks)} if remarks else {NOTES: ""})
