"""Shares of agreement, the kappas that correct them for chance (Fleiss' and Randolph's), and how much labels vary."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from annotations.ground.arrays import Mask, Vector
from metaeval.checking import checked_choice, checked_count
from metaeval.describing import described, described_as
from metaeval.stats.results import Statistic

from .annotations import Annotations, CountTable, Weights, as_annotations, weighted_items
from .measure import NO_ITEMS, Bootstrap, Measure, MeasuredAgreement, measured

ONE_LABEL = "there is only one label to choose"

Pooling = Literal["items", "pairs"]

NO_ANNOTATIONS = "there are no annotations"


def modal_shares(table: CountTable) -> Vector:
    """The share of each item's most frequent label: (items,); NaN for an item without annotations."""
    shares: Vector = np.divide(table.largest, table.sizes, out=np.full(table.items, math.nan), where=table.sizes > 0)
    return shares


def pairwise_shares(table: CountTable) -> Vector:
    """The share of each item's pairs of annotations that agree: (items,), each with at least two annotations."""
    agreeing = table.sum_by_item(table.counts * (table.counts - 1))
    return agreeing / (table.sizes * (table.sizes - 1))


class PercentageAgreement(Measure):
    """`percentage_agreement` as a function of the items' weights.

    Parameters
    ----------
    minimum : int, default 2
        How many annotations an item needs to count.
    """

    name = "percentage_agreement"
    chance_corrected = False

    def __init__(self, annotations: Annotations, *, minimum: int = 2) -> None:
        minimum = checked_count("minimum", minimum, 0, hint=", how many annotations an item needs")
        self.table = annotations.table.with_at_least(minimum)
        self.minimum = minimum
        self.away = 1 - percentage_by_item(self.table)

    def disagreements(self, weights: Weights) -> tuple[Vector, Vector]:
        observed = weighted_items(self.away[:, None], weights)[0] / weights.sum(axis=0)
        return observed, np.full_like(observed, math.nan)

    def undefined_because(self, expected: float) -> str:
        if self.table.items:
            return ""
        return f"no item has {self.minimum} annotations" if self.table.dropped else NO_ITEMS


def percentage_by_item(table: CountTable) -> Vector:
    """Elangovan's percentage agreement of each item."""
    shares = modal_shares(table)
    shares = np.where(table.sizes == 2, shares == 1, shares)
    return np.where(table.sizes < 2, 0.0, shares)


@described_as(PercentageAgreement)
def percentage_agreement(
    annotations: Annotations | npt.ArrayLike, *, minimum: int = 2, bootstrap: Bootstrap | None = None
) -> MeasuredAgreement:
    """The mean over items of the share of annotators who gave the most frequent label.

    Notes
    -----
    As in Elangovan et al. (2025), an item with two annotators counts 1 if they agree, else 0. Items with fewer than
    `minimum` annotations are left out and counted: one person alone neither agrees nor disagrees. With a `minimum`
    below 2, such items count 0. The value is in [0, 1]. Undefined where no item has enough annotations.

    References
    ----------
    Elangovan et al. 2025, section 3.

    Examples
    --------
    >>> votes = Annotations.from_counts([[3, 0], [2, 1], [1, 1], [1, 0]])
    >>> found = percentage_agreement(votes)
    >>> round(found.value, 4), found.excluded, round(percentage_agreement(votes, minimum=0).value, 4)
    (0.5556, 1, 0.4167)
    """
    return measured(PercentageAgreement(as_annotations(annotations), minimum=minimum), bootstrap)


class PairwiseAgreement(Measure):
    """`pairwise_agreement` as a function of the items' weights.

    Parameters
    ----------
    pooling : {'items', 'pairs'}, default 'items'
        Whether each item counts the same, or each pair of annotations.
    """

    name = "pairwise_agreement"
    chance_corrected = False

    def __init__(self, annotations: Annotations, pooling: Pooling = "items") -> None:
        checked_choice("pooling", pooling, get_args(Pooling))
        self.table = annotations.table.paired()
        pairs = self.table.sizes * (self.table.sizes - 1)
        share = np.ones(self.table.items) if pooling == "items" else pairs
        self.parts = np.column_stack([share * (1 - pairwise_shares(self.table)), share])

    def disagreements(self, weights: Weights) -> tuple[Vector, Vector]:
        apart, of = weighted_items(self.parts, weights)
        return apart / of, np.full_like(apart, math.nan)


