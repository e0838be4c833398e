"""The tidy table of responses: its columns declared once, for the writers, the dictionary and the JSON Schema."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from operator import attrgetter, itemgetter
from typing import Any

from annotations.exporting.cells import plain as plain_value
from annotations.exporting.rows import Filters, ResponseRow, ResponseSource
from annotations.ground.saved import Saved
from annotations.shown.profiles import Answer, ProfileQuestion, QuestionKind, questions_of

FILTERS = frozenset(Filters().as_json())
"""Every tidy table supports all filters."""

Kind = str
# kind -> JSON Schema
SCHEMAS: dict[Kind, dict[str, Any]] = {
    "text": {"type": "string"},
    "integer": {"type": "integer", "minimum": 0},
    "share": {"type": "number", "minimum": 0, "maximum": 1},
    "number": {"type": "number", "minimum": 0},
    "boolean": {"type": "boolean"},
    "time": {"type": "string", "format": "date-time", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$"},
    "texts": {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
}
FIELD = {name: itemgetter(place) for place, name in enumerate(ResponseRow._fields)}
"""What takes a field out of very many rows without running any Python for each."""
# frontend/src/features/annotate/step/activeTime.ts measures it.
ACTIVE = "Milliseconds during which the page was visible, not paused, and used within the last 30 s,"
FILES = {
    "responses.csv": "The table as CSV: a cell that a spreadsheet would run as a formula has an apostrophe in front.",
    "responses.jsonl": "The table as JSON lines, one object per response.",
    "responses.parquet": "The table as Parquet: typed, times as timestamps, labels as lists.",
    "dictionary.md": "What each column says, and which filters were applied.",
    "responses.schema.json": "The JSON Schema of a row.",
    "instrument_versions.json": "Every version of what experts read: questions, instructions, what a bar is, layout, "
    "labels, language, the version of the app's own words (`app`) and a SHA-256.",
    "experts.csv": "Each expert: how many comparisons they skipped after seeing both sides.",
    "systems.csv": "Each system: its preference fraction as it is (`fraction`), at worst (chosen in none of the "
    "skipped comparisons) and at best (chosen in all), and how many of its answers are to sides that looked the same "
    "(`answers_to_identical_sides`). Without the pilot and deliberate repeats.",
    "revisions.csv": "Only if asked for: every stored version of both steps.",
    "people.csv": "Only if asked for by an admin with a login: names and e-mail addresses by expert number.",
}
"""What each file of a tidy table's export contains."""


@dataclass(frozen=True, slots=True)
class Variable:
    """One column: its name, kind, whether it may be empty, what it means, and where it comes from.

    `saved`: the item of the consent that it belongs to; None: it says nothing about an expert.
    """

    name: str
    kind: Kind
    says: str
    value: Callable[[ResponseRow], Any]
    nullable: bool = False
    values: tuple[str, ...] = ()
    saved: Saved | None = field(kw_only=True)


def _column(
    name: str,
    kind: Kind,
    says: str,
    field: str = "",
    *,
    saved: Saved | None,
    nullable: bool = False,
    values: tuple[str, ...] = (),
) -> Variable:
    """A column with a field of a row, or a part of one; without any, with the field of its own name."""
    path = field or name
    return Variable(name, kind, says, FIELD.get(path) or attrgetter(path), nullable, values, saved=saved)


