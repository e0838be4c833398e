"""What every matrix must satisfy, whatever file it came from: readers say where it fails, the writer has the last word.

Files round: three shares of .333 sum to .999. Such a row is accepted (`SUM_TOLERANCE`), but stored unchanged it would
be an incomplete distribution: its soft accuracy with itself is .999. So it is divided by its sum before anything is
stored, and the report says so. What an earlier version stored unchanged stays so, and the same file still counts as the
same content.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from django.utils.translation import gettext as _

from annotations.ground.arrays import Integers, Mask, Matrix
from annotations.importing.memory.problems import Problems
from annotations.importing.memory.tables import DatasetTable, LabelSet, PredictionTable, SystemTable
from annotations.models import Task
from annotations.shown.plurals import filled, with_commas, written

SUM_TOLERANCE = 1e-3
HUMAN_TOLERANCE = 1e-6
ROUNDING = 1e-6
"""A row that misses 1 by less is left unchanged: numbers with seven digits (float32) add up no better."""
MOST = 100
COMMON = 0.05  # a number of people is assumed if this share of the rows needs it
EXACT = 1e-6  # rounding errors of computed shares: float32 keeps seven digits
DECIMALS = (2, 3, 4, 5)  # how many decimals published shares may be rounded to


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
    present = np.ones(len(matrix), dtype=bool) if absent is None else ~absent
    if (bad := np.argwhere(outside_unit_interval(matrix) & present[:, None])).size:
        i, k = bad[0]
        return filled(
            _("row {row}, label {label} is {value}, not a number in [0, 1]"),
            row=i + 1,
            label=repr(labels.names[k]),
            value=matrix[i, k],
        )
    if sums_must_be_one(labels.task) and (rows := np.flatnonzero(rows_not_summing_to_one(matrix) & present)).size:
        return filled(_("row {row} sums to {sum}, not 1"), row=rows[0] + 1, sum=f"{matrix[rows[0]].sum():.6g}")
    return ""


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
        shown = with_commas([filled(_("instance {instance}"), instance=repr(self.ids[row])), value])
        self.problems.add(self.file, reason, line=row + 1, field=self.field, value=shown, remedy=remedy)


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
    gold, note = divided_by_sums(table.gold)
    return replace(table, gold=gold, notes=(*table.notes, *([f"{note}."] if note else [])))


def predictions_with_sums_of_one(
    table: PredictionTable, task: Task, *, is_stored: Callable[[SystemTable], bool]
) -> PredictionTable:
    """The same predictions divided by their sums, with notes; those already stored unchanged stay so."""
    if not sums_must_be_one(task):
        return table
    systems: list[SystemTable] = []
    notes = list(table.notes)
    for system in table.systems:
        Q, note = divided_by_sums(system.Q)
        if Q is system.Q or is_stored(system):
            systems.append(system)
            continue
        below = None if system.below is None else system.below / system.Q.sum(axis=1)
        systems.append(replace(system, Q=Q, below=below))
        if note:
            notes.append(f"{system.name}: {note}.")
    return replace(table, systems=tuple(systems), notes=tuple(notes))


def parts_of_shares(P: Matrix) -> Integers:
    """A number n of people for every row such that all its values are multiples of 1/n.

    A row needs at least its smallest such n, but 50% may come from two people or from ten. So it gets the largest
    multiple of it that a twentieth of all rows (not counting unanimous ones) needs; if there is none, its own. 100 if
    no n up to 100 fits, as after smoothing. Values rounded to a few decimals count as multiples if they are within
    that rounding, provided that this explains every row.

    Args:
        P: float64, N instances x K labels, values in [0, 1].

    Returns:
        int64, N numbers from 1 to 100.

    >>> parts_of_shares(np.array([[0.2, 0.8], [0.4, 0.6], [0.0, 1.0]])).tolist()
    [5, 5, 5]
    >>> parts_of_shares(np.array([[0.1, 0.9], [0.5, 0.5], [0.8, 0.2]])).tolist()
    [10, 10, 10]
    >>> parts_of_shares(np.array([[0.333, 0.667], [0.25, 0.75]])).tolist()
    [3, 4]
    >>> parts_of_shares(np.array([[0.1214, 0.8786]])).tolist()
    [100]
    """
    least = _least(P, EXACT)
    rounding = _rounding(P)
    if rounding is not None:
        near = _least(P, rounding)
        least = near if (near < MOST).all() else least
    needed, counts = np.unique(least[least > 1], return_counts=True)
    believed = needed[counts >= COMMON * counts.sum()]
    multiples = (believed % least[:, None] == 0) * believed
    parts: Integers = np.maximum(least, multiples.max(axis=1, initial=0))
    return parts


def _least(P: Matrix, tolerance: float) -> Integers:
    """For every row, the smallest n such that all values are multiples of 1/n, within `tolerance`; 100 if there is
    none.
    """
    # With many people every value is near some multiple, so nearness means nothing.
    numbers = [n for n in range(1, MOST) if 2 * n * tolerance <= 0.1]
    least = np.full(len(P), MOST, dtype=np.int64)
    for n in reversed(numbers):
        least[(np.abs(P * n - np.round(P * n)) <= n * tolerance + 1e-9).all(axis=1)] = n
    return least


def _rounding(P: Matrix) -> float | None:
    """Half a unit of the last decimal, if all values have few."""
    for decimals in DECIMALS:
        if (np.abs(P - np.round(P, decimals)) < 1e-9).all():
            return 0.5 * 10.0**-decimals
    return None
