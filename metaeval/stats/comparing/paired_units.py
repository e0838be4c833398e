"""Two metrics compared over systems that share models and methods, by exchanging or leaving out whole methods."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast, get_args

import numpy as np
import numpy.typing as npt

from annotations.ground.arrays import Codes, Mask, Matrix, Vector
from annotations.ground.units import Crossing, Exchangeable
from metaeval.checking import checked_choice, checked_count, checked_level
from metaeval.describing import described, described_as
from metaeval.sampling import Replicates, ResamplingPlan, Seed, chosen_seed
from metaeval.stats.correlating.coefficients import (
    COEFFICIENTS,
    Coefficient,
    centred_within,
    pairs_within,
    ranked_within,
)
from metaeval.stats.correlating.exchanging import StatisticName, checked_units
from metaeval.stats.correlating.jackknife import Jackknife, Left, jackknife_error, jackknife_intervals
from metaeval.stats.resampling import SIDES, Alternative, TwoSided, error_of_p, swap_plan, tail_p_value
from metaeval.stats.results import SignificanceResult
from metaeval.stats.ties import evened

from .williams import checked_systems

_SIZE = 1.0  # of standardised values


@described
@dataclass(frozen=True)
class PairedCorrelations(SignificanceResult, statistic="t"):
    """Two metrics' correlations with the target, and whether their difference is more than chance."""

    coefficient: Coefficient
    """Which coefficient."""
    tested: StatisticName
    """Which correlation was tested, usually the one within models."""
    first: float
    second: float
    difference: float
    """The two correlations and their difference."""
    n: int
    units: int
    """How many systems, and how many units of them were left out in turn."""
    left_out: Left
    """What such a unit is."""
    exchangeable: Exchangeable
    """What is exchanged under the null."""
    alternative: Alternative
    """Alternative hypothesis."""
    confidence_level: float
    """Confidence level of the interval."""
    t: float = math.nan
    pvalue: float = math.nan
    """The jackknife's test of the difference; NaN where it is undefined."""
    low: float = math.nan
    high: float = math.nan
    """The jackknife's interval of the difference."""
    p_exchange: float = math.nan
    p_exchange_error: float = math.nan
    """P-value of exchanging whole units, and its Monte Carlo error; NaN if not requested."""
    exact: bool = False
    """Whether every exchange was enumerated."""
    exchanges: int = 0
    """How many exchanges were counted."""
    excluded: tuple[int, ...] = ()
    """Positions of the systems that were left out."""
    reason: str = ""


