"""The one label that stands for an item's annotations: the majority, or the median of an ordinal scale."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from annotations.ground.arrays import Codes, Mask, Vector
from metaeval.checking import checked_choice, shown
from metaeval.stats.agreement import Annotations
from metaeval.stats.agreement.annotations import CountTable, as_annotations
from metaeval.stats.agreement.chance import tied_modes

Scale = Literal["nominal", "ordinal"]
Median = Literal["low", "high"]
Ties = Literal["label order", "first given"]
NOBODY = -1


@dataclass(frozen=True, eq=False)
class TypicalLabels:
    """The typical label of each item.

    Attributes
    ----------
    codes : ndarray of int, shape (items,)
        Positions in the label set, `NOBODY` for an item without annotations.
    undecided : ndarray of bool, shape (items,)
        Where a rule had to choose, because two labels were equally frequent or the median was between two.
    """

    codes: Codes
    undecided: Mask


def typical_labels(
    annotations: Annotations, scale: Scale = "nominal", *, median: Median = "low", ties: Ties = "label order"
) -> TypicalLabels:
    """The most frequent label (nominal) or the median (ordinal) of each item.

    Parameters
    ----------
    annotations : Annotations
        The labels.
    scale : {'nominal', 'ordinal'}, default 'nominal'
        Whether labels are ordered.
    median : {'low', 'high'}, default 'low'
        Which of two middle labels is the median.
    ties : {'label order', 'first given'}, default 'label order'
        Which of several most frequent labels is the majority; `first_given` says how published numbers do it.

    Returns
    -------
    TypicalLabels
        The label of each item, and where a rule had to choose.

    Raises
    ------
    ValueError
        If the scale, the median or the ties are not among those above.

    Notes
    -----
    Of equally frequent labels, by default the first in the order of the label set is taken, no matter who gave it and
    in which order. If the number of annotators is even and the middle two differ, the lower of the two is taken
    (`median="high"`: the upper), so that the median is always a label and no item falls between the bins.

    References
    ----------
    Elangovan et al. 2025, section 3.

    Examples
    --------
    >>> votes = Annotations.from_counts([[0, 2, 1], [1, 0, 1], [0, 0, 0]], ["a", "b", "c"])
    >>> found = typical_labels(votes)
    >>> found.codes.tolist(), found.undecided.tolist()
    ([1, 0, -1], [False, True, False])
    >>> typical_labels(votes, "ordinal", median="high").codes.tolist()
    [1, 2, -1]
    """
    annotations = as_annotations(annotations)
    checked_choice("scale", scale, get_args(Scale))
    checked_choice("median", median, get_args(Median))
    checked_choice("ties", ties, get_args(Ties))
    table = annotations.table
    if scale == "nominal":
        codes = first_given(annotations) if ties == "first given" else _first(table, table.modal)
        return TypicalLabels(codes, tied_modes(table))
    low, high = _order_statistic(table, np.floor((table.sizes - 1) / 2)), _order_statistic(table, table.sizes // 2)
    return TypicalLabels(low if median == "low" else high, low != high)


def first_given(annotations: Annotations) -> Codes:
    """The most frequent label of each item; of equally frequent ones, the one that was given first.

    Parameters
    ----------
    annotations : Annotations
        The labels.

    Returns
    -------
    ndarray of int, shape (items,)
        Positions in the label set, `NOBODY` for an item without annotations.

    Notes
    -----
    The same as `typical_labels` for nominal labels, except for ties, which here depend on the order of the annotations.
    Use it to reproduce published numbers that were computed in this way.

    References
    ----------
    Elangovan et al. 2025, whose code uses Python's `statistics.mode`.

    Examples
    --------
    >>> votes = Annotations.from_columns([0, 0, 1, 1], None, ["b", "a", "a", "b"])
    >>> first_given(votes).tolist(), typical_labels(votes).codes.tolist()
    ([1, 0], [0, 0])
    """
    annotations = as_annotations(annotations)
    table, labels = annotations.table, len(annotations.labels)
    most = table.modal
    modal = np.isin(annotations.item * labels + annotations.label, table.rows[most] * labels + table.codes[most])
    rows = np.flatnonzero(modal)[::-1]  # the last one written is the first
    codes = np.full(table.items, NOBODY)
    codes[annotations.item[rows]] = annotations.label[rows]
    return codes


def typical_shares(annotations: Annotations, typical: Codes) -> Vector:
    """The share of each item's annotators who gave its typical label.

    Parameters
    ----------
    annotations : Annotations
        The labels.
    typical : ndarray of int, shape (items,)
        The typical label of each item, a place in the label set.

    Returns
    -------
    ndarray, shape (items,)
        Values in [0, 1].

    Notes
    -----
    As in `percentage_agreement`: with two annotators, 1 if they agree, else 0; with fewer, 0.

    References
    ----------
    Elangovan et al. 2025 (the human and machine aggregates of the perception chart).

    Examples
    --------
    >>> votes = Annotations.from_counts([[2, 1], [1, 1]])
    >>> typical_shares(votes, np.array([0, 1])).round(3).tolist()
    [0.667, 0.0]
    """
    annotations = as_annotations(annotations)
    typical = checked_codes("typical", typical, annotations)
    table = annotations.table
    hits = table.sum_by_item(table.counts * (table.codes == typical[table.rows]))
    shares: Vector = np.divide(hits, table.sizes, out=np.zeros(table.items), where=table.sizes > 1)
    return np.where((table.sizes == 2) & (shares < 1), 0.0, shares)


def checked_codes(name: str, codes: npt.ArrayLike, annotations: Annotations) -> Codes:
    """The code of one label per item, `NOBODY` for none."""
    given = np.asarray(codes)
    count = len(annotations.items)
    if given.shape != (count,) or given.dtype.kind not in "iu":
        msg = f"{name} is {shown(codes)}; expected the code of a label for each of the {count} items, {NOBODY} for none"
        raise ValueError(msg)
    if given.size and not NOBODY <= given.min() <= given.max() < len(annotations.labels):
        msg = f"{name} reaches from {given.min()} to {given.max()}; expected codes of {len(annotations.labels)} labels"
        raise ValueError(msg)
    return given.astype(np.int64, copy=False)


def _first(table: CountTable, marked: Mask) -> Codes:
    """Each item's first value among the marked entries."""
    codes = np.full(table.items, NOBODY)
    entries = np.flatnonzero(marked)[::-1]  # the last one written is the first
    codes[table.rows[entries]] = table.codes[entries]
    return codes


def _order_statistic(table: CountTable, place: Vector) -> Codes:
    """The value at this position (from 0) of each item's sorted annotations."""
    running = np.cumsum(table.counts)
    before = np.concatenate([[0.0], running])[table.offsets[:-1]]
    return _first(table, running - before[table.rows] > place[table.rows])
