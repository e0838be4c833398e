"""Individual annotations as rows that can be predicted, and what the baselines predict for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from annotations.ground.arrays import Integers, Mask, Matrix, Vector, absent_rows
from metaeval import metrics
from metaeval.analyses.inputs import DatasetInputs
from metaeval.metrics.perspectivist import FrequentSets
from metaeval.stats.agreement import SetAnnotations

UNKNOWN = ""

Answer = int | float | list[int]
"""A label's position, a point of the scale, or a 0 or 1 for every label."""


@dataclass(frozen=True, eq=False)
class AnnotationRows:
    """The annotations of a dataset in order, one row each.

    `item`: positions of instances, ascending. `rows`: label positions (n,), or for sets of labels 0 and 1 (n, labels).
    `people`: the annotators' codes, empty if unknown. `scale`: the points of the labels; if an ordinal task has none,
    0, 1, 2, ...
    """

    item: Integers
    rows: Integers
    people: tuple[str, ...]
    items: int
    labels: int
    scale: Vector
    is_ordinal: bool

    @property
    def are_sets(self) -> bool:
        return self.rows.ndim == 2

    @property
    def people_known(self) -> bool:
        return UNKNOWN not in self.people

    @property
    def sizes(self) -> Integers:
        """How many annotations each item has: (items,)."""
        return np.bincount(self.item, minlength=self.items)

    def of_indicators(self, matrix: Matrix) -> Integers:
        """Predicted rows from a 0 or 1 for every label, as they are stored. What stands in the rows of annotations
        that are not predicted has no meaning.
        """
        told = np.nan_to_num(matrix)
        return told.astype(np.int64) if self.are_sets else told.argmax(axis=1)

    def lacked_by(self, matrix: Matrix) -> Mask:
        """Which items have an annotation that this matrix, as stored, does not predict: (items,)."""
        lacked = np.zeros(self.items, dtype=np.bool_)
        lacked[self.item[absent_rows(matrix)]] = True
        return lacked

    def lists(self, rows: Integers | None = None) -> list[list[Answer]]:
        """The answers of each item in these rows (default: people's own): points of a scale, else labels."""
        found = self.rows if rows is None else rows
        values = self.scale[found] if self.is_ordinal else found
        return [part.tolist() for part in np.split(values, np.cumsum(self.sizes)[:-1])]


def answers_of(data: DatasetInputs) -> AnnotationRows | str:
    """The dataset's annotations one by one, or why they cannot be predicted."""
    found = data.annotations
    if found is None or not len(found.item):
        return "it holds no single annotations"
    if not isinstance(found, SetAnnotations) and found.missing:
        return f"{found.missing} of its annotations hold no label"
    people = (
        (UNKNOWN,) * len(found.item)
        if found.annotator is None
        else tuple(map(str, np.asarray(found.annotators)[found.annotator]))
    )
    rows = found.members[found.chosen].astype(np.int64) if isinstance(found, SetAnnotations) else found.label
    points = np.arange(len(data.labels)) if data.values is None else np.array(data.values)
    return AnnotationRows(
        item=found.item,
        rows=rows,
        people=people,
        items=len(found.items),
        labels=len(data.labels),
        scale=points.astype(np.float64),
        is_ordinal=data.task == "ordinal",
    )


def most_frequent_answers(
    truth: AnnotationRows, training: Sequence[tuple[AnnotationRows, Sequence[int]]], *, sets: FrequentSets
) -> Integers:
    """Each annotator's most frequent answer in the training data; for unknown annotators, the most frequent of all.

    Every training dataset comes with the positions of the truth's labels among its own. Of equally frequent labels, the
    first in the label set's order counts; for sets, see `metrics.most_frequent_labels`.
    """
    seen = []
    for answers, order in training:
        if answers.are_sets:
            known = list(map(tuple, answers.rows[:, list(order)].tolist()))
        else:
            place = np.argsort(np.asarray(order))  # a training label's position in the truth's order
            known = place[answers.rows].tolist()
        seen += [{person: answer} for person, answer in zip(answers.people, known, strict=True)]
    # One row per annotation: an annotator who is listed twice in an item has two rows, and both are predicted.
    predicted = metrics.predict_most_frequent(seen, [[person] for person in truth.people], sets=sets)
    return np.array([next(iter(row.values())) for row in predicted], dtype=np.int64)


def random_answers(truth: AnnotationRows, seed: np.random.SeedSequence) -> Integers:
    """Any label for every annotation; for sets of labels, 0 or 1 for each label."""
    if truth.are_sets:
        rows = metrics.predict_random([0, 1], [list(map(str, range(truth.labels)))] * len(truth.item), seed)
    else:
        rows = metrics.predict_random(range(truth.labels), [["x"]] * len(truth.item), seed)
    found = np.array([list(row.values()) for row in rows], dtype=np.int64)
    return found if truth.are_sets else found[:, 0]
