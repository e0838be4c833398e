"""Krippendorff's alpha from coincidences: for single labels on any scale, and for sets of labels."""

from __future__ import annotations

import math
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from annotations.ground.arrays import Vector

from .annotations import Annotations, SetAnnotations, as_annotations
from .bootstrap import Bootstrap, checked_bootstrap, measured
from .distances import Distance, IntervalDistance, NominalDistance, OrdinalDistance, RatioDistance
from .measure import Measure, MeasuredAgreement
from .sets import Sets
from .table import CountTable, Weights

LabelDistance = Literal["nominal", "ordinal", "interval", "ratio"]
SetDistance = Literal["nominal", "jaccard", "masi"]
LABEL_DISTANCES: tuple[LabelDistance, ...] = get_args(LabelDistance)
SET_DISTANCES: tuple[SetDistance, ...] = get_args(SetDistance)


class KrippendorffAlpha(Measure):
    """`krippendorff_alpha` as a function of the items' weights, for `BootstrapPlan`.

    Parameters
    ----------
    annotations : Annotations or SetAnnotations
        The labels, or sets of labels.
    distance : {'nominal', 'ordinal', 'interval', 'ratio', 'jaccard', 'masi'}, default 'nominal'
        The distance between two labels, or between two sets of labels.
    constant : float, default NaN
        The value where only one label occurs.
    """

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
    distance : {'nominal', 'ordinal', 'interval', 'ratio', 'jaccard', 'masi'}, default 'nominal'
        The distance between two labels, or between two sets of labels.
    constant : float, default NaN
        The value where only one label occurs, so that no disagreement is expected by chance. Papers print 1.0.
    bootstrap : Bootstrap, optional
        How to compute an interval. The default is none.

    Returns
    -------
    MeasuredAgreement
        The measure, or NaN with a reason.

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
    checked_bootstrap(bootstrap)
    if not isinstance(annotations, SetAnnotations):
        annotations = as_annotations(annotations)
    return measured(KrippendorffAlpha(annotations, distance, constant=constant), bootstrap)


def distance_of(
    annotations: Annotations | SetAnnotations, distance: LabelDistance | SetDistance, table: CountTable
) -> Distance:
    """The distance of that name. ValueError if the name does not fit the annotations, and for labels that are not
    numbers (interval, ratio) or are below 0 (ratio)."""
    known = SET_DISTANCES if isinstance(annotations, SetAnnotations) else LABEL_DISTANCES
    if not isinstance(distance, str) or distance not in known:
        kind = "sets of labels" if isinstance(annotations, SetAnnotations) else "single labels"
        msg = f"distance {distance!r} is none of {', '.join(known)}, which {kind} have"
        raise ValueError(msg)
    if distance == "nominal":
        return NominalDistance(table)
    if isinstance(annotations, SetAnnotations):
        return Sets(table, annotations.members, "masi" if distance == "masi" else "jaccard")
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
