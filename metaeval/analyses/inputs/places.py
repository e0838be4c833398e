"""What experts did at the places that they took, read from the database: both steps, repeats, skips, reports."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import NamedTuple

import numpy as np
from django.db.models.functions import Coalesce

from annotations.ground.arrays import Integers, Mask
from annotations.models import (
    Assignment,
    Guess,
    GuessedSide,
    LabelResponse,
    PreferenceResponse,
    Report,
    SideOrder,
    Study,
)
from annotations.models.comparisons import not_taken_along
from metaeval.analyses.inputs.answers import Answers, Reports

NAN = float("nan")
SIDES = (GuessedSide.A, GuessedSide.B, GuessedSide.UNKNOWN)


class TakenPlace(NamedTuple):
    """A place that an expert took: for what, in which order, and what became of it. Ids are those of the database."""

    assignment: int
    first_system: int | None
    """None: the human side."""
    second_system: int
    instance: int
    """Its position in the dataset."""
    expert: int
    """The expert's number in the study."""
    position: int
    side_order: str
    is_pilot: bool
    released_at: datetime | None
    """When the expert skipped it."""
    repeat_of: int | None
    """For a deliberate repeat, the assignment that it repeats."""
    comparison_shown_at: datetime | None
    withdrawn_at: datetime | None
    """When the text was withdrawn from the study."""
    identical: bool
    """Both sides look the same, and the expert was told so."""


def read_places(study: Study) -> list[TakenPlace]:
    """By expert, and then in the expert's own order; without experts who withdrew their answers. One query."""
    rows = (
        Assignment.objects.filter(not_taken_along(), study=study)
        .order_by("expert__number", "position", "pk")
        .values_list(
            "pk",
            "comparison__first_system_id",
            "comparison__second_system_id",
            "instance__position",
            "expert__number",
            "position",
            "side_order",
            "is_pilot",
            "released_at",
            "repeat_of_id",
            "comparison_shown_at",
            "instance__withdrawn_at",
            Coalesce("comparison__identical", False),
        )
    )
    return [TakenPlace._make(row) for row in rows]


def turn_rows(study: Study) -> list[tuple[int | None, str, int | None]]:
    """Turn, phase and rule for the side of each place, in the order of `read_places`; one query."""
    taken = Assignment.objects.filter(not_taken_along(), study=study)
    return list(taken.order_by("expert__number", "position", "pk").values_list("turn", "phase", "side_rule"))


def read_answers(study: Study, *, systems: Mapping[int, int], labels: int) -> tuple[Answers, Reports, dict[int, bool]]:
    """Answers, reports, and the numbers of all experts with whether they are still active, in six queries.

    `systems` gives each system's position. Of several revisions of an answer, the newest counts.
    """
    places = read_places(study)
    count = len(places)
    entry = {place.assignment: number for number, place in enumerate(places)}
    first = _integers(-1 if place.first_system is None else systems[place.first_system] for place in places)
    second = _integers(systems[place.second_system] for place in places)
    instance = _integers(place.instance for place in places)
    answers = Answers(
        comparison=_codes(instance, first, second),
        instance=instance,
        first=first,
        second=second,
        expert=_integers(place.expert for place in places),
        position=_integers(place.position for place in places),
        first_is_a=_flags(place.side_order == SideOrder.FIRST_IS_A for place in places),
        is_pilot=_flags(place.is_pilot for place in places),
        is_skipped=_flags(place.released_at is not None for place in places),
        is_withdrawn=_flags(place.withdrawn_at is not None for place in places),
        repeat_of=_integers(-1 if place.repeat_of is None else entry.get(place.repeat_of, -1) for place in places),
        is_labelled=np.zeros(count, dtype=np.bool_),
        labels=np.zeros((count, labels), dtype=np.bool_),
        labels_ms=np.full(count, NAN),
        labels_revisions=np.zeros(count, dtype=np.int64),
        was_shown=_flags(place.comparison_shown_at is not None for place in places),
        is_answered=np.zeros(count, dtype=np.bool_),
        a_chosen=np.zeros(count, dtype=np.bool_),
        b_chosen=np.zeros(count, dtype=np.bool_),
        certainty=np.full(count, NAN),
        preference_ms=np.full(count, NAN),
        preference_revisions=np.zeros(count, dtype=np.int64),
        guess=np.full(count, -1, dtype=np.int64),
        identical=_flags(place.identical for place in places),
        instrument=np.full(count, -1, dtype=np.int64),
    )
    _fill_labels(answers, study, entry)
    _fill_preferences(answers, study, entry)
    for assignment, side in Guess.objects.filter(not_taken_along("assignment__"), assignment__study=study).values_list(
        "assignment_id", "side"
    ):
        answers.guess[entry[assignment]] = SIDES.index(side)
    taking_part = study.memberships.answering().filter(answers_left_out=False)
    experts = taking_part.order_by("number").values_list("number", "is_active")
    return answers, _reports(study, entry), dict(experts)


def _fill_labels(answers: Answers, study: Study, entry: Mapping[int, int]) -> None:
    rows = (
        LabelResponse.objects.filter(not_taken_along("assignment__"), assignment__study=study)
        .order_by("assignment_id", "revision")
        .values_list("assignment_id", "labels", "active_ms")
    )
    for assignment, labels, active in rows.iterator():
        place = entry[assignment]
        answers.is_labelled[place] = True
        answers.labels[place] = False
        answers.labels[place, labels] = True
        answers.labels_ms[place] = NAN if active is None else active
        answers.labels_revisions[place] += 1


def _fill_preferences(answers: Answers, study: Study, entry: Mapping[int, int]) -> None:
    rows = (
        PreferenceResponse.objects.filter(not_taken_along("assignment__"), assignment__study=study)
        .order_by("assignment_id", "revision")
        .values_list("assignment_id", "a_chosen", "b_chosen", "certainty", "active_ms", "instrument__number")
    )
    for assignment, a_chosen, b_chosen, certainty, active, version in rows.iterator():
        place = entry[assignment]
        answers.is_answered[place] = True
        answers.a_chosen[place], answers.b_chosen[place] = a_chosen, b_chosen
        answers.certainty[place] = NAN if certainty is None else certainty
        answers.preference_ms[place] = NAN if active is None else active
        answers.preference_revisions[place] += 1
        answers.instrument[place] = -1 if version is None else version


def _reports(study: Study, entry: Mapping[int, int]) -> Reports:
    rows = sorted(
        (entry[assignment], reason, skipped)
        for assignment, reason, skipped in Report.objects.filter(
            not_taken_along("assignment__"), assignment__study=study
        ).values_list("assignment_id", "reason", "skipped")
        if assignment in entry
    )
    return Reports(
        answer=_integers(row[0] for row in rows),
        reason=tuple(row[1] for row in rows),
        skipped=_flags(row[2] for row in rows),
    )


def _codes(*columns: Integers) -> Integers:
    """Equal numbers for equal rows, whatever the ids in the database."""
    if not len(columns[0]):
        return np.zeros(0, dtype=np.int64)
    _, codes = np.unique(np.column_stack(columns), axis=0, return_inverse=True)
    return codes.reshape(-1).astype(np.int64)


def _integers(values: Iterable[int]) -> Integers:
    return np.fromiter(values, dtype=np.int64)


def _flags(values: Iterable[bool]) -> Mask:
    return np.fromiter(values, dtype=np.bool_)
