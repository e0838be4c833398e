"""Williams' test: is one metric's correlation with the judgements higher than another's?"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from annotations.ground.arrays import Mask, Vector
from metaeval.checking import checked_array, checked_choice, checked_count, checked_number
from metaeval.describing import described
from metaeval.frames import aligned
from metaeval.stats.correlating.coefficients import Coefficient, correlation
from metaeval.stats.resampling import SIDES, Alternative
from metaeval.stats.results import SignificanceResult

ONE_UNDEFINED = "one of the correlations is undefined"


@described
@dataclass(frozen=True)
class WilliamsTest(SignificanceResult, statistic="t"):
    """The result of Williams' test."""

    t: float
    """The statistic, on n - 3 degrees of freedom; NaN where it is undefined."""
    pvalue: float
    """Its p-value."""
    difference: float
    """r12 - r13."""
    n: int
    """How many systems."""
    alternative: Alternative = "two-sided"
    """Alternative hypothesis."""
    reason: str = ""
    """Why the test is undefined; empty if it is defined."""
    excluded: tuple[int, ...] = ()
    """Positions of the systems that were left out."""
    notes: tuple[str, ...] = ()


@described
def williams(r12: float, r13: float, r23: float, n: int, *, alternative: Alternative = "two-sided") -> WilliamsTest:
    """Whether two dependent correlations that share a variable differ.

    Parameters
    ----------
    r12, r13 : float
        Correlations of the judgements (1) with each metric.
    r23 : float
        Correlation of the two metrics.
    n : int
        How many systems.

    Raises
    ------
    ValueError
        If a correlation is not in [-1, 1], or no data can have all three (K < 0).

    Notes
    -----
    Formula: t = (r12 - r13) sqrt((n - 1)(1 + r23) / (2 K (n - 1)/(n - 3) + (r12 + r13)^2 / 4 (1 - r23)^3)), K = 1 -
    r12^2 - r13^2 - r23^2 + 2 r12 r13 r23, on n - 3 degrees of freedom. The correlations keep their signs: a metric that
    correlates at -.2 is .5 worse than one at .3, not .1. The alternative 'greater' is r12 > r13. Undefined (NaN with
    the reason) for n < 4 and where the two metrics are the same up to scale (r23 = 1).

    References
    ----------
    Williams 1959; Steiger 1980, equation 7; Graham and Baldwin 2014 for metrics.

    Examples
    --------
    >>> round(williams(0.3, -0.2, 0.1, n=25).pvalue, 6)
    0.072317
    """
    from scipy.special import stdtr

    checked_choice("alternative", alternative, tuple(SIDES))
    correlations = (r12, r13, r23)
    for name, r in zip(("r12", "r13", "r23"), correlations, strict=True):
        checked_number(name, r, least=-1, most=1, expected="a correlation in [-1, 1]")
    checked_count("n", n, 0, hint=" systems")
    k = 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23
    if k < -1e-9:
        msg = f"no data can have the correlations r12, r13, r23 = {correlations} together"
        raise ValueError(msg)

    def without(reason: str) -> WilliamsTest:
        return WilliamsTest(math.nan, math.nan, r12 - r13, n, alternative, reason)

    if n < 4:
        return without(f"Williams' test needs four systems or more, there are {n}")
    if 1 - r23 < 1e-12:
        return without("the two metrics correlate perfectly, so that there is nothing to tell apart")
    spread = 2 * max(k, 0.0) * (n - 1) / (n - 3) + ((r12 + r13) / 2) ** 2 * (1 - r23) ** 3
    if spread <= 0 or r23 == -1:
        return without("the test's variance is zero")
    t = (r12 - r13) * math.sqrt((n - 1) * (1 + r23) / spread)
    side = SIDES[alternative]
    tail = float(stdtr(n - 3, -side * t if side else -abs(t)))
    return WilliamsTest(t, tail if side else 2 * tail, r12 - r13, n, alternative)


@described
def williams_test(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    target: npt.ArrayLike,
    *,
    coefficient: Coefficient = "pearson",
    alternative: Alternative = "two-sided",
) -> WilliamsTest:
    """Williams' test of two metrics' correlations with the same target.

    Parameters
    ----------
    first, second : array_like, shape (n,)
        Scores of the two metrics, one value per system.
    target : array_like, shape (n,)
        The judgements, one value per system.

    Raises
    ------
    ValueError
        If the lengths differ.

    Notes
    -----
    Systems with a NaN in any of the three are left out and listed. The test is derived for Pearson's r; for rank
    coefficients it is customary in the field, but approximate. Undefined where `williams` is, and where one of the
    three is constant.

    References
    ----------
    see `williams`.

    Examples
    --------
    >>> human, a, b = [1, 2, 3, 4, 5], [1, 2, 4, 3, 5], [2, 1, 5, 3, 4]
    >>> williams_test(a, b, human).difference > 0
    True
    """
    checked_choice("alternative", alternative, tuple(SIDES))
    (x, y, judged), _, excluded = checked_systems(first, second, target)
    correlations = [correlation(one, other, coefficient) for one, other in ((judged, x), (judged, y), (x, y))]
    notes = () if coefficient == "pearson" else (f"derived for Pearson's r: of {coefficient} it is approximate",)
    if any(r.reason for r in correlations):
        return WilliamsTest(math.nan, math.nan, math.nan, len(x), alternative, ONE_UNDEFINED, excluded, notes)
    r12, r13, r23 = (r.value for r in correlations)
    return replace(williams(r12, r13, r23, len(x), alternative=alternative), excluded=excluded, notes=notes)


def checked_systems(
    first: npt.ArrayLike, second: npt.ArrayLike, target: npt.ArrayLike
) -> tuple[tuple[Vector, ...], Mask, tuple[int, ...]]:
    """The three rows of the systems that have a value in each, which these are, and the places of all others."""
    named = zip(("first", "second", "target"), aligned(first=first, second=second, target=target), strict=True)
    rows = [checked_array(name, row, 1, "one value per system (n,)", missing=True) for name, row in named]
    if len({row.shape for row in rows}) != 1:
        msg = f"first, second and target have shapes {[row.shape for row in rows]}; expected one (n,)"
        raise ValueError(msg)
    is_defined: Mask = np.logical_and.reduce([np.isfinite(row) for row in rows])
    return tuple(row[is_defined] for row in rows), is_defined, tuple(np.flatnonzero(~is_defined).tolist())
