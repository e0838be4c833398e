"""The stratified table: how much machines agree with people, separately for items on which people agree and disagree;
and its binned Jensen-Shannon divergence: do machines' labels vary as people's do, for items with the same typical
label?"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from annotations.ground.arrays import Codes, Vector
from metaeval.checking import checked_above, checked_array, shown
from metaeval.describing import described, described_as
from metaeval.frames import aligned
from metaeval.sampling import Seed, Steps, chosen_seed
from metaeval.stats.agreement import (
    Annotations,
    Bootstrap,
    MeasuredAgreement,
    fleiss_kappa,
    krippendorff_alpha,
    percentage_agreement,
    randolph_kappa,
)
from metaeval.stats.agreement.alpha import numbers
from metaeval.stats.agreement.annotations import as_annotations
from metaeval.stats.agreement.measure import checked_bootstrap
from metaeval.stats.correlating.coefficients import Correlation, correlation
from metaeval.stats.results import Statistic

from .items import (
    Median,
    Paired,
    Partition,
    Scale,
    TypicalLabels,
    checked_codes,
    one_of_each,
    paired,
    partitions_by_agreement,
    partitions_by_labels,
    side_by_side,
    typical_labels,
)

NO_BOTH_LABELS = "no item has both human and machine labels"
NO_SUCH_ITEM = "no item has this typical label"

Shares = tuple[float, ...]

Measured = Callable[[Annotations], MeasuredAgreement]


@described
@dataclass(frozen=True)
class Bin(Statistic):
    """The items whose human majority or median is this label: one panel of a perception chart."""

    label: Hashable
    """The label."""
    n_items: int
    """How many items."""
    share: float
    """Their share of all items."""
    value: float
    """The divergence; NaN where it is undefined."""
    human: Shares
    machine: Shares
    """The share of each label among all human and all machine labels of these items."""
    human_typical: Shares
    machine_typical: Shares
    """The share of each label among their typical labels."""
    reason: str = ""


@described
@dataclass(frozen=True)
class BinnedDivergence(Statistic):
    """The mean of the bins' divergences, weighted by the share of items."""

    value: float
    """The mean; NaN where it is undefined."""
    pooled: float
    """The divergence of all items in one bin."""
    labels: tuple[Hashable, ...]
    """The label set."""
    bins: tuple[Bin, ...]
    """One per label."""
    n_items: int
    """How many items both have labelled."""
    scale: Scale
    """Whether labels are ordered."""
    base: float
    """Base of the logarithms."""
    squared: bool
    """Whether values are divergences instead of distances."""
    undecided: int = 0
    """Items whose majority is tied, or whose median is between two labels."""
    left_out: int = 0
    """Items that only people, or only the machine, labelled."""
    reason: str = ""

    def __float__(self) -> float:
        return self.value


@described_as(typical_labels)
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


