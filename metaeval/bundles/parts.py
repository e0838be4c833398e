"""One file of a bundle: its path, its content, and how its bytes are produced."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from annotations.exporting.spreadsheets import csv_lines, neutralise
from annotations.ground.arrays import AnyArray, Matrix, absent_rows
from annotations.ground.saved import Saved
from metaeval.bundles.archive import BundleError

Chunks = Callable[[], Iterable[bytes]]
ROWS = 5_000
"""Rows of a matrix that are in memory as text at a time."""


@dataclass(frozen=True)
class Field:
    """A column: `kind` is a Frictionless type. `saved`: the item of the experts' consent that it belongs to; None: it
    says nothing about an expert."""

    name: str
    kind: str
    says: str = ""
    saved: Saved | None = None

    @property
    def described(self) -> dict[str, str]:
        return {"name": self.name, "type": self.kind} | ({"description": self.says} if self.says else {})


@dataclass(frozen=True)
class BundleFile:
    """A file of the archive. Those with `fields` are tables (CSV); the others are JSON, text or JSON lines."""

    path: str
    title: str
    chunks: Chunks
    fields: tuple[Field, ...] = ()


def table_part(
    path: str, title: str, fields: Sequence[Field], rows: Callable[[], Iterable[Sequence[Any]]]
) -> BundleFile:
    """A CSV file of rows; undefined cells are empty, and no text can run as a formula in a spreadsheet."""
    header = [field.name for field in fields]

    def chunks() -> Iterator[bytes]:
        pending: list[str] = []
        for line in csv_lines(header, ([cell(value) for value in row] for row in rows())):
            pending.append(line)
            if len(pending) >= ROWS:
                yield "".join(pending).encode()
                pending = []
        yield "".join(pending).encode()

    return BundleFile(path, title, chunks, tuple(fields))


def cell(value: Any) -> Any:
    """A value for CSV: NaN and None are empty, booleans are words, numbers have all their digits.

    >>> cell(np.float64(0.1)), cell(np.bool_(True)), cell(float("nan")), cell("text")
    (0.1, 'true', '', 'text')
    """
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, float | np.floating):
        return "" if np.isnan(value) else float(value)  # which the csv module writes with all its digits
    return int(value)


def matrix_part(path: str, title: str, labels: Sequence[str], matrix: Callable[[], AnyArray]) -> BundleFile:
    """A matrix as CSV: one row per instance, in the order of `data/instances.csv`; one column per label."""
    names = [neutralise(label) for label in labels]

    def chunks() -> Iterator[bytes]:
        yield "".join(csv_lines(labels, [])).encode()
        values = matrix()
        for start in range(0, len(values), ROWS):
            block = values[start : start + ROWS].tolist()
            yield "".join(",".join(map(_number, row)) + "\r\n" for row in block).encode()

    return BundleFile(path, title, chunks, tuple(Field(name, "number") for name in names))


def _number(value: float) -> str:
    """The number with all digits; an empty cell for NaN, quoted so that a row with one cell is not an empty line."""
    return '""' if math.isnan(value) else repr(value)


def read_matrix(content: bytes, *, path: str, rows: int, columns: int, may_lack: bool = False) -> Matrix:
    """The matrix of `matrix_part`, to the last digit. Raises `BundleError` for another shape, and for a row without
    numbers, unless rows may be missing."""
    import pyarrow as pa
    from pyarrow import csv

    try:
        table = csv.read_csv(pa.BufferReader(content), parse_options=csv.ParseOptions(newlines_in_values=True))
        read = [np.asarray(column.cast(pa.float64())) for column in table.columns] if rows else []
    except (pa.ArrowException, ValueError) as error:
        raise BundleError(f"{path} cannot be read as a table of numbers.") from error
    values = np.column_stack(read).astype(np.float64) if read else np.empty((0, columns))
    known = ~absent_rows(values) if may_lack and values.shape == (rows, columns) else slice(None)
    if values.shape != (rows, columns) or not np.isfinite(values[known]).all():
        raise BundleError(f"{path} has the shape {values.shape}; expected {rows} rows of {columns} numbers.")
    return values
