"""What an expert sees of a distribution. Both sides are treated alike here, so that neither can stand out.

A value is rounded to a whole number of *parts*, halves upwards: with 5 parts to 0, 1/5, ..., 1. The number of parts
of a comparison depends on the study's `DisplayRule` and the instance, never on the side. If a row sums to 1, so do
its rounded values (largest remainders): a side that sums to 120% could not come from a group of people.

The rounded value is shown as a whole percentage. A label is drawn if that percentage *and* the exact value are above
the `display_threshold`. If only the exact value were compared, a bar of 10% could only come from a value between 0.1
and 0.125, which a share of ten people never is; if only the percentage were compared (version 1 of the rule), a
prediction of 0.1 would be drawn as 20% beside five people. Larger values come first; equal ones are in the order
of the label set that the expert saw in step 1. A side may have no bar at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import BinaryField, Count, F, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from annotations.ground.arrays import Matrix
from annotations.ground.display_rule import DisplayRule
from annotations.models import Assignment, Instance, Label, SideOrder, Study, Task
from annotations.storing.fields import RowField, RowOf


@dataclass(frozen=True, slots=True)
class Bar:
    """One drawn label."""

    label: str
    value: float


def parts_of(study: Study, instance: Instance) -> int:
    """The number of parts to which the values of a comparison on this instance are rounded, on both sides.

    It follows from the study's `display_step`, if set. Otherwise from the shares that people can give: fifths, for five
    people. If neither side is human, values are rounded to whole percentages.
    """
    return int(DisplayRule.of(study).parts(instance.parts))


def bars(values: Matrix, labels: Sequence[Label], *, rule: DisplayRule, people: int, task: str) -> list[Bar]:
    """The bars of one side, from the top. `labels` is the whole label set."""
    drawn = rule.shown(values, people=people, task=task)
    order = {label.position: rank for rank, label in enumerate(in_step_1_order(labels, task=task))}
    visible = sorted((-drawn[label.position], order[label.position], label.shown) for label in labels)
    return [Bar(label=name, value=-float(value)) for value, _, name in visible if value]


def in_step_1_order(labels: Sequence[Label], *, task: str) -> list[Label]:
    """The order in which experts see labels: the scale's order, or else alphabetical with the exclusive label last."""
    if task == Task.ORDINAL:
        return sorted(labels, key=lambda label: label.position)
    return sorted(labels, key=lambda label: (label.exclusive, label.shown.casefold(), label.position))


def with_rows(assignments: QuerySet[Assignment]) -> QuerySet[Assignment]:
    """Annotate each assignment with its instance's two distributions, for `sides`: two rows, not two whole matrices.

    Also annotated is whether they are known to look the same (`Comparison.identical`).
    """
    labels = Label.objects.filter(dataset=OuterRef("instance__dataset")).order_by().values("dataset")
    first = Coalesce("comparison__first_system__predictions", "study__dataset__gold", output_field=BinaryField())
    second = F("comparison__second_system__predictions")
    return assignments.annotate(columns=Subquery(labels.annotate(count=Count("pk")).values("count"))).annotate(
        first_row=_row("comparison__first_row", first),
        second_row=_row("comparison__second_row", second),
        identical=F("comparison__identical"),
    )


def _row(copied: str, matrix: Any) -> Coalesce:
    """A comparison's own copy of a row; the matrix is not touched where there is one."""
    row = RowOf(matrix, row=F("instance__position"), columns=F("columns"))
    return Coalesce(F(copied), row, output_field=RowField())


def sides(assignment: Any) -> tuple[Matrix, Matrix]:
    """The two distributions of an assignment from `with_rows` as A and B, unrounded. Both orders take the same work."""
    first, second = assignment.first_row, assignment.second_row
    return (first, second) if assignment.side_order == SideOrder.FIRST_IS_A else (second, first)
