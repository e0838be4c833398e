"""Krippendorff's alpha, for single labels on any scale and for sets of labels: distances, disagreements, alpha, and the
alpha of one person with the rest.

Each distance answers two questions, for all lanes of weights at once: how much annotations of the same item differ
(within), and how much any two annotations differ (between). No matrix of items x values x values is ever built.

Sets of labels are not compared with one another either. The similarity of A and B depends on a = |A|, b = |B| and t =
|A and B| only. As a sum over their common subsets, g_ab(t) = sum_j c_ab(j) (t choose j), where c_ab(j) = sum_i
(-1)^(j - i) (j choose i) g_ab(i), so that

    sum over A, B of N_A N_B g(A, B) = sum over subsets T, sizes a, b of c_ab(|T|) F_a(T) F_b(T),

F_a(T) the number of annotations with a set of size a that contains T. People choose few labels, so there are far fewer
subsets than pairs of sets, and the work is linear in the number of distinct sets. Sets that are too large for this
(2^size subsets) are compared one by one.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cached_property
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from annotations.ground.arrays import Codes, Mask, Matrix, Vector
from metaeval.describing import described, described_as
from metaeval.rounding import ROUNDING

from .annotations import (
    Annotations,
    CountTable,
    SetAnnotations,
    Weights,
    as_annotations,
    packed,
    slots_for,
    weighted_items,
)
from .measure import Bootstrap, Measure, MeasuredAgreement, measured

LabelDistance = Literal["nominal", "ordinal", "interval", "ratio"]
SetDistance = Literal["nominal", "jaccard", "masi"]
LABEL_DISTANCES: tuple[LabelDistance, ...] = get_args(LabelDistance)
SET_DISTANCES: tuple[SetDistance, ...] = get_args(SetDistance)

MASI_SUBSET, MASI_OVERLAP = 2 / 3, 1 / 3
LARGEST = 10
"""Sets with more labels are compared one by one: listing more than 2^10 subsets does not pay."""
ROOM = 1 << 22
"""At most this many subsets are listed in total, which takes about 150 MB."""
ALONE = "nobody else judged an item that this person judged"


class Distance:
    """What alpha needs from a distance; `table` has only items with at least two annotations."""

    def __init__(self, table: CountTable) -> None:
        self.table = table

    def within(self, weights: Weights, totals: Weights) -> Vector:
        """sum over items i of w_i / (m_i - 1) sum over pairs of their annotations of the distance: (lanes,)."""
        raise NotImplementedError

    def between(self, totals: Weights) -> Vector:
        """sum over values c, k of N_c N_k x distance(c, k), where N = totals (values, lanes): (lanes,)."""
        raise NotImplementedError

    def without_each(self, totals: Vector) -> tuple[Vector, Vector] | None:
        """`within` and `between` of the data without item i, for every i: (items,) each; None: there is no shortcut."""
        return None


class FixedDistance(Distance):
    """A distance between two values that does not depend on the data.

    `within` is then linear in the weights, and leaving out item i changes `between` by
    - 2 n_i D N + n_i D n_i, whose last term is (m_i - 1) within_i.
    """

    def __init__(self, table: CountTable) -> None:
        super().__init__(table)
        self.each = self.within_items()

    def within_items(self) -> Vector:
        raise NotImplementedError

    def to_all(self, totals: Weights) -> Weights:
        """sum over k of N_k x distance(c, k), for each value c: (values, lanes)."""
        raise NotImplementedError

    def within(self, weights: Weights, totals: Weights) -> Vector:
        answer: Vector = weighted_items(self.each[:, None], weights)[0]
        return answer

    def between(self, totals: Weights) -> Vector:
        answer: Vector = (totals * self.to_all(totals)).sum(axis=0)
        return answer

    def without_each(self, totals: Vector) -> tuple[Vector, Vector]:
        to_all = self.to_all(totals[:, None])[:, 0]
        crossed = self.table.sum_by_item(self.table.counts * to_all[self.table.codes])
        whole = float(totals @ to_all)
        between = whole - 2 * crossed + (self.table.sizes - 1) * self.each
        return self.each.sum() - self.each, np.where(np.abs(between) < ROUNDING * whole, 0.0, between)


class NominalDistance(FixedDistance):
    """0 for the same value, 1 for different ones."""

    def within_items(self) -> Vector:
        same = self.table.sum_by_item(self.table.counts**2)
        return (self.table.sizes**2 - same) / (self.table.sizes - 1)

    def to_all(self, totals: Weights) -> Weights:
        answer: Weights = totals.sum(axis=0) - totals
        return answer


class IntervalDistance(FixedDistance):
    """(a - b)^2 on a scale of numbers."""

    is_ratio = False

    def __init__(self, table: CountTable, scale: Vector) -> None:
        self.scale = scale
        super().__init__(table)

    def within_items(self) -> Vector:
        from . import kernels

        t = self.table
        each: Vector = kernels.scale_within(t.offsets, t.codes, t.counts, t.sizes, self.scale, self.is_ratio)
        return each

    def to_all(self, totals: Weights) -> Weights:
        """sum over k of N_k (c - k)^2 = n (c - mean)^2 + sum N_k (k - mean)^2."""
        count = totals.sum(axis=0)
        centre = np.divide(self.scale @ totals, count, out=np.zeros_like(count), where=count > 0)
        squares = (self.scale[:, None] - centre) ** 2
        answer: Weights = count * squares + (totals * squares).sum(axis=0)
        return answer


class RatioDistance(IntervalDistance):
    """((a - b) / (a + b))^2 on a scale of numbers >= 0."""

    is_ratio = True

    def to_all(self, totals: Weights) -> Weights:
        from . import kernels

        scale, upside_down = self.scale, np.arange(len(self.scale))[::-1]
        above: Weights = kernels.ratio_between(scale, totals)
        below: Weights = kernels.ratio_between(scale[upside_down].copy(), totals[upside_down].copy())[upside_down]
        return above + below


class OrdinalDistance(Distance):
    """(sum of N_g from a to b - (N_a + N_b) / 2)^2, which is the squared difference of mean ranks: it depends on N."""

    @staticmethod
    def ranks(totals: Weights) -> Weights:
        """How many annotations lie below each value, counting half of its own."""
        return np.cumsum(totals, axis=0) - totals / 2

    def within(self, weights: Weights, totals: Weights) -> Vector:
        from . import kernels

        t = self.table
        answer: Vector = kernels.ordinal_within(t.offsets, t.codes, t.counts, t.sizes, weights, self.ranks(totals))
        return answer

    def between(self, totals: Weights) -> Vector:
        ranks, count = self.ranks(totals), totals.sum(axis=0)
        centre = count / 2  # the mean of the mean ranks
        answer: Vector = 2 * count * (totals * (ranks - centre) ** 2).sum(axis=0)
        return answer


class Sets(FixedDistance):
    """Jaccard: 1 - |A and B| / |A or B|. MASI (Passonneau 2006): 1 - Jaccard similarity x 1 (equal), 2/3 (one contains
    the other), 1/3 (they overlap) or 0. Two empty sets are equal; an empty set is at distance 1 from all others."""

    def __init__(self, table: CountTable, members: Mask, distance: str) -> None:
        self.members = members
        self.words = packed(members)
        self.sizes = members.sum(axis=1)
        self.factors = (MASI_SUBSET, MASI_OVERLAP) if distance == "masi" else (1.0, 1.0)
        self.small = self._small()
        super().__init__(table)

    def within_items(self) -> Vector:
        from . import kernels

        t = self.table
        sizes = self.sizes.astype(np.float64)
        each: Vector = kernels.set_within(t.offsets, t.codes, t.counts, t.sizes, self.words, sizes, *self.factors)
        return each

    def between(self, totals: Weights) -> Vector:
        """n^2 - sum over A, B of N_A N_B x similarity."""
        from . import kernels

        nodes, own = self._nodes
        similar = (own[:, None] * totals**2).sum(axis=0)
        similar += kernels.similar_by_nodes(totals, *nodes, self.sizes, self._coefficients)
        if self.small < len(self.sizes):
            similar += 2 * (totals * self._pairs(totals)[0]).sum(axis=0)
        answer: Vector = totals.sum(axis=0) ** 2 - similar
        return answer

    def to_all(self, totals: Weights) -> Weights:
        from . import kernels

        nodes, own = self._nodes
        similar = own[:, None] * totals
        for lane in range(totals.shape[1]):
            similar[:, lane] += kernels.similar_to_each_by_nodes(
                totals[:, lane].copy(), *nodes, self.sizes, self._coefficients
            )
        if self.small < len(self.sizes):
            similar += sum(self._pairs(totals))
        answer: Weights = totals.sum(axis=0) - similar
        return answer

    def _small(self) -> int:
        """How many sets are small enough to list their subsets; the others come after them, since sets ascend in size.

        Listing the 2^size subsets of a set must cost less than comparing it with all others. For one word of labels
        only.
        """
        if self.words.shape[1] > 1:
            return 0
        limit = min(LARGEST, math.floor(math.log2(max(2, len(self.sizes)))))
        within_limit = np.searchsorted(self.sizes, limit, side="right")
        within_room = np.searchsorted(np.cumsum(2.0 ** np.minimum(self.sizes, 60)), ROOM, side="right")
        return int(min(within_limit, within_room))

    def _pairs(self, totals: Weights) -> tuple[Weights, Weights]:
        from . import kernels

        sizes = self.sizes.astype(np.float64)
        up, down = kernels.similar_by_pairs(self.words, sizes, totals, self.small, *self.factors)
        return up, down

    @cached_property
    def _coefficients(self) -> Matrix:
        """c_ab(j): shape (sizes, sizes, sizes)."""
        largest = int(self.sizes[: self.small].max(initial=0))
        subset, overlap = self.factors
        table = np.zeros((largest + 1,) * 3)
        for a in range(1, largest + 1):
            for b in range(1, a + 1):
                shared = [0.0]
                for t in range(1, b + 1):
                    factor = 1.0 if t == a else subset if t == b else overlap
                    shared.append(factor * t / (a + b - t))
                for j in range(1, b + 1):
                    terms = ((-1) ** (j - i) * math.comb(j, i) * shared[i] for i in range(1, j + 1))
                    table[a, b, j] = table[b, a, j] = math.fsum(terms)
        return table

    @cached_property
    def _nodes(self) -> tuple[tuple[Codes, Codes, Codes], Vector]:
        """The subsets that several sets have (`kernels.share_nodes`), and each set's similarity with itself alone."""
        from . import kernels

        room = int((2 ** self.sizes[: self.small]).sum())
        keys, rows = kernels.subsets(self.words[:, 0].copy(), self.small, room)
        numbers, first = kernels.number(keys, slots_for(len(keys)))
        starts, members, depth, own = kernels.share_nodes(numbers, first, keys, rows, self.sizes, self._coefficients)
        own[self.small :] = 1.0  # a large set and itself
        own[self.sizes == 0] = 1.0
        return (starts, members, depth), own


