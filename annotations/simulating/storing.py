"""Store many complete answers at once, for simulated experts and for studies restored from an export.

The same invariants as when recording one by one are enforced by the same constraints and triggers: step 1 is stored
before step 2 counts as shown, every place is answered by the expert who holds it, and nothing is overwritten.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from django.db import transaction
from django.db.models import Max, OuterRef, QuerySet, Subquery
from django.utils.translation import gettext as _

from annotations.answering.turns import GIVEN, Turn, Turns
from annotations.ground.errors import Conflict
from annotations.models import Assignment, LabelResponse, Membership, PreferenceResponse, Study, StudyState

BATCH = 500
Item = TypeVar("Item")


class CannotAnswer(Conflict):
    """Some of the assignments are not waiting for an answer."""

    code = "cannot_answer"


@dataclass(frozen=True, slots=True)
class Answer:
    """One expert's complete answer to one assignment; `labels` are positions, ascending.

    `turn` is the turn whose sides the answer is about. Without it, a comparison not shown yet gets the expert's next
    turn when the answer is stored.
    """

    assignment: int
    begun_at: datetime
    labels: tuple[int, ...]
    labels_ms: int | None
    labels_at: datetime
    a_chosen: bool
    b_chosen: bool
    certainty: float | None
    preference_ms: int | None
    completed_at: datetime
    turn: Turn | None = None


@transaction.atomic
def store_answers(*, study: Study, answers: Sequence[Answer]) -> int:
    """Store answers to assignments that await one; all or nothing. Returns how many.

    Step 2 counts as shown from the moment step 1 was stored. If step 1 is already stored, it stays and only step 2 is
    added.

    Raises:
        CannotAnswer: an assignment belongs to another study, is free, released, withdrawn or already completed, or
            is named twice.
    """
    Study.objects.select_for_update().get(pk=study.pk)
    wanted = [answer.assignment for answer in answers]
    for batch in _batches(wanted):
        experts = Membership.objects.filter(pk__in=Assignment.objects.filter(pk__in=batch).values("expert"))
        list(experts.order_by("pk").select_for_update(of=("self",)).values_list("pk"))
    waiting = Assignment.objects.filter(
        study=study, expert__isnull=False, released_at=None, completed_at=None, instance__withdrawn_at=None
    ).order_by("pk")
    found: set[int] = set()
    for batch in _batches(wanted):
        found.update(waiting.select_for_update().filter(pk__in=batch).values_list("pk", flat=True))
    if len(found) != len(wanted):
        raise CannotAnswer(
            _(
                "Some of these assignments are not waiting for an answer: they are free, abandoned "
                "or completed, belong to another study, or are listed twice. Nothing was saved."
            ),
            wanted=len(wanted),
            waiting=len(found),
        )
    for part in _batches(answers):
        _store(part, is_pilot=study.state == StudyState.PILOT)
    return len(wanted)


def _store(answers: Sequence[Answer], *, is_pilot: bool) -> None:
    mine = Assignment.objects.filter(pk__in=[answer.assignment for answer in answers])
    labelled = set(LabelResponse.objects.filter(assignment__in=mine).values_list("assignment", flat=True).distinct())
    LabelResponse.objects.bulk_create(
        LabelResponse(
            assignment_id=answer.assignment,
            key=uuid.uuid4(),
            labels=list(answer.labels),
            active_ms=answer.labels_ms,
            created_at=answer.labels_at,
        )
        for answer in answers
        if answer.assignment not in labelled
    )
    begun = {answer.assignment: answer.begun_at for answer in answers}
    unclaimed = list(mine.filter(claimed_at=None).only("pk"))
    for assignment in unclaimed:
        assignment.claimed_at = begun[assignment.pk]
    Assignment.objects.bulk_update(unclaimed, ["claimed_at"])
    _show(mine, {answer.assignment: answer.turn for answer in answers}, is_pilot=is_pilot)
    PreferenceResponse.objects.bulk_create(
        PreferenceResponse(
            assignment_id=answer.assignment,
            key=uuid.uuid4(),
            a_chosen=answer.a_chosen,
            b_chosen=answer.b_chosen,
            certainty=answer.certainty,
            active_ms=answer.preference_ms,
            created_at=answer.completed_at,
        )
        for answer in answers
    )
    newest_preference = PreferenceResponse.objects.filter(assignment=OuterRef("pk")).order_by().values("assignment")
    mine.update(completed_at=Subquery(newest_preference.annotate(at=Max("created_at")).values("at")))


def _show(mine: QuerySet[Assignment], given: Mapping[int, Turn | None], *, is_pilot: bool) -> None:
    """Mark step 2 as shown, on the sides of the experts' turns."""
    newest = LabelResponse.objects.filter(assignment=OuterRef("pk")).order_by().values("assignment")
    unshown: Any = mine.filter(comparison_shown_at=None).annotate(
        at=Subquery(newest.annotate(at=Max("created_at")).values("at"))
    )
    turns: dict[int, Turns] = {}
    rows = list(unshown.select_related("expert__study", "comparison").order_by("expert", "position"))
    for assignment in rows:
        turn = given[assignment.pk]
        if turn is None:
            if assignment.expert_id not in turns:
                turns[assignment.expert_id] = Turns.of(assignment.expert)
            turn = turns[assignment.expert_id].next(assignment.comparison)
        turn.give(assignment)
        assignment.comparison_shown_at = assignment.at
        assignment.is_pilot = is_pilot
    Assignment.objects.bulk_update(rows, ["comparison_shown_at", "is_pilot", *GIVEN])


def _batches(items: Sequence[Item]) -> Iterable[Sequence[Item]]:
    return (items[start : start + BATCH] for start in range(0, len(items), BATCH))
