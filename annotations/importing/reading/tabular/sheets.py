"""One table in memory, whatever file it came from: columns as codes or numbers, and a line for every row.

Text columns are factorised (a code per row, each distinct text once), because a long table of a million rows has
only a few thousand distinct texts; everything after this works on the codes."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from django.utils.translation import gettext as _

from annotations.ground.arrays import AnyArray, IntColumn, Integers, Matrix, ShortColumn
from annotations.importing.memory.problems import Problems
from annotations.importing.reading.files import SourceFile, refuse_wrong_encoding

INSTANCE, LABEL, PROBABILITY, ANNOTATOR, COUNT = "instance", "label", "probability", "annotator", "count"
TEXT, SEGMENTS, LANGUAGE, DIRECTION, SPLIT = "text", "segments", "language", "direction", "split"
SYSTEM, MODEL, METHOD, RUN = "system", "model", "method", "run"
SEGMENT_PREFIX = "segment:"
Columns = Callable[[Iterable[str]], set[str]]

ABOUT_INSTANCES = (TEXT, SEGMENTS, LANGUAGE, DIRECTION, SPLIT)
ABOUT_SYSTEMS = (SYSTEM, MODEL, METHOD, RUN)
KNOWN = {INSTANCE, LABEL, PROBABILITY, ANNOTATOR, COUNT, *ABOUT_INSTANCES, *ABOUT_SYSTEMS}
PROBLEMS_A_COLUMN = 3
BLOCK = 1 << 19  # rows of a block


def is_segment(column: str) -> bool:
    """Whether the column holds a named segment, such as `segment:premise`."""
    return column.startswith(SEGMENT_PREFIX) and len(column) > len(SEGMENT_PREFIX)


def is_long(columns: Iterable[str]) -> bool:
    """Whether each row is about one label."""
    return LABEL in columns


def label_columns(columns: Iterable[str]) -> list[str]:
    """The columns of a wide table that are labels: all without another meaning."""
    return [column for column in columns if column not in KNOWN and not is_segment(column)]


def number_columns(columns: Iterable[str]) -> set[str]:
    columns = list(columns)
    numeric = {PROBABILITY, COUNT} & set(columns)
    return numeric if is_long(columns) else numeric | set(label_columns(columns))


@dataclass(frozen=True, slots=True, eq=False)
class Texts:
    """A column of texts: `values[codes[row]]`; code -1 is an empty or missing one. Values are in order of
    appearance. Codes are int32, or int8 if there are only a few values.
    """

    codes: IntColumn | ShortColumn
    values: list[str]

    @classmethod
    def constant(cls, value: str, rows: int) -> "Texts":
        return cls(np.zeros(rows, dtype=np.int32), [value])

    def mapped(self, positions: dict[str, int]) -> IntColumn:
        """Every row's position in `positions`; -1 for empty texts and those without a position."""
        places = np.array([positions.get(value, -1) for value in self.values] + [-1], dtype=np.int32)
        if self.codes.dtype == np.int32 and np.array_equal(places[:-1], np.arange(len(self.values))):
            return cast("IntColumn", self.codes)  # nothing moves, as in most files: no second column of as many rows
        return places[self.codes]

    def mapped_short(self, positions: dict[str, int]) -> IntColumn | ShortColumn:
        """The same in a quarter of the memory, if the positions allow it."""
        if max(positions.values(), default=0) > np.iinfo(np.int8).max:
            return self.mapped(positions)
        places = np.array([positions.get(value, -1) for value in self.values] + [-1], dtype=np.int8)
        return places[self.codes]

    def stripped(self) -> "Texts":
        """The same without spaces around the values, merging values that become equal.

        >>> Texts(np.array([0, 1, -1], np.int32), ["yes", "yes "]).stripped().codes.tolist()
        [0, 0, -1]
        """
        places: dict[str, int] = {}
        codes = [places.setdefault(value.strip() or value, len(places)) for value in self.values]
        return Texts(np.array([*codes, -1], dtype=np.int32)[self.codes], list(places))

    def at(self, row: int) -> str:
        code = int(self.codes[row])
        return "" if code < 0 else self.values[code]


