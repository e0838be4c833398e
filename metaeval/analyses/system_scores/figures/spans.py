"""How far the axis of differences reaches: as far as the intervals, but not so far that the differences cannot be told
apart."""

from __future__ import annotations

from collections.abc import Sequence

from metaeval.figures.dots import padded
from metaeval.figures.rows import Value

FAR = 1.0
"""How far intervals are drawn beyond the differences, relative to the differences' own span (with 0). Of two runs each,
an interval is often twenty times as wide."""


def clipped(rows: Sequence[tuple[Value, Value, Value]]) -> tuple[float, float]:
    """The ends of an axis for rows of a difference and both ends of its interval, which may be None.

    >>> clipped([(0.5, -9.0, 10.0), (1.0, 0.9, 1.1)])
    (-1.15, 2.15)
    """
    middles = [0.0, *(float(middle) for middle, _, _ in rows if middle is not None)]
    span = max(middles) - min(middles)
    low, high = min(middles) - FAR * span, max(middles) + FAR * span
    reached = [min(max(float(end), low), high) for _, *ends in rows for end in ends if end is not None]
    return padded([*middles, *reached])
