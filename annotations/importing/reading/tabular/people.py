"""From rows `instance, annotator, label` (or `instance, label, count`) to human annotations."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotations.ground.arrays import IntColumn, Integers
from annotations.importing.memory.limits import NAME_LENGTH
from annotations.importing.memory.tables import AnnotationTable, LabelSet
from annotations.importing.reading.tabular.columns import ANNOTATOR, COUNT, LABEL
from annotations.importing.reading.tabular.sheets import Sheet, Texts
from annotations.importing.reading.tabular.texts import check_names
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
        known = ~bad & (annotator.codes >= 0) & (numbers > 1)
        sheet.report(
            np.flatnonzero(known),
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
    known = annotator >= 0
    key = instance[known].astype(np.int64) * (int(annotator.max(initial=0)) + 1) + annotator[known]
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
    """Note unknown labels, labels given twice, too many labels, and the exclusive one together with others."""
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
    again = np.ones(len(key), dtype=bool)
    again[np.unique(key, return_index=True)[1]] = False
    sheet.report(
        np.flatnonzero(again & ~unknown),
        _("the annotator chose this label twice for the instance"),
        field=LABEL,
        value=part.label.at,
        remedy=_("Keep only one of the rows."),
    )
    if labels.task != Task.MULTILABEL:
        one = _("the annotator chose several labels for the instance, but the task allows only one")
        sheet.report(np.flatnonzero(crowded & ~again), one, field=LABEL, value=part.label.at, remedy=REMEDY_ONE)
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
