"""Open a CSV file: with pyarrow or, to say where a bad file is wrong, with Python's own reader."""

import csv
import mmap
from array import array
from collections.abc import Iterable, Sequence
from io import StringIO, TextIOBase
from typing import Any, NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotations.importing.memory.limits import refuse_many_columns
from annotations.importing.memory.problems import Problems
from annotations.importing.reading.files import SourceFile, refuse_wrong_encoding
from annotations.importing.reading.tabular.sheets import Columns, Sheet

REMEDY_ROWS = gettext_noop(
    "Every row must have as many fields as the header. Put quotes around fields that contain a comma or a line break."
)
TEXT = pa.dictionary(pa.int32(), pa.string())
SHORTEST = 100  # distinct texts with codes of one byte, to which 1 can be added
PIECE = 1 << 19  # numbers of a piece
PRIVATE = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS


def open_csv(file: SourceFile, *, delimiter: str, problems: Problems, numbers: Columns) -> Sheet:
    """Read the whole file. Every row with a wrong number of fields is noted; then reading stops."""
    header = read_header(file, delimiter=delimiter, problems=problems)
    numeric = numbers(header)
    types = {name: pa.float64() if name in numeric else TEXT for name in header}
    try:
        table = _read(file, delimiter, types)
    except (pa.ArrowInvalid, UnicodeDecodeError) as error:
        refuse_wrong_encoding(file, problems)
        if "conversion error" not in str(error):
            _report_malformed(file, delimiter, header, problems)
        # Some value is not a number: read the numbers as texts, and the sheet will find which.
        try:
            table = _read(file, delimiter, dict.fromkeys(header, TEXT))
        except pa.ArrowInvalid:
            _report_malformed(file, delimiter, header, problems)
    pa.default_memory_pool().release_unused()  # what the blocks of the file took
    return Sheet(file, table, problems, find_lines=lambda: record_lines(file, delimiter)[1:])


def read_header(file: SourceFile, *, delimiter: str, problems: Problems) -> list[str]:
    try:
        file.head().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if error.start < len(error.object) - 4 or error.reason != "unexpected end of data":  # not merely cut off
            refuse_wrong_encoding(file, problems)
    header = first_row(file, delimiter)
    if not any(header):
        problems.stop(
            file.name, _("the file has no header line"), line=1, remedy=_("Put the column names in the first line.")
        )
    refuse_many_columns(problems, file.name, len(header))
    before: set[str] = set()
    for position, name in enumerate(header):
        if not name.strip():
            problems.add(
                file.name,
                _("column {position} has no name").format(position=position + 1),
                line=1,
                remedy=_("Give every column a unique name."),
            )
        elif name in before:
            problems.add(
                file.name,
                _("two columns have this name"),
                line=1,
                field=name,
                remedy=_("Give every column a unique name."),
            )
        before.add(name)
    problems.stop_if_any()
    return header


def first_row(file: SourceFile, delimiter: str) -> list[str]:
    """The fields of the first line that is not blank; of at most a megabyte."""
    csv.field_size_limit(1 << 31)
    text = file.head().decode("utf-8-sig", errors="replace")
    return next((row for row in csv.reader(StringIO(text, newline=""), delimiter=delimiter) if row), [])


def _read(file: SourceFile, delimiter: str, types: dict[str, pa.DataType]) -> pa.Table:
    def read(block_size: int) -> pa.Table:
        with pacsv.open_csv(
            str(file.path),
            read_options=pacsv.ReadOptions(block_size=block_size),
            parse_options=pacsv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
            convert_options=pacsv.ConvertOptions(
                column_types=types, null_values=[""], strings_can_be_null=False, quoted_strings_can_be_null=True
            ),
        ) as batches:
            return gathered(batches, batches.schema)

    try:
        return read(1 << 20)
    except pa.ArrowInvalid as error:
        if "straddling" not in str(error):
            raise
        return read(min(file.size + 1, (1 << 31) - 1))  # one row may be longer than a block