@described
def jensen_shannon(p: npt.ArrayLike, q: npt.ArrayLike, *, base: float = math.e, squared: bool = False) -> float:
    """The Jensen-Shannon distance of two distributions, or its square, the divergence.

    Parameters
    ----------
    p, q : array_like, shape (K,)
        Distributions that sum to 1.

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
    distribution = checked_array(name, shares, 1, "shares (K,) that sum to 1", least=1)
    if (distribution < 0).any() or abs(distribution.sum() - 1) > 1e-6:
        msg = f"{name} is {shown(distribution.tolist())}; expected shares (K,) that are not negative and sum to 1"
        raise ValueError(msg)
    return distribution


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


@described
@dataclass(frozen=True)
class MeasureComparison(Statistic):
    """One measure of agreement, for four pairings."""

    among_humans: MeasuredAgreement
    among_machines: MeasuredAgreement
    """Among people (HH), and among machines (MM)."""
    typical: MeasuredAgreement
    """Between people's typical label and the machine's (H^w M^w)."""
    random_human: MeasuredAgreement
    """Between one random person and the machine's typical label (H' M^w)."""
    difference: float
    """HH - H^w M^w."""
    reason: str = ""


@dataclass(frozen=True)
class Correlations(Statistic):
    """Rank correlations of people's labels with the machine's.

    Attributes
    ----------
    spearman_median, kendall_median : Correlation
        Correlations of their medians.
    spearman_mean, kendall_mean : Correlation
        Correlations of their means.
    """

    spearman_median: Correlation
    spearman_mean: Correlation
    kendall_median: Correlation
    kendall_mean: Correlation


@described
@dataclass(frozen=True)
class Stratum(Statistic):
    """One row of the table."""

    partition: str
    """Name of the partition."""
    n_items: int
    """How many items."""
    share: float
    """Their share of all items."""
    alpha: MeasureComparison
    percentage: MeasureComparison
    fleiss: MeasureComparison
    randolph: MeasureComparison
    """The measures of agreement."""
    divergence: BinnedDivergence
    """The binned divergence."""
    human_win_rates: tuple[float, ...]
    machine_win_rates: tuple[float, ...]
    """The share of each label among the typical labels."""
    undecided: int
    """Items whose typical label had to be chosen by a rule."""
    correlations: Correlations | None = None
    """For ordinal labels only."""
    notes: tuple[str, ...] = ()


@described
def stratified_table(
    human: Annotations,
    machine: Annotations,
    scale: Scale = "nominal",
    *,
    partitions: Sequence[Partition] | None = None,
    typical: Codes | None = None,
    constant: float = math.nan,
    base: float = math.e,
    squared: bool = False,
    seed: Seed | None = None,
    rng: Seed | None = None,
    bootstrap: Bootstrap | None = None,
    progress: Steps | None = None,
) -> tuple[Stratum, ...]:
    """Agreement of people and machines in partitions of the items by the people's certainty.

    Parameters
    ----------
    partitions : sequence of Partition, optional
        Positions in `human.items`. The default is all items, then by percentage agreement and by the number of
        different labels.
    constant : float, default NaN
        The value of alpha where only one label occurs. Papers print 1.0.
    progress : callable, optional
        Called before each row with the number of rows done and the total.

    Returns
    -------
    tuple of Stratum
        One row per partition.

    Notes
    -----
    Items are matched by name; those that only one side labelled are left out, and each row's notes say how many. The
    partitions are of the common items. Alpha is nominal or ordinal like the scale. `seed` draws the random person of H'
    M^w, one per item and the same in every row.

    References
    ----------
    Elangovan et al. (2025), sections 3 and 4.

    Examples
    --------
    >>> people = Annotations.from_matrix([[1, 2, 1, 2], [1, 2, 1, 1], [1, 2, 2, 2]])
    >>> model = Annotations.from_matrix([[1, 2, 1, 1]])
    >>> for row in stratified_table(people, model)[:2]:
    ...     print(row.partition, row.n_items, row.alpha.typical.value, row.percentage.typical.value)
    all 4 0.5333333333333333 0.75
    PA = 100% 2 1.0 1.0
    """
    seed = chosen_seed(seed, rng)
    checked_bootstrap(bootstrap)
    checked_above("base", base, 1)
    human, machine = as_annotations(human), as_annotations(machine)
    both = paired(human, machine)
    people = typical_labels(both.human, scale)
    if typical is not None:
        people = replace(people, codes=checked_codes("typical", typical, human)[both.places])
    if partitions is None:
        parts = (
            *partitions_by_agreement(both.human, scale, typical=people.codes),
            *partitions_by_labels(both.human)[1:],
        )
    else:
        parts = tuple(_common(part, both) for part in partitions)
    random_human = one_of_each(both.human, seed)
    measures = _measures(scale, constant, bootstrap)
    strata = []
    for number, part in enumerate(parts):
        if progress is not None:
            progress(number, len(parts))
        strata.append(
            _stratum(
                part,
                both,
                people=people,
                random_human=random_human,
                scale=scale,
                measures=measures,
                jensen_shannon={"base": base, "squared": squared},
            )
        )
    return tuple(strata)


def _measures(scale: Scale, constant: float, bootstrap: Bootstrap | None) -> dict[str, Measured]:
    return {
        "alpha": lambda a: krippendorff_alpha(a, scale, constant=constant, bootstrap=bootstrap),
        "percentage": lambda a: percentage_agreement(a, bootstrap=bootstrap),
        "fleiss": lambda a: fleiss_kappa(a, constant=constant, bootstrap=bootstrap),
        "randolph": lambda a: randolph_kappa(a, labels="observed", constant=constant, bootstrap=bootstrap),
    }


def _common(part: Partition, both: Paired) -> Partition:
    """The partition's items by their position among the common ones."""
    place = {at: common for common, at in enumerate(both.places.tolist())}
    items = tuple(place[at] for at in part.items if at in place)
    return Partition(part.name, items, len(items) / len(place) if place else 0.0)


