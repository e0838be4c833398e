"""Paired test of two metrics by their tie-calibrated accuracy: does one more often order and tie items as judges do?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import get_args

import numpy as np
import numpy.typing as npt

from annotations.ground.arrays import Codes, Mask, Matrix, Vector
from metaeval.checking import as_numbers, checked_choice, checked_count
from metaeval.frames import aligned
from metaeval.sampling import Replicates, ResamplingPlan, Seed, Steps, chosen_seed
from metaeval.stats.correlating.tails import SIDES, Alternative, TwoSided
from metaeval.stats.resampling import is_enumerable, tail_p_value
from metaeval.stats.results import SignificanceResult
from metaeval.stats.ties import evened

from .paired_metrics import standardised
from .tie_calibration import ItemPairs, TieCalibration, calibrate_ties

TOO_FEW_GROUPS = "fewer than two groups with a pair of items to exchange"


@dataclass(frozen=True)
class TieCalibratedComparison(SignificanceResult):
    """Two metrics' calibrated accuracies, their difference, and its p-value.

    Attributes
    ----------
    first, second : TieCalibration
        The calibration of each metric.
    difference : float
        In [-1, 1]; NaN where it is undefined.
    pvalue : float
        Its p-value.
    alternative : {'two-sided', 'greater', 'less'}
        Alternative hypothesis.
    exact : bool
        Whether every exchange was enumerated.
    n_resamples : int
        How many exchanges were counted.
    pairs : int
        How many pairs of items count.
    groups : int
        How many groups have a pair of items.
    left_out : int
        How many cells were missing in a metric or in the judgements.
    reason : str
        Why the value is undefined; empty if it is defined.
    """

    first: TieCalibration
    second: TieCalibration
    difference: float
    pvalue: float
    alternative: Alternative
    exact: bool
    n_resamples: int
    pairs: int
    groups: int
    left_out: int
    reason: str = ""

    @property
    def statistic(self) -> float:
        """`difference`, under the name that SciPy's results have."""
        return self.difference


def tie_calibrated_comparison(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    judgements: npt.ArrayLike,
    *,
    n_resamples: int = 10_000,
    seed: Seed | None = None,
    rng: Seed | None = None,
    alternative: Alternative = "two-sided",
    two_sided: TwoSided = "double",
    progress: Steps | None = None,
) -> TieCalibratedComparison:
    """Whether two metrics differ in tie-calibrated accuracy, by exchanging their values of whole groups.

    Parameters
    ----------
    first, second : array_like, shape (G, n)
        Values of the two metrics, such as inputs x systems. A cell counts where all three matrices have it.
    judgements : array_like, shape (G, n)
        The judgements of the same cells.
    n_resamples : int, default 10,000
        How many exchanges to sample. If there are no more than this, all are enumerated.
    seed, rng : int, SeedSequence or Generator, optional
        Where the random numbers come from. Both mean the same, so pass only one. The default is 0.
    alternative : {'two-sided', 'greater', 'less'}, default 'two-sided'
        Alternative hypothesis.
    two_sided : {'double', 'magnitude'}, default 'double'
        Two-sided p-value: twice the smaller tail, or the share of values that are at least as large in magnitude.
    progress : callable, optional
        Called with the numbers of steps done and of all steps.

    Returns
    -------
    TieCalibratedComparison
        The difference and its p-value, or NaN with a reason.

    Raises
    ------
    ValueError
        If the shapes differ, a value is infinite, or an option is not one of those above.

    Notes
    -----
    Under the null the metrics are exchangeable within each group: both are standardised over their cells, so that their
    thresholds are comparable, and all values of a group are swapped at once with probability 1/2 (PERM-INPUTS where a
    group is an input: the p-value is about these systems on other inputs). After every exchange, both are calibrated
    anew, since the observed accuracies benefit from calibration too. p = (1 + count) / (1 + n_resamples), or count /
    2^G when all exchanges are enumerated (2^G <= n_resamples).

    Undefined without any pair of items; the p-value is undefined with fewer than two groups that have a pair.

    References
    ----------
    Deutsch, Foster and Freitag 2023, Ties Matter: Meta-Evaluating Modern Metrics with Pairwise Accuracy and Tie
    Calibration; Deutsch, Dror and Roth 2021 (the test by permutation of inputs).

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> judged = rng.integers(0, 4, (9, 5))
    >>> good, bad = judged + rng.normal(size=(9, 5)) / 5, rng.normal(size=(9, 5))
    >>> test = tie_calibrated_comparison(good, bad, judged)
    >>> test.exact, test.n_resamples, test.difference > 0, test.pvalue < 0.05
    (True, 512, True, True)
    """
    seed = chosen_seed(seed, rng)
    checked_count("n_resamples", n_resamples)
    checked_choice("alternative", alternative, tuple(SIDES))
    checked_choice("two_sided", two_sided, get_args(TwoSided))
    x, y, z, there = _common_cells(first, second, judgements)
    one, other = calibrate_ties(z, x), calibrate_ties(z, y)
    left_out = int((~there).sum())
    groups = len(one.group_accuracies)
    reason = one.reason or ("" if groups > 1 else TOO_FEW_GROUPS)
    if reason:
        nan = math.nan
        return TieCalibratedComparison(
            one, other, one.accuracy - other.accuracy, nan, alternative, False, 0, one.pairs, groups, left_out, reason
        )
    exchanged = _Exchanged.of(z, x, y, there)
    exact = is_enumerable(groups, n_resamples)
    null = exchanged.plan(n_resamples, seed, exact=exact).run(progress)
    observed = exchanged.difference(np.zeros(groups, dtype=np.bool_))
    return TieCalibratedComparison(
        first=one,
        second=other,
        difference=one.accuracy - other.accuracy,
        pvalue=tail_p_value(null, observed, alternative, two_sided, exact=exact),
        alternative=alternative,
        exact=exact,
        n_resamples=len(null),
        pairs=one.pairs,
        groups=groups,
        left_out=left_out,
    )


