"""The tidy table of responses: its columns declared once, for the writers, the dictionary and the JSON Schema."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from operator import attrgetter, itemgetter
from typing import Any

from annotations.exporting.answers import FIRST_IS_A, ResponseRow
from annotations.exporting.cells import plain as plain_value
from annotations.exporting.filters import Filters
from annotations.exporting.formats import ExportFile
from annotations.exporting.identities import identities
from annotations.exporting.instruments import as_json, versions_read
from annotations.exporting.revisions import every_revision
from annotations.exporting.rows import ResponseSource
from annotations.exporting.skips import skips
from annotations.ground.saved import Saved
from annotations.shown.profiles import Answer, ProfileQuestion, QuestionKind, questions_of

FILTERS = frozenset(Filters().told())
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


FIELD = {name: itemgetter(place) for place, name in enumerate(ResponseRow._fields)}
"""What takes a field out of very many rows without running any Python for each."""


def system_side(row: ResponseRow) -> str:
    return "B" if row.side_order == FIRST_IS_A else "A"


# frontend/src/features/annotate/step/activeTime.ts measures it.
ACTIVE = "Milliseconds during which the page was visible, not paused, and used within the last 30 s,"

COLUMNS = (
    Variable("study", "text", "Slug of the study.", FIELD["study"], saved=None),
    Variable(
        "expert", "integer", "The expert's number in the study: a pseudonym.", FIELD["expert"], saved=Saved.NUMBER
    ),
    Variable("simulated", "boolean", "Whether the expert is simulated.", FIELD["expert_is_simulated"], saved=None),
    Variable("pilot", "boolean", "Whether it was answered in the pilot.", FIELD["is_pilot"], saved=None),
    Variable(
        "repeat",
        "boolean",
        "Whether it deliberately repeats an earlier assignment.",
        FIELD["is_repeat"],
        saved=Saved.REPEATS,
    ),
    Variable("position", "integer", "Place in the expert's order, from 0.", FIELD["position"], saved=Saved.ANSWERS),
    Variable(
        "comparison", "integer", "Number of the comparison in the study, from 0.", FIELD["comparison"], saved=None
    ),
    Variable("instance", "text", "The instance's id as imported.", FIELD["instance"], saved=None),
    Variable(
        "withdrawn",
        "boolean",
        "Whether the text has been withdrawn because it identifies a person.",
        FIELD["withdrawn"],
        saved=None,
    ),
    Variable(
        "system",
        "text",
        "The judged system (in system-vs-system studies: the second).",
        attrgetter("second.name"),
        saved=None,
    ),
    Variable("model", "text", "Its model.", attrgetter("second.model"), saved=None),
    Variable("method", "text", "Its method; may be empty.", attrgetter("second.method"), saved=None),
    Variable("run", "text", "Its run; may be empty.", attrgetter("second.run"), saved=None),
    Variable(
        "against",
        "text",
        "What it was compared with: `human`, or the first system.",
        attrgetter("first.name"),
        saved=None,
    ),
    Variable("option_a", "text", "What was shown as A.", attrgetter("option_a.name"), saved=None),
    Variable("option_b", "text", "What was shown as B.", attrgetter("option_b.name"), saved=None),
    Variable("system_side", "text", "The side that showed `system`.", system_side, values=("A", "B"), saved=None),
    Variable(
        "labels",
        "texts",
        "Step 1: labels that the expert chose, in the dataset's order.",
        FIELD["labels"],
        saved=Saved.ANSWERS,
    ),
    Variable(
        "choice",
        "text",
        "Step 2: which option is more accurate.",
        attrgetter("choice"),
        values=("a", "b", "both", "neither"),
        saved=Saved.ANSWERS,
    ),
    Variable("a_chosen", "boolean", "Whether A was chosen (`both` counts).", FIELD["a_chosen"], saved=Saved.ANSWERS),
    Variable("b_chosen", "boolean", "Whether B was chosen (`both` counts).", FIELD["b_chosen"], saved=Saved.ANSWERS),
    Variable(
        "system_chosen",
        "boolean",
        "Whether `system` was chosen (`both` counts).",
        attrgetter("second_chosen"),
        saved=Saved.ANSWERS,
    ),
    Variable(
        "against_chosen",
        "boolean",
        "Whether `against` was chosen (`both` counts).",
        attrgetter("first_chosen"),
        saved=Saved.ANSWERS,
    ),
    Variable(
        "certainty",
        "share",
        "From 0 (guessing) to 1 (certain).",
        FIELD["certainty"],
        nullable=True,
        saved=Saved.ANSWERS,
    ),
    Variable("labels_ms", "integer", f"{ACTIVE} in step 1.", FIELD["labels_ms"], nullable=True, saved=Saved.TIMES),
    Variable(
        "preference_ms", "integer", f"{ACTIVE} in step 2.", FIELD["preference_ms"], nullable=True, saved=Saved.TIMES
    ),
    Variable(
        "claimed_at",
        "time",
        "When the expert got the assignment.",
        FIELD["claimed_at"],
        nullable=True,
        saved=Saved.TIMES,
    ),
    Variable("labels_at", "time", "When step 1 was stored.", FIELD["labels_at"], saved=Saved.TIMES),
    Variable(
        "shown_at",
        "time",
        "When step 2 was first shown; from then on step 1 is locked.",
        FIELD["shown_at"],
        saved=Saved.TIMES,
    ),
    Variable("completed_at", "time", "When step 2 was stored.", FIELD["completed_at"], saved=Saved.TIMES),
    Variable(
        "labels_revisions",
        "integer",
        "How often step 1 was stored; the newest counts.",
        FIELD["labels_revisions"],
        saved=Saved.ANSWERS,
    ),
    Variable(
        "preference_revisions",
        "integer",
        "How often step 2 was stored; the newest counts.",
        FIELD["preference_revisions"],
        saved=Saved.ANSWERS,
    ),
    Variable(
        "guess",
        "text",
        "At the end: which side the expert guesses was people's. Empty: not asked about this comparison, or not said.",
        FIELD["guess"],
        nullable=True,
        values=("a", "b", "unknown"),
        saved=Saved.GUESSES,
    ),
    Variable(
        "guess_right",
        "boolean",
        "Whether the guess was right; empty until the study is closed, where there is none, or where it is `unknown`.",
        attrgetter("guess_right"),
        nullable=True,
        saved=Saved.GUESSES,
    ),
    Variable(
        "labels_instrument",
        "integer",
        "Step 1: the version of what the expert read (instrument_versions.json). Empty: not known.",
        FIELD["labels_instrument"],
        nullable=True,
        saved=Saved.PAGES,
    ),
    Variable("instrument", "integer", "The same of step 2.", FIELD["instrument"], nullable=True, saved=Saved.PAGES),
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


def _number_or_words(said: Answer, is_number: bool) -> Answer:
    return float(said) if is_number and said is not None else said


def saved_by(source: ResponseSource) -> dict[str, Saved | None]:
    """What each column of the study's table says about an expert."""
    return {column.name: column.saved for column in columns_of(source)}


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


def beside(source: ResponseSource, file: str) -> list[ExportFile]:
    """What accompanies every tidy table: its dictionary, the JSON Schema of a row, and what was skipped.

    If requested, also every revision, and who the experts are.
    """
    return [
        ExportFile("dictionary.md", lambda: [dictionary(source, file).encode()]),
        ExportFile(
            "responses.schema.json", lambda: [(json.dumps(json_schema(columns_of(source)), indent=2) + "\n").encode()]
        ),
        ExportFile("instrument_versions.json", lambda: [as_json(versions_read(source.study))]),
        *skips(source),
        *([every_revision(source)] if source.filters.revisions == "all" else []),
        *([identities(source)] if source.filters.identified else []),
    ]