def _stratum(
    part: Partition,
    both: Paired,
    *,
    people: TypicalLabels,
    random_human: Codes,
    scale: Scale,
    measures: dict[str, Measured],
    jensen_shannon: Mapping[str, Any],
) -> Stratum:
    items = np.array(part.items, dtype=np.int64)
    human, machine = both.human.only(items), both.machine.only(items)
    of_people, of_machines = people.codes[items], typical_labels(machine, scale).codes
    typical_pair = side_by_side(human, of_people, of_machines)
    random_pair = side_by_side(human, random_human[items], of_machines)
    compared = {
        name: _comparison(*map(measure, (human, machine, typical_pair, random_pair)))
        for name, measure in measures.items()
    }
    return Stratum(
        partition=part.name,
        n_items=len(items),
        share=part.share,
        alpha=compared["alpha"],
        percentage=compared["percentage"],
        fleiss=compared["fleiss"],
        randolph=compared["randolph"],
        divergence=binned_jsd(human, machine, scale, typical=of_people, **jensen_shannon),
        human_win_rates=_win_rates(of_people, len(human.labels)),
        machine_win_rates=_win_rates(of_machines, len(human.labels)),
        undecided=int(people.undecided[items].sum()),
        correlations=_correlations(human, machine, of_people, of_machines) if scale == "ordinal" else None,
        notes=tuple(_notes(both, len(items))),
    )


def _notes(both: Paired, items: int) -> Iterator[str]:
    if both.left_out:
        yield f"{both.left_out} items labelled by one side only are left out"
    if not items:
        yield "no item is in this partition"


def _comparison(
    humans: MeasuredAgreement, machines: MeasuredAgreement, typical: MeasuredAgreement, random_human: MeasuredAgreement
) -> MeasureComparison:
    return MeasureComparison(
        humans, machines, typical, random_human, humans.value - typical.value, humans.reason or typical.reason
    )


def _win_rates(codes: Codes, labels: int) -> tuple[float, ...]:
    counts = np.bincount(codes, minlength=labels)
    return tuple((counts / len(codes)).tolist()) if len(codes) else (math.nan,) * labels


def _correlations(human: Annotations, machine: Annotations, h: Codes, m: Codes) -> Correlations:
    """Correlations of medians (as positions on the scale) and of means (of labels as numbers, or else of positions)."""
    scale = _scale(human)
    means = _means(human, scale), _means(machine, scale)
    medians = scale[h], scale[m]
    return Correlations(
        spearman_median=correlation(*medians, "spearman"),
        spearman_mean=correlation(*means, "spearman"),
        kendall_median=correlation(*medians, "kendall"),
        kendall_mean=correlation(*means, "kendall"),
    )


def _scale(annotations: Annotations) -> Vector:
    try:
        return numbers(annotations, "a scale")
    except ValueError:  # then their order is the scale
        return np.arange(float(len(annotations.labels)))


def _means(annotations: Annotations, scale: Vector) -> Vector:
    table = annotations.table
    return table.sum_by_item(table.counts * scale[table.codes]) / table.sizes