def tie_exchange_plan(
    first: npt.ArrayLike, second: npt.ArrayLike, judgements: npt.ArrayLike, *, n_resamples: int, seed: Seed
) -> ResamplingPlan:
    """Blocks of null replicates of the difference (n_resamples,), to distribute; all 2^G if enumerated."""
    x, y, z, there = _common_cells(first, second, judgements)
    exchanged = _Exchanged.of(z, x, y, there)
    return exchanged.plan(n_resamples, seed, exact=is_enumerable(exchanged.groups, n_resamples))


@dataclass(frozen=True, eq=False)
class _Exchanged:
    """Both metrics' pairs, sorted by size together, so that an exchange needs no sorting.

    For each entry (a pair of items as one metric sees it): which metric, its group, and how much that metric's accuracy
    rises when the threshold passes it. `ends`: the last entry of each size. `risen`: what all entries up to each end
    add in total. `ordered` (2, groups): the accuracy before any threshold.
    """

    of_second: Mask
    group: Codes
    rise: Vector
    ends: Codes
    risen: Vector
    ordered: Matrix
    groups: int
    starts_at_zero: bool

    @classmethod
    def of(cls, judgements: Matrix, first: Matrix, second: Matrix, there: Mask) -> _Exchanged:
        sides = [ItemPairs.of(judgements, _gaps(standardised(values, there), there)) for values in (first, second)]
        human, places = sides[0].human, np.unique(sides[0].group, return_inverse=True)[1]
        groups = int(places.max()) + 1
        weight = 1 / (np.bincount(places)[places] * groups)
        right = [(human != 0) & (human == side.sign) for side in sides]
        rise = np.concatenate([weight * ((human == 0) - 1.0 * ordered) for ordered in right])
        size = np.concatenate([side.size for side in sides])
        size = evened(size, size=float(size.max(initial=0.0)))
        order = np.argsort(size, kind="stable")
        ends = np.flatnonzero(np.append(np.diff(size[order]) > 0, True))
        return cls(
            of_second=(np.arange(len(size)) >= len(human))[order],
            group=np.tile(places, 2)[order],
            rise=rise[order],
            ends=ends,
            risen=np.cumsum(rise[order])[ends],
            ordered=np.stack([np.bincount(places, weight * ordered, groups) for ordered in right]),
            groups=groups,
            starts_at_zero=bool(size.min() == 0),
        )

    def difference(self, exchanged: Mask) -> float:
        """The difference of both calibrated accuracies when the marked groups (groups,) are swapped."""
        first_has = self.of_second == exchanged[self.group]
        risen = np.cumsum(self.rise * first_has)[self.ends]
        best, other_best = float(risen.max()), float((self.risen - risen).max())
        if not self.starts_at_zero:
            best, other_best = max(best, 0.0), max(other_best, 0.0)
        start = np.where(exchanged, self.ordered[::-1], self.ordered).sum(axis=1)
        return float((start[0] + best) - (start[1] + other_best))

    def plan(self, n_resamples: int, seed: Seed, *, exact: bool) -> ResamplingPlan:
        """Null replicates of the difference (n_resamples,)."""
        if exact:
            everything = (np.arange(2**self.groups)[:, None] >> np.arange(self.groups)) & 1 == 1

            def enumerate_all(_: np.random.SeedSequence, size: int) -> Replicates:
                return np.array([self.difference(exchanged) for exchanged in everything[:size]])

            return ResamplingPlan(enumerate_all, n_resamples=2**self.groups, seed=seed, block=2**self.groups)

        def draw(stream: np.random.SeedSequence, size: int) -> Replicates:
            drawn = np.random.default_rng(stream).integers(0, 2, (size, self.groups), dtype=np.int8) == 1
            return np.array([self.difference(exchanged) for exchanged in drawn])

        return ResamplingPlan(draw, n_resamples=n_resamples, seed=seed)


def _common_cells(
    first: npt.ArrayLike, second: npt.ArrayLike, judgements: npt.ArrayLike
) -> tuple[Matrix, Matrix, Matrix, Mask]:
    """All three (groups, items), NaN wherever one is missing, and where none is."""
    first, second, judgements = aligned(first=first, second=second, judgements=judgements)
    named = (("first", first), ("second", second), ("judgements", judgements))
    x, y, z = (np.atleast_2d(as_numbers(name, values, "values (groups, items)")) for name, values in named)
    if not x.shape == y.shape == z.shape or x.ndim != 2 or any(np.isinf(values).any() for values in (x, y, z)):
        msg = (
            f"first, second and judgements have shapes {x.shape}, {y.shape}, {z.shape}; "
            "expected one shape (groups, items) and no infinite value"
        )
        raise ValueError(msg)
    there = ~(np.isnan(x) | np.isnan(y) | np.isnan(z))
    return _gaps(x, there), _gaps(y, there), _gaps(z, there), there


def _gaps(values: Matrix, there: Mask) -> Matrix:
    return np.where(there, values, np.nan)
