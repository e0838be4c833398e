"""Each sentence that the server can show to a person is marked for translation: a plain string nobody can translate."""

import ast
import re
from collections.abc import Iterator, Set

import pytest

from tests.house import ROOT
from tests.sentences import SILENT_CALLS, is_sentence, text_of
from tests.tooling.python_messages import NAMES, messages

FOR_PROGRAMMERS = {
    *("AssertionError", "ImproperlyConfigured", "LookupError", "RuntimeError", "TypeError", "ValueError"),
    *("debug", "error", "exception", "info", "warning"),
    *("OpenApiParameter", "extend_schema"),
    "JSONText",
}
"""Errors of a wrong call, the server's log, the description of the API, and SQL."""
OF_THE_API = {"help_text", "summary", "verbose_name", "verbose_name_plural"}
"""Arguments that describe the API's fields and the models' in English."""
IN_ENGLISH = {
    "annotations/management/": "commands speak English",
    "annotations/migrations/": "nobody reads them",
    "annotations/simulating/": "commands, and texts of examples",
    "annotations/ground/sides.py": "the command check_sides says it",
    "annotations/ground/bounds.py": "said of reports and charts, which are in English",
    "annotations/designing/testing_unit.py": "stored with results",
    "annotations/designing/presets.py": "what experts read, in each study's own language",
    "annotations/erasing/holdings.py": "the reference says it (docs/reference/stored-data.md)",
    "annotations/erasing/registry.py": "a test says it, to developers",
    "annotations/exporting/columns.py": "the dictionary of an export is in English, as its columns are",
    "annotations/exporting/rows.py": "stands in the dictionary of an export",
    "annotations/exporting/study_responses.py": "stands in the dictionary of an export",
    "annotations/exporting/votes.py": "stands in the dictionary of an export",
    "annotations/importing/responses/": "the commands import_responses and check_sides say it",
    "annotations/answering/progress.py": "it is SQL",
    "annotations/storing/outage.py": "the server's log says it",
    "annotations/ground/registry.py": "read by who installs a plugin, in the server's log, or by programs",
    "annotations/ground/units.py": "stored with results",
}
"""Where sentences are not translated, and why."""
EXCUSED = {
    "The first day (UTC).": "a help text of the API",
    "The last day (UTC).": "a help text of the API",
    "Answered on this day (UTC) or later.": "a help text of the API",
    "Answered on this day (UTC) or earlier.": "a help text of the API",
    "One of {…}.": "a help text of the API",
    "a character that cannot be stored": "of a request that no page makes",
    "This API token may only change {…}. Create one with permission to change this.": "read by programs",
    "a matrix holds a value that is not a finite number": "importers refuse it before",
    "Which labels, if any, apply to this text?": "the default of a study, whose language is its own",
    "Which of these describes what people would say about this text more accurately?": "the same",
    "executor of jobs": "the name of a registry",
    "text/csv; charset=utf-8": "a header",
    "e-mail address": "the title of a column",
    "number of annotations": "a field of LeWiDi's files",
    "model, method, run": "names of options",
    "A NumPy matrix": "the name of a kind of field",
    "instance, label, probability, annotator, count, text, segments, segment:NAME, language, direction, split": (
        "columns"
    ),
    "instance, label, probability, system, model, method, run": "columns",
    "a JSON list": "a code for the shape of a file",
    "unexpected end of data": "what Python says",
    "export as csv": "a code in events",
    "export as jsonl": "a code in events",
    "export as parquet": "a code in events",
    "left to right": "the name of a choice",
    "right to left": "the name of a choice",
    "models.QuerySet[Report, Any]": "a type",
    "CAST(({…}) AS text)": "SQL",
    "openid email profile": "the scopes of OpenID Connect",
}
"""Strings that look like sentences, or that are not translated, and why."""


def unmarked(source: str) -> Iterator[tuple[int, str]]:
    """Line and text of every sentence that the catalogues do not get (tests/tooling/python_messages.py).

    >>> list(unmarked('problems.add(name, _("the label is unknown"), remedy=f"Use {label}, or leave it out.")'))
    [(1, 'Use {…}, or leave it out.')]
    >>> list(unmarked('def f():\\n    "What it is for."\\n    raise ValueError("the arrays differ in length")'))
    []
    """
    yield from _in(ast.parse(source), {text for text, _line in messages(source, "it")})


