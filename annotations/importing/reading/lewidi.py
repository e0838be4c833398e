"""What the editions of Learning With Disagreements have in common: options, label sets, and soft labels to compare
with.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from annotations.importing.memory.limits import SPLIT_LENGTH, unstorable
from annotations.importing.memory.options import DatasetOptions
from annotations.importing.memory.problems import Problems
from annotations.importing.memory.tables import LabelSet
from annotations.importing.reading.documents import Item
from annotations.importing.reading.files import SourceFile
from annotations.importing.reading.item_judgements import (
    GatheredJudgements,
    JudgedOptions,
    canonical_label,
    direction_of,
    in_order,
    number_in,
)
from annotations.importing.reading.labels import label_names, label_set
from annotations.models import Task
from annotations.shown.plurals import filled

ONLY_THERE = (b'"annotation task"',)
"""A field that only these files have."""
SEGMENTED = re.compile(rb'(?:(?!"text").)*"text"[ \t\r\n:]*\{', re.DOTALL)
"""The first text is an object of named segments, as only the third edition has them."""
ROUNDED = 0.01
LANGUAGE_LENGTH = 20
SPLITS = ("train", "dev", "test", "trial")


class LewidiOptions(DatasetOptions, JudgedOptions):
    """The files contain task and labels; options given here take precedence."""


def split_of(row: Mapping[str, Any], file: SourceFile, item: Item, *, required: bool = True) -> str:
    """The item's split, from the item or else from the file's name; empty if neither says it and none is required."""
    split = row.get("split")
    if isinstance(split, str) and split.strip():
        if why := unstorable(split.strip(), SPLIT_LENGTH):
            message = filled(_("{what} {why}"), what=_("the split"), why=why)
            item.problem(message, field="split", value=split, remedy=_("Use a different one."))
        return split.strip()
    named = [word for word in SPLITS if word in file.stem.lower().replace("-", "_").split("_")]
    if len(named) == 1:
        return named[0]
    if required:
        item.problem(
            _("the split is missing"), field="split", value=split, remedy=_("Name the file like HS-Brexit_train.json.")
        )
    return ""


def language_of(row: Mapping[str, Any], item: Item, options: DatasetOptions) -> tuple[str, str]:
    """Language code and direction of the item's texts; if the item has no language, as in the options."""
    language = row.get("lang")
    if language is None:
        return options.language, options.direction
    if not isinstance(language, str) or not language or unstorable(language, LANGUAGE_LENGTH):
        item.problem(
            _("this is not a language code"), field="lang", value=language, remedy=_("Use a code such as 'en'.")
        )
        return options.language, options.direction
    return language, direction_of(language)


def shares_in(soft_label: Any) -> dict[str, float]:
    """A soft label as shares by canonical label; empty if it is absent, blinded or nested."""
    if not isinstance(soft_label, dict):
        return {}
    shares = {canonical_label(name): share for name, share in soft_label.items()}
    return shares if all(type(share) in (int, float) for share in shares.values()) else {}


def label_set_of(
    judged: GatheredJudgements,
    scale: Sequence[str],
    task: Task,
    options: LewidiOptions,
    problems: Problems,
    *,
    file: str,
) -> LabelSet:
    """The labels: as declared, or the known scale, or all that occur in judgements and soft labels."""
    names = in_order([*scale, *judged.found()])
    return label_set(label_names(names, options, problems, file=file), task, options, problems, file=file)


def inferred_task(labels: Sequence[str], options: DatasetOptions) -> tuple[Task, str]:
    """The task's kind, and a note: more than two numbers are a scale, everything else is classes."""
    if options.declared_task:
        return options.declared_task, ""
    numeric = all(number_in(name) is not None for name in labels)
    task = Task.ORDINAL if numeric and len(labels) > 2 else Task.MULTICLASS
    why = _("the labels are numbers on a scale") if task == Task.ORDINAL else _("every annotator chose one label")
    return task, _("The task was interpreted as {task}, because {why}.").format(task=task, why=why)


def soft_label_note(judged: GatheredJudgements, soft_labels: Iterable[Mapping[str, float]]) -> list[str]:
    """How many soft labels in the files differ from the shares of the annotations, which are what counts."""
    away = 0
    for judgements, soft in zip(judged.judgements, soft_labels, strict=True):
        people = sum(judgement.people for judgement in judgements)
        people_of: dict[str, int] = {}
        for judgement in judgements:
            for label in judgement.labels:
                people_of[label] = people_of.get(label, 0) + judgement.people
        names = people_of.keys() | soft.keys()
        away += bool(soft) and any(abs(people_of.get(n, 0) / people - soft.get(n, 0.0)) > ROUNDED for n in names)
    if not away:
        return []
    message = _(
        "{count, plural, "
        "one {The soft labels of # item differ from the shares of its annotations by more than {rounded}; "
        "the shares of the annotations are used.} "
        "other {The soft labels of # items differ from the shares of their annotations by more than {rounded}; "
        "the shares of the annotations are used.}}"
    )
    return [filled(message, count=away, rounded=ROUNDED)]
