"""Renaming and merging a file's labels: `-3` to `-1` become `abusive`, `0` and `1` become `not abusive`.

A person who gave several labels that become one counts once for it; the numbers of people stay the same.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from typing import Any

import numpy as np
from django.utils.translation import gettext as _

from annotations.ground.arrays import IntColumn, Matrix
from annotations.importing.memory.limits import NAME_LENGTH, unstorable
from annotations.importing.memory.problems import ImportRefused, Problems, listed
from annotations.importing.memory.tables import (
    AnnotationTable,
    AnswersTable,
    DatasetTable,
    LabelSet,
    PredictionTable,
    SystemTable,
    Target,
)
from annotations.models import Task
from annotations.shown.plurals import filled

ROUNDING = 1e-12
FEWEST_POINTS = 3  # two points have no distance to compare


def _where() -> str:
    return _("label names")


@dataclass(frozen=True, slots=True)
class Renaming:
    """The files' labels, in order, and the new name of each."""

    before: LabelSet
    names: tuple[str, ...]
    after: LabelSet

    @property
    def places(self) -> IntColumn:
        """For each of the files' labels, the position of its new label."""
        positions = self.after.positions
        return np.array([positions[name] for name in self.names], dtype=np.int32)

    @property
    def merges(self) -> bool:
        """Whether several labels became one."""
        return len(self.after) < len(self.before)

    @property
    def members(self) -> dict[str, list[str]]:
        """The old labels that each new label was made from."""
        members: dict[str, list[str]] = {name: [] for name in self.after.names}
        for old, new in zip(self.before.names, self.names, strict=True):
            members[new].append(old)
        return members

    def as_data(self) -> dict[str, Any]:
        """The files' labels as plain data, needed to read predictions that use them later."""
        return {
            "task": str(self.before.task),
            "labels": [list(pair) for pair in zip(self.before.names, self.names, strict=True)],
            "values": None if self.before.values is None else list(self.before.values),
        }

    @classmethod
    def from_data(cls, data: Mapping[str, Any], after: LabelSet) -> "Renaming":
        """The inverse of `as_data`, for the resulting label set."""
        values = data["values"]
        before = LabelSet(
            names=tuple(old for old, _ in data["labels"]),
            task=Task(data["task"]),
            values=None if values is None else tuple(values),
        )
        return cls(before, tuple(new for _, new in data["labels"]), after)


def renaming_of(labels: LabelSet, pairs: Sequence[tuple[str, str]], problems: Problems) -> tuple[Renaming, list[str]]:
    """The renaming by these pairs (a label in the files, its new name), and notes that describe it.

    New labels come first, in the order in which the pairs name them, then those that keep their names; on a scale, all
    are in the scale's order.
    """
    new_names = dict(pairs)
    _check(labels, new_names, problems)
    names = tuple(new_names.get(name, name) for name in labels.names)
    present = set(names)
    order = [name for name in dict.fromkeys([*new_names.values(), *names]) if name in present]
    notes = []
    task, values = labels.task, None
    if task == Task.ORDINAL:
        order = list(dict.fromkeys(names))
        task, why = _task_of_points(names, order)
        notes += [why] if why else []
        values = _values(labels, names, order) if task == Task.ORDINAL else None
    exclusive = None if labels.exclusive is None else new_names.get(labels.exclusive, labels.exclusive)
    found_by: dict[str, tuple[str, ...]] = {}
    for old, words in labels.search_words:
        new = new_names.get(old, old)
        found_by[new] = tuple(dict.fromkeys([*found_by.get(new, ()), *words]))
    renaming = Renaming(labels, names, LabelSet(tuple(order), task, exclusive, values, tuple(found_by.items())))
    return renaming, [*_told(renaming, new_names), *notes]


def _check(labels: LabelSet, new_names: Mapping[str, str], problems: Problems) -> None:
    names = set(labels.names)
    for old, new in new_names.items():
        if old not in names:
            remedy = _("The labels are {names}; upper and lower case and spaces matter.").format(
                names=listed(labels.names, most=20)
            )
            problems.add(_where(), _("the files have no such label"), field=old, value=old, remedy=remedy)
        if why := unstorable(new, NAME_LENGTH):
            problems.add(
                _where(), _("the new name {why}").format(why=why), field=old, value=new, remedy=_("Use a shorter name.")
            )
        if new in names and new_names.get(new, new) != new:
            reason = _("the new name belongs to another label, which is also renamed")
            remedy = _("Choose a name that no label in the files has, so that predictions are not ambiguous.")
            problems.add(_where(), reason, field=old, value=new, remedy=remedy)
    exclusive = labels.exclusive
    if exclusive is not None:
        new = new_names.get(exclusive, exclusive)
        others = [name for name in labels.names if name != exclusive and new_names.get(name, name) == new]
        if others:
            reason = _("the exclusive label cannot be merged with others")
            problems.add(_where(), reason, field=exclusive, value=listed(others), remedy=_("Give it a separate name."))
    problems.stop_if_any()


def _task_of_points(names: Sequence[str], order: Sequence[str]) -> tuple[Task, str]:
    if len(order) == len(names):
        return Task.ORDINAL, ""
    if len(order) < FEWEST_POINTS:
        return Task.MULTICLASS, _("With fewer than three labels there is no longer a scale, so the task is multiclass.")
    if len(list(groupby(names))) > len(order):
        return Task.MULTICLASS, _("Points that are not neighbours were merged, so the task is multiclass.")
    return Task.ORDINAL, _("Each new point lies in the middle of the points merged into it.")


