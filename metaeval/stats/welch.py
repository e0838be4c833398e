"""The difference of two means with Welch's confidence interval, and the standard deviation that it needs."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from annotations.ground.arrays import Vector
from metaeval.checking import checked_array, checked_level
from metaeval.describing import described
from metaeval.stats.correlating.coefficients import is_constant

from .results import Statistic

ONE_RUN_ON_A_SIDE = "fewer than two runs on one side"
EQUAL_RUNS = "the runs are equal on both sides"


def standard_deviation(values: Vector) -> float:
    """The standard deviation, which divides by n - 1: exactly 0 where the values differ only by rounding, since three
    times the same accuracy would otherwise vary by 1e-16; NaN of fewer than two values.

    >>> import numpy as np
    >>> standard_deviation(np.array([0.1, 0.2, 0.3])).__round__(9), standard_deviation(np.full(3, 158 / 168))
    (0.1, 0.0)
    """
    if len(values) < 2:
        return math.nan
    return 0.0 if is_constant(values) else float(values.std(ddof=1))


@described
@dataclass(frozen=True)
class MeanDifference(Statistic):
    """The difference of two means, and its confidence interval."""

    value: float
    """The first mean minus the second."""
    low: float
    high: float
    """The limits; NaN where there is no interval."""
    confidence_level: float
    """Its confidence level."""
    df: float
    """Welch's degrees of freedom."""
    reason: str = ""
    """Why there is no interval; empty if there is one."""


def mean_difference(first: npt.ArrayLike, second: npt.ArrayLike, *, confidence_level: float = 0.95) -> MeanDifference:
    """The mean of `first` minus the mean of `second`, with Welch's two-sided confidence interval.

    With means x and y, variances s and t (n - 1) and sizes n and m, the interval is x - y ± q sqrt(s / n + t / m),
    where q is the quantile of Student's t with (s / n + t / m)^2 / ((s / n)^2 / (n - 1) + (t / m)^2 / (m - 1)) degrees
    of freedom. The two samples need not vary equally.

    Parameters
    ----------
    first, second : array_like of float, shape (n,) and (m,)
        Independent values, such as a metric's over the runs of two methods; finite.
    confidence_level : float, default 0.95
        Between 0 and 1.

    Returns
    -------
    MeanDifference
        Without an interval, and with the reason, if a sample has fewer than two values, or neither varies.

    Raises
    ------
    ValueError
        For an empty sample, a value that is not finite, or a level outside (0, 1).

    References
    ----------
    Welch 1947, The generalization of "Student's" problem when several different population variances are involved.

    Examples
    --------
    >>> found = mean_difference([0.81, 0.84, 0.83], [0.78, 0.79, 0.80])
    >>> round(found.value, 4), round(found.low, 4), round(found.high, 4)
    (0.0367, 0.0055, 0.0679)
    >>> mean_difference([0.81], [0.78, 0.79]).reason
    'fewer than two runs on one side'
    """
    from scipy.special import stdtrit

    x = checked_array("first", first, 1, "values (n,)")
    y = checked_array("second", second, 1, "values (m,)")
    level = checked_level(confidence_level)
    if not len(x) or not len(y):
        msg = "first or second is empty; expected at least one value in each"
        raise ValueError(msg)
    value = float(x.mean() - y.mean())
    if min(len(x), len(y)) < 2:
        return MeanDifference(value, math.nan, math.nan, level, math.nan, ONE_RUN_ON_A_SIDE)
    parts = np.array([standard_deviation(sample) ** 2 / len(sample) for sample in (x, y)])
    if not parts.sum() > 0:
        return MeanDifference(value, math.nan, math.nan, level, math.nan, EQUAL_RUNS)
    df = float(parts.sum() ** 2 / (parts**2 / [len(x) - 1, len(y) - 1]).sum())
    reach = float(stdtrit(df, 0.5 + level / 2) * math.sqrt(parts.sum()))
    return MeanDifference(value, value - reach, value + reach, level, df)
