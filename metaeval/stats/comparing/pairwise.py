"""Pairwise accuracy of a metric: soft over systems, and with tie calibration over items."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from annotations.arrays import Codes, Matrix
from metaeval.rounding import ROUNDING
from metaeval.sampling import BLOCK, Replicates, ResamplingPlan, Seed, Steps
from metaeval.stats.resampling import is_enumerable
from metaeval.stats.results import Statistic

UPPER = "p-values stand above the diagonal: of row over column"


@dataclass(frozen=True)
class PairwisePValues(Statistic):
    """p_values (S, S): above the diagonal the one-sided p of "system i is better than system j"; NaN elsewhere."""

    p_values: Matrix
    exact: bool
    resamples: int
    items: int
    notes: tuple[str, ...] = (UPPER,)


@dataclass(frozen=True)
class SoftPairwiseAccuracy(Statistic):
    """Soft and hard pairwise accuracy over the pairs of systems, with both matrices of p-values."""

    value: float
    hard: float
    systems: int
    items: int
    exact: bool
    resamples: int
    judgement_p_values: Matrix | None = None
    metric_p_values: Matrix | None = None
    reason: str = ""
    notes: tuple[str, ...] = (UPPER,)


def pairwise_p_values(
    scores: npt.ArrayLike, *, resamples: int = 10_000, seed: Seed = 0, progress: Steps | None = None
) -> PairwisePValues:
    """One-sided paired permutation p-values for every pair of systems, on shared exchanges of items.

    scores (S, n): one value a system and item. For i < j the null exchanges the two systems' values of each item with
    chance 1/2; p_ij is the share of exchanges whose mean difference is at least the observed mean of s_i - s_j: exact,
    by all 2^n exchanges, when those are at most `resamples`, else (1 + count) / (1 + resamples). Near 0: i is better;
    near 1: j is. ValueError for NaN.

    Source: Thompson et al. 2024, Improving Statistical Significance in Human Evaluation of Automatic Metrics via
    Soft Pairwise Accuracy (paired permutation tests).

    >>> pairwise_p_values([[1, 2, 3], [0, 1, 1]]).p_values[0, 1].item()
    0.125
    """
    values = _checked(scores, "scores")
    systems, n = values.shape
    total, exact = _exchanges(n, resamples)
    reached = exchange_plan(values, resamples=resamples, seed=seed).run(progress).sum(axis=0)
    p = np.full((systems, systems), np.nan)
    p[np.triu_indices(systems, 1)] = reached / total if exact else (1 + reached) / (1 + total)
    return PairwisePValues(p, exact, total, n)


def exchange_plan(scores: npt.ArrayLike, *, resamples: int, seed: Seed) -> ResamplingPlan:
    """Blocks of exchanges (blocks, pairs), for sharing out: how many of a block reach each pair's observed mean."""
    values = _checked(scores, "scores")
    systems, n = values.shape
    upper = np.triu_indices(systems, 1)
    differences = values[upper[0]] - values[upper[1]]
    observed = differences.sum(axis=1)
    slack = ROUNDING * n * max(1.0, float(np.abs(differences).max(initial=0.0)))
    total, exact = _exchanges(n, resamples)
    starts = range(0, total, BLOCK * 4)

    def draw(stream: np.random.SeedSequence, _: int) -> Replicates:
        number = stream.spawn_key[-1]
        size = min(BLOCK * 4, total - starts[number])
        if exact:
            bits = (np.arange(starts[number], starts[number] + size)[:, None] >> np.arange(n)) & 1
        else:
            bits = np.random.default_rng(stream).integers(0, 2, (size, n), dtype=np.int8)
        signs: Matrix = (1 - 2 * bits).astype(np.float64)
        reached: Replicates = (signs @ differences.T >= observed - slack).sum(axis=0, keepdims=True, dtype=np.float64)
        return reached

    return ResamplingPlan(draw, resamples=len(starts), seed=seed, block=1)


def _exchanges(n: int, resamples: int) -> tuple[int, bool]:
    """How many exchanges of n items are done, and whether these are all."""
    exact = is_enumerable(n, resamples)
    return (2**n if exact else resamples), exact


def soft_pairwise_accuracy(
    judgements: npt.ArrayLike,
    metric: npt.ArrayLike,
    *,
    resamples: int = 10_000,
    seed: Seed = 0,
    progress: Steps | None = None,
) -> SoftPairwiseAccuracy:
    """How far a metric is as sure as the judges about which of two systems is better.

    Formula: SPA = mean over pairs i < j of 1 - |p^J_ij - p^M_ij|, with the one-sided p-values of `pairwise_p_values`
    on each side's items; the hard accuracy beside it is the share of pairs that both order the same way (ties equal
    ties). judgements (S, n), metric (S, m): a value a system and item, every system on the same items; both higher
    is better. Range [0, 1]. Undefined for fewer than two systems.

    Source: Thompson et al. 2024, Improving Statistical Significance in Human Evaluation of Automatic Metrics via
    Soft Pairwise Accuracy.

    >>> human = [[3, 2, 4, 3], [1, 2, 3, 1], [2, 3, 3, 2]]
    >>> soft_pairwise_accuracy(human, human).value
    1.0
    """
    j, m = _checked(judgements, "judgements"), _checked(metric, "metric")
    if len(j) != len(m):
        msg = f"judgements are of {len(j)} systems, the metric of {len(m)}; expected the same systems in one order"
        raise ValueError(msg)
    if len(j) < 2:
        return SoftPairwiseAccuracy(
            math.nan, math.nan, len(j), j.shape[1], exact=False, resamples=0, reason="fewer than two systems"
        )
    of_judges = pairwise_p_values(j, resamples=resamples, seed=seed, progress=progress)
    of_metric = pairwise_p_values(m, resamples=resamples, seed=seed, progress=progress)
    upper = np.triu_indices(len(j), 1)
    mean_j, mean_m = j.mean(axis=1), m.mean(axis=1)
    same = np.sign(mean_j[upper[0]] - mean_j[upper[1]]) == np.sign(mean_m[upper[0]] - mean_m[upper[1]])
    return SoftPairwiseAccuracy(
        value=float((1 - np.abs(of_judges.p_values - of_metric.p_values)[upper]).mean()),
        hard=float(same.mean()),
        systems=len(j),
        items=j.shape[1],
        exact=of_judges.exact and of_metric.exact,
        resamples=of_judges.resamples,
        judgement_p_values=of_judges.p_values,
        metric_p_values=of_metric.p_values,
    )


