"""How much labels vary within items: a summary of a dataset."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from annotations.ground.arrays import Mask, Vector
from metaeval.stats.results import Statistic

from .annotations import Annotations, as_annotations
from .chance import modal_shares
from .table import CountTable

NO_ANNOTATIONS = "there are no annotations"


@dataclass(frozen=True)
class LabelVariation(Statistic):
    """A dataset's annotations in numbers; means are over the items that have annotations.

    Attributes
    ----------
    n_items, n_annotations, n_labels : int
        How many there are.
    annotations_mean, annotations_min, annotations_max : float
        Annotations per item.
    fewer_than_two : int
        How many items have fewer than two annotations.
    label_counts : tuple of int
        How often each label of the label set occurs, in its order.
    unanimous_share : float
        Share of items with only one label.
    mean_modal_share : float
        Mean share of the most frequent label.
    mean_entropy : float
        Mean entropy of an item's labels, in bits.
    tied_items : int
        How many items have more than one most frequent label.
    reason : str
        Why the value is undefined; empty if it is defined.
    """

    n_items: int
    n_annotations: int
    n_labels: int
    annotations_mean: float
    annotations_min: int
    annotations_max: int
    fewer_than_two: int
    label_counts: tuple[int, ...]
    unanimous_share: float
    mean_modal_share: float
    mean_entropy: float
    tied_items: int
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
    largest = np.zeros(table.items)
    np.maximum.at(largest, table.rows, table.counts)
    tied: Mask = table.sum_by_item((table.counts == largest[table.rows]).astype(np.float64)) > 1
    return tied
