"""The data of charts: rows of named values, as in results and tables."""

from __future__ import annotations

from collections.abc import Mapping

import altair as alt

Value = str | int | float | bool | None
ChartRow = Mapping[str, Value]


def text_of(row: ChartRow, key: str) -> str:
    """A name or a text; empty if there is none.

    >>> text_of({"name": "A"}, "name"), text_of({}, "text")
    ('A', '')
    """
    value = row.get(key)
    return "" if value is None else str(value)


def number_of(row: ChartRow, key: str) -> float | None:
    """A number; None if it is undefined or missing.

    >>> number_of({"value": 0.5}, "value"), number_of({"value": None}, "value"), number_of({}, "low")
    (0.5, None, None)
    """
    value = row.get(key)
    if isinstance(value, str):
        msg = f"{key} is {value!r}; expected a number"
        raise TypeError(msg)
    return value


class InlineRows(alt.InlineData):
    """Rows that copies of a chart share, since nothing changes them.

    Altair copies a chart whenever it is put into another one, with all rows of all its layers: for a scatter plot with
    200 systems, this took nine tenths of the time.
    """

    def __deepcopy__(self, memo: object = None) -> InlineRows:
        return self
