"""Cohen's kappa of every pair of annotators with items in common, also weighted for ordinal labels."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from annotations.ground.arrays import AnyArray, Codes, Matrix, Vector
from metaeval.checking import checked_choice, checked_count, checked_names, checked_sequences, shown
from metaeval.describing import described
from metaeval.frames import DataFrame, aligned, frame_of
from metaeval.sampling import Steps
from metaeval.stats.results import Statistic, flat

from .annotations import Annotations, CountTable, Weights, as_annotations, weighted_items
from .measure import ALL_EQUAL, Bootstrap, Measure, MeasuredAgreement, checked_bootstrap, measured
from .pairs import CONTRADICTORY, CommonItems, MeasuredPairs, kappas_of_pairs, largest_of

KappaWeighting = Literal["none", "linear", "quadratic"]
NO_COMMON = "no item that both labelled"


@described
@dataclass(frozen=True)
class PairAgreement(Statistic):
    """Two annotators and their kappa, on the items that both labelled."""

    first: Hashable
    second: Hashable
    """The annotators."""
    kappa: MeasuredAgreement
    """Their kappa. `observed` is their share of disagreement; `excluded` counts items on which one of them contradicts
    themselves."""

    @property
    def observed_agreement(self) -> float:
        return 1 - self.kappa.observed


@described
@dataclass(frozen=True)
class AnnotatorPairs(Statistic):
    """All pairs of annotators, in the order of the annotators, and means over pairs."""

    pairs: tuple[PairAgreement, ...]
    """The pairs."""
    mean_kappa: float
    mean_observed_agreement: float
    """Means over the pairs for which they are defined."""
    undefined: int = 0
    """How many pairs have no kappa."""
    reason: str = ""
    """Why there are no means; empty if there are."""
    left_out: int = 0
    """How many pairs have an item in common, but fewer than `least_common`."""

    def to_frame(self) -> DataFrame:
        """One row per pair of annotators, by `first` and `second`."""
        rows = (flat(pair.kappa) | {"first": pair.first, "second": pair.second} for pair in self.pairs)
        columns = ["value", "observed", "expected", "n_items", "excluded", "reason"]
        return frame_of(rows, index=["first", "second"], columns=columns)


class CohenKappa(Measure):
    """Cohen's kappa of two people as a function of the items' weights.

    Parameters
    ----------
    first, second : ndarray of int, shape (items,)
        Codes of the two people's labels.
    labels : int
        How many labels there are.
    dropped : int, default 0
        How many items were left out beforehand.
    """

    name = "cohen_kappa"

    def __init__(
        self, first: Codes, second: Codes, labels: int, *, dropped: int = 0, constant: float = math.nan
    ) -> None:
        self.constant = constant
        each, once = np.arange(len(first) + 1), np.ones(len(first))
        self.first = CountTable(each, first, once, once, labels)
        self.second = CountTable(each, second, once, once, labels)
        self.same = (first == second).astype(np.float64)[:, None]
        self.table = CountTable(each, first, once, 2 * once, labels, dropped)  # two annotations of each item

    def disagreements(self, weights: Weights) -> tuple[Vector, Vector]:
        mine, other = (person.weighted(person.counts, weights) for person in (self.first, self.second))
        items, same = weights.sum(axis=0), weighted_items(self.same, weights)[0]
        chance = (mine * other).sum(axis=0)  # whole numbers: exact
        return (items - same) / items, (items**2 - chance) / items**2

    def undefined_because(self, expected: float) -> str:
        if not self.table.items:
            return NO_COMMON
        return super().undefined_because(expected)

    def labels_that_occur(self) -> int:
        return len(np.union1d(self.first.codes, self.second.codes))


class WeightedCohenKappa(CohenKappa):
    """Cohen's weighted kappa: how much two labels disagree depends on their distance on the scale.

    Parameters
    ----------
    weighting : {'linear', 'quadratic'}
        How distances are weighted.

    Notes
    -----
    The weights count steps on the scale and are 1 from end to end: linear |i - j| / (K - 1), quadratic ((i - j) / (K -
    1))^2.
    """

    def __init__(
        self,
        first: Codes,
        second: Codes,
        labels: int,
        *,
        weighting: Literal["linear", "quadratic"],
        dropped: int = 0,
        constant: float = math.nan,
    ) -> None:
        super().__init__(first, second, labels, dropped=dropped, constant=constant)
        self.name = f"cohen_kappa_{weighting}"
        self.distances = steps_apart(labels, weighting)
        self.largest = largest_of(self.distances)
        self.apart = self.distances[first, second][:, None]

    def disagreements(self, weights: Weights) -> tuple[Vector, Vector]:
        mine, other = (person.weighted(person.counts, weights) for person in (self.first, self.second))
        items, apart = weights.sum(axis=0), weighted_items(self.apart, weights)[0]
        chance = (mine * (self.distances @ other)).sum(axis=0)  # whole numbers: exact
        return apart / (self.largest * items), chance / (self.largest * items**2)


def steps_apart(labels: int, weighting: Literal["linear", "quadratic"]) -> Matrix:
    """How many steps every two points of a scale are apart, or the squares of that: (labels, labels)."""
    places = np.arange(labels, dtype=np.float64)
    apart: Matrix = np.abs(places[:, None] - places)
    return apart if weighting == "linear" else apart**2


@described
def cohen_kappas(
    annotations: Annotations | npt.ArrayLike,
    *,
    weighting: KappaWeighting = "none",
    constant: float = math.nan,
    least_common: int = 1,
    bootstrap: Bootstrap | None = None,
    progress: Steps | None = None,
) -> AnnotatorPairs:
    """Cohen's kappa (P - P_e) / (1 - P_e) of each pair of annotators, P_e = sum_c p_1c p_2c.

    Parameters
    ----------
    weighting : {'none', 'linear', 'quadratic'}, default 'none'
        How disagreements on a scale are weighted.
    constant : float, default NaN
        The value of a pair if both gave the same single label throughout.
    least_common : int, default 1
        Pairs with fewer items in common are not measured, only counted in `left_out`.
    progress : callable, optional
        Called, block by block, with the number of annotators whose pairs are done, and the total.

    Returns
    -------
    AnnotatorPairs
        The kappa of each pair with enough items in common, and the means.

    Raises
    ------
    ValueError
        If annotators are unknown.

    Notes
    -----
    With a `weighting`, for ordinal labels: 1 - sum_ij w_ij o_ij / sum_ij w_ij p_1i p_2j, o_ij the share of items that
    one called i and the other j, w_ij = |i - j| (`linear`) or (i - j)^2 (`quadratic`), in steps on the scale. The scale
    is `annotations.labels` in order, including labels that no one gave: specify it when you create the annotations
    (sorted names are seldom a scale). `observed` and `expected` are then mean distances, 1 from end to end.

    The items are those that both labelled, in any order. If a person labelled an item twice, the item counts once if
    both labels are the same; otherwise it is left out for the pair and counted. Pairs without an item in common are not
    listed. The value is in [-1, 1]. Undefined where both gave the same single label throughout, unless there is a
    `constant`.

    References
    ----------
    Cohen 1960, A Coefficient of Agreement for Nominal Scales; Cohen 1968, Weighted Kappa.

    Examples
    --------
    >>> votes = Annotations.from_columns([1, 1, 2, 2, 3, 3, 4, 4], list("ABBAABAB"), list("xxyyxyyy"))
    >>> (pair,) = cohen_kappas(votes).pairs
    >>> pair.first, pair.second, pair.kappa.n_items, pair.kappa.value
    ('A', 'B', 4, 0.5)
    >>> stars = Annotations.from_matrix([[1, 2, 3, 3], [1, 2, 2, 3]], labels=[1, 2, 3])
    >>> round(cohen_kappas(stars, weighting="quadratic").mean_kappa, 4)
    0.8
    """
    checked_bootstrap(bootstrap)
    annotations = as_annotations(annotations)
    checked_choice("weighting", weighting, get_args(KappaWeighting))
    if annotations.annotator is None:
        msg = "Cohen's kappa is of two known people; these annotations do not say whose they are"
        raise ValueError(msg)
    checked_count("least_common", least_common)
    labels = len(annotations.labels)
    distances = None if weighting == "none" else steps_apart(labels, weighting)
    pairs: list[PairAgreement] = []
    sharing = 0
    for block, common, label in kappas_of_pairs(
        annotations,
        annotations.annotator,
        distances,
        least_common=least_common,
        constant=constant,
        progress=progress,
    ):
        sharing += block.sharing
        kappas = _kappas(block, "cohen_kappa" if weighting == "none" else f"cohen_kappa_{weighting}")
        if bootstrap is not None:
            kappas = [
                measured(measure, bootstrap)
                for measure in _measures(common, label, labels, weighting, constant=constant)
            ]
        people = (annotations.annotators[codes].tolist() for codes in (block.first, block.second))
        pairs += map(PairAgreement, *people, kappas)
    defined = [pair for pair in pairs if math.isfinite(pair.kappa.value)]
    observed = [pair.observed_agreement for pair in pairs if pair.kappa.n_items]
    return AnnotatorPairs(
        pairs=tuple(pairs),
        mean_kappa=float(np.mean([pair.kappa.value for pair in defined])) if defined else math.nan,
        mean_observed_agreement=float(np.mean(observed)) if observed else math.nan,
        undefined=len(pairs) - len(defined),
        reason="" if defined else "no pair of annotators has a kappa",
        left_out=sharing - len(pairs),
    )


def _kappas(block: MeasuredPairs, name: str) -> list[MeasuredAgreement]:
    """Every pair's kappa, as `Measure.result` gives it."""
    columns = (block.value, block.observed, block.expected, block.n_items, block.n_labels, block.excluded)
    return [
        MeasuredAgreement(
            measure=name,
            value=value,
            observed=observed,
            expected=expected,
            n_items=items,
            n_annotations=2 * items,
            n_labels=labels,
            excluded=excluded,
            reason="" if math.isfinite(value) else ALL_EQUAL if items else NO_COMMON,
        )
        for value, observed, expected, items, labels, excluded in zip(
            *(column.tolist() for column in columns), strict=True
        )
    ]