@described
class PairedUnits:
    """Two rows of scores and a target over the same systems, and what is exchangeable among the systems.

    Parameters
    ----------
    first, second, target : array_like, shape (n,)
        One value per system. Systems with a NaN in any of the three are left out of all.

    Raises
    ------
    ValueError
        If the lengths differ.
    """

    def __init__(
        self,
        first: npt.ArrayLike,
        second: npt.ArrayLike,
        target: npt.ArrayLike,
        *,
        units: Crossing | Sequence[tuple[str, str]] | None = None,
        exchangeable: Exchangeable | None = None,
        coefficient: Coefficient = "pearson",
    ) -> None:
        checked_choice("coefficient", coefficient, COEFFICIENTS)
        (self.x, self.y, self.target), is_defined, self.excluded = checked_systems(first, second, target)
        crossing, self.exchangeable = checked_units(units, exchangeable, len(is_defined))
        self.coefficient = coefficient
        self.jackknife = Jackknife(crossing, self.exchangeable, is_defined)
        self.parts: Codes = self.jackknife.parts
        self.first = self.jackknife.value(self.x, self.target, coefficient)
        self.second = self.jackknife.value(self.y, self.target, coefficient)

    def permutation_plan(self, *, n_resamples: int, seed: Seed = 0) -> ResamplingPlan:
        """Differences after exchanging the metrics' standardised, centred values of whole units (n_resamples,).

        All 2^J exchanges of J units if there are at most `n_resamples`.
        """
        return swap_plan(self._exchanged, self.jackknife.count, n_resamples=n_resamples, seed=seed)

    def result(
        self,
        replicates: Replicates | None = None,
        *,
        alternative: Alternative = "two-sided",
        two_sided: TwoSided = "double",
        confidence_level: float = 0.95,
    ) -> PairedCorrelations:
        """The comparison by the jackknife and, if replicates are given, by exchanging."""
        checked_choice("alternative", alternative, tuple(SIDES))
        checked_level(confidence_level)
        t, p, low, high, reason = self._jackknifed(alternative, confidence_level)
        exchanged, error, exact = math.nan, math.nan, False
        if replicates is not None and not math.isnan(self.first - self.second):
            exact = len(replicates) == 2**self.jackknife.count
            difference = self.first - self.second
            exchanged = tail_p_value(replicates, difference, alternative, two_sided, exact=exact)
            doubled = alternative == "two-sided" and two_sided == "double"
            error = error_of_p(exchanged, len(replicates), doubled=doubled, exact=exact)
        return PairedCorrelations(
            coefficient=self.coefficient,
            tested=self.jackknife.statistic,
            first=self.first,
            second=self.second,
            difference=self.first - self.second,
            n=len(self.x),
            units=self.jackknife.count,
            left_out=self.jackknife.left_out,
            exchangeable=self.exchangeable,
            alternative=alternative,
            confidence_level=confidence_level,
            t=t,
            pvalue=p,
            low=low,
            high=high,
            p_exchange=exchanged,
            p_exchange_error=error,
            exact=exact,
            exchanges=0 if replicates is None else len(replicates),
            excluded=self.excluded,
            reason=reason,
        )

    def _jackknifed(self, alternative: Alternative, confidence_level: float) -> tuple[float, float, float, float, str]:
        """t, p, the interval's limits, and why there are none."""
        from scipy.special import stdtr, stdtrit

        (one, reason), (other, other_reason) = (
            self.jackknife.fisher(values, self.target, self.coefficient, (name, "the target"))
            for values, name in ((self.x, "first"), (self.y, "second"))
        )
        nan = math.nan
        if reason or other_reason:
            return nan, nan, nan, nan, reason or other_reason
        difference = one - other
        error = jackknife_error(difference[1:])
        if error <= 1e-12:
            same = abs(difference[0]) <= 1e-12
            return nan, nan, nan, nan, "the two metrics say the same" if same else "the difference has no spread"
        t = float(difference[0]) / error
        side, free = SIDES[alternative], self.jackknife.count - 1
        tail = float(stdtr(free, -side * t if side else -abs(t)))
        # from differences of arctanh to differences of r: the slope of the chord, or of the tangent if they are equal
        z = one[0], other[0]
        slope = (
            (math.tanh(z[0]) - math.tanh(z[1])) / (z[0] - z[1]) if abs(z[0] - z[1]) > 1e-9 else 1 - math.tanh(z[0]) ** 2
        )
        width = float(stdtrit(free, (1 + confidence_level) / 2)) * error
        limits = [max(-2.0, min(2.0, slope * (float(difference[0]) + sign * width))) for sign in (-1, 1)]
        return t, tail if side else 2 * tail, limits[0], limits[1], ""

    def _exchanged(self, tosses: Mask) -> Replicates:
        """The difference of the correlations when the units that the tosses (B, J) mark are exchanged."""
        swap = tosses[:, self.jackknife.owners]
        x, y = (_scaled(centred_within(values, self.parts)) for values in (self.x, self.y))
        one, other = np.where(swap, y, x), np.where(swap, x, y)
        if self.coefficient == "kendall":
            return self._kendall(one) - self._kendall(other)
        if self.coefficient == "spearman":
            one, other = (self._ranked(values) for values in (one, other))
            target = ranked_within(self.target, self.parts)
        else:
            target = self.target
        unit = _unit(centred_within(target, self.parts)[np.newaxis], self.parts)[0]
        return cast(Replicates, _unit(one, self.parts) @ unit - _unit(other, self.parts) @ unit)

    def _ranked(self, values: Matrix) -> Matrix:
        """Average ranks within each part of every row (B, n)."""
        from scipy.stats import rankdata  # slow to import, and only needed here

        even, ranks = evened(values, size=_SIZE), np.empty(values.shape)
        for part in np.unique(self.parts):
            ranks[:, self.parts == part] = rankdata(even[:, self.parts == part], axis=1)
        return ranks

    def _kendall(self, values: Matrix) -> Vector:
        i, j = pairs_within(self.parts)
        even, target = evened(values, size=_SIZE), evened(self.target)
        signs, against = np.sign(even[:, i] - even[:, j]), np.sign(target[i] - target[j])
        with np.errstate(divide="ignore", invalid="ignore"):
            tau: Vector = signs @ against / np.sqrt(np.abs(signs).sum(axis=1) * np.abs(against).sum())
        return tau


