"""Two runs of one analysis side by side: what was asked differently, whether the data changed, and how the results
differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from django.utils import translation
from django.utils.translation import gettext as _
from pydantic import Field

from annotations.ground.errors import Conflict
from metaeval.analyses.base.parameter_wording import LABEL
from metaeval.analyses.base.printing import (
    PrintedColumn,
    cell_text,
    naming_columns,
    printed_cell,
    printed_columns,
    row_keys,
)
from metaeval.analyses.base.registry import analyses
from metaeval.analyses.base.table import NOTES, Cell, Row, Table
from metaeval.analyses.inputs.parts import Part
from metaeval.jobs.models import AnalysisRun
from metaeval.jobs.planning import meant
from metaeval.jobs.runs import result_of, tables_of

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


class CannotCompare(Conflict):
    """Only results that answer the same question can be compared."""


Change = dict[str, str]
"""What differs between both, in words: `name`, `first`, `second`."""


@dataclass(frozen=True)
class RunComparison:
    """What changed from the first run to the second."""

    first: AnalysisRun
    second: AnalysisRun
    asked: list[Change]
    """Parameters, and the seed."""
    is_same_data: bool
    counts: list[Change]
    versions: list[Change]
    tables: list[ComparedTable]
    """The main table with every row, the others with the rows that changed."""

    @property
    def compared(self) -> int:
        """How many cells are in both."""
        return sum(table.compared for table in self.tables)

    @property
    def changed(self) -> int:
        """How many cells differ."""
        return sum(table.changed for table in self.tables)


def compare_runs(*, first: AnalysisRun, second: AnalysisRun) -> RunComparison:
    """Compare two finished runs of one analysis; `CannotCompare` for two analyses, `NotFinished` without a result."""
    if first.analysis != second.analysis:
        raise CannotCompare("Two runs of the same analysis can be compared; these answer two different questions.")
    before, after = result_of(first), result_of(second)
    return RunComparison(
        first=first,
        second=second,
        asked=_asked(first, second),
        is_same_data=bool(before["fingerprint"] == after["fingerprint"]),
        counts=_changes(before["counts"], after["counts"]),
        versions=_changes(_versions(before), _versions(after)),
        tables=_tables(first, second),
    )


def _asked(first: AnalysisRun, second: AnalysisRun) -> list[Change]:
    """Parameters by their titles in the form; those that a run did not know mean what was meant then."""
    declared = analyses.get(first.analysis).schema().get("properties", {})
    titles = {
        name: translation.gettext(str(schema.get(LABEL) or schema.get("title") or name))
        for name, schema in declared.items()
    }
    before, after = (
        {titles.get(name, name): value for name, value in meant(run.analysis, run.parameters).items()}
        for run in (first, second)
    )
    seed = _("Seed")
    return _changes({**before, seed: str(first.seed)}, {**after, seed: str(second.seed)})


def _versions(result: Mapping[str, Any]) -> dict[str, Any]:
    return {"Analysis": result["version"], "Rules": result.get("rules", 1), **result["versions"]}


def _tables(first: AnalysisRun, second: AnalysisRun) -> list[ComparedTable]:
    earlier, later = ({table.name: table for table in tables_of(run)} for run in (first, second))
    names = dict.fromkeys([*later, *earlier])
    return [compare_tables(earlier.get(name), later.get(name), whole=not at) for at, name in enumerate(names)]


def _changes(first: Mapping[str, Any], second: Mapping[str, Any]) -> list[Change]:
    names = dict.fromkeys([*second, *first])
    return [
        {"name": name, "first": _in_words(first.get(name)), "second": _in_words(second.get(name))}
        for name in names
        if first.get(name) != second.get(name)
    ]


def _in_words(value: Any) -> str:
    """A value of a parameter, or a count.

    >>> _in_words(True), _in_words([]), _in_words(["a", "b"]), _in_words(100000), _in_words(None)
    ('yes', 'none named', 'a, b', '100,000', 'not set')
    """
    if value is None:
        return "not set"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(_in_words, value)) or "none named"
    return f"{value:,}" if isinstance(value, int) else str(value)


def compare_tables(first: Table | None, second: Table | None, *, whole: bool = True) -> ComparedTable:
    """Join the rows of two tables by what they are about; with `whole`, rows that are the same in both are kept."""
    either = second or first
    if either is None:
        raise ValueError("one of the two tables must be given")
    columns = _compared_columns(first, second)
    rows_of_first, right = (
        dict(zip(row_keys(side), side.rows, strict=True)) if side else {} for side in (first, second)
    )
    rows, compared, changed = [], 0, 0
    for name in [*right, *(name for name in rows_of_first if name not in right)]:
        cells = [_cell(rows_of_first.get(name), right.get(name), column) for column in columns]
        where: Where = (
            "both" if name in rows_of_first and name in right else "first" if name in rows_of_first else "second"
        )
        compared += len(cells) if where == "both" else 0
        differing = sum(cell.differs for cell in cells)
        changed += differing
        if whole or differing:
            rows.append(ComparedRow(name=list(name), where=where, cells=cells))
    return ComparedTable(
        name=either.name,
        title=either.title,
        naming=[column.title for column in naming_columns(printed_columns(either))],
        columns=[_heading(column) for column in columns],
        rows=rows,
        compared=compared,
        changed=changed,
    )


def _compared_columns(first: Table | None, second: Table | None) -> list[PrintedColumn]:
    """The columns to compare: those of either table that neither name the rows nor hold remarks."""
    columns: dict[tuple[str, ...], PrintedColumn] = {}
    for table in (second, first):
        printed = printed_columns(table) if table else []
        for column in printed[len(naming_columns(printed)) :]:
            if column.key != NOTES:
                columns.setdefault(column.keys, column)
    return list(columns.values())


def _heading(column: PrintedColumn) -> str:
    return ": ".join(dict.fromkeys(part for part in (column.group, column.title) if part))


def _cell(first: Row | None, second: Row | None, column: PrintedColumn) -> ComparedCell:
    before, after = _values(first, column), _values(second, column)
    return ComparedCell(
        first=printed_cell(first, column) if first is not None and before is not None else "",
        second=printed_cell(second, column) if second is not None and after is not None else "",
        difference=_difference(before, after, column),
        differs=before != after,
    )


def _values(row: Row | None, column: PrintedColumn) -> tuple[Cell, ...] | None:
    """Every digit of what the cell prints; None if the row or the column is missing."""
    if row is None or any(key not in row for key in column.keys):
        return None
    return tuple(row[key] for key in column.keys)


def _difference(first: tuple[Cell, ...] | None, second: tuple[Cell, ...] | None, column: PrintedColumn) -> str:
    if first is None or second is None or first == second or column.high is not None:
        return ""
    before, after = first[0], second[0]  # of a mean with its deviation, the mean
    if isinstance(before, bool | str | None) or isinstance(after, bool | str | None):
        return ""
    text = cell_text(after - before, "share" if column.kind == "share" else "").replace("-", "−")
    if not text.strip("−0. %"):
        return "too small to print"
    return text if text.startswith("−") else f"+{text}"
