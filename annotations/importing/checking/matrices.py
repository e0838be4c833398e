"""What every matrix must satisfy, whatever file it came from. Readers say where it fails; the writer has the last
word.
"""

import numpy as np
from django.utils.translation import gettext as _

from annotations.ground.arrays import Mask, Matrix
from annotations.importing.memory.tables import LabelSet
from annotations.models import Task
from annotations.shown.plurals import filled

SUM_TOLERANCE = 1e-3


def outside_unit_interval(matrix: Matrix) -> Mask:
    """Where a value is not a number in [0, 1] (NaN is not).

    >>> outside_unit_interval(np.array([[0.0, 1.0, 1.5, np.nan]])).tolist()
    [[False, False, True, True]]
    """
    inside: Mask = (matrix >= 0) & (matrix <= 1)
    return ~inside


def sums_must_be_one(task: Task) -> bool:
    """Whether the rows of this task's distributions sum to 1 (only multilabel ones need not)."""
    return task != Task.MULTILABEL


def rows_not_summing_to_one(matrix: Matrix) -> Mask:
    """Which rows do not sum to 1 within 1e-3 (NaN does not)."""
    close: Mask = np.abs(matrix.sum(axis=1) - 1.0) <= SUM_TOLERANCE
    return ~close


def rows_breaking_exclusiveness(matrix: Matrix, labels: LabelSet) -> Mask:
    """Rows in which the shares for the exclusive label and for another label add up to more than everybody."""
    if labels.exclusive is None or len(labels) < 2:
        return np.zeros(len(matrix), dtype=bool)
    k = labels.positions[labels.exclusive]
    others = np.delete(matrix, k, axis=1).max(axis=1)
    broken: Mask = others + matrix[:, k] > 1 + SUM_TOLERANCE
    return broken


def why_not_a_distribution(matrix: Matrix, labels: LabelSet, absent: Mask | None = None) -> str:
    """Why the matrix cannot be stored, or an empty string; `absent` rows are not checked."""
    known = np.ones(len(matrix), dtype=bool) if absent is None else ~absent
    if (bad := np.argwhere(outside_unit_interval(matrix) & known[:, None])).size:
        i, k = bad[0]
        return filled(
            _("row {row}, label {label} is {value}, not a number in [0, 1]"),
            row=i + 1,
            label=repr(labels.names[k]),
            value=matrix[i, k],
        )
    if sums_must_be_one(labels.task) and (rows := np.flatnonzero(rows_not_summing_to_one(matrix) & known)).size:
        return filled(_("row {row} sums to {sum}, not 1"), row=rows[0] + 1, sum=f"{matrix[rows[0]].sum():.6g}")
    return ""