@described_as(PairwiseAgreement)
def pairwise_agreement(
    annotations: Annotations | npt.ArrayLike, *, pooling: Pooling = "items", bootstrap: Bootstrap | None = None
) -> MeasuredAgreement:
    """How often two annotations of the same item agree.

    Notes
    -----
    Formula, for items: the mean over items of sum_c n_ic (n_ic - 1) / (m_i (m_i - 1)); pairs: every pair of annotations
    counts the same. The two differ where items have different numbers of annotations. The value is in [0, 1]. Undefined
    where no item has two annotations; items with fewer are left out and counted.

    References
    ----------
    Fleiss 1971, Measuring Nominal Scale Agreement among Many Raters (the mean of its P_i).

    Examples
    --------
    >>> votes = Annotations.from_counts([[3, 0], [1, 1]])
    >>> pairwise_agreement(votes).value, pairwise_agreement(votes, pooling="pairs").value
    (0.5, 0.75)
    """
    return measured(PairwiseAgreement(as_annotations(annotations), pooling), bootstrap)


class FleissKappa(Measure):
    """`fleiss_kappa` as a function of the items' weights."""

    name = "fleiss_kappa"

    def __init__(self, annotations: Annotations, *, constant: float = math.nan) -> None:
        self.table = annotations.table.paired()
        self.constant = constant
        self.apart = 1 - pairwise_shares(self.table)
        self.shares = self.table.counts / self.table.sizes[self.table.rows]
        if len(set(self.table.sizes.tolist())) > 1:
            self.notes = ("items have different numbers of annotations; each item counts the same (Gwet 2014)",)

    def disagreements(self, weights: Weights) -> tuple[Vector, Vector]:
        items = weights.sum(axis=0)
        shares = self.table.weighted(self.shares, weights) / items
        observed = weighted_items(self.apart[:, None], weights)[0] / items
        expected = 1 - (shares**2).sum(axis=0)
        expected[np.count_nonzero(shares, axis=0) < 2] = 0.0
        return observed, expected


@described
def fleiss_kappa(
    annotations: Annotations | npt.ArrayLike, *, constant: float = math.nan, bootstrap: Bootstrap | None = None
) -> MeasuredAgreement:
    """Fleiss' kappa: (P - P_e) / (1 - P_e), P the mean pairwise agreement over items, P_e = sum_c p_c^2.

    Notes
    -----
    p_c is the mean over items of the share n_ic / m_i. If all items have equally many annotations, this is Fleiss
    (1971); if the numbers differ, it is Gwet's generalisation (Handbook of Inter-Rater Reliability, 4th ed., 2014,
    section 2.4), in which each item counts the same. (Some packages instead fill up short rows by drawing from their
    labels at random.) In Gwet's version, an item with one annotation contributes to p_c; here it is left out and
    counted, as everywhere. The value is at most 1. Undefined where only one label occurs, unless there is a `constant`.

    References
    ----------
    Fleiss 1971, Measuring Nominal Scale Agreement among Many Raters.

    Examples
    --------
    >>> round(fleiss_kappa(Annotations.from_counts([[3, 0], [2, 1], [0, 3]])).value, 4)
    0.55
    """
    return measured(FleissKappa(as_annotations(annotations), constant=constant), bootstrap)


class RandolphKappa(Measure):
    """`randolph_kappa` as a function of the items' weights.

    Parameters
    ----------
    labels : {'all', 'observed'}, default 'all'
        Whether k counts the labels of the label set, or those that occur.
    """

    name = "randolph_kappa"

    def __init__(
        self,
        annotations: Annotations,
        *,
        labels: Literal["observed", "all"] = "all",
        constant: float = math.nan,
    ) -> None:
        checked_choice("labels", labels, ("observed", "all"))
        self.table = annotations.table.paired()
        self.constant = constant
        self.categories = len(annotations.labels) if labels == "all" else len(self.table.observed_values())
        self.apart = 1 - pairwise_shares(self.table)

    def disagreements(self, weights: Weights) -> tuple[Vector, Vector]:
        observed = weighted_items(self.apart[:, None], weights)[0] / weights.sum(axis=0)
        return observed, np.full_like(observed, 1 - 1 / self.categories if self.categories > 1 else 0.0)

    def undefined_because(self, expected: float) -> str:
        reason = super().undefined_because(expected)
        return reason and (reason if not self.table.items else ONE_LABEL)


