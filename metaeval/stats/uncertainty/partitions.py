"""Items by how certain people were about them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from annotations.ground.arrays import Codes
from metaeval.checking import checked_array
from metaeval.stats.agreement import Annotations
from metaeval.stats.agreement.annotations import as_annotations
from metaeval.stats.results import Statistic

from .typical import Scale, checked_codes, typical_labels, typical_shares

BOUNDS = (0.6, 0.8, 1.0)


@dataclass(frozen=True)
class Partition(Statistic):
    """Some of the items.

    Attributes
    ----------
    name : str
        What these items have in common.
    items : tuple of int
        Their positions in `Annotations.items`.
    share : float
        Their share of all items.
    """

    name: str
    items: tuple[int, ...]
    share: float


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
    scale : {'nominal', 'ordinal'}, default 'nominal'
        Whether labels are ordered.
    bounds : sequence of float, optional
        Where ranges begin, ascending in (0, 1]. The default is that of Elangovan et al. (2025).
    typical : ndarray of int, shape (items,), optional
        The label of each item, if not from `typical_labels`.

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
    found = [_partition("all", np.arange(len(shares)), len(shares))]
    top = "PA = 100%" if edges[-1] == 1 else f"PA >= {edges[-1]:.4g}"
    found.append(_partition(top, np.flatnonzero(shares >= edges[-1]), len(shares)))
    for low, high in zip(edges[-2::-1], edges[:0:-1], strict=True):
        name = f"{100 * low:.4g}% <= PA < {100 * high:.4g}%" if low else f"PA < {100 * high:.4g}%"
        found.append(_partition(name, np.flatnonzero((shares >= low) & (shares < high)), len(shares)))
    return tuple(found)


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
    found = [_partition("all", np.arange(len(different)), len(different))]
    for number in range(1, len(annotations.labels) + 1):
        name = "1 label" if number == 1 else f"{number} labels"
        found.append(_partition(name, np.flatnonzero(different == number), len(different)))
    return tuple(found)


def _partition(name: str, items: Codes, of: int) -> Partition:
    return Partition(name, tuple(items.tolist()), len(items) / of if of else 0.0)
