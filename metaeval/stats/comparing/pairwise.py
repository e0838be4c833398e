"""Soft pairwise accuracy of a metric over systems: is it as certain as the judges about which is better?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from annotations.ground.arrays import Counts, Matrix
from metaeval.checking import as_numbers, checked_choice, checked_count
from metaeval.describing import described, described_as
from metaeval.frames import aligned
from metaeval.rounding import ROUNDING
from metaeval.sampling import BLOCK, Replicates, ResamplingPlan, Seed, Steps, chosen_seed
from metaeval.stats.resampling import is_enumerable
from metaeval.stats.results import Statistic
from metaeval.stats.ties import evened

NO_COMMON_ITEM = "no two systems have scores of a common item on both sides"
ONE_SYSTEM = "fewer than two systems"

Missing = Literal["refuse", "leave out"]
UPPER = "p-values stand above the diagonal: of row over column"


@described
@dataclass(frozen=True)
class PairwisePValues(Statistic):
    """One-sided p-values of every pair of systems."""

    p_values: Matrix
    """(S, S): Above the diagonal, the p-value of "system i is better than system j"; NaN elsewhere."""
    exact: bool
    """Whether every exchange was enumerated."""
    n_resamples: int
    """How many exchanges were counted."""
    items: int
    """How many items the systems were compared on."""
    notes: tuple[str, ...] = (UPPER,)


@described
@dataclass(frozen=True)
class SoftPairwiseAccuracy(Statistic):
    """Soft and hard pairwise accuracy over the pairs of systems."""

    value: float
    hard: float
    """Soft and hard accuracy, in [0, 1]; NaN where they are undefined."""
    systems: int
    items: int
    """How many there are."""
    exact: bool
    """Whether every exchange was enumerated."""
    n_resamples: int
    """How many exchanges were counted."""
    judgement_p_values: Matrix | None = None
    metric_p_values: Matrix | None = None
    """(S, S): The p-values of the judgements and of the metric."""
    reason: str = ""
    notes: tuple[str, ...] = (UPPER,)
    pairs: int = 0
    """How many pairs of systems count."""
    excluded: int = 0
    """How many pairs have no item with scores of both systems, among the judgements or the metric's values."""


@described
def pairwise_p_values(
    scores: npt.ArrayLike,
    *,
    n_resamples: int = 10_000,
    seed: Seed | None = None,
    rng: Seed | None = None,
    missing: Missing = "refuse",
    progress: Steps | None = None,
) -> PairwisePValues:
    """One-sided paired permutation p-values for every pair of systems, on shared exchanges of items.

    Parameters
    ----------
    scores : array_like, shape (S, n)
        One value per system and item.
    n_resamples : int, default 10,000
        How many exchanges to sample. If there are no more than this, all are enumerated.
    missing : {'refuse', 'leave out'}, default 'refuse'
        What to do with NaN, which marks a missing score; see Notes.

    Returns
    -------
    PairwisePValues
        The matrix of p-values.

    Raises
    ------
    ValueError
        If `scores` is not a matrix, or contains NaN and `missing` is 'refuse'.

    Notes
    -----
    For i < j, the null exchanges the two systems' values of each item with probability 1/2; p_ij is the share of
    exchanges whose mean difference is at least the observed mean of s_i - s_j: exact, from all 2^n exchanges, if these
    are at most `n_resamples`, else (1 + count) / (1 + n_resamples). Near 0: i is better; near 1: j is. With
    `missing="leave out"`, each pair is compared on the items that have scores of both systems, and its p is undefined
    (NaN) if there are none.

    References
    ----------
    Thompson et al. 2024, Improving Statistical Significance in Human Evaluation of Automatic Metrics via Soft Pairwise
    Accuracy (paired permutation tests).

    Examples
    --------
    >>> pairwise_p_values([[1, 2, 3], [0, 1, 1]]).p_values[0, 1].item()
    0.125
    >>> nan = float("nan")
    >>> pairwise_p_values([[1, 2, 3, nan], [0, 1, 1, 9]], missing="leave out").p_values[0, 1].item()
    0.125
    """
    seed = chosen_seed(seed, rng)
    checked_count("n_resamples", n_resamples)
    values = _checked(scores, "scores", missing)
    systems, n = values.shape
    total, exact = _exchanges(n, n_resamples)
    reached = exchange_plan(values, n_resamples=n_resamples, seed=seed, missing=missing).run(progress).sum(axis=0)
    p = np.full((systems, systems), np.nan)
    upper = np.triu_indices(systems, 1)
    p[upper] = reached / total if exact else (1 + reached) / (1 + total)
    p[upper] = np.where(_common_items(values) > 0, p[upper], np.nan)
    return PairwisePValues(p, exact, total, n)


def exchange_plan(
    scores: npt.ArrayLike, *, n_resamples: int, seed: Seed, missing: Missing = "refuse"
) -> ResamplingPlan:
    """Blocks of exchanges (blocks, pairs), to distribute: how many of a block reach each pair's observed mean."""
    values = _checked(scores, "scores", missing)
    systems, n = values.shape
    upper = np.triu_indices(systems, 1)
    # an item without both scores adds nothing to the sum, exchanged or not
    differences = np.nan_to_num(values[upper[0]] - values[upper[1]])
    observed = differences.sum(axis=1)
    slack = ROUNDING * n * max(1.0, float(np.abs(differences).max(initial=0.0)))
    total, exact = _exchanges(n, n_resamples)
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

    return ResamplingPlan(draw, n_resamples=len(starts), seed=seed, block=1)