@dataclass(frozen=True)
class TieCalibration(Statistic):
    """The threshold below which a metric's difference counts as a tie, and the accuracy that it gives.

    `thresholds` and `accuracies` are the whole search, `group_accuracies` each group's at the chosen threshold.
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

    Formula, for each group (row): (concordant pairs + pairs tied by both) / all pairs; the metric ties a pair when its
    values differ by at most `threshold`, the judges when theirs are equal. Shapes (G, n), or (n,) for one group; pairs
    with a NaN are left out, groups without pairs too. Range [0, 1]. Undefined without any pair.

    Source: Deutsch, Foster and Freitag 2023, Ties Matter: Meta-Evaluating Modern Metrics with Pairwise Accuracy
    and Tie Calibration.

    >>> pairwise_accuracy([0, 0, 1], [0.1, 0.12, 0.3], threshold=0.05).accuracy
    1.0
    """
    if not threshold >= 0:
        msg = f"threshold is {threshold}; expected a number that is not negative"
        raise ValueError(msg)
    return _accuracy(*_pairs(judgements, metric), threshold)


def calibrate_ties(judgements: npt.ArrayLike, metric: npt.ArrayLike) -> TieCalibration:
    """The threshold with the highest `pairwise_accuracy`, among 0 and all observed differences; the smallest if equal.

    All thresholds are tried in one pass over the pairs sorted by the metric's difference: raising the threshold past a
    pair loses it if the metric had ordered it rightly, and wins it if the judges tie it. A threshold chosen on the same
    data is favourable to the metric, more so the fewer the pairs.

    Source: Deutsch, Foster and Freitag 2023, on tie calibration.

    >>> calibrate_ties([0, 0, 1], [0.1, 0.15, 0.3]).threshold
    0.04999999999999999
    """
    human, difference, group, groups = _pairs(judgements, metric)
    if not len(human):
        return _accuracy(human, difference, group, groups, 0.0)
    pairs = np.bincount(group, minlength=groups)
    weight = 1 / pairs[group] / np.count_nonzero(pairs)
    size = np.abs(difference)
    ordered = np.where((human != 0) & (human == np.sign(difference)), weight, 0.0)
    tied = np.where(human == 0, weight, 0.0)
    by_size = np.argsort(size, kind="stable")
    thresholds, first = np.unique(size[by_size], return_index=True)
    last = np.append(first[1:], len(size)) - 1
    gained = np.cumsum(tied[by_size])[last]
    kept = ordered.sum() - np.cumsum(ordered[by_size])[last]
    accuracies = gained + kept
    if thresholds[0] > 0:
        thresholds, accuracies = np.insert(thresholds, 0, 0.0), np.insert(accuracies, 0, ordered.sum())
    best = int(np.flatnonzero(accuracies >= accuracies.max() - 1e-12)[0])
    found = _accuracy(human, difference, group, groups, float(thresholds[best]))
    return TieCalibration(
        found.threshold,
        found.accuracy,
        found.pairs,
        found.groups,
        found.group_accuracies,
        tuple(thresholds.tolist()),
        tuple(accuracies.tolist()),
    )


def _pairs(judgements: npt.ArrayLike, metric: npt.ArrayLike) -> tuple[Matrix, Matrix, Codes, int]:
    """Sign of the judges' difference, the metric's difference, and the group, of every complete pair."""
    human, values = (np.atleast_2d(np.asarray(m, dtype=np.float64)) for m in (judgements, metric))
    if human.shape != values.shape or human.ndim != 2:
        msg = f"judgements have shape {human.shape}, the metric {values.shape}; expected (groups, items) or (items,)"
        raise ValueError(msg)
    first, second = np.triu_indices(human.shape[1], 1)
    signs = np.sign(human[:, first] - human[:, second]).ravel()
    differences = (values[:, first] - values[:, second]).ravel()
    groups = np.repeat(np.arange(len(human)), len(first))
    complete = ~(np.isnan(signs) | np.isnan(differences))
    return signs[complete], differences[complete], groups[complete], len(human)


def _accuracy(human: Matrix, difference: Matrix, group: Codes, groups: int, threshold: float) -> TieCalibration:
    sign = np.where(np.abs(difference) <= threshold, 0.0, np.sign(difference))
    pairs = np.bincount(group, minlength=groups)
    right = np.bincount(group, weights=sign == human, minlength=groups)
    if not len(human):
        return TieCalibration(threshold, math.nan, 0, groups, reason="no pair of items with both values")
    each = right[pairs > 0] / pairs[pairs > 0]
    return TieCalibration(threshold, float(each.mean()), len(human), groups, tuple(each.tolist()))


def _checked(scores: npt.ArrayLike, name: str) -> Matrix:
    values = np.asarray(scores, dtype=np.float64)
    if values.ndim != 2 or values.shape[1] == 0 or not np.isfinite(values).all():
        msg = f"{name} has shape {values.shape}; expected finite values (systems, items), at least one item"
        raise ValueError(msg)
    return values
