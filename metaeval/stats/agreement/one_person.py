"""How much one person agrees with everyone else who judged the same items."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from annotations.ground.arrays import Vector

from .alpha import KrippendorffAlpha, LabelDistance, SetDistance
from .annotations import Annotations, SetAnnotations, as_annotations
from .bootstrap import Bootstrap, checked_bootstrap, measured
from .distances import FixedDistance
from .measure import Measure, MeasuredAgreement
from .table import Weights

ALONE = "nobody else judged an item that this person judged"


class AgreementWithRest(Measure):
    """`agreement_with_rest` as a function of the weights of the person's items.

    Parameters
    ----------
    annotations : Annotations or SetAnnotations
        The labels, or sets of labels.
    person : int
        The person's code in `annotations.annotator`.
    distance : {'nominal', 'ordinal', 'interval', 'ratio', 'jaccard', 'masi'}, default 'nominal'
        The distance between two labels, or between two sets of labels.
    constant : float, default NaN
        The value where only one label occurs.
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
        apart: Vector = ((m - 1) * self._all.distance.each - (m - 2) * rest) / (2 * (m - 1))
        return apart

    def undefined_because(self, expected: float) -> str:
        return super().undefined_because(expected) if self.table.items else ALONE

    def disagreements(self, weights: Weights) -> tuple[Vector, Vector]:
        total = weights.sum(axis=0)
        observed = np.divide(self._apart @ weights, total, out=np.zeros_like(total), where=total > 0)
        return observed, self._all.disagreements(weights)[1]


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
    annotations : Annotations, SetAnnotations, or array_like of shape (raters, units)
        The labels, or sets of labels; in a matrix, NaN or None where a rater gave no label.
    person : int
        The person's code in `annotations.annotator`.
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
    checked_bootstrap(bootstrap)
    if not isinstance(annotations, SetAnnotations):
        annotations = as_annotations(annotations)
    return measured(AgreementWithRest(annotations, person, distance, constant=constant), bootstrap)


def without_person(annotations: Annotations | SetAnnotations, person: int) -> Annotations | SetAnnotations:
    """Everyone else's annotations of the same items.

    >>> data = Annotations.from_columns([1, 1, 2], list("aba"), list("xyy"))
    >>> without_person(data, 0).label.tolist()
    [1]
    """
    if annotations.annotator is None:
        msg = "who annotated is not known"
        raise ValueError(msg)
    kept = annotations.annotator != person
    common = {"item": annotations.item[kept], "annotator": annotations.annotator[kept]}
    if isinstance(annotations, Annotations):
        return replace(annotations, **common, label=annotations.label[kept])
    return replace(annotations, **common, chosen=annotations.chosen[kept])
