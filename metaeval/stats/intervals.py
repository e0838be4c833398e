"""Confidence intervals from bootstrap replicates: percentile, and bias-corrected and accelerated (BCa); Wilson's
interval of a share; and the bootstrap of means over items."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from annotations.ground.arrays import Vector
from metaeval.checking import checked_above, checked_array, checked_choice, checked_level, checked_number, shown
from metaeval.describing import described
from metaeval.sampling import Replicates, ResamplingPlan, Seed

from .results import Statistic

IntervalMethod = Literal["percentile", "bca"]

LEAST_DEFINED = 0.5
"""With a smaller share of defined replicates, the interval would describe different data from the user's."""

BLOCK = 64
"""Resamples per block: a block counts how often each item was drawn, one column per item."""


@described
@dataclass(frozen=True)
class Interval(Statistic):
    """A bootstrap confidence interval; `value in interval` says whether it contains a value."""

    low: float
    high: float
    """The limits; NaN where there is no interval."""
    confidence_level: float
    """Its confidence level."""
    method: IntervalMethod
    """How the limits were computed from the replicates."""
    n_resamples: int
    """How many replicates there are."""
    undefined: int = 0
    """How many of them had no value and were left out."""
    standard_error: float = math.nan
    """The replicates' standard deviation."""
    reason: str = ""
    """Why there is no interval; empty if there is one."""

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high


@described
def bootstrap_interval(
    replicates: npt.ArrayLike,
    *,
    confidence_level: float = 0.95,
    method: IntervalMethod = "percentile",
    observed: float = math.nan,
    jackknife: npt.ArrayLike = (),
    centred: bool = False,
    stretch: float = 1.0,
    undefined_because: str = "",
) -> Interval:
    """The confidence interval of a statistic from its bootstrap replicates.

    Parameters
    ----------
    replicates : array_like, shape (B,)
        The statistic in each resample; NaN where it is undefined.
    method : {'percentile', 'bca'}, default 'percentile'
        How the limits are computed from the replicates.
    observed : float, optional
        The statistic of the data, needed by BCa and `centred`.
    jackknife : array_like, shape (n,), optional
        The statistic without each unit, for BCa's acceleration.
    centred : bool, default False
        Whether the interval is about the statistic's own centre in repetitions; see Notes.
    stretch : float, default 1.0
        Factor for replicates that are known to vary too little or too much.
    undefined_because : str, optional
        The caller's reason for refusing an interval.

    Returns
    -------
    Interval
        The limits, or NaN with a reason.

    Raises
    ------
    ValueError
        If the confidence level is not between 0 and 1, or the replicates are not one row of numbers.

    Notes
    -----
    With c the confidence level, percentile: the quantiles (1 - c)/2 and (1 + c)/2 of the replicates. BCa: the quantiles
    Phi(z0 + (z0 + z) / (1 - a (z0 + z))) at z = Phi^-1 of those levels, where z0 = Phi^-1(share of replicates below the
    observed value, half of those equal to it) corrects the bias and a = sum d^3 / (6 (sum d^2)^1.5), d = mean -
    leave-one-out values (`jackknife`), the skewness; without a jackknife a = 0 (the bias-corrected interval). NaN
    replicates are left out and counted; the interval is undefined when more than half are, when `observed` is (BCa,
    `centred`), when all replicates are on one side of it (BCa, `centred`), and when the caller says so
    (`undefined_because`).

    Both are for the parameter that the statistic estimates, perhaps with bias. `centred=True` is for the statistic's
    own centre in repetitions, which the observed value estimates without bias: the replicates are centred on it (once,
    where BCa corrects twice), and the levels become Phi(z0 + z) for percentile and Phi(z0 + z / (1 - a z)) for BCa.
    `stretch` then multiplies z, for replicates that are known to vary too little or too much.

    References
    ----------
    Efron and Tibshirani 1993, An Introduction to the Bootstrap, sections 13.3 and 14.3; `centred` follows from their
    section 14.3 if the bias of the statistic is not counted as an error.

    Examples
    --------
    >>> replicates = np.linspace(0, 1, 1001)
    >>> interval = bootstrap_interval(replicates)
    >>> round(interval.low, 6), round(interval.high, 6)
    (0.025, 0.975)
    """
    from scipy.special import ndtr, ndtri

    checked_level(confidence_level)
    checked_choice("method", method, get_args(IntervalMethod))
    acceleration(jackknife)
    drawn = checked_array("replicates", replicates, 1, "one value per resample (B,)", missing=True)
    if isinstance(observed, bool) or not isinstance(observed, (int, float, np.number)):
        msg = f"observed is {shown(observed)}; expected a number, NaN where the statistic is undefined"
        raise TypeError(msg)
    checked_above("stretch", stretch)
    defined = drawn[~np.isnan(drawn)]
    undefined = len(drawn) - len(defined)

    def without(reason: str) -> Interval:
        return Interval(math.nan, math.nan, confidence_level, method, len(drawn), undefined, reason=reason)

    if undefined_because:
        return without(undefined_because)
    if len(defined) < max(2, LEAST_DEFINED * len(drawn)):
        return without(f"the statistic is undefined in {undefined} of {len(drawn)} resamples")
    shares = np.array([(1 - confidence_level) / 2, (1 + confidence_level) / 2])
    if method == "bca" or centred:
        if math.isnan(observed):
            return without("the statistic is undefined")
        close = 1e-12 * max(1.0, abs(observed))
        below = float((defined < observed - close).mean())
        equal = float((np.abs(defined - observed) <= close).mean())
        bias = float(ndtri(below + equal / 2))
        if math.isinf(bias):
            return without("all replicates lie on one side of the observed value")
        moved = stretch * ndtri(shares) + (0.0 if centred else bias)
        skewness = acceleration(jackknife) if method == "bca" else 0.0
        shares = ndtr(bias + moved / (1 - skewness * moved))
    low, high = np.quantile(defined, shares)
    return Interval(
        float(low), float(high), confidence_level, method, len(drawn), undefined, float(defined.std(ddof=1))
    )


