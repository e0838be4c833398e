"""Say where a whole matrix is wrong. "Lines" are its rows, from 1."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from django.utils.translation import gettext as _

from annotations.ground.arrays import Mask, Matrix
from annotations.importing.checking.matrices import (
    outside_unit_interval,
    rows_breaking_exclusiveness,
    rows_not_summing_to_one,
    sums_must_be_one,
)
from annotations.importing.memory.problems import Problems
from annotations.importing.memory.tables import LabelSet
from annotations.models import Task
from annotations.shown.plurals import filled, with_commas, written

HUMAN_TOLERANCE = 1e-6


@dataclass(frozen=True, slots=True)
class MatrixChecks:
    """The checks on one array: its file, its name in an archive, and what its rows and columns are."""

    problems: Problems
    file: str
    field: str
    ids: Sequence[str]
    labels: Sequence[str]

    def note_values(self, matrix: Matrix, known: Mask | None = None) -> None:
        """Note every value outside [0, 1] in the known rows (default: all)."""
        outside = outside_unit_interval(matrix)
        bad = np.argwhere(outside if known is None else outside & known[:, None])
        shown = bad[: self.problems.room]
        for i, k in shown.tolist():
            finite = np.isfinite(matrix[i, k])
            self._add(
                i,
                _("the value is not in [0, 1]") if finite else _("the value is not a finite number"),
                value=filled(_("label {label}: {value}"), label=repr(self.labels[k]), value=matrix[i, k]),
                remedy=_("Enter a number from 0 to 1."),
            )
        self.problems.count_more(len(bad) - len(shown))

    def note_sums(self, matrix: Matrix, task: Task, known: Mask | None = None) -> None:
        """Note every known row (default: all) that should sum to 1 but does not."""
        if not sums_must_be_one(task):
            return
        wrong = rows_not_summing_to_one(matrix)
        for i in np.flatnonzero(wrong if known is None else wrong & known).tolist():
            self._add(
                i,
                _("the row does not sum to 1 ({task})").format(task=task),
                value=f"{matrix[i].sum():.6g}",
                remedy=_("Make it sum to 1, or set the dataset's task to multilabel."),
            )

    def note_exclusiveness(self, gold: Matrix, labels: LabelSet) -> None:
        """Note rows of human shares that are impossible because one label excludes all others."""
        for i in np.flatnonzero(rows_breaking_exclusiveness(gold, labels)).tolist():
            self._add(
                i,
                _("the exclusive label and the other labels have more people than there are"),
                value=labels.exclusive or "",
                remedy=_("The shares of the exclusive label and any other label must not sum to more than 1."),
            )

    def note_other_people(self, human: Matrix, gold: Matrix) -> None:
        """Note if the human half is not the dataset's own: then rows or columns are in a different order."""
        away = ~(np.abs(human - gold) <= HUMAN_TOLERANCE)
        if away.any():
            rows = np.flatnonzero(away.any(axis=1))
            self._add(
                int(rows[0]),
                filled(_("the human half differs from the dataset's in {rows} rows"), rows=written(len(rows))),
                value="",
                remedy=_("Provide a table of the instances and a label list in the order of the matrix."),
            )

    def _add(self, row: int, reason: str, *, value: str, remedy: str) -> None:
        found = with_commas([filled(_("instance {instance}"), instance=repr(self.ids[row])), value])
        self.problems.add(self.file, reason, line=row + 1, field=self.field, value=found, remedy=remedy)
