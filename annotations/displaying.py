"""What an expert sees of a distribution. Both sides go through here alike, so that neither can stand out.

A value is rounded to a whole number of *parts*, halves upwards: with 5 parts to 0, 1/5, ..., 1. How many parts a
comparison has follows from the study and the instance, never from the side (`parts_of`). Where a row sums to
1, its rounded values do so too (largest remainders): otherwise a side of 120 % would be no group of people's.

The rounded value is shown as a whole percentage, and a label is drawn if *that* is above the `display_threshold`:
were the exact value compared, a bar of 10 % could only come from a value between 0.1 and 0.125, which a
share of ten people never is. So what is shown is a function of the rounded values alone, whoever's they are.
Larger values come first; equal ones stand in the order of the label set as the expert saw it in step 1. A side may
have no bar at all.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db.models import BinaryField, Count, F, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from annotations.arrays import Counts, Matrix
from annotations.fields import RowOf
from annotations.models import Assignment, Compares, Instance, Label, SideOrder, Study, Task

PERCENT = 100  # parts where nothing asks for coarser ones: every share is shown as a whole percentage
NEARLY = 1e-9  # what binary arithmetic may lack of a half: 0.15 / 0.1 is 1.4999999999999998


@dataclass(frozen=True, slots=True)
class Bar:
    """One drawn label."""

    label: str
    value: float


def parts_of_step(step: float) -> int:
    """How many steps make 1.

    >>> parts_of_step(0.05), parts_of_step(0.333)
    (20, 3)
    """
    return round(1 / step)


def parts_of(study: Study, instance: Instance) -> int:
    """Into how many parts the values of a comparison on this instance are rounded, on both sides.

    The study's own `display_step` where it has one. Otherwise the shares that people can give: of five people, fifths.
    Where no side is people's, whole percentages.
    """
    if study.display_step is not None:
        return parts_of_step(study.display_step)
    return instance.parts if study.compares == Compares.HUMAN_VS_SYSTEM else PERCENT


def rounded(values: Matrix, *, parts: int, task: str) -> Counts:
    """Every value as a number of parts: the nearest one, halves upwards, from 0 to `parts`.

    Rows of a task whose rows sum to 1 get exactly `parts`: every value is rounded down, and what is left
    goes to the largest remainders, among equal ones to the first label.

    Args:
        values: labels, or rows x labels; in [0, 1].

    >>> rounded(np.array([0.0, 0.124, 0.125, 0.2, 0.98]), parts=20, task="multilabel").tolist()
    [0, 2, 3, 4, 20]
    >>> rounded(np.array([0.5, 0.5]), parts=5, task="multiclass").tolist()
    [3, 2]
    """
    exact = values * parts
    if task == Task.MULTILABEL:
        nearest: Counts = np.clip(np.floor(exact + 0.5 + NEARLY), 0, parts).astype(np.int64)
        return nearest
    whole = np.floor(exact + NEARLY)
    left = parts - whole.sum(axis=-1, keepdims=True)
    # The remainders as a computer's last digits cannot change them; argsort is stable, so equal ones keep their order.
    remainders = np.round(exact - whole, 9)
    rank = np.argsort(np.argsort(-remainders, axis=-1, kind="stable"), axis=-1, kind="stable")
    given: Counts = np.clip(whole + (rank < left), 0, parts).astype(np.int64)
    return given


def percentages(values: Matrix, *, parts: int, threshold: float, task: str) -> Counts:
    """The values as drawn, in per cent and in the label set's order; 0 where no bar is drawn.

    >>> percentages(np.array([0.4, 0.11, 0.13]), parts=20, threshold=0.1, task="multilabel").tolist()
    [40, 0, 15]
    """
    count = rounded(values, parts=parts, task=task)
    percent = (2 * PERCENT * count + parts) // (2 * parts)
    drawn: Counts = np.where(percent > threshold * PERCENT + NEARLY, percent, 0)
    return drawn


def shown(values: Matrix, *, parts: int, threshold: float, task: str) -> Matrix:
    """`percentages` as shares."""
    result: Matrix = percentages(values, parts=parts, threshold=threshold, task=task) / PERCENT
    return result


def bars(values: Matrix, labels: Sequence[Label], *, parts: int, threshold: float, task: str) -> list[Bar]:
    """The bars of one side, top down. `labels` are the whole label set."""
    drawn = shown(values, parts=parts, threshold=threshold, task=task)
    order = {label.position: rank for rank, label in enumerate(in_step_1_order(labels, task=task))}
    visible = sorted((-drawn[label.position], order[label.position], label.name) for label in labels)
    return [Bar(label=name, value=-float(value)) for value, _, name in visible if value]


def in_step_1_order(labels: Sequence[Label], *, task: str) -> list[Label]:
    """The order in which experts see labels: a scale's own; otherwise the alphabet, with the exclusive label last."""
    if task == Task.ORDINAL:
        return sorted(labels, key=lambda label: label.position)
    return sorted(labels, key=lambda label: (label.exclusive, label.name.casefold(), label.position))


def with_rows(assignments: QuerySet[Assignment]) -> QuerySet[Assignment]:
    """Annotate both distributions of each assignment's instance, for `sides`: the two rows, not the two matrices."""
    labels = Label.objects.filter(dataset=OuterRef("instance__dataset")).order_by().values("dataset")
    first = Coalesce("comparison__first_system__predictions", "study__dataset__gold", output_field=BinaryField())
    second = F("comparison__second_system__predictions")
    return assignments.annotate(columns=Subquery(labels.annotate(count=Count("pk")).values("count"))).annotate(
        first_row=RowOf(first, row=F("instance__position"), columns=F("columns")),
        second_row=RowOf(second, row=F("instance__position"), columns=F("columns")),
    )


def sides(assignment: Any) -> tuple[Matrix, Matrix]:
    """The two distributions of an assignment of `with_rows` as A and B, unrounded. Either order is the same work."""
    first, second = assignment.first_row, assignment.second_row
    return (first, second) if assignment.side_order == SideOrder.FIRST_IS_A else (second, first)
