"""Names as integer codes."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from annotations.ground.arrays import AnyArray, Codes, Mask


def coded(
    values: Sequence[Any] | AnyArray, names: Sequence[Hashable] | AnyArray | None, what: str
) -> tuple[AnyArray, Codes]:
    """The names, and each value's position among them.

    Without `names`, they are the values that occur, sorted (as text if they cannot be compared). ValueError for a value
    that is not among the names, and for a duplicate name.

    >>> coded(["b", "a", "b"], None, "label")[1].tolist(), coded([3, 1], [1, 2, 3], "label")[1].tolist()
    ([1, 0, 1], [2, 0])
    """
    if names is None and isinstance(values, np.ndarray) and values.dtype.kind in "iu" and _dense(values):
        return _numbered(values)
    if names is None and isinstance(values, np.ndarray) and values.dtype != object:
        different = np.unique(values)
        return different, np.searchsorted(different, values).astype(np.int64, copy=False)
    sequence = values.tolist() if isinstance(values, np.ndarray) else values
    given = as_array(_in_order(set(sequence)) if names is None else names)
    place = {name: position for position, name in enumerate(given.tolist())}
    if len(place) != len(given):
        msg = f"a name of the {what}s comes twice"
        raise ValueError(msg)
    try:
        codes = np.fromiter(map(place.__getitem__, sequence), dtype=np.int64, count=len(sequence))
    except KeyError as unknown:
        msg = f"{what} {unknown.args[0]!r} is none of the {len(place)} {what}s given; expected one of them"
        raise ValueError(msg) from None
    return given, codes


def as_array(values: Sequence[Any] | AnyArray) -> AnyArray:
    """One dimension; of objects if types are mixed, since NumPy would turn 1 and "1" into the same string."""
    if isinstance(values, np.ndarray):
        return values
    items = list(values)
    array: AnyArray
    if len({type(value) for value in items}) == 1 and isinstance(items[0], (str, int, float, np.generic)):
        array = np.asarray(items)
        if array.ndim == 1:
            return array
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array


def missing(values: Sequence[Any] | AnyArray) -> Mask:
    """Where a value is None or NaN."""
    array = values if isinstance(values, np.ndarray) else as_array(values)
    if array.dtype == object:
        flat = [value is None or value != value for value in array.ravel().tolist()]  # noqa: PLR0124 - NaN
        return np.array(flat, dtype=np.bool_).reshape(array.shape)
    if array.dtype.kind == "f":
        nowhere: Mask = np.isnan(array)
        return nowhere
    return np.zeros(array.shape, dtype=np.bool_)


def _dense(values: AnyArray) -> bool:
    """Whether integers lie so close together that marking each is cheaper than sorting them."""
    return len(values) > 0 and int(values.max()) - int(values.min()) <= 8 * len(values)


def _numbered(values: AnyArray) -> tuple[AnyArray, Codes]:
    least = values.min()
    place = values.astype(np.int64) - int(least)
    occurs = np.zeros(int(place.max()) + 1, dtype=np.bool_)
    occurs[place] = True
    names = np.flatnonzero(occurs).astype(values.dtype) + least
    return names, (np.cumsum(occurs) - 1)[place]


def _in_order(values: set[Any]) -> list[Any]:
    try:
        return sorted(values)
    except TypeError:
        return sorted(values, key=lambda value: (type(value).__name__, str(value)))
