"""The straight line through a scatter plot, with a confidence band for its mean."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from annotations.ground.arrays import Vector
from metaeval.checking import checked_array, checked_count, checked_level
from metaeval.describing import described
from metaeval.frames import DataFrame, aligned, frame_of
from metaeval.stats.results import Statistic

from .coefficients import is_constant

EQUAL_X = "all values of x are equal"
TOO_FEW_POINTS = "fewer than three points"


@described
@dataclass(frozen=True)
class RegressionLine(Statistic):
    """A least-squares line y = intercept + slope x, with the confidence band of its mean."""

    slope: float
    intercept: float
    """The line; NaN where it is undefined."""
    confidence_level: float
    """Confidence level of the band."""
    n: int
    """How many points the line was fitted to."""
    x: tuple[float, ...] = ()
    y: tuple[float, ...] = ()
    """Places along the line."""
    lower: tuple[float, ...] = ()
    upper: tuple[float, ...] = ()
    """The band at each of these places."""
    reason: str = ""
    """Why there is no line; empty if there is one."""

    def to_frame(self) -> DataFrame:
        """One row per place along the line: `x`, `y` and the band's `lower` and `upper`."""
        rows = (
            {"x": x, "y": y, "lower": low, "upper": high}
            for x, y, low, high in zip(self.x, self.y, self.lower, self.upper, strict=True)
        )
        return frame_of(rows, index=[], columns=["x", "y", "lower", "upper"])


@described
def regression_line(
    x: npt.ArrayLike, y: npt.ArrayLike, *, confidence_level: float = 0.95, points: int = 41
) -> RegressionLine:
    """Fit y on x, with the pointwise confidence band of the mean response.

    Parameters
    ----------
    x, y : array_like, shape (n,)
        Finite values of the same length.
    points : int, default 41
        The number of places across the range of x at which the line and its band are returned.

    Returns
    -------
    RegressionLine
        The line, or NaN with a reason.

    Raises
    ------
    ValueError
        If the lengths differ, a value is not finite, or the confidence level is not between 0 and 1.

    Notes
    -----
    Formula: yhat(x) +- t(n - 2, (1 + confidence_level)/2) s sqrt(1/n + (x - mean x)^2 / sum (x_i - mean x)^2), with s^2
    = sum (y_i - yhat_i)^2 / (n - 2). Undefined (NaN with the reason) for constant x and for n < 3; with constant y, the
    line is flat and its band has no width.

    References
    ----------
    Kurniawan et al. 2026, Figure 7.

    Examples
    --------
    >>> line = regression_line([0, 1, 2, 3], [1, 3, 5, 7], points=2)
    >>> line.slope, line.intercept, line.y
    (2.0, 1.0, (1.0, 7.0))
    """
    from scipy.special import stdtrit  # slow to import, and only needed here

    checked_level(confidence_level)
    checked_count("points", points)
    x, y = aligned(x=x, y=y)
    a, b = (checked_array(name, row, 1, "one value per point (n,)") for name, row in (("x", x), ("y", y)))
    if a.ndim != 1 or a.shape != b.shape or not (np.isfinite(a).all() and np.isfinite(b).all()):
        msg = f"expected two finite sequences of one length, got shapes {a.shape} and {b.shape}"
        raise ValueError(msg)
    n = len(a)
    reason = TOO_FEW_POINTS if n < 3 else EQUAL_X if is_constant(a) else ""
    if reason:
        return RegressionLine(math.nan, math.nan, confidence_level, n, reason=reason)
    centre, mean = a.mean(), b.mean()
    spread = ((a - centre) ** 2).sum()
    slope = float(((a - centre) * (b - mean)).sum() / spread)
    residuals = b - mean - slope * (a - centre)
    s = math.sqrt((residuals**2).sum() / (n - 2))
    at = np.linspace(a.min(), a.max(), points)
    line: Vector = mean + slope * (at - centre)
    width = float(stdtrit(n - 2, (1 + confidence_level) / 2)) * s * np.sqrt(1 / n + (at - centre) ** 2 / spread)
    return RegressionLine(
        slope=slope,
        intercept=float(mean - slope * centre),
        confidence_level=confidence_level,
        n=n,
        x=tuple(at.tolist()),
        y=tuple(line.tolist()),
        lower=tuple((line - width).tolist()),
        upper=tuple((line + width).tolist()),
    )
