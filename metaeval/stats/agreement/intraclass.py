"""Intraclass correlations of ratings: the six forms of Shrout and Fleiss, with their F tests and intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from annotations.ground.arrays import Matrix
from metaeval.checking import as_numbers, checked_choice, checked_level
from metaeval.describing import described
from metaeval.rounding import ROUNDING
from metaeval.stats.results import SignificanceResult

IntraclassForm = Literal["1,1", "2,1", "3,1", "1,k", "2,k", "3,k"]
INTRACLASS_FORMS: tuple[IntraclassForm, ...] = get_args(IntraclassForm)


@described
@dataclass(frozen=True)
class IntraclassCorrelation(SignificanceResult, statistic="f"):
    """One form of the intraclass correlation, with its F test of 0 and its interval."""

    form: IntraclassForm
    """Which form."""
    value: float
    """The correlation; NaN where it is undefined."""
    low: float
    high: float
    """The limits. A limit of minus infinity has no JSON value."""
    confidence_level: float
    """Confidence level of the interval."""
    f: float
    degrees: tuple[int, int]
    pvalue: float
    """The F statistic, its two degrees of freedom, and its p-value."""
    n_targets: int
    n_judges: int
    """How many there are."""
    excluded: int = 0
    """How many targets were left out because a judge did not rate them."""
    reason: str = ""

    def __float__(self) -> float:
        return self.value


@dataclass(frozen=True)
class _MeanSquares:
    """For n targets and k judges: between targets, within targets, between judges, and the residual (error)."""

    n: int
    k: int
    targets: float
    within: float
    judges: float
    error: float

    @classmethod
    def of(cls, rated: Matrix) -> _MeanSquares:
        n, k = rated.shape
        none = ROUNDING * float(np.abs(rated).max()) ** 2
        from_mean = rated - rated.mean()
        by_target, by_judge = from_mean.mean(axis=1), from_mean.mean(axis=0)
        residual = from_mean - by_target[:, None] - by_judge
        squares = (
            k * float((by_target**2).sum()) / (n - 1),
            float(((from_mean - by_target[:, None]) ** 2).sum()) / (n * (k - 1)),
            n * float((by_judge**2).sum()) / (k - 1),
            float((residual**2).sum()) / ((n - 1) * (k - 1)),
        )
        return cls(n, k, *(0.0 if square <= none else square for square in squares))


@described
def intraclass_correlation(
    ratings: npt.ArrayLike, form: IntraclassForm = "2,1", *, confidence_level: float = 0.95
) -> IntraclassCorrelation:
    """The share of the ratings' variance that is due to the targets, in one of Shrout and Fleiss's six forms.

    Parameters
    ----------
    ratings : array_like, shape (n, k)
        Target i rated by judge j, on an interval scale. Targets with a NaN are left out and counted.
    form : {'1,1', '2,1', '3,1', '1,k', '2,k', '3,k'}, default '2,1'
        Which form; see Notes.

    Returns
    -------
    IntraclassCorrelation
        The correlation with its test and interval, or NaN with a reason.

    Raises
    ------
    ValueError
        If the shape or the form is not one of these, a rating is infinite, or the confidence level is not between 0 and
        1.

    Notes
    -----
    ratings (n, k): target i rated by judge j, on an interval scale; targets with a NaN are left out and counted. With
    the mean squares B between targets, W within them, J between judges, and E of the residual:

    - `1,1` (each target has its own judges): (B - W) / (B + (k - 1) W);
    - `2,1` (the judges are a sample; their level matters): (B - E) / (B + (k - 1) E + k (J - E) / n);
    - `3,1` (only these judges; their level does not matter): (B - E) / (B + (k - 1) E);
    - `1,k`, `2,k`, `3,k`, of the mean of the k judges: (B - W) / B, (B - E) / (B + (J - E) / n), (B - E) / B.

    F is B / W or B / E, on (n - 1, n (k - 1)) or (n - 1, (n - 1) (k - 1)) degrees of freedom; the limits are Shrout and
    Fleiss's for normal ratings; those of `2,1` are approximate (Satterthwaite's degrees of freedom), and those of `2,k`
    follow from them by the Spearman-Brown formula. Range: [-1 / (k - 1), 1] for one judge; for the mean of k, at most 1
    and without a lower bound. Undefined for fewer than two targets or judges, and where there is no variance to divide
    by.

    References
    ----------
    Shrout and Fleiss 1979, Intraclass Correlations: Uses in Assessing Rater Reliability, Psychological Bulletin 86.

    Examples
    --------
    >>> judged = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
    >>> [round(intraclass_correlation(judged, form).value, 2) for form in INTRACLASS_FORMS]
    [0.17, 0.29, 0.71, 0.44, 0.62, 0.91]
    """
    from scipy.special import fdtrc

    checked_choice("form", form, INTRACLASS_FORMS)
    checked_level(confidence_level)
    matrix = as_numbers("ratings", ratings, "a matrix (targets, judges)")
    if matrix.ndim != 2 or np.isinf(matrix).any():
        msg = f"ratings have shape {matrix.shape}; expected finite values (targets, judges), NaN where one is missing"
        raise ValueError(msg)
    rated = matrix[~np.isnan(matrix).any(axis=1)]
    n, k = rated.shape
    excluded = len(matrix) - n

    def without(reason: str) -> IntraclassCorrelation:
        nan = math.nan
        return IntraclassCorrelation(form, nan, nan, nan, confidence_level, nan, (0, 0), nan, n, k, excluded, reason)

    if k < 2:
        return without("fewer than two judges")
    if n < 2:
        return without("fewer than two targets that every judge rated")
    squares = _MeanSquares.of(rated)
    noise = squares.within if form[0] == "1" else squares.error
    degrees = (n - 1, n * (k - 1) if form[0] == "1" else (n - 1) * (k - 1))
    above, below = _fraction(squares, form, noise)
    if below <= 0:
        return without("the ratings leave no variance of targets to compare with")
    low, high = _limits(squares, form, noise, degrees, confidence_level)
    f = squares.targets / noise if noise else math.inf
    p = float(fdtrc(*degrees, f)) if noise else 0.0
    return IntraclassCorrelation(form, above / below, low, high, confidence_level, f, degrees, p, n, k, excluded)


def _fraction(of: _MeanSquares, form: IntraclassForm, noise: float) -> tuple[float, float]:
    """Numerator and denominator."""
    judges = (of.judges - of.error) / of.n if form[0] == "2" else 0.0
    if form[2] == "k":
        return of.targets - noise, of.targets + judges
    return of.targets - noise, of.targets + (of.k - 1) * noise + of.k * judges


def _limits(
    of: _MeanSquares, form: IntraclassForm, noise: float, degrees: tuple[int, int], confidence_level: float
) -> tuple[float, float]:
    from scipy.special import fdtri

    tail = (1 + confidence_level) / 2
    if form[0] == "2":
        limits = _limits_of_random_judges(of, tail)
    else:
        upper, lower = float(fdtri(*degrees, tail)), float(fdtri(*degrees[::-1], tail))
        wide, narrow = (upper * noise, of.targets), (noise, lower * of.targets)
        limits = tuple((b - e) / (b + (of.k - 1) * e) for e, b in (wide, narrow))
    if form[2] == "1":
        return limits[0], limits[1]
    low, high = (of.k * r / (1 + (of.k - 1) * r) if 1 + (of.k - 1) * r > 0 else -math.inf for r in limits)
    return low, high


def _limits_of_random_judges(of: _MeanSquares, tail: float) -> tuple[float, ...]:
    """The limits of `2,1`: Shrout and Fleiss 1979, page 424, multiplied by E so that E may be 0."""
    from scipy.special import fdtri

    n, k = of.n, of.k
    above, below = _fraction(of, "2,1", of.error)
    rho = above / below
    of_judges, of_error = k * rho * of.judges, of.error * (n * (1 + (k - 1) * rho) - k * rho)
    spread = (n - 1) * of_judges**2 + of_error**2
    free = (k - 1) * (n - 1) * (of_judges + of_error) ** 2 / spread if spread > 0 else 1.0
    upper, lower = float(fdtri(n - 1, free, tail)), float(fdtri(free, n - 1, tail))
    rest = k * of.judges + (k * n - k - n) * of.error
    return (
        n * (of.targets - upper * of.error) / (upper * rest + n * of.targets),
        n * (lower * of.targets - of.error) / (rest + n * lower * of.targets),
    )