@described_as(RandolphKappa)
def randolph_kappa(
    annotations: Annotations | npt.ArrayLike,
    *,
    labels: Literal["observed", "all"] = "all",
    constant: float = math.nan,
    bootstrap: Bootstrap | None = None,
) -> MeasuredAgreement:
    """Randolph's free-marginal kappa: (P - 1/k) / (1 - 1/k), P the mean pairwise agreement over items.

    Notes
    -----
    k is the number of labels that people could choose, i.e. those of the label set (`all`), so that people who all
    chose the same agree perfectly; or the number that occur in the items that count (`observed`, as in Elangovan et al.
    2025). A resample keeps the k of the data. The value is in [-1/(k - 1), 1]. Undefined for k = 1, unless there is a
    `constant`.

    References
    ----------
    Randolph (2005).

    Examples
    --------
    >>> votes = Annotations.from_counts([[3, 0, 0], [2, 1, 0]])
    >>> round(randolph_kappa(votes).value, 4), round(randolph_kappa(votes, labels="observed").value, 4)
    (0.5, 0.3333)
    """
    return measured(RandolphKappa(as_annotations(annotations), labels=labels, constant=constant), bootstrap)


@described
@dataclass(frozen=True)
class LabelVariation(Statistic):
    """A dataset's annotations in numbers; means are over the items that have annotations."""

    n_items: int
    n_annotations: int
    n_labels: int
    """How many there are."""
    annotations_mean: float
    annotations_min: int
    annotations_max: int
    """Annotations per item."""
    fewer_than_two: int
    """How many items have fewer than two annotations."""
    label_counts: tuple[int, ...]
    """How often each label of the label set occurs, in its order."""
    unanimous_share: float
    """Share of items with only one label."""
    mean_modal_share: float
    """Mean share of the most frequent label."""
    mean_entropy: float
    """Mean entropy of an item's labels, in bits."""
    tied_items: int
    """How many items have more than one most frequent label."""
    reason: str = ""


def label_variation(annotations: Annotations | npt.ArrayLike) -> LabelVariation:
    """Annotations per item, shares of unanimous items and of modal labels, entropy, and items with a tied mode.

    Parameters
    ----------
    annotations : Annotations or array_like, shape (raters, units)
        The labels; in a matrix, NaN or None where a rater gave no label.

    Returns
    -------
    LabelVariation
        The numbers; NaN with a reason without annotations.

    Notes
    -----
    Formula, for the entropy of item i in bits: -sum_c p_ic log2 p_ic, p_ic = n_ic / m_i. Shares and means are undefined
    without annotations.

    References
    ----------
    Plank 2022, The "Problem" of Human Label Variation, which coined the term.

    Examples
    --------
    >>> summary = label_variation(Annotations.from_counts([[3, 0], [2, 2]]))
    >>> summary.mean_entropy, summary.tied_items, summary.unanimous_share
    (0.5, 1, 0.5)
    """
    annotations = as_annotations(annotations)
    table = annotations.table
    some = table.sizes > 0
    empty = not some.any()
    modal = modal_shares(table)[some]
    return LabelVariation(
        n_items=table.items,
        n_annotations=table.annotations,
        n_labels=len(table.observed_values()),
        annotations_mean=float(table.sizes.mean()) if table.items else math.nan,
        annotations_min=int(table.sizes.min(initial=math.inf)) if table.items else 0,
        annotations_max=int(table.sizes.max(initial=0)),
        fewer_than_two=int((table.sizes < 2).sum()),
        label_counts=tuple(np.bincount(annotations.label, minlength=len(annotations.labels)).tolist()),
        unanimous_share=math.nan if empty else float((modal == 1).mean()),
        mean_modal_share=math.nan if empty else float(modal.mean()),
        mean_entropy=math.nan if empty else float(entropies(table)[some].mean()),
        tied_items=int(tied_modes(table).sum()),
        reason=NO_ANNOTATIONS if empty else "",
    )


def entropies(table: CountTable) -> Vector:
    """The entropy of each item's labels, in bits: (items,)."""
    shares = table.counts / table.sizes[table.rows]
    return table.sum_by_item(-shares * np.log2(shares))


def tied_modes(table: CountTable) -> Mask:
    """Whether two or more labels tie as an item's most frequent: bool (items,)."""
    return table.sum_by_item(table.modal.astype(np.float64)) > 1
