"""A model field that holds one NumPy array, whole."""

import io
from typing import Any

import numpy as np
from django.core.exceptions import ValidationError
from django.db import models


class MatrixField(models.BinaryField):  # type: ignore[type-arg]  # not generic at run time
    """A float64 array stored in NumPy's own file format (never a pickle).

    One array a row, because an analysis always wants the whole matrix: 26 systems load in milliseconds,
    and one backup of the database holds everything. The Python value is a read-only `numpy.ndarray`.
    """

    description = "A NumPy matrix"

    def from_db_value(self, value: Any, *_: Any) -> np.ndarray | None:
        return None if value is None else unpack(bytes(value))

    def to_python(self, value: Any) -> Any:
        return unpack(bytes(value)) if isinstance(value, bytes | memoryview) else value

    def get_prep_value(self, value: Any) -> Any:
        if value is None or isinstance(value, bytes):
            return value
        return pack(value)

    def value_to_string(self, obj: models.Model) -> str:
        raise NotImplementedError("matrices leave through the exporters, not through dumpdata")


def pack(matrix: np.ndarray) -> bytes:
    """The bytes of a matrix in NumPy's file format (`.npy`, version 1.0)."""
    array = np.ascontiguousarray(matrix, dtype=np.float64)
    if not np.isfinite(array).all():
        raise ValidationError("a matrix holds a value that is not a finite number")
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=False)
    return buffer.getvalue()


def unpack(data: bytes) -> np.ndarray:
    """The matrix of `pack`. Read-only: everybody who loads it shares it."""
    matrix: np.ndarray = np.load(io.BytesIO(data), allow_pickle=False)
    matrix.flags.writeable = False
    return matrix
