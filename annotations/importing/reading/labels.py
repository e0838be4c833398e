"""Make the label set from what is declared and what is found, and infer the task's kind if it is not given."""

from collections.abc import Sequence

import numpy as np
from django.utils.translation import gettext as _

from annotations.ground.arrays import Matrix
from annotations.importing.checking.matrices import rows_not_summing_to_one
from annotations.importing.memory.limits import MAX_LABELS, NAME_LENGTH
from annotations.importing.memory.names import repeated_name, unstorable
from annotations.importing.memory.options import DatasetOptions
from annotations.importing.memory.problems import Problems, listed
from annotations.importing.memory.tables import LabelSet
from annotations.models import Task
from annotations.shown.plurals import written

MOSTLY = 0.9


def label_names(found: Sequence[str], options: DatasetOptions, problems: Problems, *, file: str) -> tuple[str, ...]:
    """The labels in order: as declared, or as found. An ordinal scale of numbers is sorted."""
    names = options.labels or tuple(found)
    if options.declared_task == Task.ORDINAL and not options.labels:
        if not all(_is_number(name) for name in names):
            problems.stop(
                file,
                _("the order of the points on the scale is unknown"),
                value=listed(names),
                remedy=_("List them in order with the option 'labels'."),
            )
        names = tuple(sorted(names, key=float))
    if len(names) > MAX_LABELS:
        problems.stop(
            file,
            _("there are {names} labels").format(names=written(len(names))),
            value=listed(names),
            remedy=_("Check which column contains the labels."),
        )
    if (twice := repeated_name(names)) is not None:
        problems.stop(file, _("a label is listed twice"), value=twice, remedy=_("List each label only once."))
    for name in names:
        if why := unstorable(name, NAME_LENGTH):
            problems.add(file, _("the label {why}").format(why=why), value=name, remedy=_("Give it a shorter name."))
    if not names:
        problems.stop(file, _("there are no labels"), remedy=_("Provide a table with labels."))
    problems.stop_if_any()
    return names


def label_set(
    names: tuple[str, ...], task: Task, options: DatasetOptions, problems: Problems, *, file: str
) -> LabelSet:
    """The label set of these names."""
    if options.exclusive and options.exclusive not in names:
        problems.stop(
            file,
            _("the exclusive label is not one of the labels"),
            field="exclusive",
            value=options.exclusive,
            remedy=_("Choose one of {names}.").format(names=listed(names)),
        )
    values = None
    if task == Task.ORDINAL:
        numeric = all(_is_number(name) for name in names)
        values = tuple(float(name) if numeric else float(position) for position, name in enumerate(names))
    return LabelSet(names=names, task=task, exclusive=options.exclusive or None, values=values)


def task_of_matrix(gold: Matrix, options: DatasetOptions) -> tuple[Task, str]:
    """The task's kind, and a note on how it was inferred.

    Rows that all sum to 1 are multiclass. If nearly all do, the others are taken for mistakes, not for a sign
    of a multilabel task: refusing wrongly costs setting an option, guessing wrongly costs a study.
    """
    if options.declared_task:
        return options.declared_task, ""
    share = 1 - float(np.mean(rows_not_summing_to_one(gold)))
    if share == 1:
        return Task.MULTICLASS, _("The task was interpreted as multiclass, because every row sums to 1.")
    if share >= MOSTLY:
        return Task.MULTICLASS, (
            _(
                "The task was interpreted as multiclass, because {share} of the rows sum to 1. If it "
                "is multilabel, set the option 'task'."
            ).format(share=format(share, ".1%"))
        )
    return Task.MULTILABEL, _(
        "The task was interpreted as multilabel, because only {share} of the rows sum to 1."
    ).format(share=format(share, ".1%"))


def _is_number(name: str) -> bool:
    try:
        return bool(np.isfinite(float(name)))
    except ValueError:
        return False
