"""Fill matrices from rows: each row is one cell (long) or one line of cells (wide), and no cell comes twice."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotations.ground.arrays import IntColumn, Integers, Mask, Matrix, ShortColumn
from annotations.importing.checking.matrices import (
    outside_unit_interval,
    rows_breaking_exclusiveness,
    rows_not_summing_to_one,
    sums_must_be_one,
)
from annotations.importing.checking.sizes import refuse_large_matrices
from annotations.importing.memory.options import or_leave_out
from annotations.importing.memory.problems import Problems, listed
from annotations.importing.memory.tables import LabelSet
from annotations.importing.reading.tabular.columns import INSTANCE, LABEL, PROBABILITY
from annotations.importing.reading.tabular.sheets import Sheet
from annotations.models import Task
from annotations.shown.plurals import filled

Column = IntColumn | ShortColumn
REMEDY_RANGE = gettext_noop("Enter a number from 0 to 1.")
REMEDY_SUM = gettext_noop("Make the values of the instance sum to 1, or set the task to multilabel.")


@dataclass(eq=False)
class Grid:
    """S matrices of instances x labels, which cells are filled, and where each row of the sheets went."""

    problems: Problems
    instances: Sequence[str]
    labels: Sequence[str]
    systems: Sequence[str]
    what: str  # what a matrix is called: "the dataset" or "the system"
    files: str = ""  # where the rows come from
    placed: list[tuple[Sheet, Column, IntColumn]] = field(default_factory=list)

    def __post_init__(self) -> None:
        shape = (len(self.systems), len(self.instances), len(self.labels))
        named = self.files or _("all files")
        refuse_large_matrices(self.problems, named, systems=shape[0], instances=shape[1], labels=shape[2])
        self.values: Matrix = np.zeros(shape)
        self.filled = np.zeros(shape, dtype=bool)

    def put_long(self, sheet: Sheet, system: Column, instance: IntColumn, label: Column) -> None:
        """Put in one number per row. Rows without a place (-1) were noted by the caller and are left out.

        A block of rows at a time: numbers of cells are twice as long as the rows' codes.
        """
        self.placed.append((sheet, system, instance))
        values, filled = self.values.reshape(-1), self.filled.reshape(-1)
        outside: list[tuple[Integers, Matrix]] = []
        twice: list[Integers] = []
        for start, numbers in sheet.take_number_blocks(PROBABILITY):
            s, i, k = (column[start : start + len(numbers)] for column in (system, instance, label))
            bad = np.flatnonzero(outside_unit_interval(numbers))
            if len(bad):
                outside.append((bad + start, numbers[bad]))
            cells = (s.astype(np.int64) * len(self.instances) + i) * len(self.labels) + k
            rows: Integers | slice = slice(None)
            if min(s.min(), i.min(), k.min()) < 0:
                rows = np.flatnonzero((s >= 0) & (i >= 0) & (k >= 0))
                cells = cells[rows]
            before = np.count_nonzero(filled)
            already = filled[cells]
            filled[cells] = True
            if np.count_nonzero(filled) - before != len(cells):
                twice.append(np.arange(start, start + len(numbers))[rows][already | _repeats(cells)])
            values[cells] = numbers[rows]
        if outside:
            rows_outside, values_outside = (np.concatenate(parts) for parts in zip(*outside, strict=True))
            self._note_outside(sheet, rows_outside, values_outside, PROBABILITY)
        if twice:
            sheet.report(
                np.concatenate(twice),
                _("{what} contains this instance and label twice").format(what=self.what),
                field=f"{INSTANCE}, {LABEL}",
                value=lambda row: f"{self.instances[instance[row]]} / {self.labels[label[row]]}",
                remedy=_("Keep only one of the rows."),
            )

    def put_wide(self, sheet: Sheet, system: Column, instance: IntColumn, columns: Sequence[str]) -> None:
        """Put in one row of labels per row; `columns` are the label columns in the labels' order."""
        self.placed.append((sheet, system, instance))
        rows = np.flatnonzero((system >= 0) & (instance >= 0))
        places = system[rows].astype(np.int64) * len(self.instances) + instance[rows]
        K = len(self.labels)
        again = self.filled.reshape(-1, K)[places].any(axis=1) | _repeats(places)
        sheet.report(
            rows[again],
            _("{what} contains this instance twice").format(what=self.what),
            field=INSTANCE,
            value=lambda row: self.instances[instance[row]],
            remedy=_("Keep only one of the rows."),
        )
        for k, column in enumerate(columns):
            numbers = sheet.numbers(column)
            self._note_range(sheet, numbers, column)
            self.values.reshape(-1, K)[places, k] = numbers[rows]
        self.filled.reshape(-1, K)[places] = True

    def _note_range(self, sheet: Sheet, numbers: Matrix, column: str) -> None:
        rows = np.flatnonzero(outside_unit_interval(numbers))
        self._note_outside(sheet, rows, numbers[rows], column)

    @staticmethod
    def _note_outside(sheet: Sheet, rows: Integers, numbers: Matrix, column: str) -> None:
        """Note these rows, whose numbers are missing or not shares."""
        if not len(rows):
            return
        absent = np.isnan(numbers)
        sheet.report(
            rows[absent], _("the value is missing or NaN"), field=column, value=lambda row: "", remedy=REMEDY_RANGE
        )
        sheet.report(
            rows[~absent],
            _("the value is not in [0, 1]"),
            field=column,
            value=lambda row: float(numbers[np.searchsorted(rows, row)]),
            remedy=REMEDY_RANGE,
        )

    def note_gaps(self, *, absent_labels_are_zero: bool, missing_allowed: bool = False) -> None:
        """Note systems that lack instances, and instances that lack labels.

        If instances may be missing, their rows become NaN; a system that lacks all of them is still noted.
        """
        if self.filled.all():
            return
        any_label, all_labels = np.asarray(self.filled.any(axis=2)), np.asarray(self.filled.all(axis=2))
        for s, system in enumerate(self.systems):
            name = f"{self.what} {system}".strip()
            absent = np.flatnonzero(~any_label[s])
            if missing_allowed and len(absent) < len(self.instances):
                self.values[s, absent] = np.nan
            elif len(absent):
                self.problems.add_lacking(
                    self._file_of(s),
                    name,
                    [self.instances[i] for i in absent.tolist()],
                    len(self.instances),
                    field=INSTANCE,
                    remedy=self._or_leave_out(_("Give a value for every instance of the dataset.")),
                )
            if absent_labels_are_zero:
                continue
            partly = np.flatnonzero(any_label[s] & ~all_labels[s])
            shown = partly[: self.problems.room]
            self.problems.count_more(len(partly) - len(shown))
            for i in shown.tolist():
                lacking = [self.labels[k] for k in np.flatnonzero(~self.filled[s, i]).tolist()]
                self._note_at(
                    s,
                    i,
                    _("the instance has only {labels} of {labels_2} labels").format(
                        labels=len(self.labels) - len(lacking), labels_2=len(self.labels)
                    ),
                    column=LABEL,
                    value=filled(_("lacking: {names}"), names=listed(lacking)),
                    remedy=_("Provide every label for every instance, or set the option 'absent' to 'zero'."),
                )

    def note_rows(self, labels: LabelSet, *, people: bool) -> None:
        """Note instances whose values do not fit the task; `people`: whether the values are human shares."""
        for s in range(len(self.systems)):
            matrix, whole = self.values[s], self.filled[s].any(axis=1)
            if sums_must_be_one(labels.task):
                for i in np.flatnonzero(rows_not_summing_to_one(matrix) & whole).tolist():
                    total = f"{matrix[i].sum():.6g}"
                    reason = _("the values of the instance do not sum to 1 ({task})").format(task=labels.task)
                    self._note_at(s, i, reason, column=PROBABILITY, value=total, remedy=REMEDY_SUM)
            if people and labels.task == Task.MULTILABEL:
                for i in np.flatnonzero(rows_breaking_exclusiveness(matrix, labels) & whole).tolist():
                    self._note_at(
                        s,
                        i,
                        _("the exclusive label and the other labels have more people than there are"),
                        column=LABEL,
                        value=labels.exclusive or "",
                        remedy=_("The shares of the exclusive label and any other label must not sum to more than 1."),
                    )

    def _note_at(self, s: int, i: int, reason: str, *, column: str, value: str, remedy: str) -> None:
        """Note a problem at the first row of a system's instance."""
        if not self.problems.room:
            self.problems.count_more(1)
            return
        for sheet, system, instance in self.placed:
            rows = np.flatnonzero((instance == i) & (system == s))
            if len(rows):
                message = _("instance {instance} of {system}: {value}")
                if not self.systems[s]:
                    message = _("instance {instance}: {value}")
                found = filled(message, instance=repr(self.instances[i]), system=self.systems[s], value=value)
                self.problems.add(
                    sheet.file.name, reason, line=sheet.line(int(rows[0])), field=column, value=found, remedy=remedy
                )
                return

    def _or_leave_out(self, remedy: str) -> str:
        return or_leave_out(remedy) if any(self.systems) else remedy

    def _file_of(self, s: int) -> str:
        names = {sheet.file.name: None for sheet, system, _ in self.placed if (system == s).any()}
        return ", ".join(names) or _("all files")


def _repeats(cells: Integers) -> Mask:
    """Which entries occurred before."""
    repeats = np.ones(len(cells), dtype=bool)
    repeats[np.unique(cells, return_index=True)[1]] = False
    return repeats