@described_as(jackknife_intervals)
def paired_correlation_test(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    target: npt.ArrayLike,
    *,
    units: Crossing | Sequence[tuple[str, str]] | None = None,
    exchangeable: Exchangeable | None = None,
    coefficient: Coefficient = "pearson",
    alternative: Alternative = "two-sided",
    two_sided: TwoSided = "double",
    confidence_level: float = 0.95,
    n_resamples: int = 10_000,
    seed: Seed | None = None,
    rng: Seed | None = None,
) -> PairedCorrelations:
    """Whether `first` correlates with the target differently than `second`, over systems that may share methods.

    Parameters
    ----------
    first, second : array_like, shape (n,)
        Scores of the two metrics, one value per system. NaN leaves the system out.
    target : array_like, shape (n,)
        The judgements, one value per system. NaN leaves the system out.
    n_resamples : int, default 10,000
        How many exchanges to sample; 0 leaves `p_exchange` out. If there are no more than this, all are enumerated.

    Returns
    -------
    PairedCorrelations
        The difference with its test and interval, or NaN with a reason.

    Notes
    -----
    The default p is the jackknife's: t = d / s on J - 1 degrees of freedom, d = arctanh r_1 - arctanh r_2, s^2 = (J -
    1)/J sum over j of (d_j - mean d_j)^2, d_j without unit j. Units and r are those of `jackknife_intervals`, usually
    methods in all models and the correlation within models. The interval is that of d, scaled to r_1 - r_2, so it
    agrees with p. `p_exchange` instead exchanges both metrics' values of whole units, centred within models and
    standardised, as in `permutation_comparison`.

    Williams' test, and exchanging single systems, reject true nulls too often if a method does similarly well in two
    models (docs/reference/validity.md). Undefined with fewer than 6 units, and where a correlation is.

    References
    ----------
    Efron and Tibshirani 1993, chapter 11 (jackknife); Deutsch et al. 2021 (exchanging), here by method.

    Examples
    --------
    >>> units = [(model, method) for model in ("RoBERTa", "BERT") for method in "uvwxyz"]
    >>> rng = np.random.default_rng(1)
    >>> fractions = np.tile(rng.normal(size=6), 2) + rng.normal(size=12) / 3
    >>> good, bad = fractions + rng.normal(size=12) / 3, fractions + 3 * rng.normal(size=12)
    >>> found = paired_correlation_test(good, bad, fractions, units=units)
    >>> found.tested, found.units, found.difference > 0, found.exact, found.exchanges
    ('within models', 6, True, True, 64)
    """
    seed = chosen_seed(seed, rng)
    paired = PairedUnits(first, second, target, units=units, exchangeable=exchangeable, coefficient=coefficient)
    checked_count("n_resamples", n_resamples, 0, hint=" (0: no exchange test)")
    checked_choice("two_sided", two_sided, get_args(TwoSided))
    replicates = paired.permutation_plan(n_resamples=n_resamples, seed=seed).run() if n_resamples else None
    return paired.result(replicates, alternative=alternative, two_sided=two_sided, confidence_level=confidence_level)


def _scaled(centred: Vector) -> Vector:
    spread = math.sqrt(float((centred**2).mean())) if len(centred) else 0.0
    return centred / spread if spread > 0 else centred


def _unit(values: Matrix, parts: Codes) -> Matrix:
    """Every row (B, n) centred within parts and scaled to length 1; NaN where nothing is left."""
    centred = values.copy()
    for part in np.unique(parts):
        own = parts == part
        centred[:, own] -= centred[:, own].mean(axis=1, keepdims=True)
    length = np.sqrt((centred**2).sum(axis=1, keepdims=True))
    with np.errstate(divide="ignore", invalid="ignore"):
        unit: Matrix = np.where(length > 1e-12, centred / length, np.nan)
    return unit