def _in(node: ast.AST, marked: Set[str]) -> Iterator[tuple[int, str]]:
    if isinstance(node, ast.expr) and (text := text_of(node)) is not None:
        plain = re.sub(r"\s+", " ", text).strip()
        if text not in marked and _is_said(plain):
            yield node.lineno, plain
        elif isinstance(node, ast.JoinedStr):
            for part in node.values:
                yield from _in(part, marked)
        return
    if not _is_silent(node):
        for child in ast.iter_child_nodes(node):
            yield from _in(child, marked)


def _is_said(text: str) -> bool:
    """Two words may be a name or a code; three, or two with a full stop, are said to somebody."""
    words = re.findall(r"[^\W\d_]+", text.replace("{…}", " "))
    return is_sentence(text) and (len(words) > 2 or text[-1:] in ".?!")


def _is_silent(node: ast.AST) -> bool:
    match node:
        case ast.Expr(value=ast.Constant()) | ast.Assert() | ast.MatchValue() | ast.Subscript():
            silent = True  # docstrings, what must be true, and what is looked up
        case ast.arg():
            silent = True  # a quoted type
        case ast.FunctionDef(name=name):
            silent = name == "__str__"  # how the shell shows a row
        case ast.ClassDef(bases=bases):
            silent = any("Choices" in ast.unparse(base) for base in bases)  # pages have their own words for these
        case ast.keyword(arg=name) | ast.Dict(keys=[ast.Constant(value=name)]):
            silent = name in OF_THE_API
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            silent = name in NAMES | {"pgettext"} | FOR_PROGRAMMERS | SILENT_CALLS
        case _:
            silent = False
    return silent


@pytest.fixture(scope="module")
def found() -> list[tuple[str, int, str]]:
    """File, line and text of all sentences of the app that are not marked."""
    files = {path.relative_to(ROOT).as_posix(): path for path in sorted((ROOT / "annotations").rglob("*.py"))}
    return [
        (place, line, text)
        for place, path in files.items()
        if not place.startswith(tuple(IN_ENGLISH))
        for line, text in unmarked(path.read_text(encoding="utf-8"))
    ]


def test_every_sentence_can_be_translated(found: list[tuple[str, int, str]]) -> None:
    left = [f"{place}:{line}: {text}" for place, line, text in found if text not in EXCUSED]
    assert left == [], 'Mark them, filled(_("There are {count} of them."), count=count), and translate them.'


def test_nothing_is_excused_that_is_not_there(found: list[tuple[str, int, str]]) -> None:
    assert set(EXCUSED) - {text for _place, _line, text in found} == set()
    assert [place for place in IN_ENGLISH if not (ROOT / place).exists()] == []


@pytest.mark.parametrize(
    "wrong",
    [
        'problems.add(file, f"the row has {count} cells", remedy=REMEDY)',
        'problems.add(file, _("the row is empty"), remedy="Fill it.")',
        'note = f"{count} answers " + "were left out."',
        'notes.append("Rows that sum to nearly 1 were divided by their sums.")',
        'raise DoesNotFit(f"{name} is larger than {most} bytes.")',
        'REMEDY = "Export the project again, as JSONL."',
        'told = filled(_("{file} {why}"), file=file, why=f"has {count} more lines")',
    ],
)
def test_a_sentence_that_is_not_marked_is_found(wrong: str) -> None:
    assert len(list(unmarked(wrong))) == 1


@pytest.mark.parametrize(
    "right",
    [
        'problems.add(file, filled(_("the row has {count} cells"), count=count), field="label", remedy=REMEDY)',
        'REMEDY = gettext_noop("Export the project again, as JSONL.")',
        'progress(0, 1, f"reading {file.name}")',
        'logger.warning("an uploaded file could not be deleted (%s)", name)',
        'row["number of annotations"] == "no"',
        'class Task(TextChoices):\n    ANY = "any", "any number of labels"',
    ],
)
def test_what_nobody_is_told_is_none(right: str) -> None:
    assert list(unmarked(right)) == []
