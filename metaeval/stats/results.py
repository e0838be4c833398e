"""The results of statistics: small frozen dataclasses that convert to plain JSON."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import Field, dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from metaeval.checking import checked_names, checked_type
from metaeval.frames import DataFrame, frame_of

AS_THEY_ARE = {str, int, bool, type(None)}


class Statistic:
    """Mixin of result dataclasses. NaN stands for "undefined" and becomes null.

    Attributes
    ----------
    reason : str
        Why the value is undefined; empty if it is defined.
    notes : tuple of str
        What a reader should know.
    """

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON of every field, in order."""
        return {name: plain(getattr(self, name)) for name in self.__dataclass_fields__}

    def to_frame(self) -> DataFrame:
        """A DataFrame: the rows of a table, or one row with the result's single values (see `to_frame`)."""
        return to_frame([self])


@dataclass(frozen=True)
class SignificanceResult(Statistic):
    """Mixin of the results of tests: `statistic` and `pvalue`, and unpacking in that order, like SciPy's results.

    A class says which of its fields `statistic` is, unless it has one of that name.

    >>> from metaeval.stats import wilcoxon
    >>> statistic, pvalue = wilcoxon([1, 2, 3, 4])
    >>> statistic, pvalue
    (0.0, 0.125)
    """

    if TYPE_CHECKING:  # a field or a property of each result

        @property
        def statistic(self) -> float: ...

        @property
        def pvalue(self) -> float: ...

    def __init_subclass__(cls, *, statistic: str = "") -> None:
        if statistic:
            doc = f"`{statistic}`, under the name that SciPy's results have."
            cls.statistic = property(attrgetter(statistic), doc=doc)  # type: ignore[assignment,method-assign]

    def __iter__(self) -> Iterator[float]:
        return iter((self.statistic, self.pvalue))


def to_frame(results: Iterable[Statistic], *, index: Sequence[str] = ()) -> DataFrame:
    """Results of one kind as a DataFrame, one row per result.

    Parameters
    ----------
    results : iterable of results, or one result
        Results of this library.
    index : sequence of str, optional
        Columns to use as the index.

    Returns
    -------
    pandas.DataFrame
        One column per field.

    Raises
    ------
    TypeError
        If something is not a result of this library.
    ValueError
        If there is no column with a name in `index`.

    Notes
    -----
    Columns are the results' fields: numbers, with NaN where undefined (`reason` says why), strings and booleans. Lists
    of strings (`notes`, `excluded`) are joined by "; "; a nested result, such as an interval, has its name before its
    fields (`interval_low`); lists of numbers are left out.

    References
    ----------
    Wickham 2014, Tidy Data.

    Examples
    --------
    >>> from metaeval.stats import correlation_tests
    >>> tests = correlation_tests({"a": [1, 2, 3, 5], "b": [1, 1, 1, 1]}, [1, 2, 4, 3], coefficients=["pearson"])
    >>> to_frame(tests, index=["row"])[["pvalue", "reason"]].round(3)
         pvalue                      reason
    row
    a     0.333
    b       NaN  all values of b are equal
    """
    listed = [results] if isinstance(results, Statistic) else list(checked_names("results", results))
    for result in listed:
        checked_type("results", result, Statistic, "results of this library")
    rows = [flat(result) for result in listed]
    columns = dict.fromkeys(name for row in rows for name in row)
    for name in checked_names("index", index):
        if name not in columns:
            msg = f"index names {name!r}; expected some of {', '.join(columns)}"
            raise ValueError(msg)
    return frame_of(rows, index=index, columns=[name for name in columns if name not in index])


def flat(result: Statistic, prefix: str = "") -> dict[str, Any]:
    """The single values of a result, and of the results in it, by name."""
    row: dict[str, Any] = {}
    for name in result.__dataclass_fields__:
        value = getattr(result, name)
        if isinstance(value, Statistic):
            row |= flat(value, f"{prefix}{name}_")
        elif isinstance(value, tuple) and all(isinstance(item, str) for item in value):
            row[prefix + name] = "; ".join(value)
        elif value is None or isinstance(value, (str, bool, int, float, np.generic)):
            row[prefix + name] = value.item() if isinstance(value, np.generic) else value
    return row


def plain(value: Any) -> Any:
    """A value as JSON can represent it: lists for arrays and tuples, null for NaN and infinities.

    Parameters
    ----------
    value : object
        A result, an array, a number, or containers of these.

    Returns
    -------
    object
        Dictionaries, lists, numbers, texts and None.
    """
    if type(value) in AS_THEY_ARE:
        return value
    if isinstance(value, Statistic):
        return value.to_dict()
    if isinstance(value, (np.ndarray, np.generic)):
        return plain(value.tolist())
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, (list, tuple)) else value
