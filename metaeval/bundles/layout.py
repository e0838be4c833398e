"""Where things are in a bundle, and what the columns of its tables mean."""

from __future__ import annotations

from dataclasses import dataclass, fields

from annotations.ground.saved import Saved
from metaeval.analyses.inputs import Answers
from metaeval.analyses.inputs.kinds import is_later, says_more


@dataclass(frozen=True)
class Field:
    """A column: `kind` is a Frictionless type. `saved`: the item of the experts' consent that it belongs to; None: it
    says nothing about an expert."""

    name: str
    kind: str
    says: str = ""
    saved: Saved | None = None

    @property
    def described(self) -> dict[str, str]:
        return {"name": self.name, "type": self.kind} | ({"description": self.says} if self.says else {})


FORMAT, VERSION = "hlv-study-bundle", 1

STUDY = "study.json"
PLAN = "plan.json"
VERSIONS = "versions.json"
README = "README.md"
INSTANCES = "data/instances.csv"
TEXTS = "data/texts.jsonl"
PEOPLE = "data/judgements.csv"
ANNOTATIONS = "data/annotations.csv"
ANSWERS = "data/answers.csv"
REPORTS = "data/reports.csv"
SIDES = "sides.json"
TURNS = "data/turns.csv"
SHOWING = "data/showing.json"


def system_path(place: int) -> str:
    return f"data/systems/{place:04d}.csv"


def predicted_path(place: int) -> str:
    return f"data/predicted_annotations/{place:04d}.csv"


def result_path(place: int, analysis: str) -> str:
    return f"results/{place:03d}-{analysis}.json"


FILES = {
    README: "What this is, and how to check it.",
    STUDY: "Settings, also whether runs are averaged; the dataset's labels; the systems, with the SHA-256 of their "
    "predictions and, of a mean, of the runs that it averages.",
    PLAN: "The analysis plan, and its SHA-256 if it was fixed when the study opened.",
    VERSIONS: "The versions of what computed the results, of the rules, and of what made the bundle.",
    INSTANCES: "The instances' ids, in order, and whether the text was withdrawn.",
    PEOPLE: "P: one row per instance, one column per label, all digits.",
    ANNOTATIONS: "The annotations behind P, where they were imported.",
    system_path(0): "Q, one file per system, numbered as in `study.json`.",
    predicted_path(0): "Predictions of single annotations, where there are any.",
    ANSWERS: "What the experts did, one row per place that somebody took.",
    REPORTS: "Reported problems: the reason, not the words.",
    SIDES: "How sides were drawn: the SHA-256 of each key, and the key itself once the study is closed.",
    TURNS: "Row by row of `data/answers.csv`: the turn in which it was shown, the phase, and how its side was drawn.",
    SHOWING: "How distributions were shown to experts: the rule, and how many people judged each instance.",
    TEXTS: "Only with `--with-texts`: the texts, without those that were withdrawn.",
    result_path(1, "agreement"): "Every result on the data as they are, with parameters and seed.",
}
"""What each file holds; if there are several of a kind, they are numbered."""

KINDS = {"Integers": "integer", "Mask": "boolean", "Vector": "number"}
LABELS = "labels"
"""The one column of answers that is a list: positions of labels, with semicolons between them."""

SAYS = {
    "comparison": "Code of the comparison.",
    "instance": "Position of the instance, from 0.",
    "first": "Place of the first system in study.json; -1: what people said.",
    "second": "Place of the second system (against people: the system).",
    "expert": "Number of the expert: a pseudonym.",
    "position": "Place in the expert's own order.",
    "first_is_a": "Whether the first was on side A.",
    "is_pilot": "Given in the pilot.",
    "is_skipped": "The place was given up.",
    "repeat_of": "Row that it repeats deliberately, from 0; -1 if none.",
    "is_labelled": "Step 1 was answered.",
    LABELS: "Step 1: positions of the chosen labels in study.json, with semicolons between them.",
    "labels_ms": "Active milliseconds of step 1; empty if not known.",
    "labels_revisions": "How often step 1 was stored; the newest counts.",
    "was_shown": "Step 2 was shown.",
    "is_answered": "Step 2 was answered.",
    "a_chosen": "A is accurate (also if both are).",
    "b_chosen": "B is accurate (also if both are).",
    "certainty": "From 0 (guessing) to 1 (certain); empty if not given.",
    "preference_ms": "Active milliseconds of step 2; empty if not known.",
    "preference_revisions": "How often step 2 was stored; the newest counts.",
    "identical": "Both sides looked the same, and the expert was told so.",
    "instrument": "Step 2: the version of what the expert read; -1 if not known.",
    "guess": "Guessed at the end to be people's side: 0: A, 1: B, 2: cannot say; -1: no guess.",
}

SAVED: dict[str, Saved | None] = {
    **dict.fromkeys(
        ("comparison", "instance", "first", "second", "first_is_a", "is_pilot", "is_withdrawn", "identical")
    ),
    "expert": Saved.NUMBER,
    "position": Saved.ANSWERS,
    "is_skipped": Saved.REPORTS,
    "repeat_of": Saved.REPEATS,
    **dict.fromkeys(("is_labelled", LABELS, "labels_revisions", "was_shown", "is_answered"), Saved.ANSWERS),
    **dict.fromkeys(("a_chosen", "b_chosen", "certainty", "preference_revisions"), Saved.ANSWERS),
    **dict.fromkeys(("labels_ms", "preference_ms"), Saved.TIMES),
    "instrument": Saved.PAGES,
    "guess": Saved.GUESSES,
}
"""To which item of the experts' consent each column of answers belongs; None: it says nothing about an expert."""

ANSWER_FIELDS = tuple(
    Field(
        column.name,
        "string" if column.name == LABELS else KINDS[str(column.type)],
        SAYS.get(column.name, ""),
        SAVED[column.name],
    )
    for column in fields(Answers)
)
"""A column of the table for every array of `Answers`, in the same order."""

LATER = frozenset(column.name for column in fields(Answers) if is_later(column))
"""The columns that earlier bundles lack. A bundle has them if they say more than their absence would."""


def answer_fields(answers: Answers) -> tuple[Field, ...]:
    """The columns that the table of these answers needs."""
    telling = {column.name for column in fields(answers) if says_more(column, getattr(answers, column.name))}
    return tuple(column for column in ANSWER_FIELDS if column.name in telling)


INSTANCE_FIELDS = (
    Field("instance", "string", "The instance's id as imported."),
    Field("withdrawn", "boolean", "Whether the text was withdrawn, because it identifies a person."),
)
ANNOTATION_FIELDS = (
    Field("instance", "integer", "Position of the instance, from 0."),
    Field("annotator", "string", "A code, never a name; empty if not known."),
    Field("labels", "string", "Positions of the labels in study.json, with semicolons between them."),
    Field("count", "integer", "How many unknown people said exactly this."),
)
TURN_FIELDS = (
    Field(
        "turn",
        "integer",
        "The expert's turn, from 0, in which the row of data/answers.csv was shown; empty if none.",
        Saved.ANSWERS,
    ),
    Field("phase", "string", "Of the study at that time: pilot or main."),
    Field("rule", "integer", "How the side was drawn: 2: by the key of the phase; 1: otherwise."),
)
REPORT_FIELDS = (
    Field("answer", "integer", "Row of data/answers.csv, from 0."),
    Field("reason", "string", "The reason that was chosen; the comment is not included.", Saved.REPORTS),
    Field("skipped", "boolean", "Whether the expert left the place because of it.", Saved.REPORTS),
)
