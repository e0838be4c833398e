"""Every sentence that pages, messages and reports can show, as one text: `python -m tests.sentences > sentences.txt`.

It is for reading: who changes the words of one page cannot see how all the others speak. A sentence is any string of
two words or more that is not a docstring; `{...}` stands where a value goes in.
"""

import ast
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import django
import polib

from tests.house import ROOT

PACKAGES = ("annotations", "metaeval", "hlvstudy")
NOT_SHOWN = {"migrations", "tooling"}
API = "the API's schema"
SILENT_CALLS = {"compile", "search", "match", "sub", "findall", "getLogger", "execute", "RunSQL", "filterwarnings"}
"""Calls whose strings nobody reads: patterns, SQL, names of loggers."""
CODE = re.compile(
    r"^\s*(?:SELECT|INSERT|UPDATE|DELETE|CREATE|DROP|PRAGMA|WITH|VACUUM|COPY|SET|LOCK|ALTER|BEGIN|DECLARE)\b|::|\bdatum\.|=>|</"
)
WORDS = re.compile(r"[^\W\d_]{2,}[.,:;]?\s+(?:\{\W*…?\}\s*)?(?:[^\W\d_]+)", re.UNICODE)


@dataclass(frozen=True)
class Sentence:
    """What can be shown, and the file where it is said."""

    text: str
    place: str


def is_sentence(text: str) -> bool:
    """Whether a string is words for people.

    >>> [is_sentence(text) for text in ("The study is closed.", "study_id", "SELECT a FROM b", "Sign in", "utf-8")]
    [True, False, False, True, False]
    """
    return bool(WORDS.search(text)) and not CODE.search(text)


def text_of(node: ast.expr) -> str | None:
    """The string that an expression makes, with `{…}` for its values; None if it is not a string.

    >>> text_of(ast.parse('f"{count} of " + "them"', mode="eval").body)
    '{…} of them'
    """
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(text_of(part) or "" if isinstance(part, ast.Constant) else "{…}" for part in parts)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            halves = text_of(left), text_of(right)
            if halves == (None, None):
                return None
            return "".join("{…}" if half is None else half for half in halves)
        case _:
            return None


def said_in(source: str) -> Iterator[str]:
    """The sentences of a Python file in their order, without its docstrings.

    >>> list(said_in('def f():\\n    "Not this one."\\n    raise ValueError(f"There is no {name} here.")'))
    ['There is no {…} here.']
    """
    yield from _said_by(ast.parse(source))


def _said_by(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.expr) and (text := text_of(node)) is not None:
        if is_sentence(text):
            yield re.sub(r"\s+", " ", text).strip()
        return
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return  # a docstring, of whatever it stands under
    if isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) in SILENT_CALLS:
        return
    for child in ast.iter_child_nodes(node):
        yield from _said_by(child)


def of_code() -> Iterator[Sentence]:
    """What Python says: errors, help, notes, titles, answers, mails, events, figures."""
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            if not NOT_SHOWN & set(path.relative_to(ROOT).parts):
                for text in said_in(path.read_text(encoding="utf-8")):
                    yield Sentence(text, str(path.relative_to(ROOT)))


def of_texts() -> Iterator[Sentence]:
    """Paragraphs of methods and reports, and the words of templates."""
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*")):
            if path.suffix not in {".txt", ".html"}:
                continue
            plain = re.sub(
                r"\{%.*?%\}|<style.*?</style>|<[^>]+>", "\n", path.read_text(encoding="utf-8"), flags=re.DOTALL
            )
            plain = re.sub(r"\{\{.*?\}\}", "{…}", plain)
            blocks = plain.split("\n\n") if path.suffix == ".txt" else plain.splitlines()
            for block in blocks:
                if is_sentence(block):
                    yield Sentence(re.sub(r"\s+", " ", block).strip(), str(path.relative_to(ROOT)))


def of_catalogue(language: str = "en") -> Iterator[Sentence]:
    """What pages say, and what the server says in the reader's language. English is what others translate."""
    written = "de" if language == "en" else language
    for entry in polib.pofile(str(ROOT / "locale" / written / "LC_MESSAGES" / "django.po")):
        places = sorted({place for place, _ in entry.occurrences}) or ["locale"]
        yield Sentence(entry.msgid if language == "en" else entry.msgstr, places[0])


def of_api() -> Iterator[Sentence]:
    """What the page about the API says of its addresses and fields."""
    from annotations.api.schema import api_schema

    yield from _described(api_schema())


def _described(node: object) -> Iterator[Sentence]:
    if isinstance(node, dict):
        for key, value in node.items():
            if key in {"description", "summary"} and isinstance(value, str) and is_sentence(value):
                yield Sentence(re.sub(r"\s+", " ", value).strip(), API)
            else:
                yield from _described(value)
    elif isinstance(node, list):
        for value in node:
            yield from _described(value)


def every_sentence() -> list[Sentence]:
    """All of them, each once, in the order of their places."""
    found: dict[str, Sentence] = {}
    for sentence in (*of_catalogue(), *of_code(), *of_texts(), *of_api()):
        found.setdefault(sentence.text, sentence)
    return sorted(found.values(), key=lambda sentence: sentence.place)


def as_one_text(sentences: list[Sentence]) -> str:
    """A heading for each file, and its sentences below, a line each."""
    lines: list[str] = []
    place = ""
    for sentence in sentences:
        if sentence.place != place:
            place = sentence.place
            lines += ["", f"## {place}"]
        lines.append(sentence.text)
    return "\n".join(lines).strip() + "\n"


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "hlvstudy.settings")
    django.setup()
    sys.stdout.write(as_one_text(every_sentence()))