@dataclass(eq=False)
class Sheet:
    """An opened table. `find_lines` returns the line of every row, needed to say where to look."""

    file: SourceFile
    table: pa.Table
    problems: Problems
    find_lines: Callable[[], Sequence[int] | Integers]
    is_parquet: bool = False  # whose dictionaries may not be in order of appearance

    @property
    def columns(self) -> list[str]:
        return list(self.table.column_names)

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def __contains__(self, column: str) -> bool:
        return column in self.table.column_names

    @cached_property
    def _lines(self) -> Sequence[int] | Integers:
        return self.find_lines()

    def line(self, row: int) -> int | None:
        """The line (in Parquet: the row) at which a row begins, from 1."""
        return int(self._lines[row]) if row < len(self._lines) else None

    def report(self, rows: AnyArray, reason: str, *, field: str, remedy: str, value: Callable[[int], Any]) -> None:
        """Note one problem for each of these rows; lines are looked up only for those that will be shown."""
        shown = rows[: self.problems.room]
        for row in shown.tolist():
            self.problems.add(self.file.name, reason, line=self.line(row), field=field, value=value(row), remedy=remedy)
        self.problems.count_more(len(rows) - len(shown))

    def texts(self, column: str) -> Texts:
        """A column of texts, factorised. Numbers become texts."""
        data = self.table.column(column)
        if not pa.types.is_dictionary(data.type):
            data = _as_strings(data).dictionary_encode()
        if not len(data):  # a table without rows has no chunks
            return Texts(np.zeros(0, dtype=np.int32), [])
        if data.num_chunks > 1:
            data = data.unify_dictionaries().combine_chunks()
            # Instead of the pieces, so that there are not two of them.
            self.table = self.table.set_column(self.columns.index(column), column, data)
            pa.default_memory_pool().release_unused()
        else:
            data = data.chunk(0)
        indices = pc.fill_null(data.indices, -1) if data.null_count else data.indices
        codes: IntColumn | ShortColumn = indices.to_numpy(zero_copy_only=False)
        if codes.dtype != np.int8:
            codes = codes.astype(np.int32, copy=False)
        try:
            values = data.dictionary.to_pylist()
        except UnicodeDecodeError:
            if not self.is_parquet:
                refuse_wrong_encoding(self.file, self.problems)
            self.problems.stop(
                self.file.name,
                _("a text is not UTF-8"),
                field=column,
                remedy=_("Save the table again with texts in UTF-8."),
            )
        if "" in values:
            empty = values.index("")
            del values[empty]
            codes = np.where(codes == empty, np.int32(-1), codes - (codes > empty)).astype(np.int32)
        return _by_appearance(codes, values) if self.is_parquet else Texts(codes, values)

    def numbers(self, column: str) -> Matrix:
        """A column of numbers, float64; NaN where there is none. Anything that is not a number is noted as a
        problem.
        """
        data = self.table.column(column)
        if not (pa.types.is_floating(data.type) or pa.types.is_integer(data.type) or pa.types.is_null(data.type)):
            return self._numbers_of_texts(column)
        # Safe casts refuse integers that a float cannot hold exactly, but these are out of range anyway.
        values: Matrix = data.cast(pa.float64(), safe=False).to_numpy()
        return values

    def take_number_blocks(self, column: str) -> Iterator[tuple[int, Matrix]]:
        """The same, a block of rows at a time with its first row. The sheet forgets them, so that they are not in
        memory twice when they have been put elsewhere.
        """
        data = self.table.column(column)
        if not pa.types.is_floating(data.type):
            data = pa.chunked_array([pa.array(self.numbers(column))])
        self.table = self.table.set_column(self.columns.index(column), column, pa.nulls(len(self)))
        chunks = data.chunks[::-1]
        del data
        start = 0
        while chunks:
            chunk = chunks.pop()
            for first in range(0, len(chunk), BLOCK):
                block = chunk.slice(first, BLOCK)
                yield start + first, block.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
            start += len(chunk)

    def _numbers_of_texts(self, column: str) -> Matrix:
        texts = self.texts(column)
        parsed = np.array([_number(value) for value in texts.values] + [np.nan])
        bad_codes = [code for code, value in enumerate(texts.values) if value and _number(value) is None]
        rows = np.flatnonzero(np.isin(texts.codes, bad_codes))
        if len(rows) > max(PROBLEMS_A_COLUMN, len(self) // 2):
            self.problems.add(
                self.file.name,
                _("the column contains texts where numbers are expected"),
                line=self.line(int(rows[0])),
                field=column,
                value=texts.at(int(rows[0])),
                remedy=_("Remove the column if it is neither a label nor one of the known columns."),
            )
        else:
            self.report(
                rows, _("this is not a number"), field=column, remedy=_("Enter a number such as 0.25."), value=texts.at
            )
        if len(rows):
            raise self.problems.refusal()
        result: Matrix = parsed.astype(np.float64)[texts.codes]
        return result


def first_rows(codes: IntColumn | ShortColumn, count: int) -> Integers:
    """The first row with each code 0 .. count - 1; -1 if there is none."""
    rows = np.flatnonzero(codes >= 0)
    first = np.full(count, -1, dtype=np.int64)
    first[codes[rows][::-1]] = rows[::-1]  # the last assignment wins, which is the first row
    return first


def _by_appearance(codes: IntColumn | ShortColumn, values: list[str]) -> Texts:
    first = first_rows(codes, len(values))
    order = np.argsort(np.where(first < 0, len(codes), first), kind="stable")[: np.count_nonzero(first >= 0)]
    places = np.full(len(values) + 1, -1, dtype=np.int32)
    places[order] = np.arange(len(order), dtype=np.int32)
    return Texts(places[codes], [values[code] for code in order.tolist()])


def _number(text: str) -> float | None:
    if "_" in text:  # Python reads 1_000 as a number, but no table means it as one
        return None
    try:
        return float(text)
    except ValueError:
        return None


def _as_strings(data: pa.ChunkedArray) -> pa.ChunkedArray:
    if pa.types.is_nested(data.type):
        texts = [None if value is None else json.dumps(value, ensure_ascii=False) for value in data.to_pylist()]
        return pa.chunked_array([pa.array(texts, pa.string())])
    return data if pa.types.is_string(data.type) else data.cast(pa.string())
