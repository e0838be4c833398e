"""How far people disagree about each text, and how far a prediction is from what they said. NumPy alone.

These serve for sorting and for looking; the metrics that results state are in metaeval.metrics.
"""

from __future__ import annotations

import numpy as np

from annotations.arrays import Matrix, Vector


def disagreement(P: Matrix, *, multilabel: bool) -> Vector:
    """How far people disagree, in [0, 1] for each row of P (N, K); 0 where all say the same.

    For one label a text: the entropy of the row divided by log K, its largest value (1: evenly split). Where several
    labels can be chosen: the mean over the labels of the entropy, in bits, of chosen and not chosen (1: every label was
    chosen by half of the people). With nothing to choose between it is 0.

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
    """How far each row of Q is from that of P, in [0, 1]; NaN where Q predicts nothing.

    For one label a text: the total variation distance, half the sum of the absolute differences. Where several labels
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