COLUMNS = (
    _column("study", "text", "Slug of the study.", saved=None),
    _column("expert", "integer", "The expert's number in the study: a pseudonym.", saved=Saved.NUMBER),
    _column("simulated", "boolean", "Whether the expert is simulated.", "expert_is_simulated", saved=None),
    _column("pilot", "boolean", "Whether it was answered in the pilot.", "is_pilot", saved=None),
    _column(
        "repeat",
        "boolean",
        "Whether it deliberately repeats an earlier assignment.",
        "is_repeat",
        saved=Saved.REPEATS,
    ),
    _column("position", "integer", "Place in the expert's order, from 0.", saved=Saved.ANSWERS),
    _column("comparison", "integer", "Number of the comparison in the study, from 0.", saved=None),
    _column("instance", "text", "The instance's id as imported.", saved=None),
    _column("withdrawn", "boolean", "Whether the text has been withdrawn because it identifies a person.", saved=None),
    _column(
        "system", "text", "The judged system (in system-vs-system studies: the second).", "second.name", saved=None
    ),
    _column("model", "text", "Its model.", "second.model", saved=None),
    _column("method", "text", "Its method; may be empty.", "second.method", saved=None),
    _column("run", "text", "Its run; may be empty.", "second.run", saved=None),
    _column("against", "text", "What it was compared with: `human`, or the first system.", "first.name", saved=None),
    _column("option_a", "text", "What was shown as A.", "option_a.name", saved=None),
    _column("option_b", "text", "What was shown as B.", "option_b.name", saved=None),
    _column("system_side", "text", "The side that showed `system`.", values=("A", "B"), saved=None),
    _column("labels", "texts", "Step 1: labels that the expert chose, in the dataset's order.", saved=Saved.ANSWERS),
    _column(
        "choice",
        "text",
        "Step 2: which option is more accurate.",
        values=("a", "b", "both", "neither"),
        saved=Saved.ANSWERS,
    ),
    _column("a_chosen", "boolean", "Whether A was chosen (`both` counts).", saved=Saved.ANSWERS),
    _column("b_chosen", "boolean", "Whether B was chosen (`both` counts).", saved=Saved.ANSWERS),
    _column(
        "system_chosen", "boolean", "Whether `system` was chosen (`both` counts).", "second_chosen", saved=Saved.ANSWERS
    ),
    _column(
        "against_chosen",
        "boolean",
        "Whether `against` was chosen (`both` counts).",
        "first_chosen",
        saved=Saved.ANSWERS,
    ),
    _column("certainty", "share", "From 0 (guessing) to 1 (certain).", nullable=True, saved=Saved.ANSWERS),
    _column("labels_ms", "integer", f"{ACTIVE} in step 1.", nullable=True, saved=Saved.TIMES),
    _column("preference_ms", "integer", f"{ACTIVE} in step 2.", nullable=True, saved=Saved.TIMES),
    _column("claimed_at", "time", "When the expert got the assignment.", nullable=True, saved=Saved.TIMES),
    _column("labels_at", "time", "When step 1 was stored.", saved=Saved.TIMES),
    _column("shown_at", "time", "When step 2 was first shown; from then on step 1 is locked.", saved=Saved.TIMES),
    _column("completed_at", "time", "When step 2 was stored.", saved=Saved.TIMES),
    _column("labels_revisions", "integer", "How often step 1 was stored; the newest counts.", saved=Saved.ANSWERS),
    _column("preference_revisions", "integer", "How often step 2 was stored; the newest counts.", saved=Saved.ANSWERS),
    _column(
        "guess",
        "text",
        "At the end: which side the expert guesses was people's. Empty: not asked about this comparison, or not said.",
        nullable=True,
        values=("a", "b", "unknown"),
        saved=Saved.GUESSES,
    ),
    _column(
        "guess_right",
        "boolean",
        "Whether the guess was right; empty until the study is closed, where there is none, or where it is `unknown`.",
        nullable=True,
        saved=Saved.GUESSES,
    ),
    _column(
        "labels_instrument",
        "integer",
        "Step 1: the version of what the expert read (instrument_versions.json). Empty: not known.",
        nullable=True,
        saved=Saved.PAGES,
    ),
    _column("instrument", "integer", "The same of step 2.", nullable=True, saved=Saved.PAGES),
    Variable(
        "page_language",
        "text",
        "Step 2: the language in which the page spoke, as a tag. Empty: not known.",
        lambda row: row.page_language or None,
        nullable=True,
        saved=Saved.PAGES,
    ),
)


def columns_of(source: ResponseSource) -> tuple[Variable, ...]:
    """All columns of a study's table: those of every study, then what its experts were asked about themselves."""
    return (*COLUMNS, *(_of_profile(question) for question in questions_of(source.study)))


def _of_profile(question: ProfileQuestion) -> Variable:
    is_number = question.kind == QuestionKind.NUMBER
    return Variable(
        f"profile_{question.name}",
        "number" if is_number else "text",
        f"What the expert said about themselves: {question.label}".replace("|", "/"),
        lambda row: _number_or_words(row.profile.get(question.name), is_number),
        nullable=True,
        saved=Saved.PROFILE,
    )


def _number_or_words(answer: Answer, is_number: bool) -> Answer:
    return float(answer) if is_number and answer is not None else answer


def plain(row: ResponseRow, columns: Sequence[Variable] = COLUMNS) -> dict[str, Any]:
    """A row as plain JSON values; times as ISO 8601 in UTC with microseconds."""
    return {column.name: plain_value(column.value(row)) for column in columns}


def json_schema(columns: Sequence[Variable] = COLUMNS) -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of one row of the tidy table."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "One response of a study: an expert's whole answer to one comparison",
        "type": "object",
        "properties": {column.name: _schema(column) for column in columns},
        "required": [column.name for column in columns],
        "additionalProperties": False,
    }


def _schema(column: Variable) -> dict[str, Any]:
    schema = SCHEMAS[column.kind] | {"description": column.says}
    if column.values:
        schema["enum"] = [*column.values, None] if column.nullable else list(column.values)
    if column.nullable:
        schema["type"] = [schema["type"], "null"]
    return schema


def dictionary(source: ResponseSource, file: str) -> str:
    """The data dictionary, in Markdown."""
    lines = [f"# {file}: one row per response\n\n"]
    if source.is_simulated:
        lines.append("**SIMULATED: this study holds simulated data or simulated experts. Not for inference.**\n\n")
    lines += [
        f"Study `{source.study.slug}`, dataset `{source.study.dataset.slug}`. "
        "A row is one expert's whole answer to one comparison, in the newest revision of both steps. "
        "Times are UTC. Experts are identified only by number.\n\n",
        "| column | kind | empty | what it says |\n|---|---|---|---|\n",
    ]
    if source.filters.in_words():
        lines.insert(-1, f"{source.filters.in_words()}\n\n")
    for column in columns_of(source):
        says = column.says + (f" One of {', '.join(f'`{v}`' for v in column.values)}." if column.values else "")
        lines.append(f"| `{column.name}` | {column.kind} | {'yes' if column.nullable else 'no'} | {says} |\n")
    if file.endswith(".csv"):
        lines.append(
            "\nIn CSV an empty cell is an empty value, `labels` is a JSON array, and a text that a spreadsheet "
            "would run as a formula (it begins with `=`, `+`, `-`, `@`, a tab or a line end) has one apostrophe in "
            "front, which a reader takes away again. JSON lines and Parquet contain the texts unchanged.\n"
        )
    return "".join(lines)