def _exchanges(n: int, n_resamples: int) -> tuple[int, bool]:
    """How many exchanges of n items to compute, and whether these are all of them."""
    exact = is_enumerable(n, n_resamples)
    return (2**n if exact else n_resamples), exact


@described_as(pairwise_p_values)
def soft_pairwise_accuracy(
    judgements: npt.ArrayLike,
    metric: npt.ArrayLike,
    *,
    n_resamples: int = 10_000,
    seed: Seed | None = None,
    rng: Seed | None = None,
    missing: Missing = "refuse",
    progress: Steps | None = None,
) -> SoftPairwiseAccuracy:
    """Whether a metric is as certain as the judges about which of two systems is better.

    Parameters
    ----------
    judgements : array_like, shape (S, n)
        One judgement per system and item; higher is better.
    metric : array_like, shape (S, m)
        One value of the metric per system and item; higher is better. All systems have the same items.

    Returns
    -------
    SoftPairwiseAccuracy
        Values in [0, 1], or NaN with a reason.

    Raises
    ------
    ValueError
        If the two have different numbers of systems, or contain NaN and `missing` is 'refuse'.

    Notes
    -----
    Formula: SPA = mean over pairs i < j of 1 - |p^J_ij - p^M_ij|, with the one-sided p-values of `pairwise_p_values` on
    each side's items; the hard accuracy is the share of pairs that both order the same way (a tie matches a tie).

    With `missing="leave out"`, each pair is compared on the items that have scores of both systems, for the judges and
    for the metric separately, in both accuracies; pairs without such an item on either side are left out and counted. A
    system that was judged on few items then has p-values near 1/2, and is compared on different items than the rest.
    This is valid only if which scores are missing does not depend on the scores.

    Undefined for fewer than two systems, and where no pair can be compared.

    References
    ----------
    Thompson et al. 2024, Improving Statistical Significance in Human Evaluation of Automatic Metrics via Soft Pairwise
    Accuracy.

    Examples
    --------
    >>> human = [[3, 2, 4, 3], [1, 2, 3, 1], [2, 3, 3, 2]]
    >>> soft_pairwise_accuracy(human, human).value
    1.0
    """
    seed = chosen_seed(seed, rng)
    checked_count("n_resamples", n_resamples)
    judgements, metric = aligned(judgements=judgements, metric=metric)
    j, m = _checked(judgements, "judgements", missing), _checked(metric, "metric", missing)
    if len(j) != len(m):
        msg = f"judgements are of {len(j)} systems, the metric of {len(m)}; expected the same systems in one order"
        raise ValueError(msg)
    if len(j) < 2:
        return SoftPairwiseAccuracy(
            math.nan, math.nan, len(j), j.shape[1], exact=False, n_resamples=0, reason=ONE_SYSTEM
        )
    of_judges = pairwise_p_values(j, n_resamples=n_resamples, seed=seed, missing=missing, progress=progress)
    of_metric = pairwise_p_values(m, n_resamples=n_resamples, seed=seed, missing=missing, progress=progress)
    apart = np.abs(of_judges.p_values - of_metric.p_values)[np.triu_indices(len(j), 1)]
    counts = ~np.isnan(apart)
    same = (_order(j) == _order(m))[counts]
    reason = "" if counts.any() else NO_COMMON_ITEM
    return SoftPairwiseAccuracy(
        value=math.nan if reason else float((1 - apart[counts]).mean()),
        hard=math.nan if reason else float(same.mean()),
        systems=len(j),
        items=j.shape[1],
        exact=of_judges.exact and of_metric.exact,
        n_resamples=of_judges.n_resamples,
        judgement_p_values=of_judges.p_values,
        metric_p_values=of_metric.p_values,
        reason=reason,
        pairs=int(counts.sum()),
        excluded=int((~counts).sum()),
    )


def _common_items(values: Matrix) -> Counts:
    """How many items have both scores, for each pair of systems above the diagonal: (pairs,)."""
    present = (~np.isnan(values)).astype(np.int64)
    return (present @ present.T)[np.triu_indices(len(values), 1)]


def _order(values: Matrix) -> Matrix:
    """1, 0 or -1 for each pair of systems above the diagonal, by their means on common items: (pairs,)."""
    first, second = np.triu_indices(len(values), 1)
    largest = float(np.nanmax(np.abs(values), initial=0.0))
    if not np.isnan(values).any():
        means = evened(values.mean(axis=1), size=largest)
        return np.sign(means[first] - means[second])
    means = np.nan_to_num(values[first] - values[second]).sum(axis=1) / np.maximum(_common_items(values), 1)
    return np.where(np.abs(means) <= ROUNDING * largest, 0.0, np.sign(means))


def _checked(scores: npt.ArrayLike, name: str, missing: Missing = "refuse") -> Matrix:
    checked_choice("missing", missing, get_args(Missing))
    values = as_numbers(name, scores, "finite values (systems, items)")
    absent = np.isnan(values) if missing == "leave out" else False
    if values.ndim != 2 or values.shape[1] == 0 or not (np.isfinite(values) | absent).all():
        msg = f"{name} has shape {values.shape}; expected finite values (systems, items), at least one item"
        if values.ndim == 2 and np.isnan(values).any() and missing == "refuse":
            msg += "; missing='leave out' compares each pair of systems on the items that have both scores"
        raise ValueError(msg)
    return values
