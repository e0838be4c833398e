"""The stratified table: how much machines agree with people, separately for items on which people agree and
disagree."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from annotations.ground.arrays import Codes, Vector
from metaeval.checking import checked_above
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
from metaeval.stats.agreement.annotations import as_annotations
from metaeval.stats.agreement.measure import checked_bootstrap
from metaeval.stats.correlating.coefficients import Correlation, correlation
from metaeval.stats.results import Statistic

from .binned import BinnedDivergence, binned_jsd
from .pairing import Paired, one_of_each, paired, side_by_side
from .partitions import Partition, partitions_by_agreement, partitions_by_labels
from .typical import Scale, TypicalLabels, checked_codes, typical_labels

Measured = Callable[[Annotations], MeasuredAgreement]


@dataclass(frozen=True)
class MeasureComparison(Statistic):
    """One measure of agreement, for four pairings.

    Attributes
    ----------
    among_humans, among_machines : MeasuredAgreement
        Among people (HH), and among machines (MM).
    typical : MeasuredAgreement
        Between people's typical label and the machine's (H^w M^w).
    random_human : MeasuredAgreement
        Between one random person and the machine's typical label (H' M^w).
    difference : float
        HH - H^w M^w.
    reason : str
        Why the value is undefined; empty if it is defined.
    """

    among_humans: MeasuredAgreement
    among_machines: MeasuredAgreement
    typical: MeasuredAgreement
    random_human: MeasuredAgreement
    difference: float
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


@dataclass(frozen=True)
class Stratum(Statistic):
    """One row of the table.

    Attributes
    ----------
    partition : str
        Name of the partition.
    n_items : int
        How many items.
    share : float
        Their share of all items.
    alpha, percentage, fleiss, randolph : MeasureComparison
        The measures of agreement.
    divergence : BinnedDivergence
        The binned divergence.
    human_win_rates, machine_win_rates : tuple of float
        The share of each label among the typical labels.
    undecided : int
        Items whose typical label had to be chosen by a rule.
    correlations : Correlations or None
        For ordinal labels only.
    notes : tuple of str
        What a reader should know.
    """

    partition: str
    n_items: int
    share: float
    alpha: MeasureComparison
    percentage: MeasureComparison
    fleiss: MeasureComparison
    randolph: MeasureComparison
    divergence: BinnedDivergence
    human_win_rates: tuple[float, ...]
    machine_win_rates: tuple[float, ...]
    undecided: int
    correlations: Correlations | None = None
    notes: tuple[str, ...] = ()


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
    human : Annotations
        People's labels.
    machine : Annotations
        The machine's labels.
    scale : {'nominal', 'ordinal'}, default 'nominal'
        Whether labels are ordered.
    partitions : sequence of Partition, optional
        Positions in `human.items`. The default is all items, then by percentage agreement and by the number of
        different labels.
    typical : ndarray of int, shape (items,), optional
        The label of each item, if not from `typical_labels`.
    constant : float, default NaN
        The value of alpha where only one label occurs. Papers print 1.0.
    base : float, default e
        Base of the logarithms, above 1.
    squared : bool, default False
        Whether the divergence is returned instead of the distance.
    seed, rng : int, SeedSequence or Generator, optional
        Where the random numbers come from. Both mean the same, so pass only one. The default is 0.
    bootstrap : Bootstrap, optional
        How to compute an interval. The default is none.
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
        # A label may be anything; if float() cannot read them all, their order is the scale.
        return np.array([float(label) for label in annotations.labels])  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return np.arange(float(len(annotations.labels)))


def _means(annotations: Annotations, scale: Vector) -> Vector:
    table = annotations.table
    means: Vector = table.sum_by_item(table.counts * scale[table.codes]) / table.sizes
    return means
