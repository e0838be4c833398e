"""Metrics from information theory that compare the distributions instance by instance."""

from __future__ import annotations

import numpy as np

from .entropy import binary_entropy, entropy
from .pair import Matrix, Pair
from .registry import EVERY_TASK, metric


@metric(
    title="PO-JSD",
    tasks=EVERY_TASK,
    default_for=EVERY_TASK,
    source="Kurniawan et al. 2025, section 3.3",
    works_per_item=True,
)
def po_jsd(pair: Pair) -> float:
    """Positively oriented Jensen-Shannon divergence: 1 minus the mean divergence, logarithms of base 2.

    Formula: 1 - (1/N) sum_i JSD(P_i, Q_i) for a multiclass task; 1 - (1/NK) sum_ik JSD([P_ik, 1 - P_ik],
    [Q_ik, 1 - Q_ik]) for a multilabel one, with JSD(p, q) = H((p + q)/2) - (H(p) + H(q))/2 and 0 log 0 = 0.
    Takes P, Q of shape (N, K) and the task; returns a value in [0, 1], always defined.

    >>> po_jsd([[1.0, 0.0], [0.5, 0.5]], [[0.0, 1.0], [0.5, 0.5]], task="multiclass")
    0.5
    """
    divergence_of, terms = (_binary_divergence, pair.P.size) if pair.is_multilabel else (_divergence, pair.instances)
    total = sum(divergence_of(p, q) for p, q in pair.blocks())
    return min(1.0, max(0.0, 1.0 - total / terms))


def _divergence(p: Matrix, q: Matrix) -> float:
    """Sum over rows of JSD(p_i, q_i). A zero in both is a zero in the mean too, so its terms vanish."""
    rows = entropy((p + q) / 2) - (entropy(p) + entropy(q)) / 2
    return float(np.maximum(rows, 0.0).sum())


def _binary_divergence(p: Matrix, q: Matrix) -> float:
    """Sum over cells of JSD([p, 1 - p], [q, 1 - q])."""
    cells = binary_entropy((p + q) / 2) - (binary_entropy(p) + binary_entropy(q)) / 2
    return float(np.maximum(cells, 0.0).sum())
