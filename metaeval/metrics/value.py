"""What a metric returns: a float that can say why it is undefined."""

from __future__ import annotations

import math
from typing import Any, Self


class MetricValue(float):
    """A metric's value: a float that can say why it is NaN.

    It can be used wherever a float can (arithmetic, NumPy, formatting).

    Parameters
    ----------
    value : float
        The value.
    reason : str, optional
        Why the value is undefined; required if it is NaN, and only then.

    Attributes
    ----------
    reason : str
        Why the value is undefined; empty if it is defined.
    is_defined : bool
        Whether there is a value.

    Raises
    ------
    ValueError
        If a NaN has no reason, or another value has one.

    Examples
    --------
    >>> MetricValue(0.5) + 1
    1.5
    >>> undefined("every entropy of Q is the same")
    MetricValue(nan, 'every entropy of Q is the same')
    """

    __slots__ = ("_reason",)
    _reason: str

    def __new__(cls, value: float, reason: str = "") -> Self:
        self = super().__new__(cls, value)
        if math.isnan(self) != bool(reason):
            msg = f"a value is NaN if and only if it has a reason, got value={value!r}, reason={reason!r}"
            raise ValueError(msg)
        self._reason = reason
        return self

    @property
    def reason(self) -> str:
        """Why the value is undefined; empty where it is defined."""
        return self._reason

    @property
    def is_defined(self) -> bool:
        return not self._reason

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON: ``{"value": float | None, "reason": str}``."""
        return {"value": None if self._reason else float(self), "reason": self._reason}

    def __repr__(self) -> str:
        return f"MetricValue(nan, {self._reason!r})" if self._reason else float.__repr__(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (float(self), self._reason))


def undefined(reason: str) -> MetricValue:
    """The NaN of an undefined metric, with its reason.

    Parameters
    ----------
    reason : str
        Why there is no value, for people to read.

    Returns
    -------
    MetricValue
        NaN with this reason.
    """
    return MetricValue(math.nan, reason)
