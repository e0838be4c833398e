"""Soft metrics: the overlap of the distributions, min(P, Q), replaces the count of hits."""

from __future__ import annotations

from typing import cast

import numpy as np

from annotations.ground.arrays import Vector

from .hard import mean_ratio, ratio
from .pair import Pair
from .registry import EVERY_TASK, MULTICLASS, MULTILABEL, metric


@metric(
    title="Soft accuracy",
    tasks=MULTICLASS,
    default_for=MULTICLASS,
    source="Kurniawan et al. 2026, section 3.2",
    works_per_item=True,
    reads="tallies",
    items=lambda pair: cast(Vector, np.minimum(pair.P, pair.Q).sum(axis=1)),
)
def soft_accuracy(pair: Pair) -> float:
    """Mean overlap of the human and the predicted distribution.

    Formula: (1/N) sum_ik min(P_ik, Q_ik), which is 1 minus the mean total variation distance.
    The value is in [0, 1] (or above by at most what rows exceed 1 within the tolerance), always defined, and never
    above `po_jsd` (Theorem 3.1).

    >>> soft_accuracy([[0.5, 0.5]], [[0.25, 0.75]])
    0.75
    """
    return float(pair.tallies.overlap.sum() / pair.instances)


@metric(
    title="Soft micro F1",
    tasks=EVERY_TASK,
    default_for=MULTILABEL,
    source="Kurniawan et al. 2026, section 3.2",
    works_per_item=False,
    reads="tallies",
)
def soft_micro_f1(pair: Pair) -> float:
    """Overlap of the distributions over their common mass, over all instances and labels together.

    Formula: 2 sum_ik min(P_ik, Q_ik) / sum_ik (P_ik + Q_ik). For a multiclass task it equals
    `soft_accuracy`, which is why it is a default only for multilabel tasks.
    The value is in [0, 1]. Without any mass, 0/0 is `zero_division` (1.0, or NaN for undefined).

    >>> soft_micro_f1([[1.0, 0.4], [0.0, 0.6]], [[0.8, 0.2], [0.0, 1.0]], task="multilabel")
    0.8
    """
    sums = pair.tallies
    return ratio(2 * sums.overlap.sum(), (sums.human_mass + sums.predicted_mass).sum(), pair.zero_division)


@metric(
    title="Soft macro F1",
    tasks=EVERY_TASK,
    default_for=EVERY_TASK,
    source="Kurniawan et al. 2026, section 3.2",
    works_per_item=False,
    reads="tallies",
)
def soft_macro_f1(pair: Pair) -> float:
    """Mean over labels of their soft F1.

    Formula: (1/K) sum_k 2 sum_i min(P_ik, Q_ik) / sum_i (P_ik + Q_ik), over every label of the set.
    The value is in [0, 1]. A label without mass in P and Q gives 0/0: `zero_division` (1.0, or NaN, which makes the
    whole value undefined, as in the authors' code).

    >>> soft_macro_f1([[1.0, 0.0], [0.0, 0.5]], [[1.0, 0.0], [0.0, 1.0]], task="multilabel")
    0.8333333333333333
    """
    sums = pair.tallies
    return mean_ratio(2 * sums.overlap, sums.human_mass + sums.predicted_mass, pair.zero_division)
