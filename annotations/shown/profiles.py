"""What a study asks its experts about themselves before they begin: the questions, and checking the answers."""

import math
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotations.models import Study

MOST_QUESTIONS, MOST_OPTIONS = 10, 50
LONGEST_LABEL, LONGEST_ANSWER = 200, 200
NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
LARGEST = 1_000_000

Answer = str | float | None
"""What an expert said; None: the question was skipped."""


class QuestionKind(StrEnum):
    CHOICE = "choice"
    NUMBER = "number"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class ProfileQuestion:
    """One question. `name` is its column's name in exports, `label` is what experts read, in the study's words."""

    name: str
    label: str
    kind: QuestionKind
    options: tuple[str, ...] = ()
    required: bool = True

    @property
    def stored(self) -> dict[str, Any]:
        return asdict(self) | {"options": list(self.options), "kind": str(self.kind)}


PRESETS = (
    ProfileQuestion(
        "specialism",
        gettext_noop("What do you mainly work on?"),
        QuestionKind.CHOICE,
        ("Private law", "Criminal law", "Public law", "Other"),
    ),
    ProfileQuestion(
        "years_of_experience", gettext_noop("For how many years have you worked in this field?"), QuestionKind.NUMBER
    ),
)
"""Questions to start from; their options are meant to be changed."""


def questions_of(study: Study) -> list[ProfileQuestion]:
    """The questions of a study, in order."""
    return [
        ProfileQuestion(
            question["name"],
            question["label"],
            QuestionKind(question["kind"]),
            tuple(question["options"]),
            bool(question["required"]),
        )
        for question in study.profile_questions
    ]


def flaws_of(questions: Any) -> list[str]:
    """Why these are not valid questions; empty if they are."""
    if not isinstance(questions, list):
        return [_("Please provide a list of questions.")]
    if len(questions) > MOST_QUESTIONS:
        return [_("Please ask no more than {most_questions} questions.").format(most_questions=MOST_QUESTIONS)]
    flaws = [flaw for number, question in enumerate(questions, 1) for flaw in _flaws(f"Question {number}", question)]
    names = [question.get("name") for question in questions if isinstance(question, dict)]
    twice = sorted({str(name) for name in names if names.count(name) > 1})
    return flaws + [_("The name {name} is used twice.").format(name=name) for name in twice]


def _flaws(which: str, question: Any) -> list[str]:
    keys = {"name", "label", "kind", "options", "required"}
    if not isinstance(question, dict) or set(question) != keys:
        return [
            _("{which} must have exactly these fields: {known}.").format(which=which, known=", ".join(sorted(keys)))
        ]
    name, label, kind, options = question["name"], question["label"], question["kind"], question["options"]
    are_texts = isinstance(options, list) and all(
        isinstance(option, str) and 0 < len(option.strip()) <= LONGEST_ANSWER for option in options
    )
    is_choice = kind == QuestionKind.CHOICE
    has_too_few_or_many = are_texts and is_choice and not 2 <= len(options) <= MOST_OPTIONS
    has_options_for_nothing = are_texts and not is_choice and bool(options)
    has_twins = (
        are_texts and not has_too_few_or_many and not has_options_for_nothing and len(set(options)) < len(options)
    )
    flaws = {
        _(
            "{which}: a name consists of up to 40 lowercase letters, digits and underscores and begins with a letter."
        ): not isinstance(name, str) or not NAME.fullmatch(name),
        _("{which}: enter the question that experts read, with no more than {longest_label} characters."): (
            not isinstance(label, str) or not 0 < len(label.strip()) <= LONGEST_LABEL
        ),
        _("{which}: the kind must be choice, number or text."): kind not in list(QuestionKind),
        _("{which}: required must be true or false."): not isinstance(question["required"], bool),
        _(
            "{which}: options must be a list of texts with no more than {longest_answer} characters each."
        ): not are_texts,
        _("{which}: a choice must have 2 to {most_options} options."): has_too_few_or_many,
        _("{which}: only a choice can have options."): has_options_for_nothing,
        _("{which}: an option is listed twice."): has_twins,
    }
    bounds = {"longest_label": LONGEST_LABEL, "longest_answer": LONGEST_ANSWER, "most_options": MOST_OPTIONS}
    return [flaw.format(which=which, **bounds) for flaw, is_there in flaws.items() if is_there]


def checked(study: Study, given: Mapping[str, str | None]) -> tuple[dict[str, Answer], dict[str, list[str]]]:
    """The answers to all questions in stored form, and the errors for each question."""
    answers: dict[str, Answer] = {}
    flaws: dict[str, list[str]] = {}
    for question in questions_of(study):
        entry = (given.get(question.name) or "").strip()
        answers[question.name] = None
        if not entry:
            if question.required:
                flaws[question.name] = [_("Please answer this question.")]
            continue
        value, flaw = _read(question, entry)
        answers[question.name] = value
        if flaw:
            flaws[question.name] = [flaw]
    unknown = sorted(set(given) - set(answers))
    return answers, flaws | {name: [_("There is no such question.")] for name in unknown}


def _read(question: ProfileQuestion, entry: str) -> tuple[Answer, str]:
    if question.kind == QuestionKind.NUMBER:
        try:
            number = float(entry.replace(",", "."))
        except ValueError:
            number = math.nan
        if not 0 <= number <= LARGEST:  # also true of NaN
            return None, _("Please give a number of 0 or more.")
        return (int(number) if number.is_integer() else number), ""
    if question.kind == QuestionKind.CHOICE and entry not in question.options:
        return None, _("Please choose one of the options.")
    if len(entry) > LONGEST_ANSWER:
        return None, _("Please write at most {count} characters.").format(count=LONGEST_ANSWER)
    return entry, ""


def as_text(answer: Answer) -> str | None:
    """An answer in words.

    >>> as_text(7), as_text(2.5), as_text("x"), as_text(None)
    ('7', '2.5', 'x', None)
    """
    return None if answer is None else str(answer)
