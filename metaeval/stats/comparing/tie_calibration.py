"""Pairwise accuracy of a metric over items, with ties: which of its differences are too small to count? And the paired
test of two metrics by it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import get_args

import numpy as np
import numpy.typing as npt

from annotations.ground.arrays import AnyArray, Codes, Counts, Mask, Matrix, Vector
from metaeval.checking import as_numbers, checked_choice, checked_count, checked_number, shown
from metaeval.describing import described, described_as
from metaeval.frames import aligned
from metaeval.rounding import ROUNDING
from metaeval.sampling import Replicates, ResamplingPlan, Seed, Steps, chosen_seed
from metaeval.stats.resampling import SIDES, Alternative, TwoSided, is_enumerable, swap_plan, tail_p_value
from metaeval.stats.results import SignificanceResult, Statistic
from metaeval.stats.ties import evened, mean_of_shares

from .paired import permutation_comparison, standardised

NO_PAIR = "no pair of items with both values"

TOO_FEW_GROUPS = "fewer than two groups with a pair of items to exchange"


@described
@dataclass(frozen=True)
class TieCalibration(Statistic):
    """The threshold at which a metric's difference counts as a tie, and the accuracy at this threshold."""

    threshold: float
    """Differences up to this size are ties."""
    accuracy: float
    """In [0, 1]; NaN where it is undefined."""
    pairs: int
    groups: int
    """How many pairs and groups count."""
    group_accuracies: tuple[float, ...] = ()
    """The accuracy of each group at the threshold."""
    thresholds: tuple[float, ...] = ()
    accuracies: tuple[float, ...] = ()
    """All thresholds tried, and the accuracy at each."""
    reason: str = ""


def pairwise_accuracy(judgements: npt.ArrayLike, metric: npt.ArrayLike, *, threshold: float = 0.0) -> TieCalibration:
    """acc_eq: the share of pairs that a metric orders, or ties, as the judges do, averaged over groups.

    Parameters
    ----------
    judgements, metric : array_like, shape (G, n) or (n,)
        Values of the same items, one row per group.
    threshold : float, default 0.0
        The largest difference that counts as a tie of the metric.

    Returns
    -------
    TieCalibration
        An accuracy in [0, 1], or NaN with a reason.

    Raises
    ------
    ValueError
        If the shapes differ, or the threshold is below 0.

    Notes
    -----
    Formula, for each group (row): (concordant pairs + pairs tied by both) / all pairs; the metric ties a pair when its
    values differ by at most `threshold`, the judges when theirs are equal, in both cases apart from rounding
    (`metaeval.stats.ties`). Counts are averaged exactly, so that a perfect metric has 1. Pairs with a NaN are left out,
    and so are groups without pairs. Undefined without any pair.

    References
    ----------
    Deutsch, Foster and Freitag 2023, Ties Matter: Meta-Evaluating Modern Metrics with Pairwise Accuracy and Tie
    Calibration.

    Examples
    --------
    >>> pairwise_accuracy([0, 0, 1], [0.1, 0.12, 0.3], threshold=0.05).accuracy
    1.0
    """
    checked_number("threshold", threshold, least=0, expected="a number that is not negative")
    pairs = ItemPairs.of(judgements, metric)
    return pairs.at(threshold)


@described_as(pairwise_accuracy)
def calibrate_ties(judgements: npt.ArrayLike, metric: npt.ArrayLike) -> TieCalibration:
    """The threshold with the highest `pairwise_accuracy` among 0 and all observed differences.

    Returns
    -------
    TieCalibration
        The best threshold (the smallest, if several are equally good) and the whole search.

    Raises
    ------
    ValueError
        If the shapes differ.

    Notes
    -----
    All thresholds are tried in one pass over the pairs, sorted by the metric's difference: raising the threshold past a
    pair loses it if the metric had ordered it correctly, and wins it if the judges tie it. Sums are of integers.
    Choosing the threshold on the same data favours the metric, the more so the fewer pairs there are.

    References
    ----------
    Deutsch, Foster and Freitag 2023, on tie calibration.

    Examples
    --------
    >>> calibrate_ties([0, 0, 1], [0.1, 0.15, 0.3]).threshold
    0.04999999999999999
    """
    pairs = ItemPairs.of(judgements, metric)
    if not len(pairs.human):
        return pairs.at(0.0)
    weight, whole = pairs.weights()
    ordered = np.where((pairs.human != 0) & (pairs.human == pairs.sign), weight, 0)
    tied = np.where(pairs.human == 0, weight, 0)
    by_size = np.argsort(pairs.size, kind="stable")
    thresholds, first = np.unique(pairs.size[by_size], return_index=True)
    last = np.append(first[1:], len(pairs.size)) - 1
    right = ordered.sum() + np.cumsum(tied[by_size] - ordered[by_size])[last]
    if thresholds[0] > 0:
        thresholds, right = np.insert(thresholds, 0, 0.0), np.insert(right, 0, ordered.sum())
    best = pairs.at(float(thresholds[int(np.argmax(right))]))  # the smallest of the best
    return replace(best, thresholds=tuple(thresholds.tolist()), accuracies=tuple(int(count) / whole for count in right))


