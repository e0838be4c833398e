"""Items that people and machines labelled: the one label that stands for an item's annotations (the majority, or the
median of an ordinal scale), how certain people were, and which items both have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from annotations.ground.arrays import Codes, Mask, Vector
from metaeval.checking import checked_array, checked_choice, shown
from metaeval.describing import described
from metaeval.sampling import ResamplingPlan, Seed, chosen_seed
from metaeval.stats.agreement import Annotations
from metaeval.stats.agreement.annotations import CountTable, as_annotations
from metaeval.stats.agreement.chance import tied_modes
from metaeval.stats.results import Statistic

Scale = Literal["nominal", "ordinal"]
Median = Literal["low", "high"]
Ties = Literal["label order", "first given"]
NOBODY = -1

BOUNDS = (0.6, 0.8, 1.0)


@described
@dataclass(frozen=True, eq=False)
class TypicalLabels:
    """The typical label of each item."""

    codes: Codes
    """(items,): Positions in the label set, `NOBODY` for an item without annotations."""
    undecided: Mask
    """(items,): Where a rule had to choose, because two labels were equally frequent or the median was between two."""


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
    array = np.asarray(codes)
    count = len(annotations.items)
    if array.shape != (count,) or array.dtype.kind not in "iu":
        msg = f"{name} is {shown(codes)}; expected the code of a label for each of the {count} items, {NOBODY} for none"
        raise ValueError(msg)
    if array.size and not NOBODY <= array.min() <= array.max() < len(annotations.labels):
        msg = f"{name} reaches from {array.min()} to {array.max()}; expected codes of {len(annotations.labels)} labels"
        raise ValueError(msg)
    return array.astype(np.int64, copy=False)


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


@described
@dataclass(frozen=True)
class Partition(Statistic):
    """Some of the items."""

    name: str
    """What these items have in common."""
    items: tuple[int, ...]
    """Their positions in `Annotations.items`."""
    share: float
    """Their share of all items."""


@described
def partitions_by_agreement(
    annotations: Annotations,
    scale: Scale = "nominal",
    *,
    bounds: Sequence[float] = BOUNDS,
    typical: Codes | None = None,
) -> tuple[Partition, ...]:
    """All items; then those whose percentage agreement (PA) is in each range, from certain to uncertain.

    Parameters
    ----------
    annotations : Annotations
        The labels.
    bounds : sequence of float, optional
        Where ranges begin, ascending in (0, 1]. The default is that of Elangovan et al. (2025).

    Returns
    -------
    tuple of Partition
        A range without items is an empty partition.

    Raises
    ------
    ValueError
        If the bounds do not ascend in (0, 1].

    Notes
    -----
    PA is the share of annotators who gave the item's majority (nominal) or median (ordinal). Bounds b ascend to at most
    1 and give the ranges [b_k, b_k+1), [0, b_0) below the first, and from the last one up: PA = 100% if that is 1.

    References
    ----------
    Elangovan et al. 2025, section 3.

    Examples
    --------
    >>> votes = Annotations.from_counts([[4, 0], [3, 1], [2, 2], [0, 5]])
    >>> [(part.name, part.items) for part in partitions_by_agreement(votes)][1:]
    [('PA = 100%', (0, 3)), ('80% <= PA < 100%', ()), ('60% <= PA < 80%', (1,)), ('PA < 60%', (2,))]
    """
    annotations = as_annotations(annotations)
    edges = [0.0, *checked_array("bounds", bounds, 1, "shares that rise in (0, 1]", least=1).tolist()]
    if not all(low < high for low, high in pairwise(edges)) or edges[-1] > 1:
        msg = f"bounds rise in (0, 1], these are {tuple(bounds)}"
        raise ValueError(msg)
    codes = (
        typical_labels(annotations, scale).codes if typical is None else checked_codes("typical", typical, annotations)
    )
    shares = typical_shares(annotations, codes)
    parts = [_partition("all", np.arange(len(shares)), len(shares))]
    top = "PA = 100%" if edges[-1] == 1 else f"PA >= {edges[-1]:.4g}"
    parts.append(_partition(top, np.flatnonzero(shares >= edges[-1]), len(shares)))
    for low, high in zip(edges[-2::-1], edges[:0:-1], strict=True):
        name = f"{100 * low:.4g}% <= PA < {100 * high:.4g}%" if low else f"PA < {100 * high:.4g}%"
        parts.append(_partition(name, np.flatnonzero((shares >= low) & (shares < high)), len(shares)))
    return tuple(parts)


def partitions_by_labels(annotations: Annotations) -> tuple[Partition, ...]:
    """All items; then those for which people gave 1, 2, ... different labels.

    Parameters
    ----------
    annotations : Annotations
        The labels.

    Returns
    -------
    tuple of Partition
        The partitions, all items first.

    References
    ----------
    Elangovan et al. 2025, section 3.

    Examples
    --------
    >>> [(part.name, part.items) for part in partitions_by_labels(Annotations.from_counts([[2, 0], [1, 1]]))][1:]
    [('1 label', (0,)), ('2 labels', (1,))]
    """
    annotations = as_annotations(annotations)
    different = np.diff(annotations.table.offsets)
    parts = [_partition("all", np.arange(len(different)), len(different))]
    for number in range(1, len(annotations.labels) + 1):
        name = "1 label" if number == 1 else f"{number} labels"
        parts.append(_partition(name, np.flatnonzero(different == number), len(different)))
    return tuple(parts)


def _partition(name: str, items: Codes, of: int) -> Partition:
    return Partition(name, tuple(items.tolist()), len(items) / of if of else 0.0)


@described
@dataclass(frozen=True, eq=False)
class Paired:
    """The items that both annotated, in the humans' order, over one label set."""

    human: Annotations
    machine: Annotations
    """Both annotations of these items."""
    places: Codes
    """Where the items are in `human.items`."""
    left_out: int
    """How many items only one of them annotated."""