class KrippendorffAlpha(Measure):
    """`krippendorff_alpha` as a function of the items' weights."""

    def __init__(
        self,
        annotations: Annotations | SetAnnotations,
        distance: LabelDistance | SetDistance = "nominal",
        *,
        constant: float = math.nan,
    ) -> None:
        self.name = f"krippendorff_alpha_{distance}"
        self.table = annotations.table.paired()
        self.distance = distance_of(annotations, distance, self.table)
        self.constant = constant

    def disagreements(self, weights: Weights) -> tuple[Vector, Vector]:
        totals = self.table.weighted(self.table.counts, weights)
        return scaled(self.distance.within(weights, totals), self.distance.between(totals), totals)

    def without_each(self) -> Vector:
        totals = self.table.weighted(self.table.counts, np.ones((self.table.items, 1)))[:, 0]
        parts = self.distance.without_each(totals)
        if parts is None:
            return super().without_each()
        return self._values(*_means(*parts, totals.sum() - self.table.sizes))


def scaled(within: Vector, between: Vector, totals: Weights) -> tuple[Vector, Vector]:
    """Observed and expected disagreement of each lane, from its sums over pairs and its totals (values, lanes)."""
    observed, expected = _means(within, between, totals.sum(axis=0))
    expected[np.count_nonzero(totals, axis=0) < 2] = 0.0  # one value only: exactly 0, not a rounding error
    return observed, expected


