"""What an expert sees of a distribution. Both sides go through here alike, so that neither can stand out.

A value is rounded to a whole number of *parts*, halves upwards: with 5 parts to 0, 1/5, ..., 1. How many parts a
comparison has follows from the study's `DisplayRule` and the instance, never from the side. Where a row sums to
1, its rounded values do so too (largest remainders): otherwise a side of 120% would be no group of people's.

The rounded value is shown as a whole percentage. A label is drawn if that percentage *and* the exact value are above
the `display_threshold`. Were only the exact value compared, a bar of 10% could only come from a value between 0.1
and 0.125, which a share of ten people never is; were only the percentage compared (version 1 of the rule), a
prediction of 0.1 would be drawn as 20% beside five people. Larger values come first; equal ones stand in the order
of the label set as the expert saw it in step 1. A side may have no bar at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import BinaryField, Count, F, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from annotations.arrays import Matrix
from annotations.blinding.display_rule import (
    EXACT,
    NEARLY,
    PERCENT,
    DisplayMode,
    DisplayRule,
    parts_of_step,
    percentages,
    rounded,
    shown,
)
from annotations.fields import RowOf
from annotations.models import Assignment, Instance, Label, SideOrder, Study, Task

__all__ = [
    "EXACT",
    "NEARLY",
    "PERCENT",
    "Bar",
    "DisplayMode",
    "DisplayRule",
    "bars",
    "in_step_1_order",
    "parts_of",
    "parts_of_step",
    "percentages",
    "rounded",
    "shown",
    "sides",
    "with_rows",
]


@dataclass(frozen=True, slots=True)
class Bar:
    """One drawn label."""

    label: str
    value: float


def parts_of(study: Study, instance: Instance) -> int:
    """Into how many parts the values of a comparison on this instance are rounded, on both sides.

    The study's own `display_step` where it has one. Otherwise the shares that people can give: of five people, fifths.
    Where no side is people's, whole percentages.
    """
    return int(DisplayRule.of(study).parts(instance.parts))


def bars(values: Matrix, labels: Sequence[Label], *, rule: DisplayRule, people: int, task: str) -> list[Bar]:
    """The bars of one side, top down. `labels` are the whole label set."""
    drawn = rule.shown(values, people=people, task=task)
    order = {label.position: rank for rank, label in enumerate(in_step_1_order(labels, task=task))}
    visible = sorted((-drawn[label.position], order[label.position], label.shown) for label in labels)
    return [Bar(label=name, value=-float(value)) for value, _, name in visible if value]


def in_step_1_order(labels: Sequence[Label], *, task: str) -> list[Label]:
    """The order in which experts see labels: a scale's own; otherwise the alphabet, with the exclusive label last."""
    if task == Task.ORDINAL:
        return sorted(labels, key=lambda label: label.position)
    return sorted(labels, key=lambda label: (label.exclusive, label.shown.casefold(), label.position))


def with_rows(assignments: QuerySet[Assignment]) -> QuerySet[Assignment]:
    """Annotate both distributions of each assignment's instance, for `sides`: the two rows, not the two matrices.

    `identical` says whether they are known to look the same (`Comparison.identical`).
    """
    labels = Label.objects.filter(dataset=OuterRef("instance__dataset")).order_by().values("dataset")
    first = Coalesce("comparison__first_system__predictions", "study__dataset__gold", output_field=BinaryField())
    second = F("comparison__second_system__predictions")
    return assignments.annotate(columns=Subquery(labels.annotate(count=Count("pk")).values("count"))).annotate(
        first_row=RowOf(first, row=F("instance__position"), columns=F("columns")),
        second_row=RowOf(second, row=F("instance__position"), columns=F("columns")),
        identical=F("comparison__identical"),
    )


def sides(assignment: Any) -> tuple[Matrix, Matrix]:
    """The two distributions of an assignment of `with_rows` as A and B, unrounded. Either order is the same work."""
    first, second = assignment.first_row, assignment.second_row
    return (first, second) if assignment.side_order == SideOrder.FIRST_IS_A else (second, first)