@described
def paired(human: Annotations, machine: Annotations) -> Paired:
    """Both annotations of their common items, matched by the names of items and labels.

    Returns
    -------
    Paired
        The annotations of the common items.

    Raises
    ------
    ValueError
        If the machine uses a label that is not in the humans' label set.

    References
    ----------
    Elangovan et al. 2025, section 3: people and machine are compared on the items that both have labelled.

    Examples
    --------
    >>> human = Annotations.from_columns(["q1", "q1", "q2"], ["Ann", "Ben", "Ann"], ["yes", "no", "no"])
    >>> machine = Annotations.from_columns(["q2", "q3"], ["GPT", "GPT"], ["no", "no"])
    >>> both = paired(human, machine)
    >>> both.human.items.tolist(), both.places.tolist(), both.left_out
    (['q2'], [1], 2)
    """
    human, machine = as_annotations(human), as_annotations(machine)
    place = {label: code for code, label in enumerate(human.labels)}
    used = set(np.unique(machine.label).tolist())
    unknown = [label for code, label in enumerate(machine.labels) if code in used and label not in place]
    if unknown:
        msg = f"the machine gives {unknown[0]!r}, which is none of the humans' labels {', '.join(map(repr, place))}"
        raise ValueError(msg)
    recode = np.array([place.get(label, NOBODY) for label in machine.labels], dtype=np.int64)
    relabelled = replace(machine, label=recode[machine.label], labels=human.labels)
    where = {name: at for at, name in enumerate(machine.items.tolist()) if machine.table.sizes[at] > 0}
    places = np.array(
        [at for at, name in enumerate(human.items.tolist()) if name in where and human.table.sizes[at] > 0],
        dtype=np.int64,
    )
    theirs = [where[name] for name in human.items[places].tolist()]
    left_out = len(human.items) + len(machine.items) - 2 * len(places)
    return Paired(human.only(places), relabelled.only(theirs), places, left_out)


def side_by_side(annotations: Annotations, first: Codes, second: Codes) -> Annotations:
    """Two labels per item, as if by two annotators; items where one is missing have fewer.

    Parameters
    ----------
    annotations : Annotations
        Provides the items and labels.
    first, second : ndarray of int, shape (items,)
        The code of one label per item, -1 for none.

    Returns
    -------
    Annotations
        Two annotators' labels.

    Notes
    -----
    Used to compute the agreement of people's typical label with the machine's.

    References
    ----------
    Elangovan et al. 2025, section 3 (the columns of people's majority and the machine's).

    Examples
    --------
    >>> votes = Annotations.from_counts([[0, 2], [1, 0], [1, 1]], ["a", "b"])
    >>> two = side_by_side(votes, np.array([1, 0, -1]), np.array([1, 1, 0]))
    >>> two.item.tolist(), two.annotator.tolist(), two.label.tolist()
    ([0, 1, 0, 1, 2], [0, 0, 1, 1, 1], [1, 0, 1, 1, 0])
    """
    annotations = as_annotations(annotations)
    first, second = (checked_codes(name, codes, annotations) for name, codes in (("first", first), ("second", second)))
    items = np.arange(len(annotations.items))
    item, person, label = np.tile(items, 2), np.repeat([0, 1], len(items)), np.concatenate([first, second])
    labelled = label != NOBODY
    return replace(
        annotations,
        item=item[labelled],
        annotator=person[labelled],
        label=label[labelled],
        annotators=np.array(["first", "second"]),
        missing=0,
    )


def one_of_each(annotations: Annotations, seed: Seed | None = None, *, rng: Seed | None = None) -> Codes:
    """The label of one random annotator of each item; `NOBODY` where there is none.

    Drawn from the item's labels in the order of the label set, so the order of annotators does not matter;
    `one_of_each_plan` distributes the items.

    >>> one_of_each(Annotations.from_counts([[0, 3], [0, 0]])).tolist()
    [1, -1]
    """
    seed = chosen_seed(seed, rng)
    table = as_annotations(annotations).table
    if not table.items:
        return np.full(0, NOBODY)
    return _order_statistic(table, np.floor(one_of_each_plan(table.items, seed).run() * table.sizes))


def one_of_each_plan(items: int, seed: Seed) -> ResamplingPlan:
    """A number in [0, 1) for each item (items,), to distribute: which of its annotators is taken."""
    return ResamplingPlan(lambda stream, size: np.random.default_rng(stream).random(size), n_resamples=items, seed=seed)
