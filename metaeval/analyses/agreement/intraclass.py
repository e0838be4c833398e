"""Intraclass correlations of labels that are numbers on a scale, in the forms that the ratings allow."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from annotations.ground.arrays import Codes, Matrix, Vector
from metaeval.analyses.agreement.measures import distances_of
from metaeval.analyses.agreement.result import IntraclassOfRatings
from metaeval.analyses.inputs.judged_items import JudgedItems
from metaeval.stats.agreement import (
    INTRACLASS_FORMS,
    Annotations,
    IntraclassCorrelation,
    IntraclassForm,
    SetAnnotations,
    intraclass_correlation,
)

NO_TWO_RATINGS = "no item has two ratings"
ONE_ITEM = "there is one item only"

ONE_WAY: tuple[IntraclassForm, ...] = ("1,1", "1,k")
"""The forms in which every item may have its own judges."""


@dataclass(frozen=True, eq=False)
class _Ratings:
    """Ratings (items, judges) without gaps, and the forms that suit them; a reason if there are none."""

    matrix: Matrix
    forms: tuple[IntraclassForm, ...]
    excluded: int = 0
    note: str = ""
    reason: str = ""


def intraclass_of(found: JudgedItems, *, level: float) -> list[IntraclassOfRatings]:
    """One row per form; none if the labels are not numbers on a scale.

    All six forms for the items that every annotator rated, if there are at least two. Else the one-way forms, which
    ignore who gave a rating, if all items have equally many ratings. If a person rated an item twice, they count once
    if both ratings are the same, and not at all if they differ.
    """
    data = found.annotations
    if isinstance(data, SetAnnotations) or "interval" not in distances_of(found):
        return []
    ratings = _ratings(data, found.people)
    return [_row(_correlation(ratings, form, level), ratings) for form in ratings.forms]


def _ratings(data: Annotations, people: str) -> _Ratings:
    item, value, judges = _single(data)
    counts = np.bincount(item, minlength=len(data.items))
    items, least, most = len(counts), int(counts.min()), int(counts.max())
    of_all = counts == judges
    if judges > 1 and of_all.sum() > 1:
        matrix = value[of_all[item]].reshape(-1, judges)
        return _Ratings(matrix, INTRACLASS_FORMS, excluded=items - len(matrix))
    if items > 1 and least == most > 1:
        whose = f"but not of the same {people}" if judges else "and whose they are is not known"
        note = f"every item has {most} ratings, {whose}: only the one-way forms hold"
        return _Ratings(value.reshape(items, most), ONE_WAY, note=note)
    lacking = int((~of_all).sum()) if judges else 0
    return _Ratings(np.empty((0, judges)), INTRACLASS_FORMS, lacking, reason=_why_none(counts, judges, people))


def _single(data: Annotations) -> tuple[Codes, Vector, int]:
    """Item and value of every rating, ordered by item and then by person, and how many people there are (0: unknown). A
    person has one rating per item, or none if theirs differ."""
    points = np.array(data.labels, dtype=np.float64)
    if data.annotator is None:
        order = np.argsort(data.item, kind="stable")
        return data.item[order], points[data.label[order]], 0
    known, person = np.unique(data.annotator, return_inverse=True)  # all items of the others may have been left out
    cell = data.item * len(known) + person
    order = np.lexsort((data.label, cell))
    cells, first = np.unique(cell[order], return_index=True)
    lowest = data.label[order][first]
    highest = data.label[order][np.append(first[1:], len(cell)) - 1]
    sound = lowest == highest
    return cells[sound] // len(known), points[lowest[sound]], len(known)


def _why_none(counts: Codes, judges: int, people: str) -> str:
    if len(counts) < 2:
        return ONE_ITEM
    if counts.max() < 2:
        return NO_TWO_RATINGS
    whose = f"fewer than two items were rated by all {judges} {people}" if judges else f"the {people} are not known"
    return f"{whose}, and items have between {counts.min()} and {counts.max()} ratings"


def _correlation(ratings: _Ratings, form: IntraclassForm, level: float) -> IntraclassCorrelation:
    if not ratings.reason:
        return intraclass_correlation(ratings.matrix, form, confidence_level=level)
    n, k = ratings.matrix.shape
    nan = math.nan
    return IntraclassCorrelation(form, nan, nan, nan, level, nan, (0, 0), nan, n, k, reason=ratings.reason)


def _row(found: IntraclassCorrelation, ratings: _Ratings) -> IntraclassOfRatings:
    return IntraclassOfRatings(
        form=found.form,
        value=found.value,
        low=found.low,
        high=found.high,
        f=found.f,
        degrees_targets=found.degrees[0],
        degrees_rest=found.degrees[1],
        p_value=found.pvalue,
        n_targets=found.n_targets,
        n_judges=found.n_judges,
        excluded=ratings.excluded,
        reason=found.reason,
        notes=[*([ratings.note] if ratings.note else []), *_infinities(found)],
    )


def _infinities(found: IntraclassCorrelation) -> Sequence[str]:
    """Values that a result's JSON cannot hold, in words."""
    said = {"F is infinite": found.f, "the lower limit is minus infinity": found.low}
    return [words for words, value in said.items() if math.isinf(value)]
