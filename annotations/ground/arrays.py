"""Names for the project's NumPy arrays in type annotations: one for each kind of number.

The names say what an array holds; its shape is in the docstring of the function that takes or returns it. This
module also defines how a matrix marks a row as missing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float64]
"""Numbers in one row."""

Matrix = npt.NDArray[np.float64]
"""Numbers in rows and columns, or in more dimensions."""

Integers = npt.NDArray[np.int64]
"""Whole numbers."""

Codes = npt.NDArray[np.int64]
"""Whole numbers that identify something: an item, a label, a person, a place in a list."""

Counts = npt.NDArray[np.int64]
"""How often something occurs."""

Mask = npt.NDArray[np.bool_]
"""True for what is selected."""

IntColumn = npt.NDArray[np.int32]
"""Codes in half the memory, for tables with millions of rows."""

ShortColumn = npt.NDArray[np.int8]
"""Codes below 128, in a quarter of that."""

Signs = npt.NDArray[np.int8]
"""-1, 0 or 1."""

Places = npt.NDArray[np.intp]
"""Positions in an array, as returned by NumPy's searching and sorting."""

Words = npt.NDArray[np.uint64]
"""64 bits each: random words, packed sets."""

AnyArray = npt.NDArray[Any]
"""Values of any kind: names, or what a reader found."""


def absent_rows(matrix: Matrix) -> Mask:
    """Which rows (instances) of a matrix of predictions are missing: those in which every value is NaN.

    >>> absent_rows(np.array([[0.5, 0.5], [np.nan, np.nan], [0.5, np.nan]])).tolist()
    [False, True, False]
    """
    absent: Mask = np.asarray(np.isnan(matrix).all(axis=1))
    return absent