def _report_malformed(file: SourceFile, delimiter: str, header: list[str], problems: Problems) -> NoReturn:
    lines = record_lines(file, delimiter)
    with _lines_of(file) as stream:
        records = (row for row in csv.reader(stream, delimiter=delimiter) if row)
        for number, row in enumerate(records):
            if len(row) != len(header):
                what = _("the row has {row} fields, but the header has {header}").format(
                    row=len(row), header=len(header)
                )
                problems.add(file.name, what, line=lines[number], remedy=REMEDY_ROWS)
    # pyarrow refused a row that Python's reader accepts, such as one with an unclosed quote.
    if not problems:
        problems.add(
            file.name, _("a row is incomplete, or a quotation mark is never closed"), line=lines[-1], remedy=REMEDY_ROWS
        )
    raise problems.refusal()


def record_lines(file: SourceFile, delimiter: str) -> Sequence[int]:
    """The line at which each record begins, header first; blank lines are skipped."""
    starts = array("q")
    with _lines_of(file) as stream:
        reader = csv.reader(stream, delimiter=delimiter)
        before = 0
        for row in reader:
            if row:
                starts.append(before + 1)
            before = reader.line_num
    return starts


def _lines_of(file: SourceFile) -> TextIOBase:
    csv.field_size_limit(1 << 31)
    return file.path.open(encoding="utf-8-sig", errors="replace", newline="")


class GatheredTexts:
    """One column of texts: every distinct one once, in order of appearance, and a code for each row."""

    def __init__(self) -> None:
        self._codes = array("b")
        self._kind: np.dtype[Any] = np.dtype(np.int8)
        self._places: dict[str | None, int] = {}

    def add(self, texts: pa.DictionaryArray) -> None:
        """Add the next rows, which have a dictionary of their own."""
        places = self._places
        moved = [places.setdefault(value, len(places)) for value in texts.dictionary.to_pylist()]
        if len(places) > SHORTEST and self._kind == np.int8:
            short = np.frombuffer(self._codes, self._kind)
            self._codes, self._kind = array("i"), np.dtype(np.int32)
            self._append(short.astype(self._kind))
        self._append(np.array(moved, self._kind)[texts.indices.to_numpy(zero_copy_only=False)])

    def _append(self, codes: np.ndarray) -> None:
        self._codes.frombytes(codes.view(np.uint8).data)

    def whole(self) -> pa.DictionaryArray:
        """The column. Its codes are not copied."""
        codes = pa.array(np.frombuffer(self._codes, self._kind))
        return pa.DictionaryArray.from_arrays(codes, pa.array(self._places, pa.string()))


class GatheredNumbers:
    """One column of numbers; NaN where there is none."""

    def __init__(self) -> None:
        self._pieces: list[np.ndarray] = []
        self._free = 0  # in the last piece

    def add(self, numbers: pa.Array) -> None:
        """Add the next rows."""
        values = numbers.to_numpy(zero_copy_only=False)
        while len(values):
            if not self._free:
                self._free = PIECE
                self._pieces.append(np.frombuffer(mmap.mmap(-1, PIECE * values.itemsize, flags=PRIVATE), values.dtype))
            now, values = values[: self._free], values[self._free :]
            start = PIECE - self._free
            self._pieces[-1][start : start + len(now)] = now
            self._free -= len(now)

    def whole(self) -> pa.ChunkedArray:
        """The column. Its pieces are not copied."""
        lengths = [PIECE] * len(self._pieces)
        lengths[-1:] = [PIECE - self._free] * bool(lengths)
        pieces = [pa.array(piece[:length]) for piece, length in zip(self._pieces, lengths, strict=True)]
        return pa.chunked_array(pieces, pa.float64())


def gathered(batches: Iterable[pa.RecordBatch], schema: pa.Schema) -> pa.Table:
    """All rows of the batches, whose columns are texts with dictionaries, or float64 numbers."""
    columns: dict[str, GatheredTexts | GatheredNumbers] = {
        field.name: GatheredTexts() if pa.types.is_dictionary(field.type) else GatheredNumbers() for field in schema
    }
    for batch in batches:
        for column, data in zip(columns.values(), batch.columns, strict=True):
            column.add(data)
    return pa.table({name: columns.pop(name).whole() for name in schema.names})
