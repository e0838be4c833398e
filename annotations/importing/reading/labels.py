"""Make the label set from what is declared and what is found, and infer the task's kind where nobody says it."""

from collections.abc import Sequence

import numpy as np

from annotations.arrays import Matrix
from annotations.importing.checking.matrices import rows_not_summing_to_one
from annotations.importing.memory.limits import MAX_LABELS, NAME_LENGTH
from annotations.importing.memory.names import unstorable
from annotations.importing.memory.options import DatasetOptions
from annotations.importing.memory.problems import Problems, listed
from annotations.importing.memory.tables import LabelSet
from annotations.models import Task

MOSTLY = 0.9


def label_names(found: Sequence[str], options: DatasetOptions, problems: Problems, *, file: str) -> tuple[str, ...]:
    """The labels in order: as declared, or as found. An ordinal scale of numbers is put in their order."""
    names = options.labels or tuple(found)
    if options.declared_task == Task.ORDINAL and not options.labels:
        if not all(_is_number(name) for name in names):
            problems.stop(
                file,
                "the order of the scale's points is not known",
                value=listed(names),
                remedy="Give them in order with the option 'labels'.",
            )
        names = tuple(sorted(names, key=float))
    if len(set(names)) != len(names):
        twice = next(name for name in names if names.count(name) > 1)
        problems.stop(file, "a label is named twice", value=twice, remedy="Name every label once.")
    if len(names) > MAX_LABELS:
        problems.stop(
            file, f"there are {len(names):,} labels", value=listed(names), remedy="Check which column holds the labels."
        )
    for name in names:
        if why := unstorable(name, NAME_LENGTH):
            problems.add(file, f"the label {why}", value=name, remedy="Give it a short name.")
    if not names:
        problems.stop(file, "there are no labels", remedy="Give a table with labels.")
    problems.stop_if_any()
    return names


def label_set(
    names: tuple[str, ...], task: Task, options: DatasetOptions, problems: Problems, *, file: str
) -> LabelSet:
    """The label set of these names."""
    if options.exclusive and options.exclusive not in names:
        problems.stop(
            file,
            "the exclusive label is not one of the labels",
            field="exclusive",
            value=options.exclusive,
            remedy=f"Choose one of {listed(names)}.",
        )
    values = None
    if task == Task.ORDINAL:
        numeric = all(_is_number(name) for name in names)
        values = tuple(float(name) if numeric else float(position) for position, name in enumerate(names))
    return LabelSet(names=names, task=task, exclusive=options.exclusive or None, values=values)


def task_of_matrix(gold: Matrix, options: DatasetOptions) -> tuple[Task, str]:
    """The task's kind, and a note on how it was inferred.

    Rows that all sum to 1 are multiclass. When nearly all do, the few are taken for mistakes, not for a sign
    of a multilabel task: refusing wrongly costs an option, guessing wrongly costs a study.
    """
    if options.declared_task:
        return options.declared_task, ""
    share = 1 - float(np.mean(rows_not_summing_to_one(gold)))
    if share == 1:
        return Task.MULTICLASS, "The task was taken for multiclass, since every row sums to 1."
    if share >= MOSTLY:
        return Task.MULTICLASS, (
            f"The task was taken for multiclass, since {share:.1%} of the rows sum to 1. "
            "If it is multilabel, say so with the option 'task'."
        )
    return Task.MULTILABEL, f"The task was taken for multilabel, since only {share:.1%} of the rows sum to 1."


def _is_number(name: str) -> bool:
    try:
        return bool(np.isfinite(float(name)))
    except ValueError:
        return False
