"""Metrics of human uncertainty: is the system uncertain where people are?"""

from __future__ import annotations

import numpy as np

from annotations.ground.arrays import Matrix, Places, Vector

from .pair import Pair
from .registry import EVERY_TASK, metric
from .value import undefined


@metric(
    title="Entropy correlation",
    tasks=EVERY_TASK,
    default_for=EVERY_TASK,
    range=(-1.0, 1.0),
    source="Kurniawan et al. 2026, section 3.4",
    works_per_item=False,
    reads="information",
)
def entropy_correlation(pair: Pair) -> float:
    """Pearson correlation, over instances, between the entropies of the human and the predicted distributions.

    Formula: r_i(H(P_i) / log K, H(Q_i) / log K) for a multiclass task; (1/K) sum_k r_i(H([P_ik, 1 - P_ik]),
    H([Q_ik, 1 - Q_ik])) for a multilabel one.
    The value is in [-1, 1]. Undefined (NaN with the reason) where the entropies of P or of Q are constant; in a
    multilabel task, if this is so for any label.

    >>> entropy_correlation([[1, 0], [0.5, 0.5], [0.8, 0.2]], [[1, 0], [0.5, 0.5], [0.2, 0.8]], task="multiclass")
    1.0
    >>> entropy_correlation([[1, 0], [0.5, 0.5]], [[0.9, 0.1], [0.1, 0.9]], task="multiclass")
    MetricValue(nan, 'the entropy of Q is the same for every instance')
    """
    scale = 1.0 if pair.is_multilabel else float(np.log2(pair.labels))
    for name, constant in zip("PQ", pair.information.constant(scale), strict=True):
        labels = np.flatnonzero(constant)
        if labels.size:
            return undefined(f"the entropy of {name} is the same for every instance{_where(pair, labels)}")
    return float(pair.information.correlations().mean())


@metric(
    title="Entropy similarity",
    tasks=EVERY_TASK,
    source="Uma et al. 2021; named by Kurniawan et al. 2026, section 3.4",
    works_per_item=False,
    reads="information",
)
def entropy_similarity(pair: Pair) -> float:
    """Cosine similarity, over instances, between the entropies of the human and the predicted distributions.

    Formula: sum_i h_i g_i / sqrt(sum_i h_i^2 sum_i g_i^2), with h_i = H(P_i) and g_i = H(Q_i), for a multiclass
    task; for a multilabel one, the mean over k of the same with h_i = H([P_ik, 1 - P_ik]), g_i = H([Q_ik, 1 - Q_ik]).
    Normalising the entropies changes nothing.
    The value is in [0, 1]. Undefined (NaN with the reason) where every entropy of P or of Q is 0; in a multilabel task,
    if this is so for any label.

    >>> entropy_similarity([[1, 0], [0.5, 0.5]], [[0.5, 0.5], [0.5, 0.5]], task="multiclass")
    0.7071067811865475
    >>> entropy_similarity([[1, 0], [0, 1]], [[0.5, 0.5], [0.5, 0.5]], task="multiclass")
    MetricValue(nan, 'the entropy of P is 0 for every instance')
    """
    xx, yy, xy = pair.information.raw_moments()
    for name, squares in (("P", xx), ("Q", yy)):
        labels = np.flatnonzero(squares <= 0)
        if labels.size:
            return undefined(f"the entropy of {name} is 0 for every instance{_where(pair, labels)}")
    return float(np.clip(xy / np.sqrt(xx * yy), 0.0, 1.0).mean())


def surprisal(x: Matrix) -> Matrix:
    """-x log2 x, with 0 log 0 = 0."""
    logarithm = np.zeros_like(x)
    np.log2(x, out=logarithm, where=x > 0)
    logarithm *= -x
    return logarithm


def entropy(rows: Matrix) -> Vector:
    """H(row) in bits for every row: shape (N,)."""
    bits: Vector = surprisal(rows).sum(axis=1)
    return bits


def binary_entropy(cells: Matrix) -> Matrix:
    """H([x, 1 - x]) in bits for every cell: shape (N, K)."""
    return surprisal(cells) + surprisal(1.0 - cells)


def _where(pair: Pair, labels: Places) -> str:
    if not pair.is_multilabel:
        return ""
    more = f" and {labels.size - 1} more" if labels.size > 1 else ""
    first = f"label {pair.names[labels[0]]!r}" if pair.names else f"label {labels[0]} (counted from 0)"
    return f" in {first}{more}"
