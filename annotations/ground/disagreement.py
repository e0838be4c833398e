"""How much people disagree about each text, and how far a prediction is from what they said. Needs only NumPy.

These serve for sorting and browsing; the metrics reported in results are in metaeval.metrics.
"""

from __future__ import annotations

import numpy as np

from annotations.ground.arrays import Matrix, Vector


def disagreement(P: Matrix, *, multilabel: bool) -> Vector:
    """How much people disagree, in [0, 1] for each row of P (N, K); 0 if all say the same.

    For one label per text: the row's entropy divided by log K, its largest value (1: evenly split). If several labels
    can be chosen: the mean over the labels of the entropy, in bits, of chosen against not chosen (1: every label was
    chosen by half of the people). If there is nothing to choose between, 0.

    >>> disagreement(np.array([[1.0, 0.0], [0.5, 0.5]]), multilabel=False).tolist()
    [0.0, 1.0]
    >>> disagreement(np.array([[1.0, 0.5], [0.0, 1.0]]), multilabel=True).tolist()
    [0.5, 0.0]
    """
    labels = P.shape[1]
    if labels == 0 or (labels == 1 and not multilabel):
        return np.zeros(len(P))
    if multilabel:
        return np.asarray((_bits(P) + _bits(1.0 - P)).mean(axis=1))
    return np.asarray(_bits(P).sum(axis=1) / np.log2(labels)).clip(0.0, 1.0)


def distance(P: Matrix, Q: Matrix, *, multilabel: bool) -> Vector:
    """How far each row of Q is from the same row of P, in [0, 1]; NaN where Q predicts nothing.

    For one label per text: the total variation distance, half the sum of the absolute differences. If several labels
    can be chosen: the mean absolute difference.

    >>> distance(np.array([[1.0, 0.0]]), np.array([[0.25, 0.75]]), multilabel=False).tolist()
    [0.75]
    """
    if P.shape[1] == 0:
        return np.full(len(P), np.nan)
    apart = np.abs(P - Q)
    return np.asarray(apart.mean(axis=1) if multilabel else apart.sum(axis=1) / 2)


def _bits(shares: Matrix) -> Matrix:
    """-p log2 p, and 0 for 0."""
    logs = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
    return np.asarray(np.abs(shares * logs))
