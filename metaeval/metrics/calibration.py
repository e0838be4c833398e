"""Calibration to human judgements: does the predicted uncertainty match people's?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from annotations.ground.arrays import Matrix, Vector
from metaeval.checking import checked_count
from metaeval.describing import described, described_as

from .hard import Ties, top
from .information import LN_2, absolute_differences, entropy, total_difference
from .pair import Pair, checked_input
from .registry import MULTICLASS, metric


@metric(
    title="Distribution calibration error",
    tasks=MULTICLASS,
    orientation="lower",
    source="Baan et al. 2022, Table 1 (DistCE)",
    works_per_item=True,
    reads="tallies",
    items=lambda pair: absolute_differences(pair) / 2.0,
)
def distribution_calibration_error(pair: Pair) -> float:
    """Mean total variation distance between the predicted and the human distribution of an instance.

    Formula: (1/N) sum_i DistCE_i, DistCE_i = (1/2) sum_k |Q_ik - P_ik|; the same number as `tvd`.
    The value is in [0, 1] and always defined.

    >>> distribution_calibration_error([[0.5, 0.5]], [[0.25, 0.75]])
    0.25
    """
    return total_difference(pair) / (2.0 * pair.instances)


@metric(
    title="Entropy calibration error",
    tasks=MULTICLASS,
    orientation="lower",
    range=(0.0, float("inf")),
    source="Baan et al. 2022, Table 1 (EntCE)",
    works_per_item=True,
    reads="information",
    items=lambda pair: np.abs(_entropy_gaps(pair)),
)
def entropy_calibration_error(pair: Pair) -> float:
    """Mean distance between the entropy of the prediction and that of people, in nats.

    Formula: (1/N) sum_i |EntCE_i|, EntCE_i = H(Q_i) - H(P_i); `entropy_calibration_errors` returns them with their
    signs (negative: the system is more certain than people). The value is in [0, log K] and always defined.

    >>> round(entropy_calibration_error([[1.0, 0.0]], [[0.5, 0.5]]), 12)
    0.69314718056
    """
    return pair.information.entropy_gap * LN_2 / pair.instances


def _same_ranking(pair: Pair) -> Vector:
    human, predicted = (np.argsort(matrix, axis=1, kind="stable") for matrix in (pair.P, pair.Q))
    same: Vector = (human == predicted).all(axis=1).astype(np.float64)
    return same


@metric(
    title="Ranking calibration score",
    tasks=MULTICLASS,
    source="Baan et al. 2022, Table 1 (RankCS)",
    works_per_item=True,
    items=_same_ranking,
)
def ranking_calibration_score(pair: Pair) -> float:
    """Share of instances whose labels the system ranks in the same order as people do.

    Formula: (1/N) sum_i [argsort P_i = argsort Q_i]; among equal values, the lower index comes first.
    The value is in [0, 1] and always defined.

    >>> ranking_calibration_score([[0.5, 0.3, 0.2], [0.5, 0.3, 0.2]], [[0.6, 0.4, 0.0], [0.6, 0.1, 0.3]])
    0.5
    """
    return pair.mean(_same_ranking)


@metric(
    title="Expected calibration error",
    tasks=MULTICLASS,
    orientation="lower",
    source="Naeini et al. 2015; Guo et al. 2017; against the human majority as in Baan et al. 2022, Table 1",
    works_per_item=False,
)
def expected_calibration_error(pair: Pair, *, bins: int = 10, ties: Ties = "first") -> float:
    """How far the top probability is from the share of instances that match the human majority, bin by bin.

    Parameters
    ----------
    bins : int, default 10
        Number of equal bins (a, b] of the top probability.
    ties : {'first', 'last'}, default 'first'
        Which of several equally probable labels is the majority, or the system's choice.

    Notes
    -----
    Formula: sum_b (n_b / N) |accuracy_b - confidence_b| over `bins` equal bins (a, b] of the top probability
    max_k Q_ik; accuracy is the share with argmax Q_i = argmax P_i.
    The value is in [0, 1] and always defined. Where people disagree, even their own distribution does not reach 0, as
    Baan et al. (2022) criticise.

    Examples
    --------
    >>> expected_calibration_error([[1.0, 0.0], [0.0, 1.0]], [[0.75, 0.25], [0.75, 0.25]])
    0.25
    """
    sums = _top_sums(pair, bins, ties)
    return float(np.abs(sums[1] - sums[2]).sum() / pair.instances)


@metric(
    title="Class-wise expected calibration error",
    tasks=MULTICLASS,
    orientation="lower",
    source="Kull et al. 2019; against the human majority as in Baan et al. 2022, Table 5",
    works_per_item=False,
)
def classwise_ece(pair: Pair, *, bins: int = 10, ties: Ties = "first", zeros: bool = False) -> float:
    """Mean over labels of how far a label's probability is from the share of instances where it is the majority.

    Parameters
    ----------
    bins : int, default 10
        Number of equal bins (a, b] of a label's probability.
    ties : {'first', 'last'}, default 'first'
        Which of several equally probable labels is the majority.
    zeros : bool, default False
        Whether probabilities of exactly 0 count. As published, they are in no bin (a, b]; with `zeros`, the first bin
        is closed.

    Notes
    -----
    Formula: (1/K) sum_k sum_b (n_bk / n_k) |share_bk - mean Q_bk| over `bins` equal bins (a, b] of Q_ik, share_bk
    being the share of instances in the bin with argmax P_i = k, and n_k the sum of n_bk, which is N with `zeros`.
    `classwise_errors` returns each label's value.
    The value is in [0, 1] and always defined. A label without any probability adds 0.

    Examples
    --------
    >>> classwise_ece([[1.0, 0.0], [0.0, 1.0]], [[0.75, 0.25], [0.75, 0.25]])
    0.25
    """
    return float(_classwise(pair, bins, ties, zeros).mean())


@described
def classwise_errors(
    P: npt.ArrayLike, Q: npt.ArrayLike, *, bins: int = 10, ties: Ties = "first", zeros: bool = False
) -> Vector:
    """The summands of `classwise_ece`, one per label.

    Parameters
    ----------
    P, Q : array_like, shape (N, K)
        Human and predicted distributions of N instances over K labels; rows sum to 1.
    bins : int, default 10
        Number of equal bins (a, b] of a label's probability.
    ties : {'first', 'last'}, default 'first'
        Which of several equally probable labels is the majority.
    zeros : bool, default False
        Whether probabilities of exactly 0 count.

    Returns
    -------
    ndarray, shape (K,)
        Values in [0, 1]; 0 for a label without any probability.

    Raises
    ------
    DistributionError
        If P and Q are not two matrices of distributions of the same shape.

    See Also
    --------
    classwise_ece
        Their mean, with the formula.

    References
    ----------
    Kull et al. 2019; against the human majority as in Baan et al. 2022, Table 5.
    """
    return _classwise(_pair(P, Q), bins, ties, zeros)


@described
@dataclass(frozen=True)
class ReliabilityBin:
    """The instances whose top probability is in one bin of a reliability diagram."""

    low: float
    high: float
    """Bounds of the bin (low, high]."""
    instances: int
    """How many instances are in the bin."""
    confidence: float
    """Mean of their top probabilities; NaN where there are none."""
    accuracy: float
    """Share of them that match the human majority; NaN where there are none."""


@described_as(classwise_errors)
def reliability(
    P: npt.ArrayLike, Q: npt.ArrayLike, *, bins: int = 10, ties: Ties = "first"
) -> tuple[ReliabilityBin, ...]:
    """The points of a reliability diagram: the bins of `expected_calibration_error`.

    Parameters
    ----------
    bins : int, default 10
        Number of equal bins (a, b] of the top probability.
    ties : {'first', 'last'}, default 'first'
        Which of several equally probable labels is the majority, or the system's choice.

    Returns
    -------
    tuple of ReliabilityBin
        One per bin, from least to most certain.

    Raises
    ------
    DistributionError
        If P and Q are not two matrices of distributions of the same shape.
    ValueError
        If there is less than one bin.

    Notes
    -----
    `expected_calibration_error` is the mean distance of accuracy and confidence, weighted by instances.

    References
    ----------
    Guo et al. 2017, Figure 1; against the human majority as in Baan et al. 2022.

    Examples
    --------
    >>> [bin.accuracy for bin in reliability([[1.0, 0.0], [0.0, 1.0]], [[0.75, 0.25], [0.75, 0.25]], bins=2)]
    [nan, 0.5]
    """
    sums = _top_sums(_pair(P, Q), bins, ties)
    edges = np.linspace(0.0, 1.0, bins + 1).tolist()
    means = np.divide(sums[1:], sums[0], out=np.full((2, bins), np.nan), where=sums[0] > 0)
    return tuple(
        ReliabilityBin(edges[b], edges[b + 1], int(sums[0, b]), float(means[1, b]), float(means[0, b]))
        for b in range(bins)
    )


@described_as(classwise_errors)
def entropy_calibration_errors(P: npt.ArrayLike, Q: npt.ArrayLike) -> Vector:
    """How much more uncertain the system is than people are, per instance, in nats.

    Returns
    -------
    ndarray, shape (N,)
        Values in [-log K, log K]; below 0 where the system is more certain than people.

    Notes
    -----
    Formula: EntCE_i = H(Q_i) - H(P_i). Always defined.

    References
    ----------
    Baan et al. 2022, Table 1 (EntCE).

    Examples
    --------
    >>> entropy_calibration_errors([[0.5, 0.5], [1.0, 0.0]], [[1.0, 0.0], [1.0, 0.0]]).round(6).tolist()
    [-0.693147, 0.0]
    """
    return _pair(P, Q).items(_entropy_gaps)


@described_as(classwise_errors)
def distribution_calibration_errors(P: npt.ArrayLike, Q: npt.ArrayLike) -> Vector:
    """Total variation distance between the predicted and the human distribution, per instance.

    Returns
    -------
    ndarray, shape (N,)
        Values in [0, 1].

    Notes
    -----
    Formula: DistCE_i = (1/2) sum_k |Q_ik - P_ik|. Always defined.

    References
    ----------
    Baan et al. 2022, Table 1 (DistCE).

    Examples
    --------
    >>> distribution_calibration_errors([[0.5, 0.5], [1.0, 0.0]], [[1.0, 0.0], [1.0, 0.0]]).tolist()
    [0.5, 0.0]
    """
    return _pair(P, Q).items(lambda block: absolute_differences(block) / 2.0)


@described_as(classwise_errors)
def label_calibration_errors(P: npt.ArrayLike, Q: npt.ArrayLike) -> Matrix:
    """How much more probability the system gives to each label than people do, per instance.

    Returns
    -------
    ndarray, shape (N, K)
        Values in [-1, 1]; above 0 where the system gives the label more.

    Notes
    -----
    Formula: E_ik = Q_ik - P_ik. Rows sum to 0, and half the sum of their absolute values is DistCE_i. Always defined.

    References
    ----------
    After Baan et al. 2022, whose appendix shows errors label by label.

    Examples
    --------
    >>> label_calibration_errors([[0.5, 0.5]], [[0.25, 0.75]]).tolist()
    [[-0.25, 0.25]]
    """
    pair = _pair(P, Q)
    return np.asarray(pair.Q - pair.P, dtype=np.float64)


@described_as(classwise_errors)
def guess_calibration_errors(P: npt.ArrayLike, Q: npt.ArrayLike) -> Matrix:
    """How much more probability the system gives to its first, second, ... guess than people do, per instance.

    Returns
    -------
    ndarray, shape (N, K)
        Values in [-1, 1]. Column 0 is for the label that the system finds most probable, column 1 for the next. An
        overconfident system has a mean above 0 in column 0.

    Notes
    -----
    Formula: G_ik = Q_il - P_il for the label l with the (k + 1)-th largest Q_i; of equal ones, the lower index is the
    earlier guess. Always defined.

    References
    ----------
    After Baan et al. 2022, whose appendix shows errors guess by guess.

    Examples
    --------
    >>> guess_calibration_errors([[0.5, 0.5]], [[0.25, 0.75]]).tolist()
    [[0.25, -0.25]]
    """
    pair = _pair(P, Q)
    order = np.argsort(-pair.Q, axis=1, kind="stable")
    return np.take_along_axis(np.asarray(pair.Q - pair.P, dtype=np.float64), order, axis=1)


def _pair(P: npt.ArrayLike, Q: npt.ArrayLike) -> Pair:
    return checked_input(P, Q, "multiclass")


def _entropy_gaps(pair: Pair) -> Vector:
    return (entropy(pair.Q) - entropy(pair.P)) * LN_2


def _top_sums(pair: Pair, bins: int, ties: Ties) -> Matrix:
    """Counts, hits and top probabilities, summed in every bin of the top probability: (3, bins)."""
    sums = np.zeros((3, checked_count("bins", bins)))
    for block in pair.blocks():
        hits = (top(block.P, ties) == top(block.Q, ties)).astype(np.float64)
        _add(sums, block.Q.max(axis=1), hits)
    return sums


def _classwise(pair: Pair, bins: int, ties: Ties, zeros: bool) -> Vector:
    sums = np.zeros((pair.labels, 3, checked_count("bins", bins)))
    for block in pair.blocks():
        majority = top(block.P, ties)
        for k in range(pair.labels):
            _add(sums[k], block.Q[:, k], (majority == k).astype(np.float64), zeros=zeros)
    counts = sums[:, 0].sum(axis=1)
    gaps = np.abs(sums[:, 1] - sums[:, 2]).sum(axis=1)
    errors = np.zeros(pair.labels)
    np.divide(gaps, counts, out=errors, where=counts > 0)
    return errors


def _add(sums: Matrix, confidence: Vector, hits: Vector, *, zeros: bool = True) -> None:
    """Add counts, hits and confidences to `sums` (3, bins), with a confidence c in (a, b] going to the bin (a, b]."""
    bins = sums.shape[1]
    edges = np.linspace(0.0, 1.0, bins + 1)
    place = np.searchsorted(edges, confidence, side="left") - 1
    counted: Any = slice(None) if zeros else place >= 0
    place = np.clip(place, 0, bins - 1)[counted]
    for row, weights in enumerate((np.ones_like(confidence), hits, confidence)):
        sums[row] += np.bincount(place, weights=weights[counted], minlength=bins)
