"""What an expert sees of a distribution. Both sides go through here alike, so that neither can stand out.

A value is rounded to the nearest multiple of the study's `display_step`, halves upwards, in decimal arithmetic:
0.125 at a step of 0.05 becomes exactly 0.15, never 0.15000000000000002. Only labels *above* the
`display_threshold` are drawn, and it is the *rounded* value that must be above it: were the exact one
compared, a bar of 10 % could only come from a value between 0.1 and 0.125, which a share of ten people never is.
So what is shown is a function of the rounded values alone, whoever's they are. Larger values come first; equal ones
stand in the order of the label set as the expert saw it in step 1. A side may have no bar at all.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_FLOOR, ROUND_HALF_UP, Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotations.models import Assignment, Label, SideOrder, Task
from annotations.models.datasets import matrix_or_error

ONE = Decimal(1)
SOURCES = ("instance", "study__dataset", "comparison__first_system", "comparison__second_system")


@dataclass(frozen=True, slots=True)
class Bar:
    """One drawn label."""

    label: str
    value: float


def rounded(values: NDArray[np.float64], *, step: float) -> list[Decimal]:
    """Every value as the nearest exact multiple of `step`, halves upwards, and never above 1.

    >>> rounded(np.array([0.0, 0.124, 0.125, 0.2, 0.98]), step=0.05)
    [Decimal('0.00'), Decimal('0.10'), Decimal('0.15'), Decimal('0.20'), Decimal('1.00')]
    """
    unit = Decimal(repr(step))
    most = (ONE / unit).to_integral_value(ROUND_FLOOR)
    steps = ((Decimal(repr(float(value))) / unit).to_integral_value(ROUND_HALF_UP) for value in values)
    return [(min(count, most) * unit).quantize(unit) for count in steps]


def shown(values: NDArray[np.float64], *, threshold: float, step: float) -> NDArray[np.float64]:
    """The values as drawn, in the label set's order; 0 where no bar is drawn.

    >>> shown(np.array([0.4, 0.11, 0.13]), threshold=0.1, step=0.05).tolist()
    [0.4, 0.0, 0.15]
    """
    least = Decimal(repr(threshold))
    return np.array([float(value) if value > least else 0.0 for value in rounded(values, step=step)])


def bars(
    values: NDArray[np.float64], labels: Sequence[Label], *, threshold: float, step: float, task: str
) -> list[Bar]:
    """The bars of one side, top down. `labels` are the whole label set."""
    drawn = shown(values, threshold=threshold, step=step)
    order = {label.position: rank for rank, label in enumerate(in_step_1_order(labels, task=task))}
    visible = sorted((-drawn[label.position], order[label.position], label.name) for label in labels)
    return [Bar(label=name, value=-float(value)) for value, _, name in visible if value]


def in_step_1_order(labels: Sequence[Label], *, task: str) -> list[Label]:
    """The order in which experts see labels: a scale's own; otherwise the alphabet, with the exclusive label last."""
    if task == Task.ORDINAL:
        return sorted(labels, key=lambda label: label.position)
    return sorted(labels, key=lambda label: (label.exclusive, label.name.casefold(), label.position))


def sides(assignment: Assignment) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The two distributions of an assignment as A and B, unrounded. The same work is done in either order.

    Load it with `select_related(*SOURCES)`, so that both matrices come in one query.
    """
    comparison, position = assignment.comparison, assignment.instance.position
    first_source: Any = (
        comparison.first_system.predictions if comparison.first_system else assignment.study.dataset.gold
    )
    first = matrix_or_error(first_source)[position]
    second = matrix_or_error(comparison.second_system.predictions)[position]
    return (first, second) if assignment.side_order == SideOrder.FIRST_IS_A else (second, first)
