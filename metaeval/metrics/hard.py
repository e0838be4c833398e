"""Hard metrics: distributions are first turned into labels, and only those are compared."""

from __future__ import annotations

import numpy as np

from .pair import Pair, Vector
from .ratio import mean_ratio, ratio
from .registry import EVERY_TASK, MULTICLASS, MULTILABEL, metric


@metric(
    title="Accuracy",
    tasks=MULTICLASS,
    default_for=MULTICLASS,
    source="Kurniawan et al. 2025, section 3.1",
    works_per_item=True,
)
def accuracy(pair: Pair) -> float:
    """Share of instances whose most probable label is the same in P and in Q.

    Formula: (1/N) sum_i [argmax P_i = argmax Q_i]; of several maxima the lowest index counts.
    Takes P, Q of shape (N, K), rows summing to 1; returns a value in [0, 1], always defined.
    Raises `DistributionError` for anything that is not such a pair.

    >>> accuracy([[0.7, 0.3], [0.5, 0.5]], [[0.6, 0.4], [0.2, 0.8]])
    0.5
    """
    return float(pair.hard_counts.both.sum() / pair.instances)


@metric(
    title="Micro F1",
    tasks=MULTILABEL,
    default_for=MULTILABEL,
    source="Kurniawan et al. 2025, section 3.1",
    works_per_item=False,
)
def micro_f1(pair: Pair) -> float:
    """F1 over all instances and labels together, after marking every label with a value above one half.

    Formula: 2 sum J^P J^Q / sum (J^P + J^Q) over i and k, with J = [value > 0.5], strictly.
    Takes P, Q of shape (N, K) with values in [0, 1]; returns a value in [0, 1]. Where nothing is marked in
    either matrix, 0/0 is `zero_division` (1.0, or NaN for undefined).

    >>> micro_f1([[1.0, 0.5], [0.2, 0.8]], [[0.9, 0.6], [0.4, 0.7]])
    0.8
    """
    counts = pair.hard_counts
    return ratio(2 * counts.both.sum(), counts.human.sum() + counts.predicted.sum(), pair.zero_division)


@metric(
    title="Macro F1",
    tasks=EVERY_TASK,
    default_for=EVERY_TASK,
    source="Kurniawan et al. 2025, section 3.1",
    works_per_item=False,
)
def macro_f1(pair: Pair) -> float:
    """Mean over labels of their hard F1: on the one-hot argmax (multiclass), on [value > 0.5] (multilabel).

    Formula: (1/K) sum_k 2 TP_k / (2 TP_k + FP_k + FN_k), every label of the set counting, also an unused one.
    Takes P, Q of shape (N, K) and the task; returns a value in [0, 1]. A label that is in neither matrix
    gives 0/0: `zero_division` (1.0, or NaN, which makes the whole value undefined).

    >>> macro_f1([[1.0, 0.0], [0.0, 1.0]], [[0.8, 0.2], [0.6, 0.4]], task="multiclass")
    0.3333333333333333
    """
    return mean_ratio(*_f1_parts(pair), pair.zero_division)


def _f1_parts(pair: Pair) -> tuple[Vector, Vector]:
    counts = pair.hard_counts
    return 2 * counts.both, np.add(counts.human, counts.predicted)
