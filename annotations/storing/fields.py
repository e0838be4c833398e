"""A model field that holds one NumPy array, whole."""

import base64
import io
from typing import Any

import numpy as np
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models.functions import Cast

from annotations.ground.arrays import absent_rows

HEADER = 128  # bytes before the numbers in a `.npy` file of two dimensions, whatever their sizes


class MatrixField(models.BinaryField):  # type: ignore[type-arg]  # not generic at run time
    """A float64 array stored in NumPy's own file format (never a pickle).

    One array per row, because an analysis always needs the whole matrix: 26 systems load in milliseconds,
    and one backup of the database contains everything. The Python value is a read-only `numpy.ndarray`.

    With `rows_may_lack` a row may be all NaN, which means that nothing is known. This restricts what is written, not
    the schema, so migrations do not contain it.
    """

    description = "A NumPy matrix"

    def __init__(self, *args: Any, rows_may_lack: bool = False, **kwargs: Any) -> None:
        self.rows_may_lack = rows_may_lack
        super().__init__(*args, **kwargs)

    def from_db_value(self, value: Any, *_: Any) -> np.ndarray | None:
        return None if value is None else unpack(bytes(value))

    def to_python(self, value: Any) -> Any:
        if isinstance(value, str):  # as `value_to_string` wrote it
            value = base64.b64decode(value, validate=True)
        return unpack(bytes(value)) if isinstance(value, bytes | memoryview) else value

    def get_prep_value(self, value: Any) -> Any:
        if value is None or isinstance(value, bytes):
            return value
        return pack(value, rows_may_lack=self.rows_may_lack)

    def value_to_string(self, obj: models.Model) -> str:
        """For Django's serializers (`dumpdata`)."""
        value = self.value_from_object(obj)
        return "" if value is None else base64.b64encode(pack(value, rows_may_lack=self.rows_may_lack)).decode()


class RowField(models.BinaryField):  # type: ignore[type-arg]  # as above
    """One row of a matrix: its float64 numbers, one after the other."""

    def from_db_value(self, value: Any, *_: Any) -> np.ndarray | None:
        return None if value is None else numbers_in(value)

    def to_python(self, value: Any) -> Any:
        if isinstance(value, str):  # as Django's serializers write it
            value = base64.b64decode(value, validate=True)
        return numbers_in(value) if isinstance(value, bytes | memoryview) else value

    def get_prep_value(self, value: Any) -> Any:
        return np.asarray(value, dtype="<f8").tobytes() if isinstance(value, np.ndarray) else value


class RowOf(models.Func):
    """One row of a stored matrix, cut out by the database; a read-only float64 array.

    A page that shows one instance should not fetch thousands. `row` counts from 0; `columns` is the matrix's width.
    """

    function = "SUBSTR"
    output_field = models.BinaryField()

    def __init__(self, matrix: Any, row: Any, columns: Any) -> None:
        width = columns * np.dtype(np.float64).itemsize
        whole = models.IntegerField()  # PostgreSQL's substring takes integers, but its length may return bigger ones
        super().__init__(matrix, Cast(row * width + HEADER + 1, whole), Cast(width, whole))

    @staticmethod
    def convert_value(value: Any, *_: Any) -> np.ndarray | None:
        """The row's bytes as numbers."""
        return None if value is None else numbers_in(value)


class RowsOf(RowOf):
    """Some rows of a stored matrix, concatenated by the database: a flat, read-only float64 array."""

    def __init__(self, matrix: Any, first: int, count: int, columns: int) -> None:
        width = columns * np.dtype(np.float64).itemsize
        whole = models.IntegerField()
        models.Func.__init__(
            self,
            matrix,
            Cast(models.Value(first * width + HEADER + 1), whole),
            Cast(models.Value(count * width), whole),
        )


def numbers_in(row: Any) -> np.ndarray:
    """The numbers that a row's bytes are; read-only."""
    return np.frombuffer(bytes(row), dtype="<f8")


def pack(matrix: np.ndarray, *, rows_may_lack: bool = False) -> bytes:
    """The bytes of a matrix in NumPy's file format (`.npy`, version 1.0).

    Raises:
        ValidationError: a value is not a finite number; unless `rows_may_lack` and its whole row is NaN.
    """
    array = np.ascontiguousarray(matrix, dtype=np.float64)
    present = ~absent_rows(array) if rows_may_lack else slice(None)
    if not np.isfinite(array[present]).all():
        raise ValidationError("a matrix holds a value that is not a finite number")
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=False)
    return buffer.getvalue()


def unpack(data: bytes) -> np.ndarray:
    """The inverse of `pack`. The matrix is read-only because everyone who loads it shares it."""
    matrix: np.ndarray = np.load(io.BytesIO(data), allow_pickle=False)
    matrix.flags.writeable = False
    return matrix