def _means(within: Vector, between: Vector, count: Vector) -> tuple[Vector, Vector]:
    """Sums over pairs as means: observed within / n, expected between / (n (n - 1))."""
    observed = np.divide(within, count, out=np.zeros_like(count), where=count > 0)
    expected = np.divide(between, count * (count - 1), out=np.zeros_like(count), where=count > 1)
    return observed, expected


@described
def krippendorff_alpha(
    annotations: Annotations | npt.ArrayLike | SetAnnotations,
    distance: LabelDistance | SetDistance = "nominal",
    *,
    constant: float = math.nan,
    bootstrap: Bootstrap | None = None,
) -> MeasuredAgreement:
    """Krippendorff's alpha: 1 - observed / expected disagreement.

    Parameters
    ----------
    annotations : Annotations, SetAnnotations, or array_like of shape (raters, units)
        The labels, or sets of labels; in a matrix, NaN or None where a rater gave no label.

    Raises
    ------
    ValueError
        If the distance does not fit the annotations.

    Notes
    -----
    With n_ic annotations of item i that gave value c, m_i = sum_c n_ic >= 2, N_c = sum_i n_ic and n = sum_c N_c:
    observed = 1/n sum_i 1/(m_i - 1) sum_ck n_ic n_ik d(c, k), expected = 1/(n (n - 1)) sum_ck N_c N_k d(c, k).

    d for single labels: nominal [c != k]; ordinal, the squared difference of mean ranks; interval (c - k)^2; ratio ((c
    - k)/(c + k))^2, labels >= 0. For sets of labels: nominal; jaccard 1 - |A and B| / |A or B|; masi, that similarity
    times 1, 2/3, 1/3 or 0 for equal, nested, overlapping and disjoint sets. Ordinal labels are ranked by their position
    in `annotations.labels`.

    Items with fewer than two annotations are left out and counted in `excluded`; annotations may be missing anywhere.
    The value is at most 1; it is 0 where people agree as often as by chance, and may be negative. Undefined (NaN with
    the reason) where no item has two annotations, and where all annotations are equal; for the latter, papers print
    1.00: use `constant=1.0`.

    References
    ----------
    Krippendorff, Content Analysis (2004), chapter 11; for MASI Passonneau (2006), section 4.

    Examples
    --------
    >>> nan = float("nan")
    >>> data = Annotations.from_matrix(
    ...     [
    ...         [1, 2, 3, 3, 2, 1, 4, 1, 2, nan, nan, nan],
    ...         [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, nan, 3],
    ...         [nan, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, nan],
    ...         [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, nan],
    ...     ]
    ... )
    >>> alpha = krippendorff_alpha(data)
    >>> round(alpha.value, 3), alpha.n_items, alpha.excluded
    (0.743, 11, 1)
    >>> round(float(krippendorff_alpha(data, "interval")), 3)
    0.849
    """
    return measured(KrippendorffAlpha(_labels_or_sets(annotations), distance, constant=constant), bootstrap)


