"""From a table's rows to judgements: annotations, from rows `instance, annotator, label` (or `instance, label, count`);
and matrices of shares, in which each row is one cell (long) or one line of cells (wide), and no cell comes twice.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotations.ground.arrays import IntColumn, Integers, Mask, Matrix, ShortColumn
from annotations.importing.checking import (
    outside_unit_interval,
    rows_breaking_exclusiveness,
    rows_not_summing_to_one,
    sums_must_be_one,
)
from annotations.importing.memory.limits import NAME_LENGTH, refuse_large_matrices
from annotations.importing.memory.options import or_leave_out
from annotations.importing.memory.problems import Problems, listed
from annotations.importing.memory.tables import AnnotationTable, LabelSet
from annotations.importing.reading.tabular.rows import check_names
from annotations.importing.reading.tabular.sheets import ANNOTATOR, COUNT, INSTANCE, LABEL, PROBABILITY, Sheet, Texts
from annotations.models import Task
from annotations.shown.plurals import filled

REMEDY_ONE = gettext_noop("Keep only one of the labels, or set the task to multilabel.")


@dataclass(eq=False)
class CountedLabels:
    """The rows of one sheet: who gave which label to what. Codes are indices; -1 is empty."""

    sheet: Sheet
    instance: IntColumn
    label: Texts
    annotator: Texts
    count: Integers

    @cached_property
    def group(self) -> Integers:
        """Which annotation each row belongs to: one identified person's rows about one instance form one.

        Rows of unidentified people are one annotation each. Groups are numbered by their first row.
        """
        people = len(self.annotator.values)
        key = self.instance.astype(np.int64) * (people + 1) + self.annotator.codes
        unknown = self.annotator.codes < 0
        key[unknown] = (int(self.instance.max()) + 1) * (people + 1) + np.flatnonzero(unknown)
        _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
        rank = np.empty(len(first), dtype=np.int64)
        rank[np.argsort(first, kind="stable")] = np.arange(len(first))
        return rank[inverse]


def votes_in(sheet: Sheet, instance: IntColumn) -> CountedLabels:
    """The votes of a sheet, checked as far as possible without the label set."""
    label = sheet.texts(LABEL).stripped()
    if ANNOTATOR in sheet:
        annotator = sheet.texts(ANNOTATOR)
        check_names(sheet, ANNOTATOR, annotator, _("the annotator's code"), NAME_LENGTH, required=False)
    else:
        annotator = Texts(np.full(len(sheet), -1, dtype=np.int32), [])
    count = np.ones(len(sheet), dtype=np.int64)
    if COUNT in sheet:
        numbers = sheet.numbers(COUNT)
        bad = ~((numbers >= 1) & (numbers < 2**31) & (numbers == np.floor(numbers)))
        sheet.report(
            np.flatnonzero(bad),
            _("the count must be a whole number of people, at least 1"),
            field=COUNT,
            value=lambda row: numbers[row],
            remedy=_("Remove labels that nobody chose, and enter a whole number for the others."),
        )
        several = ~bad & (annotator.codes >= 0) & (numbers > 1)
        sheet.report(
            np.flatnonzero(several),
            _("a named annotator counts only once"),
            field=COUNT,
            value=lambda row: numbers[row],
            remedy=_("Leave the annotator code empty where several people are counted."),
        )
        sheet.problems.stop_if_any()
        count = numbers.astype(np.int64)
    return CountedLabels(sheet, instance, label, annotator, count)


def inferred_task(votes: list[CountedLabels]) -> Task:
    """Multilabel if any identified person gave an instance several labels or none; otherwise multiclass."""
    for part in votes:
        rows = np.bincount(part.group)
        if (rows > 1).any() or (part.label.codes < 0).any():
            return Task.MULTILABEL
    return Task.MULTICLASS


def annotations_of(votes: list[CountedLabels], labels: LabelSet) -> AnnotationTable:
    """The annotations of all sheets, checked against the label set. To be called once every label is known."""
    positions = labels.positions
    people: dict[str, int] = {}
    instance, annotator, count, label, annotation, base = [], [], [], [], [], 0
    for part in votes:
        group = part.group
        chosen = part.label.mapped(positions)
        _check(part, group, chosen, labels)
        first = np.unique(group, return_index=True)[1]
        codes = np.array([people.setdefault(name, len(people)) for name in part.annotator.values] + [-1], np.int32)
        instance.append(part.instance[first])
        annotator.append(codes[part.annotator.codes[first]])
        count.append(part.count[first])
        label.append(chosen[chosen >= 0])
        annotation.append(group[chosen >= 0] + base)
        base += len(first)
    _check_across_files(votes, np.concatenate(instance), np.concatenate(annotator))
    votes[0].sheet.problems.stop_if_any()
    return _ordered(
        instance=np.concatenate(instance),
        annotator=np.concatenate(annotator),
        count=np.concatenate(count),
        label=np.concatenate(label),
        annotation=np.concatenate(annotation),
        annotators=tuple(people),
    )


def _check_across_files(votes: list[CountedLabels], instance: IntColumn, annotator: IntColumn) -> None:
    """Note annotators whose labels for one instance are in several files, which would make two people of one."""
    named = annotator >= 0
    key = instance[named].astype(np.int64) * (int(annotator.max(initial=0)) + 1) + annotator[named]
    if len(votes) > 1 and (double := len(key) - len(np.unique(key))):
        votes[0].sheet.problems.add(
            ", ".join(part.sheet.file.name for part in votes),
            _("the same annotator judged the same instance in two files"),
            field=ANNOTATOR,
            value=filled(_("{count, plural, one {# time} other {# times}}"), count=double),
            remedy=_("Put all rows of an instance into one file."),
        )


def _ordered(
    *,
    instance: IntColumn,
    annotator: IntColumn,
    count: Integers,
    label: IntColumn,
    annotation: Integers,
    annotators: tuple[str, ...],
) -> AnnotationTable:
    """Columns in order of instance, then of appearance; labels ascending within an annotation."""
    order = np.argsort(instance, kind="stable")
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    # A single sort by one number per label: its annotation's position, then the label.
    width = int(label.max(initial=0)) + 1
    cells = np.sort(place[annotation] * width + label)
    lengths = np.bincount(cells // width, minlength=len(order))
    return AnnotationTable(
        instance=instance[order].astype(np.int32),
        annotator=annotator[order].astype(np.int32),
        count=count[order].astype(np.int32),
        offsets=np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths)]),
        labels=(cells % width).astype(np.int32),
        annotators=annotators,
    )


def _check(part: CountedLabels, group: Integers, chosen: IntColumn, labels: LabelSet) -> None:
    sheet = part.sheet
    unknown = (part.label.codes >= 0) & (chosen < 0)
    sheet.report(
        np.flatnonzero(unknown),
        _("the label is unknown"),
        field=LABEL,
        value=part.label.at,
        remedy=_("Use a label from the label set, or add this label to the set."),
    )
    rows = np.bincount(group)
    crowded = rows[group] > 1
    key = group * (len(labels) + 1) + chosen
    again = _repeats(key)
    sheet.report(
        np.flatnonzero(again & ~unknown),
        _("the annotator chose this label twice for the instance"),
        field=LABEL,
        value=part.label.at,
        remedy=_("Keep only one of the rows."),
    )
    if labels.task != Task.MULTILABEL:
        reason = _("the annotator chose several labels for the instance, but the task allows only one")
        sheet.report(np.flatnonzero(crowded & ~again), reason, field=LABEL, value=part.label.at, remedy=REMEDY_ONE)
        none = np.flatnonzero(part.label.codes < 0)
        sheet.report(none, _("there is no label"), field=LABEL, value=part.label.at, remedy=_("Fill in the value."))
        return
    together = crowded & (part.label.codes < 0)
    sheet.report(
        np.flatnonzero(together),
        _("one annotator has both no label and a label for the same instance"),
        field=LABEL,
        value=part.label.at,
        remedy=_("Keep only one of the rows."),
    )
    if labels.exclusive is not None:
        exclusive = crowded & (chosen == labels.positions[labels.exclusive])
        sheet.report(
            np.flatnonzero(exclusive),
            _("the exclusive label is combined with others"),
            field=LABEL,
            value=part.label.at,
            remedy=_("Annotators who choose it must not choose any other label."),
        )


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
            outside = np.flatnonzero(outside_unit_interval(numbers))
            self._note_outside(sheet, outside, numbers[outside], column)
            self.values.reshape(-1, K)[places, k] = numbers[rows]
        self.filled.reshape(-1, K)[places] = True

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
                files = dict.fromkeys(sheet.file.name for sheet, place, _i in self.placed if (place == s).any())
                remedy = _("Give a value for every instance of the dataset.")
                self.problems.add_lacking(
                    ", ".join(files) or _("all files"),
                    name,
                    [self.instances[i] for i in absent.tolist()],
                    len(self.instances),
                    field=INSTANCE,
                    remedy=or_leave_out(remedy) if any(self.systems) else remedy,
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
                shown = filled(message, instance=repr(self.instances[i]), system=self.systems[s], value=value)
                self.problems.add(
                    sheet.file.name, reason, line=sheet.line(int(rows[0])), field=column, value=shown, remedy=remedy
                )
                return


def _repeats(cells: Integers) -> Mask:
    """Which entries occurred before."""
    repeats = np.ones(len(cells), dtype=bool)
    repeats[np.unique(cells, return_index=True)[1]] = False
    return repeats
