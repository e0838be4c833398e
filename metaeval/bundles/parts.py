"""The files of a bundle, how their bytes are produced, and the Frictionless data package around them."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import PurePosixPath
from typing import Any

import numpy as np

from annotations.exporting.formats import ExportFile
from annotations.exporting.spreadsheets import csv_lines, neutralise
from annotations.ground.arrays import AnyArray, Matrix, absent_rows
from annotations.ground.saved import Saved
from metaeval.bundles.archive import PACKAGE, BundleError

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


MEDIA = {
    "csv": "text/csv",
    "json": "application/json",
    "jsonl": "application/x-ndjson",
    "md": "text/markdown",
}


def packed(parts: Sequence[BundleFile], about: Mapping[str, Any]) -> list[ExportFile]:
    """The files of the archive: every part, and finally the package with the checksums of those before it.

    They must be written in this order. The same parts give the same bytes: they contain no creation time.
    """
    tallies = {part.path: _Tally() for part in parts}
    files = [ExportFile(part.path, partial(tallies[part.path].counted, part)) for part in parts]
    return [*files, ExportFile(PACKAGE, lambda: [_package(parts, tallies, about)])]


class _Tally:
    """Length and SHA-256 of what was written."""

    def __init__(self) -> None:
        self.bytes = 0
        self.digest = hashlib.sha256()

    def counted(self, part: BundleFile) -> Iterator[bytes]:
        self.bytes, self.digest = 0, hashlib.sha256()
        for chunk in part.chunks():
            self.bytes += len(chunk)
            self.digest.update(chunk)
            yield chunk


def _package(parts: Sequence[BundleFile], tallies: Mapping[str, _Tally], about: Mapping[str, Any]) -> bytes:
    package = {
        "profile": "data-package",
        **about,
        "resources": [_resource(part, tallies[part.path]) for part in parts],
    }
    return (json.dumps(package, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()


def _resource(part: BundleFile, tally: _Tally) -> dict[str, Any]:
    ending = PurePosixPath(part.path).suffix.removeprefix(".")
    resource: dict[str, Any] = {
        "name": re.sub(r"[^a-z0-9._-]+", "-", part.path.lower()),
        "path": part.path,
        "profile": "tabular-data-resource" if part.fields else "data-resource",
        "title": part.title,
        "format": ending,
        "mediatype": MEDIA[ending],
        "encoding": "utf-8",
        "bytes": tally.bytes,
        "hash": f"sha256:{tally.digest.hexdigest()}",
    }
    if part.fields:
        resource["dialect"] = {"delimiter": ",", "lineTerminator": "\r\n", "quoteChar": '"', "doubleQuote": True}
        resource["schema"] = {"fields": [field.described for field in part.fields], "missingValues": [""]}
    return resource