def _labels_or_sets(annotations: Annotations | npt.ArrayLike | SetAnnotations) -> Annotations | SetAnnotations:
    return annotations if isinstance(annotations, SetAnnotations) else as_annotations(annotations)


def distance_of(
    annotations: Annotations | SetAnnotations, distance: LabelDistance | SetDistance, table: CountTable
) -> Distance:
    """The distance of that name. ValueError if the name does not fit the annotations, and for labels that are not
    numbers (interval, ratio) or are below 0 (ratio)."""
    choices = SET_DISTANCES if isinstance(annotations, SetAnnotations) else LABEL_DISTANCES
    if not isinstance(distance, str) or distance not in choices:
        kind = "sets of labels" if isinstance(annotations, SetAnnotations) else "single labels"
        msg = f"distance {distance!r} is none of {', '.join(choices)}, which {kind} have"
        raise ValueError(msg)
    if distance == "nominal":
        return NominalDistance(table)
    if isinstance(annotations, SetAnnotations):
        return Sets(table, annotations.members, distance)
    if distance == "ordinal":
        return OrdinalDistance(table)
    scale = numbers(annotations, distance)
    if distance == "ratio" and scale.min(initial=0.0) < 0:
        msg = f"a ratio scale starts at 0; the least label is {scale.min():g}"
        raise ValueError(msg)
    return RatioDistance(table, scale) if distance == "ratio" else IntervalDistance(table, scale)


def numbers(annotations: Annotations, purpose: str) -> Vector:
    """The labels as numbers; strings such as "1.5" are converted."""
    try:
        # A label may be anything; what float() cannot read is refused below.
        return np.array([float(label) for label in annotations.labels])  # type: ignore[arg-type]
    except (TypeError, ValueError):
        msg = f"{purpose} needs labels that are numbers; got {', '.join(map(repr, annotations.labels[:5]))}"
        raise ValueError(msg) from None


