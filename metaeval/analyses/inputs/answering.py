"""Read what a study's experts did: both steps, repeats, skipped places and reports, as columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from annotations.ground.arrays import Integers, Mask, Vector
from annotations.models import Guess, GuessedSide, LabelResponse, PreferenceResponse, Report, SideOrder, Study
from annotations.models.comparisons import not_taken_along
from metaeval.analyses.inputs.answers import Answers, Reports
from metaeval.analyses.inputs.places import TakenPlace, read_places

NAN = float("nan")
SIDES = (GuessedSide.A, GuessedSide.B, GuessedSide.UNKNOWN)


def read_answers(study: Study, *, systems: Mapping[int, int], labels: int) -> tuple[Answers, Reports, dict[int, bool]]:
    """Answers, reports, and the numbers of all experts with whether they are still active, in six queries.

    `systems` gives each system's position.
    """
    places = read_places(study)
    entry = {place.assignment: number for number, place in enumerate(places)}
    answers = _answers(
        places,
        entry,
        systems=systems,
        labelled=_labelled(study, entry, labels),
        preferred=_preferred(study, entry),
        guess=_guessed(study, entry),
    )
    taking_part = study.memberships.answering().filter(answers_left_out=False)
    experts = taking_part.order_by("number").values_list("number", "is_active")
    return answers, _reports(study, entry), dict(experts)


class _Labelled(NamedTuple):
    """Step 1: one entry per place."""

    is_there: Mask
    chosen: Mask
    ms: Vector
    revisions: Integers


class _Preferred(NamedTuple):
    """Step 2: one entry per place."""

    is_there: Mask
    a: Mask
    b: Mask
    certainty: Vector
    ms: Vector
    revisions: Integers
    instrument: Integers


def _answers(
    places: Sequence[TakenPlace],
    entry: Mapping[int, int],
    *,
    systems: Mapping[int, int],
    labelled: _Labelled,
    preferred: _Preferred,
    guess: Integers,
) -> Answers:
    first = _integers(-1 if place.first_system is None else systems[place.first_system] for place in places)
    second = _integers(systems[place.second_system] for place in places)
    instance = _integers(place.instance for place in places)
    return Answers(
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
        is_labelled=labelled.is_there,
        labels=labelled.chosen,
        labels_ms=labelled.ms,
        labels_revisions=labelled.revisions,
        was_shown=_flags(place.comparison_shown_at is not None for place in places),
        is_answered=preferred.is_there,
        a_chosen=preferred.a,
        b_chosen=preferred.b,
        certainty=preferred.certainty,
        preference_ms=preferred.ms,
        preference_revisions=preferred.revisions,
        guess=guess,
        identical=_flags(place.identical for place in places),
        instrument=preferred.instrument,
    )


def _labelled(study: Study, entry: Mapping[int, int], labels: int) -> _Labelled:
    """Newest revisions."""
    count = len(entry)
    found = _Labelled(
        is_there=np.zeros(count, dtype=np.bool_),
        chosen=np.zeros((count, labels), dtype=np.bool_),
        ms=np.full(count, NAN),
        revisions=np.zeros(count, dtype=np.int64),
    )
    rows = (
        LabelResponse.objects.filter(not_taken_along("assignment__"), assignment__study=study)
        .order_by("assignment_id", "revision")
        .values_list("assignment_id", "labels", "active_ms")
    )
    for assignment, picked, active in rows.iterator():
        place = entry[assignment]
        found.is_there[place] = True
        found.chosen[place] = False
        found.chosen[place, picked] = True
        found.ms[place] = NAN if active is None else active
        found.revisions[place] += 1
    return found


def _preferred(study: Study, entry: Mapping[int, int]) -> _Preferred:
    """Newest revisions."""
    count = len(entry)
    found = _Preferred(
        is_there=np.zeros(count, dtype=np.bool_),
        a=np.zeros(count, dtype=np.bool_),
        b=np.zeros(count, dtype=np.bool_),
        certainty=np.full(count, NAN),
        ms=np.full(count, NAN),
        revisions=np.zeros(count, dtype=np.int64),
        instrument=np.full(count, -1, dtype=np.int64),
    )
    rows = (
        PreferenceResponse.objects.filter(not_taken_along("assignment__"), assignment__study=study)
        .order_by("assignment_id", "revision")
        .values_list("assignment_id", "a_chosen", "b_chosen", "certainty", "active_ms", "instrument__number")
    )
    for assignment, a_chosen, b_chosen, certain, active, version in rows.iterator():
        place = entry[assignment]
        found.is_there[place] = True
        found.a[place], found.b[place] = a_chosen, b_chosen
        found.certainty[place] = NAN if certain is None else certain
        found.ms[place] = NAN if active is None else active
        found.revisions[place] += 1
        found.instrument[place] = -1 if version is None else version
    return found


def _guessed(study: Study, entry: Mapping[int, int]) -> Integers:
    """The guesses at the end, by entry."""
    guess: Integers = np.full(len(entry), -1, dtype=np.int64)
    for assignment, side in Guess.objects.filter(not_taken_along("assignment__"), assignment__study=study).values_list(
        "assignment_id", "side"
    ):
        guess[entry[assignment]] = SIDES.index(side)
    return guess


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
