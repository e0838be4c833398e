"""Files with one record after another: a JSON list, JSON lines, CSV or Parquet; each record with its place."""

import codecs
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotations.ground.progress import Progress, silent
from annotations.importing.memory.limits import refuse_large_table
from annotations.importing.memory.problems import Problems
from annotations.importing.reading.documents import Item, read_document, refuse_long_document
from annotations.importing.reading.files import SourceFile
from annotations.importing.reading.tabular.csv_files import open_csv, read_header
from annotations.importing.reading.tabular.json_lines import read_objects
from annotations.importing.reading.tabular.opening import MAGIC, columns_of_parquet, open_parquet
from annotations.importing.reading.tabular.sheets import Sheet

Record = dict[str, Any]
HEAD = 1 << 20
OBJECT = 64  # bytes that a cell takes at least as an entry of an object
LISTS, LINES, CSV, PARQUET = "a JSON list", "JSON lines", "CSV", "Parquet"
REMEDY = gettext_noop("Provide the complete file as the tool exported it.")


def shape_of(file: SourceFile) -> str:
    """The file's shape by its first bytes and its name: one of four, or empty."""
    if not file.path.is_file():
        return ""
    head = file.head(HEAD).removeprefix(codecs.BOM_UTF8).lstrip()
    if head.startswith(MAGIC):
        return PARQUET
    if head.startswith(b"["):
        return LISTS
    if head.startswith(b"{"):
        return LINES
    return CSV if file.suffix in {".csv", ".tsv"} and head else ""


def first_keys(file: SourceFile) -> dict[str, Any]:
    """The first record's keys and values (for CSV and Parquet: the columns); empty if it cannot be read.

    Only the first megabyte is read, so longer first records are unknown.
    """
    match shape_of(file):
        case "Parquet":
            return dict.fromkeys(columns_of_parquet(file))
        case "CSV":
            try:
                return dict.fromkeys(read_header(file, delimiter=delimiter_of(file), problems=Problems()))
            except Exception:  # the file's reader will report what is wrong with it
                return {}
        case "JSON lines" | "a JSON list":
            return _first_object(file)
    return {}


@dataclass(frozen=True, slots=True)
class KeySign:
    """The keys of the first record of files of a format, and how sure a reader is that has found them.

    `keys`: the kind of each key's value, as a type or a condition; of several names with `|` between them, the first
    that is there counts. `ending`: how a key must end. `shapes`: what the file may be; empty: anything.
    """

    keys: Mapping[str, Any] = field(default_factory=dict)
    ending: str = ""
    shapes: tuple[str, ...] = ()
    sure: float = 0.9

    def fits(self, file: SourceFile) -> bool:
        record = first_keys(file) if not self.shapes or shape_of(file) in self.shapes else {}
        return bool(record) and all(self._has(record, *key) for key in self.keys.items()) and self._ends(record)

    @staticmethod
    def _has(record: Record, names: str, kind: Any) -> bool:
        name = next((name for name in names.split("|") if name in record), None)
        if name is None:
            return False
        return isinstance(record[name], kind) if isinstance(kind, type | tuple) else kind(record[name])

    def _ends(self, record: Record) -> bool:
        return any(name.endswith(self.ending) for name in record)


def _first_object(file: SourceFile) -> dict[str, Any]:
    """The first object of a list or of lines, or the single object of a document."""
    text = file.head(HEAD).decode("utf-8-sig", errors="replace").lstrip().removeprefix("[").lstrip()
    try:
        value, _ = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def delimiter_of(file: SourceFile) -> str:
    return "\t" if file.suffix == ".tsv" or b"\t" in file.first_line() else ","


def records_in(
    file: SourceFile, problems: Problems, progress: Progress = silent, *, named: Sequence[str] = ("id",)
) -> Iterator[tuple[Item, Record]]:
    """Every record with its place: its line if the file has lines, otherwise its number, and its name from one of
    `named`.

    Anything that is not a record is noted, and reading continues. Stops if the file is too large or not a list of
    records.
    """
    refuse_long_document(file, problems, gettext_noop("the file has more than {most} MB"))
    for number, (line, record) in enumerate(_raw_records(file, problems, progress), start=1):
        name = next((str(record[key]) for key in named if isinstance(record, dict) and record.get(key)), f"{number}")
        item = Item(problems, file.name, name, line)
        if isinstance(record, dict):
            yield item, record
        else:
            item.problem(_("this is not an object"), field="", value=type(record).__name__, remedy=REMEDY)


def _refuse_many(sheet: Sheet, problems: Problems) -> None:
    """Stop if the table, as one object per row, would not fit in memory: packed, a row may take less than a bit."""
    refuse_large_table(problems, sheet.file.name, rows=len(sheet), columns=len(sheet.columns) + 2, cell=OBJECT)


def _raw_records(file: SourceFile, problems: Problems, progress: Progress) -> Iterator[tuple[int | None, Any]]:
    match shape_of(file):
        case "Parquet":
            sheet = open_parquet(file, problems=problems)
            _refuse_many(sheet, problems)
            yield from enumerate(sheet.table.to_pylist(), start=1)
        case "CSV":
            sheet = open_csv(file, delimiter=delimiter_of(file), problems=problems, numbers=lambda _: set())
            _refuse_many(sheet, problems)
            yield from ((sheet.line(row), record) for row, record in enumerate(sheet.table.to_pylist()))
        case "JSON lines":
            rows, lines = read_objects(file, problems=problems, progress=progress)
            yield from zip(lines, rows, strict=True)
        case "a JSON list":
            document = read_document(file, problems, progress)
            yield from ((None, row) for row in document)
        case _:
            problems.stop(file.name, _("this is neither JSON nor CSV nor Parquet"), remedy=REMEDY)
