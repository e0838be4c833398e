"""Tables of results: declared once, for the page, the command and every file format."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Literal

from pydantic import Field, model_validator

from metaeval.analyses.inputs.parts import Part
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
