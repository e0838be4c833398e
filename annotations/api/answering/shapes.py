"""What an expert's pages receive, as plain values in the shape of task_serializers.py.

Both sides of an assignment are built in the same way (annotations/shown/displaying.py). What the study says is sent
with `next/`; the responses to answers leave it out and give the version of its words instead.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from rest_framework import serializers

from annotations.answering.assigning import Handed
from annotations.answering.labelling import first_text, label_set
from annotations.answering.progress import ExpertProgress
from annotations.answering.submitting import LabelsTaken, Taken
from annotations.ground.display_rule import DisplayRule
from annotations.models import Assignment, Label, PreferenceResponse, Study
from annotations.shown.displaying import Bar, bars, in_step_1_order, sides
from annotations.shown.instructions import as_html
from annotations.shown.languages import language_and_direction

_MOMENT = serializers.DateTimeField()


def study_shown_to(expert: Any) -> dict[str, Any]:
    """What an expert's pages say about their study; the membership must come from `with_labels`."""
    study = expert.study
    language, direction = language_and_direction(study, texts=first_text(expert))
    return {
        "slug": study.slug,
        "title": study.title,
        "instructions_html": as_html(study.instructions),
        "task": study.dataset.task,
        "question_labels": study.question_labels,
        "question_preference": study.question_preference,
        "share_meaning": study.share_meaning,
        "instrument_version": expert.instrument_version,
        "question_certainty": study.question_certainty,
        "layout": study.layout,
        "language": language,
        "direction": direction,
        "asks_guess": study.asks_guess,
        "leaving": study.leaving,
        "repeats": study.repeats_per_expert > 0,
        "labels": [_label(label) for label in in_step_1_order(label_set(expert), task=study.dataset.task)],
    }


def task_of(handed: Handed) -> dict[str, Any]:
    """What the page starts from (`TaskSerializer`)."""
    return {
        **next_in(handed),
        "study": study_shown_to(handed.expert),
        "progress": progress_in(handed.progress),
        "saved_at": moment(handed.saved_at),
        "practised": handed.expert.practised_at is not None,
    }


def labels_taken(taken: LabelsTaken) -> dict[str, Any]:
    """The response to step 1 (`LabelsTakenSerializer`)."""
    return {
        "saved_at": moment(taken.response.created_at),
        "progress": progress_in(taken.next.progress),
        "instrument_version": taken.instrument_version,
        "assignment": assignment_in(taken.step_2),
        "next": next_in(taken.next),
    }


def with_next(taken: Taken) -> dict[str, Any]:
    """The response to step 2 and to a report (`WithNextSerializer`)."""
    return {
        "saved_at": moment(taken.response.created_at),
        "progress": progress_in(taken.progress),
        "instrument_version": taken.instrument_version,
        "next": None if taken.next is None else next_in(taken.next),
    }


def next_in(handed: Handed) -> dict[str, Any]:
    """The assignment handed out, or why there is none (`NextSerializer`)."""
    study = handed.expert.study
    return {
        "assignment": assignment_in(handed),
        "finished": handed.finished,
        "more": handed.more,
        "opens_at": moment(study.opens_at) if handed.finished == "not_open_yet" else None,
    }


def assignment_in(handed: Handed) -> dict[str, Any] | None:
    """The assignment handed out (`TaskAssignmentSerializer`), or None."""
    if handed.assignment is None:
        return None
    return shown_to_expert(
        handed.assignment,
        label_set(handed.expert),
        study=handed.expert.study,
        selected=handed.labels,
        answered=handed.answered,
    )


def shown_to_expert(
    assignment: Assignment,
    labels: Sequence[Label],
    *,
    study: Study,
    selected: list[int] | None = None,
    answered: PreferenceResponse | None = None,
) -> dict[str, Any]:
    """An assignment as its expert sees it (`TaskAssignmentSerializer`)."""
    instance = assignment.instance
    comparison = None
    if assignment.comparison_shown_at is not None:
        shown: Any = assignment  # of `with_rows`
        rule, kind = DisplayRule.of(study), study.dataset.task
        a, b = (_side(bars(side, labels, rule=rule, people=instance.parts, task=kind)) for side in sides(assignment))
        comparison = {"a": a, "b": b, "identical": bool(shown.identical)}
    return {
        "token": str(assignment.token),
        "step": 1 if comparison is None else 2,
        "direction": instance.direction,
        "language": instance.language,
        "segments": [{"name": one["name"], "text": one["text"]} for one in instance.segments],
        "selected": selected,
        "comparison": comparison,
        "answered": answered and {name: getattr(answered, name) for name in ("a_chosen", "b_chosen", "certainty")},
    }


def progress_in(progress: ExpertProgress) -> dict[str, Any]:
    """How far the expert is (`ProgressSerializer`)."""
    return {"done": progress.done, "total": progress.total, "minutes_left": progress.minutes_left}


def moment(at: datetime | None) -> str | None:
    """A point in time as the API writes it."""
    return None if at is None else str(_MOMENT.to_representation(at))


def _label(label: Label) -> dict[str, Any]:
    return {
        "position": label.position,
        "name": label.shown,
        "search_words": label.search_words,
        "exclusive": label.exclusive,
    }


def _side(shown: list[Bar]) -> list[dict[str, Any]]:
    return [{"label": bar.label, "value": bar.value} for bar in shown]