def _values(labels: LabelSet, names: Sequence[str], order: Sequence[str]) -> tuple[float, ...]:
    """The points: unchanged, or in the middle of those that were merged."""
    values = np.array(labels.values if labels.values is not None else range(len(names)), dtype=np.float64)
    middles = tuple(float(np.mean(values[[name == new for name in names]])) for new in order)
    # This holds for any input, so a failure would be an error in this file.
    assert all(low < high for low, high in pairwise(middles)), "neighbours keep their order"  # noqa: S101
    return middles


def _told(renaming: Renaming, given: Mapping[str, str]) -> list[str]:
    members = renaming.members
    changed = [f"{new!r} is {listed(old, most=20)}" for new, old in members.items() if old != [new]]
    unchanged = [name for name in renaming.before.names if name not in given]
    sentences = [_("The labels were renamed: {changed}.").format(changed="; ".join(changed))] if changed else []
    if renaming.merges:
        sentences.append(
            _("{before} labels were merged into {after}.").format(
                before=len(renaming.before), after=len(renaming.after)
            )
        )
    if unchanged:
        sentences.append(_("{kept} keep their names.").format(kept=listed(unchanged, most=20)))
    return sentences


def renamed_dataset(table: DatasetTable, pairs: Sequence[tuple[str, str]], problems: Problems) -> DatasetTable:
    """The same dataset with the labels' new names."""
    if not len(table.labels):
        problems.stop(
            _where(), _("the dataset contains only pairwise votes and has no labels"), remedy=_("Do not specify names.")
        )
    renaming, notes = renaming_of(table.labels, pairs, problems)
    gold = None
    if table.gold is not None:
        if renaming.merges and table.labels.task == Task.MULTILABEL:
            reason = _("the shares do not say how many people chose one of several labels")
            remedy = _("Provide the annotations, or use new names that keep the labels separate.")
            problems.stop(_where(), reason, remedy=remedy)
        gold = summed(table.gold, renaming)
    annotations = None if table.annotations is None else _renamed_annotations(table.annotations, renaming)
    return replace(
        table,
        labels=renaming.after,
        annotations=annotations,
        gold=gold,
        notes=(*table.notes, *notes),
        renaming=renaming.as_data(),
    )


def _renamed_annotations(table: AnnotationTable, renaming: Renaming) -> AnnotationTable:
    """The same annotations; several labels of one person that became one count once."""
    K = len(renaming.after)
    annotation = np.repeat(np.arange(len(table), dtype=np.int64), np.diff(table.offsets))
    cells = np.unique(annotation * K + renaming.places[table.labels])
    lengths = np.bincount(cells // K, minlength=len(table))
    return replace(
        table,
        offsets=np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths)]),
        labels=(cells % K).astype(np.int32),
    )


def summed(matrix: Matrix, renaming: Renaming) -> Matrix:
    """The matrix with the columns of merged labels added up."""
    result = np.zeros((len(matrix), len(renaming.after)))
    np.add.at(result.T, renaming.places, matrix.T)
    # .1 + .2 + .7 can exceed 1 in the last digit.
    result[(result > 1) & (result < 1 + ROUNDING)] = 1.0
    return result


def renamed_predictions(table: PredictionTable, renaming: Renaming) -> PredictionTable:
    """Predictions for the files' labels as predictions for the dataset's.

    Raises:
        ValueError: several labels of a multilabel task were merged, and their shares cannot simply be added up.
    """
    if renaming.merges and renaming.after.task == Task.MULTILABEL and table.systems:
        raise ValueError(_("the shares of merged labels cannot be added in a multilabel task"))
    # Shares below a scale are also in Q, at its first point; separately, they say how far below they were.
    systems: list[SystemTable] = [
        replace(system, Q=summed(system.Q, renaming), below=None if renaming.merges else system.below)
        for system in table.systems
    ]
    answers: list[AnswersTable] = [
        replace(answer, matrix=np.minimum(summed(answer.matrix, renaming), 1.0)) for answer in table.answers
    ]
    return replace(table, systems=tuple(systems), answers=tuple(answers))


def read_renamed(
    read: Callable[[Target, Problems], PredictionTable], target: Target, data: Mapping[str, Any], problems: Problems
) -> PredictionTable:
    """Read predictions that use the dataset's labels or, if these were renamed on import, those of its files.

    `read` reads them for a target, or refuses them. The problems of the first attempt are reported if the second fails,
    too.
    """
    try:
        return read(target, problems)
    except ImportRefused:
        if not data:
            raise
        renaming = Renaming.from_data(data, target.labels)
        try:
            table = read(replace(target, labels=renaming.before, read_gold=lambda: None), Problems())
        except ImportRefused:
            table = None
    names = listed(renaming.after.names, most=20)
    if table is None:
        problems.add(
            target.slug,
            _("these are predictions neither of the dataset's labels nor of those in its files"),
            field=_where(),
            remedy=filled(
                _("The labels got other names when the dataset was imported: predict {names}, or all of {before}."),
                names=names,
                before=listed(renaming.before.names, most=20),
            ),
        )
        raise problems.refusal()
    problems.forget()
    try:
        renamed = renamed_predictions(table, renaming)
    except ValueError as error:
        own = filled(_("The labels got other names when the dataset was imported: predict {names}."), names=names)
        problems.stop(target.slug, str(error), field=_where(), remedy=own)
    note = filled(
        _("The predictions are of the labels in the dataset's files, and became predictions of {names}."),
        names=listed(renaming.after.names),
    )
    return replace(renamed, notes=(*renamed.notes, note))