def _measures(
    common: CommonItems, label: Codes, labels: int, weighting: KappaWeighting, *, constant: float
) -> Iterator[CohenKappa]:
    """Every pair's kappa as a function of the weights of its items."""
    for part in common.parts(1):
        one, other = label[part.one], label[part.other]
        sound = (one != CONTRADICTORY) & (other != CONTRADICTORY)
        one, other, dropped = one[sound], other[sound], int((~sound).sum())
        if weighting == "none":
            yield CohenKappa(one, other, labels, dropped=dropped, constant=constant)
        else:
            yield WeightedCohenKappa(one, other, labels, weighting=weighting, dropped=dropped, constant=constant)


@described
def cohen_kappa(
    first: Sequence[Hashable] | AnyArray,
    second: Sequence[Hashable] | AnyArray,
    *,
    labels: Sequence[Hashable] | None = None,
    weighting: KappaWeighting = "none",
    constant: float = math.nan,
    bootstrap: Bootstrap | None = None,
) -> MeasuredAgreement:
    """Cohen's kappa of two people's labels of the same items.

    Parameters
    ----------
    first, second : sequence of hashable, shape (n,)
        One label per item. An item where one of them is None or NaN is left out and counted. Two Series are matched by
        their index.
    labels : sequence of hashable, optional
        The complete label set in the order of its scale, on which `weighting` counts steps. The default is the labels
        that occur, sorted.
    weighting : {'none', 'linear', 'quadratic'}, default 'none'
        How disagreements on a scale are weighted.

    Notes
    -----
    The arguments are those of `sklearn.metrics.cohen_kappa_score`. See `cohen_kappas` for the formula.

    References
    ----------
    Cohen 1960, A Coefficient of Agreement for Nominal Scales; Cohen 1968, Weighted Kappa.

    Examples
    --------
    >>> cohen_kappa(["x", "x", "y", "y"], ["x", "y", "y", "y"]).value
    0.5
    """
    first, second = aligned(first=first, second=second)
    checked_sequences("one label an item", first=first, second=second)
    if labels is not None:
        labels = checked_names("labels", labels)
    sides: list[list[Any]] = [
        column.tolist() if hasattr(column, "tolist") else list(column) for column in (first, second)
    ]
    for name, side in zip(("first", "second"), sides, strict=True):
        if any(isinstance(label, (list, tuple, dict, set)) for label in side):
            msg = f"{name} is {shown(side)}; expected one label an item (n,)"
            raise ValueError(msg)
    items = len(sides[0])
    places = [*range(items), *range(items)]
    votes = Annotations.from_columns(
        places, [0] * items + [1] * items, sides[0] + sides[1], labels=labels, items=range(items)
    )
    pairs = cohen_kappas(votes, weighting=weighting, constant=constant, bootstrap=bootstrap).pairs
    if pairs:
        kappa = pairs[0].kappa
        return replace(kappa, excluded=items - kappa.n_items)
    empty = np.zeros(0, dtype=np.int64)
    return measured(CohenKappa(empty, empty, len(votes.labels), dropped=items, constant=constant), None)