def share_interval(
    share: float, replicates: npt.ArrayLike, *, answers: int, confidence_level: float = 0.95
) -> Interval:
    """The interval of a share, from replicates (B,) that vary as it does in repetitions; it stays in [0, 1].

    Wilson's interval for the number of independent answers that would vary as much: n = share (1 - share) / variance of
    the replicates. (Percentiles of replicates that were stretched can be outside [0, 1].) Where nothing varies
    (everyone chose it, or no one), n is `answers`. Undefined as in `bootstrap_interval`.

    Source: Korn and Graubard 1998, Confidence Intervals for Proportions with Small Expected Number of Positive Counts
    Estimated from Survey Data (the effective sample size); Franco, Little, Louis and Slud 2019 (Wilson's with it).

    >>> interval = share_interval(0.9, [0.7, 0.9, 1.1], answers=30)
    >>> round(interval.low, 3), round(interval.high, 3)
    (0.301, 0.995)
    """
    interval = bootstrap_interval(replicates, confidence_level=confidence_level)
    if interval.reason or math.isnan(share):
        return interval
    variance = interval.standard_error**2
    varies = variance > 0 and 0 < share < 1
    size = share * (1 - share) / variance if varies else float(answers)
    low, high = wilson_interval(share * size, size, confidence_level=confidence_level)
    return replace(interval, low=low, high=high)


def acceleration(jackknife: npt.ArrayLike) -> float:
    """BCa's a: a sixth of the skewness of the leave-one-out values; 0 without any, or when they are all equal.

    >>> acceleration([1.0, 1.0, 1.0])
    0.0
    """
    values = checked_array("jackknife", jackknife, 1, "the leave-one-out values (n,)", missing=True)
    values = values[~np.isnan(values)]
    if len(values) < 2:
        return 0.0
    d: Vector = values.mean() - values
    squares = float((d**2).sum())
    return float((d**3).sum()) / (6 * squares**1.5) if squares > 1e-24 else 0.0


@described
def wilson_interval(successes: float, n: float, *, confidence_level: float = 0.95) -> tuple[float, float]:
    """Wilson's confidence interval of a share of n independent answers.

    Parameters
    ----------
    successes : float
        How many of the answers count, between 0 and n.
    n : float
        How many answers there are.

    Returns
    -------
    tuple of float
        The lower and the upper limit, in [0, 1]; both NaN for n = 0.

    Raises
    ------
    ValueError
        If `successes` is not in [0, n], or the confidence level is not between 0 and 1.

    Notes
    -----
    Formula: (p + z^2/2n +- z sqrt(p(1-p)/n + z^2/4n^2)) / (1 + z^2/n), p = successes / n. It stays in [0, 1].

    References
    ----------
    Wilson 1927, Probable Inference, the Law of Succession, and Statistical Inference.

    Examples
    --------
    >>> [round(limit, 4) for limit in wilson_interval(8, 10)]
    [0.4902, 0.9433]
    """
    from scipy.special import ndtri

    checked_level(confidence_level)
    checked_number("n", n, least=0, expected="how many answers there are, 0 or more")
    checked_number("successes", successes, least=0, most=n, expected=f"a number in [0, n], n being {n}")
    if n == 0:
        return math.nan, math.nan
    z, p = float(ndtri((1 + confidence_level) / 2)), successes / n
    centre = p + z**2 / (2 * n)
    width = z * math.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    scale = 1 + z**2 / n
    # At the ends, the limit is exactly 0 or 1, without rounding error.
    low = 0.0 if successes == 0 else max(0.0, (centre - width) / scale)
    return low, 1.0 if successes == n else min(1.0, (centre + width) / scale)


def means_plan(scores: npt.ArrayLike, *, n_resamples: int, seed: Seed) -> ResamplingPlan:
    """Replicates (n_resamples, systems) of every system's mean score over resampled items, to distribute.

    scores: (systems, items), finite. All systems share the resamples, so replicates of two of them can be subtracted.
    ValueError for another shape, for no items, and for a score that is not finite.

    Source: Efron and Tibshirani 1993, An Introduction to the Bootstrap, section 6.2.

    >>> means_plan([[1.0, 1.0], [0.0, 2.0]], n_resamples=3, seed=1).run()[:, 0].tolist()
    [1.0, 1.0, 1.0]
    """
    rows = np.asarray(scores, dtype=np.float64)
    if rows.ndim != 2 or not rows.shape[1] or not np.isfinite(rows).all():
        msg = f"scores have shape {rows.shape}; expected one finite score for every system and item, and an item"
        raise ValueError(msg)
    items = rows.shape[1]

    def draw(stream: np.random.SeedSequence, size: int) -> Replicates:
        drawn = np.random.default_rng(stream).integers(0, items, (size, items))
        times = np.stack([np.bincount(row, minlength=items) for row in drawn])
        means: Replicates = times @ rows.T / items
        return means

    return ResamplingPlan(draw, n_resamples=n_resamples, seed=seed, block=BLOCK)
