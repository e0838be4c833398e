"""Read what a study's experts did: both steps, repeats, skipped places and reports, as columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from annotations.arrays import Integers, Mask, Vector
from annotations.models import (
    Assignment,
    Guess,
    GuessedSide,
    LabelResponse,
    PreferenceResponse,
    Report,
    Role,
    SideOrder,
    Study,
)
from metaeval.analyses.inputs.answers import Answers, Reports

NAN = float("nan")
SIDES = (GuessedSide.A, GuessedSide.B, GuessedSide.UNKNOWN)


def read_answers(study: Study, *, systems: Mapping[int, int], labels: int) -> tuple[Answers, Reports, dict[int, bool]]:
    """Answers, reports, and the numbers of all experts with whether they still take part, in six queries.

    `systems` gives each system's place.
    """
    places = list(
        Assignment.objects.filter(study=study, expert__isnull=False)
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
        )
    )
    entry = {place[0]: number for number, place in enumerate(places)}
    first = _integers(-1 if place[1] is None else systems[place[1]] for place in places)
    second = _integers(systems[place[2]] for place in places)
    instance = _integers(place[3] for place in places)
    answers = Answers(
        comparison=_codes(instance, first, second),
        instance=instance,
        first=first,
        second=second,
        expert=_integers(place[4] for place in places),
        position=_integers(place[5] for place in places),
        first_is_a=_flags(place[6] == SideOrder.FIRST_IS_A for place in places),
        is_pilot=_flags(place[7] for place in places),
        is_skipped=_flags(place[8] is not None for place in places),
        is_withdrawn=_flags(place[11] is not None for place in places),
        repeat_of=_integers(entry.get(place[9], -1) for place in places),
        was_shown=_flags(place[10] is not None for place in places),
        **_labelled(study, entry, labels),
        **_preferred(study, entry),
        guess=_guessed(study, entry),
    )
    experts = study.memberships.filter(role=Role.EXPERT).order_by("number").values_list("number", "is_active")
    return answers, _reports(study, entry), dict(experts)


def _labelled(study: Study, entry: Mapping[int, int], labels: int) -> dict[str, Any]:
    """Step 1, newest revisions."""
    count = len(entry)
    labelled: Mask = np.zeros(count, dtype=np.bool_)
    chosen: Mask = np.zeros((count, labels), dtype=np.bool_)
    times: Vector = np.full(count, NAN)
    revisions: Integers = np.zeros(count, dtype=np.int64)
    rows = (
        LabelResponse.objects.filter(assignment__study=study)
        .order_by("assignment_id", "revision")
        .values_list("assignment_id", "labels", "active_ms")
    )
    for assignment, picked, active in rows.iterator():
        place = entry[assignment]
        labelled[place] = True
        chosen[place] = False
        chosen[place, picked] = True
        times[place] = NAN if active is None else active
        revisions[place] += 1
    return {"is_labelled": labelled, "labels": chosen, "labels_ms": times, "labels_revisions": revisions}


def _preferred(study: Study, entry: Mapping[int, int]) -> dict[str, Any]:
    """Step 2, newest revisions."""
    count = len(entry)
    answered, a, b = (np.zeros(count, dtype=np.bool_) for _ in range(3))
    certainty, times = np.full(count, NAN), np.full(count, NAN)
    revisions: Integers = np.zeros(count, dtype=np.int64)
    rows = (
        PreferenceResponse.objects.filter(assignment__study=study)
        .order_by("assignment_id", "revision")
        .values_list("assignment_id", "a_chosen", "b_chosen", "certainty", "active_ms")
    )
    for assignment, a_chosen, b_chosen, certain, active in rows.iterator():
        place = entry[assignment]
        answered[place] = True
        a[place], b[place] = a_chosen, b_chosen
        certainty[place] = NAN if certain is None else certain
        times[place] = NAN if active is None else active
        revisions[place] += 1
    return {
        "is_answered": answered,
        "a_chosen": a,
        "b_chosen": b,
        "certainty": certainty,
        "preference_ms": times,
        "preference_revisions": revisions,
    }


def _guessed(study: Study, entry: Mapping[int, int]) -> Integers:
    """The guesses at the end, by entry."""
    guess: Integers = np.full(len(entry), -1, dtype=np.int64)
    for assignment, side in Guess.objects.filter(assignment__study=study).values_list("assignment_id", "side"):
        guess[entry[assignment]] = SIDES.index(side)
    return guess


def _reports(study: Study, entry: Mapping[int, int]) -> Reports:
    rows = sorted(
        (entry[assignment], reason, skipped)
        for assignment, reason, skipped in Report.objects.filter(assignment__study=study).values_list(
            "assignment_id", "reason", "skipped"
        )
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


def _integers(values: Any) -> Integers:
    return np.fromiter(values, dtype=np.int64)


def _flags(values: Any) -> Mask:
    return np.fromiter(values, dtype=np.bool_)
