"""Metrics from information theory: is the system uncertain where people are, and how far are the distributions apart,
instance by instance?"""

from __future__ import annotations

from typing import cast

import numpy as np

from annotations.ground.arrays import Matrix, Places, Vector

from .pair import Pair
from .registry import EVERY_TASK, MULTICLASS, metric, undefined

LN_2 = float(np.log(2.0))


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


def divergences(pair: Pair) -> Vector:
    """JSD(P_i, Q_i) in bits (multilabel: the mean over labels) of every instance: shape (N,)."""
    middle = (pair.P + pair.Q) / 2
    if pair.is_multilabel:
        cells = binary_entropy(middle) - (binary_entropy(pair.P) + binary_entropy(pair.Q)) / 2
        return cast(Vector, np.maximum(cells, 0.0).mean(axis=1))
    return np.maximum(entropy(middle) - (entropy(pair.P) + entropy(pair.Q)) / 2, 0.0)


@metric(
    title="PO-JSD",
    tasks=EVERY_TASK,
    default_for=EVERY_TASK,
    source="Kurniawan et al. 2026, section 3.3",
    works_per_item=True,
    reads="information",
    items=lambda pair: 1.0 - divergences(pair),
)
def po_jsd(pair: Pair) -> float:
    """Positively oriented Jensen-Shannon divergence: 1 minus the mean divergence, with logarithms of base 2.

    Formula: 1 - (1/N) sum_i JSD(P_i, Q_i) for a multiclass task; 1 - (1/NK) sum_ik JSD([P_ik, 1 - P_ik],
    [Q_ik, 1 - Q_ik]) for a multilabel one, with JSD(p, q) = H((p + q)/2) - (H(p) + H(q))/2 and 0 log 0 = 0.
    The value is in [0, 1] and always defined.

    >>> po_jsd([[1.0, 0.0], [0.5, 0.5]], [[0.0, 1.0], [0.5, 0.5]], task="multiclass")
    0.5
    """
    terms = pair.P.size if pair.is_multilabel else pair.instances
    return min(1.0, max(0.0, 1.0 - pair.information.divergence / terms))


def _distances(pair: Pair) -> Vector:
    """sqrt(JSD) in nats; small divergences are computed from the differences, to avoid cancellation."""
    from .kernels.loops import near_divergence

    nats = divergences(pair) * LN_2
    for i in np.flatnonzero(nats < 1e-4):
        nats[i] = near_divergence(pair.P[i], pair.Q[i])
    return np.sqrt(nats)


@metric(
    title="Jensen-Shannon distance",
    tasks=MULTICLASS,
    orientation="lower",
    range=(0.0, LN_2**0.5),
    source="Endres and Schindelin 2003; as in ChaosNLI (Nie et al. 2020)",
    works_per_item=True,
    reads="information",
    items=_distances,
)
def js_distance(pair: Pair) -> float:
    """Mean square root of the Jensen-Shannon divergence, with natural logarithms.

    Formula: (1/N) sum_i sqrt(JSD(P_i, Q_i)), with JSD in nats. For each instance, it is a metric in the mathematical
    sense. The value is in [0, sqrt(log 2)] = [0, 0.8326], always defined, and precise even where P and Q nearly agree.

    >>> round(js_distance([[1.0, 0.0]], [[0.0, 1.0]]), 12)
    0.832554611158
    """
    return float(pair.information.distance * np.sqrt(LN_2) / pair.instances)


def _cross_entropies(pair: Pair) -> Vector:
    """In nats; NaN where Q gives no probability to a label that people chose."""
    logarithm = np.zeros_like(pair.Q)
    np.log(pair.Q, out=logarithm, where=pair.Q > 0)
    values: Vector = -(pair.P * logarithm).sum(axis=1)
    values[((pair.Q <= 0) & (pair.P > 0)).any(axis=1)] = np.nan
    return values