class AgreementWithRest(Measure):
    """`agreement_with_rest` as a function of the weights of the person's items.

    Parameters
    ----------
    person : int
        The person's code in `annotations.annotator`.
    """

    def __init__(
        self,
        annotations: Annotations | SetAnnotations,
        person: int,
        distance: LabelDistance | SetDistance = "nominal",
        *,
        constant: float = math.nan,
    ) -> None:
        if annotations.annotator is None:
            msg = "who annotated is not known, so that nobody can be compared with the rest"
            raise ValueError(msg)
        people = len(annotations.annotators)
        if isinstance(person, bool) or not isinstance(person, (int, np.integer)) or not 0 <= person < people:
            msg = f"person is {person!r}; expected the place of one of the {people} annotators, from 0"
            raise ValueError(msg)
        judged, times = np.unique(annotations.item[annotations.annotator == person], return_counts=True)
        if (times > 1).any():
            msg = "the person judged an item more than once; pass one judgement per person and item"
            raise ValueError(msg)
        own = annotations.only(judged[annotations.table.sizes[judged] >= 2])
        self.name = f"agreement_with_rest_{distance}"
        self.constant = constant
        self._all = KrippendorffAlpha(own, distance)
        self.table = self._all.table
        self._apart = self._distances(own, person, distance)

    def _distances(
        self, own: Annotations | SetAnnotations, person: int, distance: LabelDistance | SetDistance
    ) -> Vector:
        """The person's mean distance to the others in each item: the sum over all pairs minus that over pairs of the
        others, halved because each pair is counted in both directions."""
        if not isinstance(self._all.distance, FixedDistance):
            msg = f"{distance} distances depend on all judgements; take interval for a scale"
            raise ValueError(msg)
        others = KrippendorffAlpha(without_person(own, person), distance)
        m = self.table.sizes
        rest = np.zeros(self.table.items)
        assert isinstance(others.distance, FixedDistance)  # noqa: S101 - the same distance as above
        rest[m > 2] = others.distance.each
        return ((m - 1) * self._all.distance.each - (m - 2) * rest) / (2 * (m - 1))

    def undefined_because(self, expected: float) -> str:
        return super().undefined_because(expected) if self.table.items else ALONE

    def disagreements(self, weights: Weights) -> tuple[Vector, Vector]:
        total = weights.sum(axis=0)
        observed = np.divide(self._apart @ weights, total, out=np.zeros_like(total), where=total > 0)
        return observed, self._all.disagreements(weights)[1]


@described_as(krippendorff_alpha)
def agreement_with_rest(
    annotations: Annotations | npt.ArrayLike | SetAnnotations,
    person: int,
    distance: LabelDistance | SetDistance = "nominal",
    *,
    constant: float = math.nan,
    bootstrap: Bootstrap | None = None,
) -> MeasuredAgreement:
    """Krippendorff's alpha of one person with the others: 1 - observed / expected disagreement.

    Parameters
    ----------
    person : int
        The person's code in `annotations.annotator`.

    Raises
    ------
    ValueError
        If people are unknown, if the person judged an item twice, or for the ordinal distance, which depends on all
        judgements.

    Notes
    -----
    Over the items that the person and m_i - 1 >= 1 others judged: observed = mean_i 1/(m_i - 1) sum_j d(x_i, x_ij), the
    person's distance to the others; expected is alpha's, between any two judgements of these items. The mean of
    people's observed disagreements, weighted by their number of items, is alpha's over all items. The range and the
    undefined cases are those of alpha.

    References
    ----------
    Krippendorff, Content Analysis (2004), chapter 11, for the disagreements.

    Examples
    --------
    >>> data = Annotations.from_columns([1, 1, 1, 2, 2, 2], list("abcabc"), list("xxyyyy"))
    >>> [round(agreement_with_rest(data, person).observed, 4) for person in range(3)]
    [0.25, 0.25, 0.5]
    """
    return measured(AgreementWithRest(_labels_or_sets(annotations), person, distance, constant=constant), bootstrap)


def without_person(annotations: Annotations | SetAnnotations, person: int) -> Annotations | SetAnnotations:
    """Everyone else's annotations of the same items.

    >>> data = Annotations.from_columns([1, 1, 2], list("aba"), list("xyy"))
    >>> without_person(data, 0).label.tolist()
    [1]
    """
    if annotations.annotator is None:
        msg = "who annotated is not known"
        raise ValueError(msg)
    others = annotations.annotator != person
    common = {"item": annotations.item[others], "annotator": annotations.annotator[others]}
    if isinstance(annotations, Annotations):
        return replace(annotations, **common, label=annotations.label[others])
    return replace(annotations, **common, chosen=annotations.chosen[others])
