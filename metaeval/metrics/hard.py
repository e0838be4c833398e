"""Hard metrics: distributions are first turned into labels, and only these are compared."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from annotations.ground.arrays import Matrix, Places, Vector

from .pair import Pair
from .registry import EVERY_TASK, MULTICLASS, MULTILABEL, metric

Ties = Literal["first", "last"]


def ratio(numerator: float, denominator: float, zero_division: float) -> float:
    """numerator / denominator, and `zero_division` for 0/0."""
    return float(numerator / denominator) if denominator > 0 else zero_division


def mean_ratio(numerators: Vector, denominators: Vector, zero_division: float) -> float:
    """Mean over labels of numerator / denominator, with each 0/0 counting as `zero_division`."""
    return float(ratios(numerators, denominators, zero_division).mean())


def ratios(numerators: Vector, denominators: Vector, zero_division: float) -> Vector:
    """numerator / denominator label by label, `zero_division` for 0/0."""
    quotients = np.full(len(numerators), zero_division)
    np.divide(numerators, denominators, out=quotients, where=denominators > 0)
    return quotients


@metric(
    title="Accuracy",
    tasks=MULTICLASS,
    default_for=MULTICLASS,
    source="Kurniawan et al. 2026, section 3.1",
    works_per_item=True,
    reads="tallies",
    items=lambda pair: _hits(pair, "first"),
)
def accuracy(pair: Pair, *, ties: Ties = "first") -> float:
    """Share of instances whose most probable label is the same in P and in Q.

    Parameters
    ----------
    ties : {'first', 'last'}, default 'first'
        Which of several equally probable labels counts: the one with the lowest or the highest index. The accuracy that
        Baan et al. (2022) print uses the last.

    Notes
    -----
    Formula: (1/N) sum_i [argmax P_i = argmax Q_i].
    The value is in [0, 1] and always defined.

    Examples
    --------
    >>> accuracy([[0.7, 0.3], [0.5, 0.5]], [[0.6, 0.4], [0.2, 0.8]])
    0.5
    """
    if ties != "first":
        return pair.mean(lambda block: _hits(block, ties))
    return float(pair.tallies.hard_both.sum() / pair.instances)


@metric(
    title="Micro F1",
    tasks=MULTILABEL,
    default_for=MULTILABEL,
    source="Kurniawan et al. 2026, section 3.1",
    works_per_item=False,
    reads="tallies",
)
def micro_f1(pair: Pair) -> float:
    """F1 over all instances and labels together, after marking every label with a value above one half.

    Formula: 2 sum J^P J^Q / sum (J^P + J^Q) over i and k, with J = [value > 0.5], strictly.
    The value is in [0, 1]. Where nothing is marked in either matrix, 0/0 is `zero_division` (1.0, or NaN for
    undefined).

    >>> micro_f1([[1.0, 0.5], [0.2, 0.8]], [[0.9, 0.6], [0.4, 0.7]])
    0.8
    """
    counts = pair.tallies
    marked = counts.hard_human.sum() + counts.hard_predicted.sum()
    return ratio(2 * counts.hard_both.sum(), marked, pair.zero_division)


@metric(
    title="Macro F1",
    tasks=EVERY_TASK,
    default_for=EVERY_TASK,
    source="Kurniawan et al. 2026, section 3.1",
    works_per_item=False,
    reads="tallies",
)
def macro_f1(pair: Pair) -> float:
    """Mean over labels of their hard F1: on the one-hot argmax (multiclass), on [value > 0.5] (multilabel).

    Formula: (1/K) sum_k 2 TP_k / (2 TP_k + FP_k + FN_k), over every label of the set, even unused ones.
    The value is in [0, 1]. A label that is in neither matrix gives 0/0: `zero_division` (1.0, or NaN, which makes
    the whole value undefined).

    >>> macro_f1([[1.0, 0.0], [0.0, 1.0]], [[0.8, 0.2], [0.6, 0.4]], task="multiclass")
    0.3333333333333333
    """
    counts = pair.tallies
    return mean_ratio(2 * counts.hard_both, counts.hard_human + counts.hard_predicted, pair.zero_division)


def top(matrix: Matrix, ties: Ties) -> Places:
    """Every row's most probable label, the first or the last of several: shape (N,)."""
    if ties not in get_args(Ties):
        msg = f"ties is {ties!r}; expected one of {', '.join(get_args(Ties))}"
        raise ValueError(msg)
    last = matrix.shape[1] - 1
    places: Places = matrix.argmax(axis=1) if ties == "first" else last - matrix[:, ::-1].argmax(axis=1)
    return places


def _hits(pair: Pair, ties: Ties) -> Vector:
    hits: Vector = (top(pair.P, ties) == top(pair.Q, ties)).astype(np.float64)
    return hits
