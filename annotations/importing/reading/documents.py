"""Files that are one JSON document: read completely, within limits, reporting every mistake by its item's name."""

import json
import re
from dataclasses import dataclass
from typing import Any

from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotations.ground import bounded_json
from annotations.ground.progress import Progress
from annotations.importing.memory.limits import MAX_DOCUMENT_BYTES, NAME_LENGTH, repeated_name, unstorable
from annotations.importing.memory.problems import Problems, shortened
from annotations.importing.memory.tables import Segment
from annotations.importing.reading.files import Files, SourceFile, refuse_foreign, refuse_wrong_encoding
from annotations.shown.plurals import filled, with_commas, written

REMEDY = gettext_noop("Provide the complete file as it was published.")
TOO_LONG = gettext_noop("the document has more than {most} MB")
# A text, to be left alone, or a trailing comma. A text without an end goes to the end of the document: one that was
# tried again from each of its escaped quotation marks would take time that grows with the square of its length.
TRAILING_COMMA = re.compile(r'("(?:[^"\\]|\\.)*+"?)|,(?=\s*[}\]])', re.DOTALL)


class RepeatedKey(Exception):
    """An object has the same key twice."""


def without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An `object_pairs_hook` that refuses repeated keys.

    >>> import json
    >>> json.loads('{"a": 1, "a": 2}', object_pairs_hook=without_repeats)
    Traceback (most recent call last):
    annotations.importing.reading.documents.RepeatedKey: a
    """
    result = dict(pairs)
    if len(result) != len(pairs):
        raise RepeatedKey(repeated_name(name for name, _ in pairs))
    return result


@dataclass(frozen=True, slots=True)
class Item:
    """One item of one file, for noting problems; with its line, if it has one."""

    problems: Problems
    file: str
    name: str
    line: int | None = None

    def problem(self, reason: str, *, field: str, value: Any = "", remedy: str) -> None:
        if not self.problems.room:
            self.problems.count_more(1)
            return
        place = with_commas([filled(_("item {item}"), item=repr(shortened(self.name, 60))), field])
        self.problems.add(self.file, reason, line=self.line, field=place, value=value, remedy=remedy)

    def text(self, row: dict[str, Any], field: str, *, required: bool = True) -> str:
        """A text that can be stored; empty if it is absent or was noted as a problem."""
        value = row.get(field, "")
        if not isinstance(value, str) or (required and not value.strip()):
            self.problem(_("there is no text"), field=field, value=type(value).__name__, remedy=_("Add the text."))
            return ""
        if why := unstorable(value):
            self.problem(
                _("the text {why}").format(why=why),
                field=field,
                remedy=_("Write the complete character, or remove it."),
            )
            return ""
        return value

    def segments(self, texts: dict[str, Any], field: str) -> tuple[Segment, ...]:
        """The named segments of an object of texts; any that cannot be stored are noted."""
        for name in texts:
            self.is_nameable(name, gettext_noop("the segment's name"), field)
        return tuple(Segment(name, self.text(texts, name, required=False)) for name in texts)

    def is_nameable(self, name: str, what: str, field: str) -> bool:
        """Whether a name can be stored; it is noted if not. `what` is marked for translation but only translated here,
        because there are very many names and nearly all are fine.
        """
        if name.isalnum() and name.isascii() and len(name) <= NAME_LENGTH:  # nearly all of very many
            return True
        why = unstorable(name, NAME_LENGTH) if name else _("is empty")
        if why:
            reason = filled(_("{what} {why}"), what=translation.gettext(what), why=why)
            self.problem(reason, field=field, value=name, remedy=_("Use a different one."))
        return not why


def read_document(file: SourceFile, problems: Problems, progress: Progress) -> Any:
    """The document of a file. Repeated keys in one object are refused, because one of them would be lost."""
    text = _text_of(file, problems, progress)
    value = _parsed(text, file, problems, object_pairs_hook=without_repeats)
    progress(file.size, file.size, f"read {file.name}")
    return value


def read_careless_document(file: SourceFile, problems: Problems, progress: Progress) -> Any:
    """A document as `read_document` reads it, but trailing commas are accepted, and NaN becomes None."""
    text = TRAILING_COMMA.sub(lambda found: found[1] or "", _text_of(file, problems, progress))
    return _parsed(text, file, problems, parse_constant=lambda _: None)


def _parsed(text: str, file: SourceFile, problems: Problems, **how: Any) -> Any:
    try:
        return bounded_json.loads(text, **how)
    except RepeatedKey as error:
        reason, remedy = _("an object contains this key twice"), _("Keep only one of them.")
        problems.stop(file.name, reason, field=str(error), remedy=remedy)
    except json.JSONDecodeError as error:
        reason = _("this is not a complete JSON document: {msg}").format(msg=error.msg)
        problems.stop(file.name, reason, line=error.lineno, remedy=REMEDY)
    except ValueError:
        reason = _("this JSON could not be read: it is nested too deeply, or a number is too long")
        problems.stop(file.name, reason, remedy=REMEDY)


def only_file(files: Files, problems: Problems) -> SourceFile:
    """The file that is the whole dataset; stop if there are others."""
    if len(files) > 1:
        reason, remedy = _("a dataset must come from a single file"), _("Import each file separately.")
        problems.stop(files[1].name, reason, remedy=remedy)
    return files[0]


def named_items(file: SourceFile, problems: Problems, progress: Progress) -> dict[str, dict[str, Any]]:
    """The items of a document {name: item}; stop if it is something else or empty."""
    items = read_document(file, problems, progress)
    if not isinstance(items, dict) or not items:
        problems.stop(file.name, _("this is not an object of items"), value=type(items).__name__, remedy=REMEDY)
    for name, row in items.items():
        if not isinstance(row, dict):
            Item(problems, file.name, name).problem(_("this is not an object"), field="", value=row, remedy=REMEDY)
    problems.stop_if_any()
    return items


def refuse_long_document(file: SourceFile, problems: Problems, reason: str = TOO_LONG) -> None:
    """Stop if a document is larger than may be read at once."""
    if file.size > MAX_DOCUMENT_BYTES:
        problems.stop(
            file.name,
            filled(translation.gettext(reason), most=MAX_DOCUMENT_BYTES >> 20),
            value=filled(_("{size} bytes"), size=written(file.size)),
            remedy=_("Split it into several files."),
        )


def _text_of(file: SourceFile, problems: Problems, progress: Progress) -> str:
    refuse_foreign(file, problems)
    refuse_long_document(file, problems)
    progress(0, file.size, f"reading {file.name}")
    refuse_wrong_encoding(file, problems)
    return file.path.read_text(encoding="utf-8-sig")