@dataclass(frozen=True, eq=False)
class ItemPairs:
    """Every pair of items with both values: the judges' sign, the metric's sign and absolute difference, the group."""

    human: Matrix
    sign: Matrix
    size: Matrix
    group: Codes
    groups: int
    near: float
    """How far a difference may be above a threshold and still count as at it."""

    @classmethod
    def of(cls, judgements: npt.ArrayLike, metric: npt.ArrayLike) -> ItemPairs:
        """Of values (groups, items) or (items,); a pair with a NaN is left out."""
        judgements, metric = aligned(judgements=judgements, metric=metric)
        human, values = (
            np.atleast_2d(as_numbers(name, matrix, "(groups, items) or (items,)"))
            if np.ndim(matrix)
            else np.zeros((0, 0, 0))
            for name, matrix in (("judgements", judgements), ("metric", metric))
        )
        for name, matrix in (("judgements", human), ("metric", values)):
            if matrix.ndim != 2 or np.isinf(matrix).any():
                msg = f"{name} is {shown(matrix)}; expected values (groups, items) or (items,), finite or NaN"
                raise ValueError(msg)
        if human.shape != values.shape:
            msg = (
                f"judgements have shape {human.shape}, the metric {values.shape}; expected (groups, items) or (items,)"
            )
            raise ValueError(msg)
        first, second = np.triu_indices(human.shape[1], 1)
        even = evened(human.ravel()).reshape(human.shape)
        signs = np.sign(even[:, first] - even[:, second]).ravel()
        differences = (values[:, first] - values[:, second]).ravel()
        groups = np.repeat(np.arange(len(human)), len(first))
        complete = ~(np.isnan(signs) | np.isnan(differences))
        largest = float(np.abs(values[~np.isnan(values)]).max(initial=0.0))
        size = evened(np.append(np.abs(differences[complete]), 0.0), size=largest)[:-1]
        size[size <= ROUNDING * largest] = 0.0
        sign = np.where(size > 0, np.sign(differences[complete]), 0.0)
        return cls(signs[complete], sign, size, groups[complete], len(human), ROUNDING * largest)

    def counts(self) -> Counts:
        """How many pairs each group has: (groups,)."""
        return np.bincount(self.group, minlength=self.groups)

    def weights(self) -> tuple[AnyArray, int]:
        """The weight of each pair, and the total weight: integers, so that their sums are exact.

        All groups have the same total, however many pairs they have: the least common multiple of these numbers.
        """
        counts = self.counts()
        group = math.lcm(*counts[counts > 0].tolist())
        whole = group * int(np.count_nonzero(counts))
        kind = np.int64 if whole < 2**62 else object
        each = np.array([group // count if count else 0 for count in counts.tolist()], dtype=kind)
        return each[self.group], whole

    def at(self, threshold: float) -> TieCalibration:
        """The accuracy at a threshold."""
        if not len(self.human):
            reason = NO_PAIR
            return TieCalibration(threshold, math.nan, 0, self.groups, reason=reason)
        counts = self.counts()
        right = np.where(self.size <= threshold + self.near, 0.0, self.sign) == self.human
        rights = np.bincount(self.group[right], minlength=self.groups)[counts > 0]
        of = counts[counts > 0]
        return TieCalibration(
            threshold, mean_of_shares(rights, of), len(self.human), self.groups, tuple((rights / of).tolist())
        )


@described
@dataclass(frozen=True)
class TieCalibratedComparison(SignificanceResult, statistic="difference"):
    """Two metrics' calibrated accuracies, their difference, and its p-value."""

    first: TieCalibration
    second: TieCalibration
    """The calibration of each metric."""
    difference: float
    """In [-1, 1]; NaN where it is undefined."""
    pvalue: float
    """Its p-value."""
    alternative: Alternative
    """Alternative hypothesis."""
    exact: bool
    """Whether every exchange was enumerated."""
    n_resamples: int
    """How many exchanges were counted."""
    pairs: int
    """How many pairs of items count."""
    groups: int
    """How many groups have a pair of items."""
    left_out: int
    """How many cells were missing in a metric or in the judgements."""
    reason: str = ""


@described_as(permutation_comparison)
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

    Returns
    -------
    TieCalibratedComparison
        The difference and its p-value, or NaN with a reason.

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
    x, y, z, complete = _common_cells(first, second, judgements)
    of_x, of_y = calibrate_ties(z, x), calibrate_ties(z, y)
    left_out = int((~complete).sum())
    groups = len(of_x.group_accuracies)
    reason = of_x.reason or ("" if groups > 1 else TOO_FEW_GROUPS)
    if reason:
        nan = math.nan
        return TieCalibratedComparison(
            of_x, of_y, of_x.accuracy - of_y.accuracy, nan, alternative, False, 0, of_x.pairs, groups, left_out, reason
        )
    exchanged = ExchangedGroups.of(z, x, y, complete)
    exact = is_enumerable(groups, n_resamples)
    null = exchanged.plan(n_resamples, seed).run(progress)
    observed = exchanged.difference(np.zeros(groups, dtype=np.bool_))
    return TieCalibratedComparison(
        first=of_x,
        second=of_y,
        difference=of_x.accuracy - of_y.accuracy,
        pvalue=tail_p_value(null, observed, alternative, two_sided, exact=exact),
        alternative=alternative,
        exact=exact,
        n_resamples=len(null),
        pairs=of_x.pairs,
        groups=groups,
        left_out=left_out,
    )


@dataclass(frozen=True, eq=False)
class ExchangedGroups:
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
    def of(cls, judgements: Matrix, first: Matrix, second: Matrix, there: Mask) -> ExchangedGroups:
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

    def plan(self, n_resamples: int, seed: Seed) -> ResamplingPlan:
        """Null replicates of the difference (n_resamples,), to distribute; all 2^G if enumerated."""

        def differences(tosses: Mask) -> Replicates:
            return np.array([self.difference(exchanged) for exchanged in tosses])

        return swap_plan(differences, self.groups, n_resamples=n_resamples, seed=seed, tosses=np.int8)


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
    complete = ~(np.isnan(x) | np.isnan(y) | np.isnan(z))
    return _gaps(x, complete), _gaps(y, complete), _gaps(z, complete), complete


def _gaps(values: Matrix, complete: Mask) -> Matrix:
    return np.where(complete, values, np.nan)