@metric(
    title="Cross-entropy",
    tasks=MULTICLASS,
    orientation="lower",
    range=(0.0, float("inf")),
    source="Named by Kurniawan et al. 2026, section 3.3",
    works_per_item=True,
    reads="information",
    items=_cross_entropies,
)
def cross_entropy(pair: Pair) -> float:
    """Mean cross-entropy of the prediction relative to the human distribution, in nats.

    Formula: -(1/N) sum_i sum_k P_ik log Q_ik, with 0 log 0 = 0.
    The value is at least the mean entropy of P. Undefined (NaN with the reason) where Q gives no probability to a label
    that people chose: the value would be infinite.

    >>> round(cross_entropy([[0.5, 0.5]], [[0.25, 0.75]]), 12)
    0.836988216786
    >>> cross_entropy([[0.5, 0.5]], [[1.0, 0.0]]).reason
    'Q gives no probability to a label that people chose, in 1 instance'
    """
    reason = _infinite(pair.information.uncovered)
    return undefined(reason) if reason else pair.information.cross_entropy * LN_2 / pair.instances


def _relative_entropies(pair: Pair) -> Vector:
    """In nats, from the ratios to avoid cancellation; NaN where Q gives no probability to a label that people chose."""
    from scipy.special import rel_entr  # slow to import, and only needed here

    values: Vector = rel_entr(pair.P, pair.Q).sum(axis=1)
    values[np.isinf(values)] = np.nan
    return values


@metric(
    title="Kullback-Leibler divergence",
    tasks=MULTICLASS,
    orientation="lower",
    range=(0.0, float("inf")),
    source="Kullback and Leibler 1951; as in ChaosNLI (Nie et al. 2020)",
    works_per_item=True,
    items=_relative_entropies,
)
def kl_divergence(pair: Pair) -> float:
    """Mean divergence of the prediction from the human distribution, KL(P_i || Q_i), in nats.

    Formula: (1/N) sum_i sum_k P_ik log(P_ik / Q_ik), which is the cross-entropy minus the mean entropy of P. Precise
    even where P and Q nearly agree. The value is at least 0 (or below by at most what rows miss of 1 within the
    tolerance). Undefined (NaN with the reason) where Q gives no probability to a label that people chose: the value
    would be infinite.

    >>> round(kl_divergence([[0.5, 0.5]], [[0.25, 0.75]]), 12)
    0.143841036226
    """
    items = pair.items(_relative_entropies)
    reason = _infinite(int(np.isnan(items).sum()))
    return undefined(reason) if reason else float(items.mean())


@metric(
    title="Total variation distance",
    tasks=EVERY_TASK,
    orientation="lower",
    source="Named by Kurniawan et al. 2026, section 3.2; Baan et al. 2022",
    works_per_item=True,
    reads="tallies",
    items=lambda pair: absolute_differences(pair) / (pair.labels if pair.is_multilabel else 2.0),
)
def tvd(pair: Pair) -> float:
    """Mean total variation distance.

    Formula: (1/N) sum_i (1/2) sum_k |P_ik - Q_ik| for a multiclass task, where it is 1 - `soft_accuracy`; for a
    multilabel one, the mean over cells of the distance between [P_ik, 1 - P_ik] and [Q_ik, 1 - Q_ik], (1/NK) sum_ik
    |P_ik - Q_ik|. The value is in [0, 1] and always defined.

    >>> tvd([[0.5, 0.5]], [[0.25, 0.75]], task="multiclass")
    0.25
    """
    return total_difference(pair) / (pair.P.size if pair.is_multilabel else 2.0 * pair.instances)


def total_difference(pair: Pair) -> float:
    """sum_ik |P_ik - Q_ik|, from |p - q| = p + q - 2 min(p, q)."""
    sums = pair.tallies
    return max(0.0, float((sums.human_mass + sums.predicted_mass - 2 * sums.overlap).sum()))


def absolute_differences(pair: Pair) -> Vector:
    """sum_k |P_ik - Q_ik| of every instance: shape (N,)."""
    return cast(Vector, np.abs(pair.P - pair.Q).sum(axis=1))


def _infinite(count: int) -> str:
    instances = "instance" if count == 1 else "instances"
    return f"Q gives no probability to a label that people chose, in {count} {instances}" if count else ""
