"""Binned Jensen-Shannon divergence: do machines' labels vary as people's do, for items with the same typical label?"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from annotations.ground.arrays import Codes, Vector
from metaeval.checking import checked_above, checked_array, shown
from metaeval.frames import aligned
from metaeval.stats.agreement import Annotations
from metaeval.stats.agreement.annotations import as_annotations
from metaeval.stats.results import Statistic

from .pairing import Paired, paired
from .typical import Median, Scale, checked_codes, typical_labels

NO_BOTH_LABELS = "no item has both human and machine labels"
NO_SUCH_ITEM = "no item has this typical label"

Shares = tuple[float, ...]


@dataclass(frozen=True)
class Bin(Statistic):
    """The items whose human majority or median is this label: one panel of a perception chart.

    Attributes
    ----------
    label : hashable
        The label.
    n_items : int
        How many items.
    share : float
        Their share of all items.
    value : float
        The divergence; NaN where it is undefined.
    human, machine : tuple of float
        The share of each label among all human and all machine labels of these items.
    human_typical, machine_typical : tuple of float
        The share of each label among their typical labels.
    reason : str
        Why the value is undefined; empty if it is defined.
    """

    label: Hashable
    n_items: int
    share: float
    value: float
    human: Shares
    machine: Shares
    human_typical: Shares
    machine_typical: Shares
    reason: str = ""


@dataclass(frozen=True)
class BinnedDivergence(Statistic):
    """The mean of the bins' divergences, weighted by the share of items.

    Attributes
    ----------
    value : float
        The mean; NaN where it is undefined.
    pooled : float
        The divergence of all items in one bin.
    labels : tuple
        The label set.
    bins : tuple of Bin
        One per label.
    n_items : int
        How many items both have labelled.
    scale : {'nominal', 'ordinal'}
        Whether labels are ordered.
    base : float
        Base of the logarithms.
    squared : bool
        Whether values are divergences instead of distances.
    undecided : int
        Items whose majority is tied, or whose median is between two labels.
    left_out : int
        Items that only people, or only the machine, labelled.
    reason : str
        Why the value is undefined; empty if it is defined.
    """

    value: float
    pooled: float
    labels: tuple[Hashable, ...]
    bins: tuple[Bin, ...]
    n_items: int
    scale: Scale
    base: float
    squared: bool
    undecided: int = 0
    left_out: int = 0
    reason: str = ""

    def __float__(self) -> float:
        return self.value


def binned_jsd(
    human: Annotations,
    machine: Annotations,
    scale: Scale = "nominal",
    *,
    base: float = math.e,
    squared: bool = False,
    median: Median = "low",
    typical: Codes | None = None,
) -> BinnedDivergence:
    """The divergence of human and machine labels, in bins of the items by their typical human label.

    Parameters
    ----------
    human : Annotations
        People's labels.
    machine : Annotations
        The machine's labels.
    scale : {'nominal', 'ordinal'}, default 'nominal'
        Whether labels are ordered.
    base : float, default e
        Base of the logarithms, above 1.
    squared : bool, default False
        Whether the divergence is returned instead of the distance.
    median : {'low', 'high'}, default 'low'
        Which of two middle labels is the median.
    typical : ndarray of int, shape (items,), optional
        The label of each item, if not from `typical_labels`.

    Returns
    -------
    BinnedDivergence
        In [0, sqrt(log_base 2)], or [0, log_base 2] squared; NaN with a reason where it is undefined.

    Raises
    ------
    ValueError
        If the base is not above 1, or the machine has labels that people do not have.

    Notes
    -----
    Formula: sum over bins b of |b| / N x JS(human labels in b, machine labels in b). Items are matched by name and
    binned by the majority (nominal) or the median (ordinal) of their human labels (see `typical_labels` for ties). The
    labels of a bin's items are pooled. JS is the Jensen-Shannon *distance* with natural logarithms, the square root of
    (KL(p, m) + KL(q, m)) / 2, m = (p + q) / 2, which reproduces the published numbers; their equation 2 is the
    divergence in bits: `base=2, squared=True`. The value is 0 if both distributions are the same. Undefined without
    common items. Bins without items have no value and no weight.

    References
    ----------
    Elangovan et al. (2025), section 4 and appendix A.7.

    Examples
    --------
    >>> people = Annotations.from_matrix(list(zip([2, 2, 3], [1, 2, 2], [2, 3, 3])))
    >>> model = Annotations.from_matrix(list(zip([3, 2], [1, 1], [2, 2])))
    >>> found = binned_jsd(people, model, "ordinal")
    >>> [(bin.label, round(bin.value, 3)) for bin in found.bins[1:]], round(found.value, 3)
    ([(2, 0.311), (3, 0.564)], 0.396)
    """
    checked_above("base", base, 1)
    human, machine = as_annotations(human), as_annotations(machine)
    both = paired(human, machine)
    of_people = typical_labels(both.human, scale, median=median)
    codes = of_people.codes if typical is None else checked_codes("typical", typical, human)[both.places]
    theirs = typical_labels(both.machine, scale, median=median).codes
    count = len(both.places)
    bins = tuple(_bin(both, code, codes, theirs, base=base, squared=squared) for code in range(len(both.human.labels)))
    everything = (_shares_of(side.label, len(human.labels)) for side in (both.human, both.machine))
    return BinnedDivergence(
        value=math.fsum(bin_.share * bin_.value for bin_ in bins if bin_.n_items) if count else math.nan,
        pooled=divergence_of(*everything, base=base, squared=squared) if count else math.nan,
        labels=human.labels,
        bins=bins,
        n_items=count,
        scale=scale,
        base=base,
        squared=squared,
        undecided=int(of_people.undecided.sum()),
        left_out=both.left_out,
        reason="" if count else NO_BOTH_LABELS,
    )


def _bin(both: Paired, code: int, codes: Codes, theirs: Codes, *, base: float, squared: bool) -> Bin:
    """The items whose typical label is `code`; `codes` are people's typical labels, `theirs` the machine's."""
    inside, labels = codes == code, len(both.human.labels)
    shares = (
        _shares_of(both.human.label[inside[both.human.item]], labels),
        _shares_of(both.machine.label[inside[both.machine.item]], labels),
        _shares_of(codes[inside], labels),
        _shares_of(theirs[inside], labels),
    )
    size = int(inside.sum())
    everyone, machines, typical_person, typical_machine = (tuple(share.tolist()) for share in shares)
    return Bin(
        label=both.human.labels[code],
        n_items=size,
        share=size / len(codes) if len(codes) else 0.0,
        value=divergence_of(shares[0], shares[1], base=base, squared=squared) if size else math.nan,
        human=everyone,
        machine=machines,
        human_typical=typical_person,
        machine_typical=typical_machine,
        reason="" if size else NO_SUCH_ITEM,
    )


def jensen_shannon(p: npt.ArrayLike, q: npt.ArrayLike, *, base: float = math.e, squared: bool = False) -> float:
    """The Jensen-Shannon distance of two distributions, or its square, the divergence.

    Parameters
    ----------
    p, q : array_like, shape (K,)
        Distributions that sum to 1.
    base : float, default e
        Base of the logarithms, above 1.
    squared : bool, default False
        Whether the divergence is returned instead of the distance.

    Returns
    -------
    float
        In [0, sqrt(log_base 2)], or [0, log_base 2] squared.

    References
    ----------
    Endres and Schindelin 2003, A New Metric for Probability Distributions; Elangovan et al. 2025, section 4.

    Examples
    --------
    >>> jensen_shannon(np.array([1.0, 0.0]), np.array([0.0, 1.0]), base=2)
    1.0
    """
    checked_above("base", base, 1)
    p, q = aligned(p=p, q=q)
    one, other = (_checked_distribution(name, shares) for name, shares in (("p", p), ("q", q)))
    if len(one) != len(other):
        msg = f"p has {len(one)} shares and q {len(other)}; expected as many of both"
        raise ValueError(msg)
    return divergence_of(one, other, base=base, squared=squared)


def _checked_distribution(name: str, shares: npt.ArrayLike) -> Vector:
    given = checked_array(name, shares, 1, "shares (K,) that sum to 1", least=1)
    if (given < 0).any() or abs(given.sum() - 1) > 1e-6:
        msg = f"{name} is {shown(given.tolist())}; expected shares (K,) that are not negative and sum to 1"
        raise ValueError(msg)
    return given


def divergence_of(p: Vector, q: Vector, *, base: float, squared: bool) -> float:
    """`jensen_shannon` without checks."""
    # part / middle as 2 part / both: half of the smallest positive number would be 0.
    both = p + q
    kl = [float((part[part > 0] * np.log(2 * (part[part > 0] / both[part > 0]))).sum()) for part in (p, q)]
    divergence = max(0.0, math.fsum(kl) / 2 / math.log(base))
    return divergence if squared else math.sqrt(divergence)


def _shares_of(codes: Codes, labels: int) -> Vector:
    counts = np.bincount(codes[codes >= 0], minlength=labels)
    shares: Vector = counts / max(1, counts.sum())
    return shares
