"""A label list in a separate file: one label per line, or a JSON list. It may include other words to find labels by.

In a text file they follow the label after a tab, separated by semicolons: `Housing<TAB>tenant; landlord; rent`.
In JSON such a label is `{"name": "Housing", "search_words": ["tenant", "landlord", "rent"]}`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext as _

from annotations.ground import bounded_json
from annotations.importing.memory.problems import Problems
from annotations.importing.memory.tables import DatasetTable
from annotations.importing.reading.documents import refuse_long_document
from annotations.importing.reading.files import SourceFile, refuse_foreign, refuse_wrong_encoding
from annotations.shown.plurals import filled
from annotations.storing.search_terms import BadSearchWords, search_words

NAME, WORDS = "name", "search_words"


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


def with_search_words(table: DatasetTable, lists: Sequence[SourceFile], problems: Problems) -> DatasetTable:
    """The table with the search words for its labels in these lists."""
    found = tuple((name, words) for file in lists for name, words in entries_in(file, problems) if words)
    return replace(table, labels=replace(table.labels, search_words=found)) if found else table


def entries_in(file: SourceFile, problems: Problems) -> list[tuple[str, tuple[str, ...]]]:
    """The labels, in order, each with its search words; the reader reports labels named twice."""
    refuse_foreign(file, problems)
    refuse_wrong_encoding(file, problems)
    refuse_long_document(file, problems)
    text = file.path.read_text(encoding="utf-8-sig")
    found = _of_json(text, file, problems) if text.lstrip().startswith("[") else _of_lines(text)
    entries = []
    for line, name, words in found:
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
    for one in listed:
        if isinstance(one, str):
            yield None, one, []
        elif isinstance(one, dict) and set(one) <= {NAME, WORDS} and _is_entry(one):
            yield None, one[NAME], one.get(WORDS, [])
        else:
            problems.stop(file.name, _("a label is not a text"), remedy=_remedy())


def _is_entry(one: dict[str, Any]) -> bool:
    return isinstance(one.get(NAME), str) and isinstance(one.get(WORDS, []), list)
