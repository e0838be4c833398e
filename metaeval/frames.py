"""The library's interface to pandas: tables become DataFrames, and DataFrames passed in are aligned by name.

pandas is only imported inside `frame_of`, so that nobody has to wait for it without needing a DataFrame. Objects passed
in are recognised by their attributes (`columns`, `index`, `to_numpy`), without any import.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from annotations.ground.arrays import AnyArray

if TYPE_CHECKING:
    from pandas import DataFrame as DataFrame  # noqa: PLC0414 - for those who import it from here
else:
    DataFrame = Any

_AXES = {"index": "row", "columns": "column"}


def is_labelled(values: Any) -> bool:
    """Whether this is a DataFrame or a Series, by its attributes."""
    return hasattr(values, "to_numpy") and hasattr(values, "index") and not callable(values.index)


def is_frame(values: Any) -> bool:
    """Whether this is a DataFrame, by its attributes."""
    return is_labelled(values) and hasattr(values, "columns")


def column_names(values: Any) -> tuple[str, ...]:
    """The columns of a DataFrame as strings; none for anything else."""
    return tuple(map(str, values.columns)) if is_frame(values) else ()


def aligned(**given: Any) -> tuple[Any, ...]:
    """The values, with DataFrames and Series in the order of the first of them.

    Rows are matched by `index`, columns by `columns`. The same names in another order are reordered; different names
    are an error that says which is the first missing one. Arrays and lists have no names and are taken by position.
    Raises ValueError for names that differ, and for duplicate names in different orders.

    >>> import pandas as pd
    >>> P = pd.DataFrame([[1.0, 0.0]], columns=["yes", "no"])
    >>> Q = pd.DataFrame([[0.2, 0.8]], columns=["no", "yes"])
    >>> aligned(P=P, Q=Q)[1].tolist()
    [[0.8, 0.2]]
    """
    labelled = {name: values for name, values in given.items() if is_labelled(values)}
    if len(labelled) < 2:
        return tuple(given.values())
    first, *others = labelled
    moved: dict[str, Any] = {}
    for name in others:
        array = labelled[name].to_numpy()
        for axis, attribute in enumerate(_AXES):
            if hasattr(labelled[first], attribute) and hasattr(labelled[name], attribute):
                order = _order(labelled[first], labelled[name], attribute, (first, name))
                array = array if order is None else np.take(array, order, axis=axis)
        moved[name] = array
    return tuple(moved.get(name, values) for name, values in given.items())


def with_target(target: Any, scores: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """A target and rows of scores by name, with Series in the order of the target's index."""
    return target, {name: aligned(**{"the target": target, str(name): row})[1] for name, row in scores.items()}


def _order(first: Any, other: Any, attribute: str, names: tuple[str, str]) -> list[int] | None:
    """Where the first one's names are in the other; None if they are in the same places."""
    order, names_there = (list(getattr(frame, attribute)) for frame in (first, other))
    if order == names_there:
        return None
    what = _AXES[attribute]
    places = {label: place for place, label in enumerate(names_there)}
    if len(places) < len(names_there) or len(set(order)) < len(order):
        msg = f"{names[0]} and {names[1]} name a {what} twice and differ in their order; expected {what}s of one name"
        raise ValueError(msg)
    for label in order:
        if label not in places:
            msg = f"{what} {label!r} of {names[0]} is not in {names[1]}; expected the same {what}s in both"
            raise ValueError(msg)
    if len(names_there) != len(order):
        extra = next(label for label in names_there if label not in set(order))
        msg = f"{what} {extra!r} of {names[1]} is not in {names[0]}; expected the same {what}s in both"
        raise ValueError(msg)
    return [places[label] for label in order]


def frame_of(rows: Iterable[Mapping[str, Any]], *, index: Sequence[str], columns: Sequence[str]) -> DataFrame:
    """A DataFrame of rows, with these columns even if there are no rows; the columns in `index` become the index.

    A column of numbers is float64 if any is missing (None is NaN), else of its own type; a column of strings holds "",
    not None.
    """
    import pandas as pd

    listed = list(rows)
    held = {name: [row.get(name) for row in listed] for name in [*index, *columns]}
    frame = pd.DataFrame({name: _column(values) for name, values in held.items()}, columns=list(held))
    return frame.set_index(list(index)) if index else frame


def _column(values: list[Any]) -> list[Any] | AnyArray:
    present = [value for value in values if value is not None]
    if present and all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in present):
        whole = len(present) == len(values) and all(isinstance(value, int) for value in present)
        return np.array(
            [np.nan if value is None else value for value in values], dtype=np.int64 if whole else np.float64
        )
    if present and all(isinstance(value, str) for value in present):
        return ["" if value is None else value for value in values]
    return values
