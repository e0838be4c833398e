"""Checks of the library's arguments: each is checked once, and refused with a sentence that says what it was and what
was expected. Kernels and inner loops check nothing."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from numbers import Real
from typing import Any, TypeGuard

import numpy as np

from annotations.ground.arrays import Matrix


def checked_choice(name: str, value: object, choices: Sequence[str]) -> None:
    """Refuse a value that is not one of the choices, and list them.

    >>> checked_choice("coefficient", "tau", ("pearson", "spearman", "kendall"))
    Traceback (most recent call last):
    ValueError: coefficient is 'tau'; expected one of pearson, spearman, kendall
    """
    if not isinstance(value, str) or value not in choices:
        msg = f"{name} is {shown(value)}; expected one of {', '.join(choices)}"
        raise ValueError(msg)


def checked_level(level: object, name: str = "confidence_level") -> float:
    """A number between 0 and 1, both excluded.

    >>> checked_level(95)
    Traceback (most recent call last):
    ValueError: confidence_level is 95; expected a share between 0 and 1, such as 0.95
    """
    if not _is_number(level) or not 0 < float(level) < 1:
        msg = f"{name} is {shown(level)}; expected a share between 0 and 1, such as {0.05 if name == 'alpha' else 0.95}"
        raise ValueError(msg)
    return float(level)


def checked_count(name: str, value: object, least: int = 1, *, hint: str = "") -> int:
    """An integer of at least `least`.

    >>> checked_count("n_resamples", -5)
    Traceback (most recent call last):
    ValueError: n_resamples is -5; expected at least 1
    """
    if not _is_number(value) or float(value) != math.floor(float(value)):
        msg = f"{name} is {shown(value)}; expected a whole number, at least {least}{hint}"
        raise ValueError(msg)
    if float(value) < least:
        msg = f"{name} is {shown(value)}; expected at least {least}{hint}"
        raise ValueError(msg)
    return int(value)


def checked_number(
    name: str, value: object, *, least: float = -math.inf, most: float = math.inf, expected: str = "a number"
) -> float:
    """A finite number in [least, most]."""
    if not _is_number(value) or not least <= float(value) <= most:
        msg = f"{name} is {shown(value)}; expected {expected}"
        raise ValueError(msg)
    return float(value)


def checked_above(name: str, value: object, bound: float = 0) -> float:
    """A finite number above `bound`."""
    if not _is_number(value) or not float(value) > bound:
        msg = f"{name} is {shown(value)}; expected a number above {bound:g}"
        raise ValueError(msg)
    return float(value)


def checked_array(
    name: str, values: object, ndim: int, expected: str, *, least: int = 0, missing: bool = False
) -> Matrix:
    """`values` as float64 with `ndim` axes, the last of them at least `least` long, finite (or NaN, if `missing`).

    >>> checked_array("pvalues", [[0.1], [0.2]], 1, "one p-value per test (n,)")
    Traceback (most recent call last):
    ValueError: pvalues has shape (2, 1); expected one p-value per test (n,)
    """
    array = as_numbers(name, values, expected)
    if array.ndim != ndim or (least and (array.shape[-1] < least or not array.size)):
        msg = f"{name} has shape {array.shape}; expected {expected}"
        raise ValueError(msg)
    bad = ~(np.isfinite(array) | np.isnan(array)) if missing else ~np.isfinite(array)
    if bad.any():
        where = tuple(int(at) for at in np.argwhere(bad)[0])
        place = f"[{', '.join(map(str, where))}]"
        msg = f"{name}{place} is {array[where]}; expected {expected}, {'finite or NaN' if missing else 'all finite'}"
        raise ValueError(msg)
    return array


def as_numbers(name: str, values: object, expected: str) -> Matrix:
    """`values` as float64 of any shape, or an error that says why not."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        msg = f"{name} cannot be read as numbers ({error}); expected {expected}"
        raise ValueError(msg) from error
    return array


def checked_rows(scores: object, name: str = "scores") -> None:
    """Refuse anything that is not a mapping from names to rows."""
    if not hasattr(scores, "items") or not hasattr(scores, "values"):
        msg = f"{name} is {shown(scores)}; expected a mapping from names to rows of values"
        raise TypeError(msg)


def checked_type(name: str, value: object, kinds: type | tuple[type, ...], expected: str) -> None:
    """Refuse anything that is not one of the library's types that a function accepts."""
    if not isinstance(value, kinds):
        msg = f"{name} is {shown(value)}; expected {expected}"
        raise TypeError(msg)


def checked_sequences(expected: str = "one entry each", /, **given: object) -> int:
    """Check that sequences have the same length, and return it; strings count as sequences of letters."""
    lengths: dict[str, int] = {}
    for name, values in given.items():
        try:
            lengths[name] = len(values)  # type: ignore[arg-type]  # what has no length is refused below
        except TypeError:
            msg = f"{name} is {shown(values)}; expected a sequence, {expected}"
            raise TypeError(msg) from None
    if len(set(lengths.values())) > 1:
        msg = f"{', '.join(lengths)} have {', '.join(map(str, lengths.values()))} entries; expected {expected}"
        raise ValueError(msg)
    return next(iter(lengths.values()), 0)


def checked_names(name: str, names: object) -> tuple[Any, ...]:
    """A sequence of names, which a single string is not."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        msg = f"{name} is {shown(names)}; expected a sequence of names"
        raise TypeError(msg)
    return tuple(names)


def shown(value: object) -> str:
    """The value, shortened for an error message."""
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape}"
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _is_number(value: object) -> TypeGuard[float]:
    return not isinstance(value, (bool, np.bool_)) and isinstance(value, Real) and math.isfinite(value)
