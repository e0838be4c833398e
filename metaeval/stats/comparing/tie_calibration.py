"""Pairwise accuracy of a metric over items, with ties: which of its differences are too small to count?"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from annotations.ground.arrays import AnyArray, Codes, Counts, Matrix
from metaeval.checking import as_numbers, checked_number, shown
from metaeval.frames import aligned
from metaeval.rounding import ROUNDING
from metaeval.stats.results import Statistic
from metaeval.stats.ties import evened, mean_of_shares

NO_PAIR = "no pair of items with both values"


@dataclass(frozen=True)
class TieCalibration(Statistic):
    """The threshold at which a metric's difference counts as a tie, and the accuracy at this threshold.

    Attributes
    ----------
    threshold : float
        Differences up to this size are ties.
    accuracy : float
        In [0, 1]; NaN where it is undefined.
    pairs, groups : int
        How many pairs and groups count.
    group_accuracies : tuple of float
        The accuracy of each group at the threshold.
    thresholds, accuracies : tuple of float
        All thresholds tried, and the accuracy at each.
    reason : str
        Why the value is undefined; empty if it is defined.
    """

    threshold: float
    accuracy: float
    pairs: int
    groups: int
    group_accuracies: tuple[float, ...] = ()
    thresholds: tuple[float, ...] = ()
    accuracies: tuple[float, ...] = ()
    reason: str = ""

    @property
    def tau_eq(self) -> float:
        """The same as a correlation in [-1, 1]: 2 accuracy - 1."""
        return 2 * self.accuracy - 1


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


def calibrate_ties(judgements: npt.ArrayLike, metric: npt.ArrayLike) -> TieCalibration:
    """The threshold with the highest `pairwise_accuracy` among 0 and all observed differences.

    Parameters
    ----------
    judgements, metric : array_like, shape (G, n) or (n,)
        Values of the same items, one row per group.

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
    found = pairs.at(float(thresholds[int(np.argmax(right))]))  # the smallest of the best
    return replace(
        found, thresholds=tuple(thresholds.tolist()), accuracies=tuple(int(count) / whole for count in right)
    )


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
            np.atleast_2d(as_numbers(name, given, "(groups, items) or (items,)"))
            if np.ndim(given)
            else np.zeros((0, 0, 0))
            for name, given in (("judgements", judgements), ("metric", metric))
        )
        for name, given in (("judgements", human), ("metric", values)):
            if given.ndim != 2 or np.isinf(given).any():
                msg = f"{name} is {shown(given)}; expected values (groups, items) or (items,), finite or NaN"
                raise ValueError(msg)
        human, values = np.atleast_2d(human, values)
        if human.shape != values.shape or human.ndim != 2:
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
