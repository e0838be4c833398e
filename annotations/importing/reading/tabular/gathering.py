"""A table gathered from batches of rows, in as little memory as it can be: ten million rows come in hundreds of pieces.

Texts become codes, of one byte while that is enough. Numbers are put into pieces that the operating system gets back as
soon as nobody holds them; what Arrow or malloc frees between other things, they may keep.
"""

import mmap
from array import array
from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa

SHORTEST = 100  # distinct texts with codes of one byte, to which 1 can be added
PIECE = 1 << 19  # numbers of a piece
PRIVATE = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS


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
