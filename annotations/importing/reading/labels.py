"""The label set: made from what is declared and what the data have, or listed in a separate file; the task's kind,
inferred if it is not given; and what looks odd, such as a scale taken for classes, missing points, near-equal names.

A label list has one label per line, or is a JSON list. It may include other words to find labels by. In a text file
they follow the label after a tab, separated by semicolons: `Housing<TAB>tenant; landlord; rent`. In JSON such a label
is `{"name": "Housing", "search_words": ["tenant", "landlord", "rent"]}`.
"""

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from django.utils.translation import gettext as _

from annotations.ground import bounded_json
from annotations.ground.arrays import Matrix
from annotations.importing.checking import rows_not_summing_to_one
from annotations.importing.memory.limits import MAX_LABELS, NAME_LENGTH, repeated_name, unstorable
from annotations.importing.memory.options import DatasetOptions
from annotations.importing.memory.problems import Problems, listed
from annotations.importing.memory.tables import DatasetTable, LabelSet
from annotations.importing.reading.documents import refuse_long_document
from annotations.importing.reading.files import Files, SourceFile, refuse_foreign, refuse_wrong_encoding
from annotations.models import Task
from annotations.shown.plurals import filled, with_commas, written
from annotations.storing.search_terms import BadSearchWords, search_words

MOSTLY = 0.9
NAME, WORDS = "name", "search_words"
FEWEST_POINTS = 3
WIDEST = 100


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


def _remedy() -> str:
    return filled(
        _("Use one label per line, or a JSON list of texts or of {example}."),
        example='{"name": ..., "search_words": [...]}',
    )


def is_label_list(file: SourceFile) -> bool:
    """Whether it is one: a `.txt` file, or a `.json` file that begins like a list."""
    return file.suffix == ".txt" or (file.suffix == ".json" and file.first_line().startswith(b"["))


def labels_in(file: SourceFile, problems: Problems) -> tuple[str, ...]:
    """The labels, in order."""
    return tuple(name for name, _ in entries_in(file, problems))


def with_search_words(table: DatasetTable, lists: Files, problems: Problems) -> DatasetTable:
    """The table with the search words for its labels in these lists."""
    entries = tuple((name, words) for file in lists for name, words in entries_in(file, problems) if words)
    return replace(table, labels=replace(table.labels, search_words=entries)) if entries else table


def entries_in(file: SourceFile, problems: Problems) -> list[tuple[str, tuple[str, ...]]]:
    """The labels, in order, each with its search words; the reader reports labels named twice."""
    refuse_foreign(file, problems)
    refuse_wrong_encoding(file, problems)
    refuse_long_document(file, problems)
    text = file.path.read_text(encoding="utf-8-sig")
    listed = _of_json(text, file, problems) if text.lstrip().startswith("[") else _of_lines(text)
    entries = []
    for line, name, words in listed:
        try:
            entries.append((name, tuple(search_words(words))))
        except BadSearchWords as error:
            problems.add(file.name, error.message, line=line, field=WORDS, value=name, remedy=_("Shorten the list."))
    problems.stop_if_any()
    return entries


def _of_lines(text: str) -> Iterator[tuple[int | None, str, list[str]]]:
    for number, line in enumerate(text.splitlines(), start=1):
        name, _, words = line.strip().partition("\t")
        if name.strip():
            yield number, name.strip(), words.replace("\t", ";").split(";")


def _of_json(text: str, file: SourceFile, problems: Problems) -> Iterator[tuple[int | None, str, list[Any]]]:
    try:
        listed = bounded_json.loads(text)
    except ValueError:
        problems.stop(file.name, _("this is not a complete JSON list"), remedy=_remedy())
    for entry in listed:
        if isinstance(entry, str):
            yield None, entry, []
        elif isinstance(entry, dict) and set(entry) <= {NAME, WORDS} and _is_entry(entry):
            yield None, entry[NAME], entry.get(WORDS, [])
        else:
            problems.stop(file.name, _("a label is not a text"), remedy=_remedy())


def _is_entry(entry: dict[str, Any]) -> bool:
    return isinstance(entry.get(NAME), str) and isinstance(entry.get(WORDS, []), list)


def label_hints(labels: LabelSet) -> list[str]:
    """Sentences about labels that may have been misunderstood; none if nothing looks odd.

    >>> label_hints(LabelSet(("yes", "Yes", "no"), Task.MULTICLASS))[0][:63]
    "'yes', 'Yes' differ only in upper and lower case or in spaces, "
    """
    hints = [_near_equal(names) for names in near_equal_names(labels.names)]
    points = _whole_numbers(labels.names)
    if len(points) < FEWEST_POINTS or labels.task == Task.MULTILABEL:
        return hints
    whole = list(range(min(points), max(points) + 1)) if max(points) - min(points) <= WIDEST else sorted(points)
    gaps = [point for point in whole if point not in points]
    scale = f"'labels' = '{';'.join(map(str, whole))}'"
    if labels.task == Task.MULTICLASS:
        message = _(
            "The labels are numbers ({low} to {high}), and were treated as classes without an order. If they are "
            "points on a scale, set the option 'task' = 'ordinal'."
        )
        if gaps:
            message = _(
                "The labels are numbers ({low} to {high}), and were treated as classes without an order. If they "
                "are points on a scale, set the option 'task' = 'ordinal', and list all points of the scale, "
                "including those that nobody chose: {scale}."
            )
        hints.append(filled(message, low=min(points), high=max(points), scale=scale))
    elif gaps:
        hints.append(
            filled(
                _(
                    "The scale lacks {gaps}, which lie between its points: neighbours count as one step apart. If "
                    "they are points that nobody chose, list all of them: {scale}."
                ),
                gaps=listed(map(str, gaps)),
                scale=scale,
            )
        )
    return hints


def near_equal_names(names: Sequence[str]) -> list[list[str]]:
    """Groups of names that differ only in case, spaces, or how their characters are encoded.

    >>> near_equal_names(["yes", "no", "Yes", "not  sure", "Not sure"])
    [['yes', 'Yes'], ['not  sure', 'Not sure']]
    """
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(" ".join(unicodedata.normalize("NFKC", name).casefold().split()), []).append(name)
    return [group for group in groups.values() if len(group) > 1]


def _near_equal(names: Sequence[str]) -> str:
    pairs = "; ".join(f"{name}={names[0]}" for name in names[1:])
    return filled(
        _(
            "{names} differ only in upper and lower case or in spaces, and were treated as {count} labels. If they are "
            "the same label, import again with the option 'label_names' = {pairs}."
        ),
        names=with_commas(map(repr, names)),
        count=len(names),
        pairs=f"'{pairs}'",
    )


def _whole_numbers(names: Sequence[str]) -> set[int]:
    try:
        return {int(name) for name in names}
    except ValueError:
        return set()
