"""Rows that sum to nearly 1 are rescaled to 1 before anything is stored, and the report says so.

Files round: three shares of .333 sum to .999. Such a row is accepted (`matrices.SUM_TOLERANCE`), but stored
unchanged it would be an incomplete distribution: its soft accuracy with itself is .999. So it is divided by its sum.
What an earlier version stored unchanged stays so, and the same file still counts as the same content.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from django.utils.translation import gettext as _

from annotations.ground.arrays import Matrix
from annotations.importing.checking.matrices import rows_not_summing_to_one, sums_must_be_one
from annotations.importing.memory.tables import DatasetTable, PredictionTable, SystemTable
from annotations.models import Task
from annotations.shown.plurals import filled

ROUNDING = 1e-6
"""A row that misses 1 by less is left unchanged: numbers with seven digits (float32) add up no better."""


def divided_by_sums(matrix: Matrix) -> tuple[Matrix, str]:
    """The matrix with rows that sum to 1, and a sentence on what was done (empty: nothing).

    Rows that miss 1 by more than rounding are left unchanged; they are refused elsewhere.

    >>> matrix, said = divided_by_sums(np.array([[0.333, 0.333, 0.333], [0.5, 0.25, 0.25]]))
    >>> matrix[0].sum().item(), said
    (1.0, '1 of 2 distributions did not sum to 1 (but to 0.999), and was divided by its sum')
    """
    totals = matrix.sum(axis=1)
    off = (np.abs(totals - 1.0) > ROUNDING) & ~rows_not_summing_to_one(matrix)
    if not off.any():
        return matrix, ""
    even = matrix.copy()
    even[off] /= totals[off, None]
    count = int(off.sum())
    low, high = (f"{total:.6g}" for total in (totals[off].min(), totals[off].max()))
    message = _(
        "{count, plural, one {# of {total, number} distributions did not sum to 1 (but to {low}), and was divided by "
        "its sum} other {# of {total, number} distributions did not sum to 1 (but to {low}), and were divided by their "
        "sums}}"
    )
    if low != high:
        message = _(
            "{count, number} of {total, number} distributions did not sum to 1 (but to between {low} and {high}), and "
            "were divided by their sums"
        )
    return even, filled(message, count=count, total=len(matrix), low=low, high=high)


def dataset_with_sums_of_one(table: DatasetTable) -> DatasetTable:
    """The same dataset with its gold distributions divided by their sums, and a note."""
    if table.gold is None or not sums_must_be_one(table.labels.task):
        return table
    gold, said = divided_by_sums(table.gold)
    return replace(table, gold=gold, notes=(*table.notes, *([f"{said}."] if said else [])))


def predictions_with_sums_of_one(
    table: PredictionTable, task: Task, *, is_stored: Callable[[SystemTable], bool]
) -> PredictionTable:
    """The same predictions divided by their sums, with notes; those already stored unchanged stay so."""
    if not sums_must_be_one(task):
        return table
    systems: list[SystemTable] = []
    notes = list(table.notes)
    for system in table.systems:
        Q, said = divided_by_sums(system.Q)
        if Q is system.Q or is_stored(system):
            systems.append(system)
            continue
        below = None if system.below is None else system.below / system.Q.sum(axis=1)
        systems.append(replace(system, Q=Q, below=below))
        if said:
            notes.append(f"{system.name}: {said}.")
    return replace(table, systems=tuple(systems), notes=tuple(notes))
