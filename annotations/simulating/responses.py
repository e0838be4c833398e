"""Simulated experts for demos, tests and planning. Their answers are marked as simulated wherever they appear.

`annotations/simulating/opinions.py` says how they answer. Every draw comes from the study's seed: an expert's
traits from (seed, expert number), an answer from (seed, expert number, comparison, repeat or not). Only the sides come
from the study's key, as for everyone; to reproduce the same answers, give it a known key (`designing.keys.give_key`).
So the result does not depend on the order of work, and running again adds nothing to what is answered.
"""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import Any, TypeVar

from django.db import transaction
from django.db.models import Count, Max, OuterRef, QuerySet, Subquery
from django.utils import timezone
from django.utils.translation import gettext as _

from annotations import designing
from annotations.answering.turns import GIVEN, Turn, Turns
from annotations.designing import lifecycle
from annotations.ground.arrays import Vector
from annotations.ground.display_rule import DisplayRule
from annotations.ground.errors import Conflict
from annotations.ground.progress import Progress
from annotations.ground.seeding import RandomChoice, generator
from annotations.history import events
from annotations.models import (
    Assignment,
    EventKind,
    Instance,
    LabelResponse,
    Membership,
    PreferenceResponse,
    Role,
    SideOrder,
    Study,
    StudyState,
    System,
    Task,
    User,
)
from annotations.models.datasets import matrix_or_error
from annotations.simulating.opinions import Opinion, Temper, opinion

TOGETHER = 1000  # answers stored in one transaction
PAUSE = timedelta(seconds=3)  # between an expert's assignments


class NotCollecting(Conflict):
    """The study takes no answers in its current state."""


class PeopleAnswerHere(Conflict):
    """Real people answer this study; simulated answers among theirs must be requested explicitly."""


@transaction.atomic
def add_simulated_experts(*, study: Study, count: int, actor: User | None = None) -> list[Membership]:
    """Make sure that the study has `count` simulated experts; returns them all.

    They are users without a password, so nobody can sign in as them; their addresses lead nowhere (RFC 2606).
    """
    study = Study.objects.select_for_update().get(pk=study.pk)
    members = list(study.memberships.experts().filter(is_simulated=True).order_by("number"))
    for number in range(len(members) + 1, count + 1):
        user = User.objects.create_user(
            f"simulated-expert-{number}.{study.slug}@example.invalid",
            name=f"Simulated expert {number}",
            is_active=False,
        )
        members.append(lifecycle.add_member(study=study, user=user, role=Role.EXPERT, is_simulated=True, actor=actor))
    return members


@transaction.atomic
def give_places(*, study: Study, experts: list[Membership] | None = None, actor: User | None = None) -> int:
    """Assign the study's free places to its simulated experts, no instance twice to the same one; returns how many.

    If there are too few experts for all places, each takes what it may and the rest stay free.
    """
    if experts is None:
        experts = list(study.memberships.experts().filter(is_simulated=True, is_active=True).order_by("number"))
    try:
        return sum(designing.share_places(study=study, experts=experts, actor=actor).values())
    except designing.TooFewExperts:
        places = 0
        for expert in experts:
            free = designing.least_covered(study=study, expert=expert, count=study.comparisons.count())
            if free:
                designing.assign_named(study=study, expert=expert, comparisons=free, actor=actor)
            places += len(free)
        return places


def needed_experts(*, study: Study) -> int:
    """How many simulated experts the study's free places need, so that nobody sees an instance twice."""
    per_instance = Assignment.objects.free().filter(study=study).order_by().values_list("instance")
    return max((count for _, count in per_instance.annotate(Count("pk"))), default=0)


@dataclass(frozen=True, slots=True)
class Simulated:
    """The outcome of a simulation."""

    experts: int
    answers: int
    free: int


def simulate_study(
    *,
    study: Study,
    experts: int | None = None,
    beside_people: bool = False,
    actor: User | None = None,
    progress: Progress | None = None,
) -> Simulated:
    """Add simulated experts to an open study, assign them its free places, and let them answer.

    Args:
        experts: how many there should be in total (by default as many as the free places need).
        beside_people: allow it although real people take part as experts; they keep their places.

    Raises:
        PeopleAnswerHere: real people answer the study, and `beside_people` was not given.
        NotCollecting: the study is neither open nor in its pilot.
    """
    _must_collect(study)
    people = study.memberships.experts().filter(is_simulated=False, is_active=True).count()
    if people and not beside_people:
        raise PeopleAnswerHere(
            f"{people} people are experts of this study. Simulated answers beside theirs make the whole study "
            "simulated; to do so anyway, add --beside-people.",
            people=people,
        )
    count = needed_experts(study=study) if experts is None else experts
    members = add_simulated_experts(study=study, count=count, actor=actor)
    give_places(study=study, experts=members, actor=actor)
    answers = simulate_responses(study=study, actor=actor, progress=progress)
    free = Assignment.objects.free().filter(study=study).count()
    return Simulated(experts=len(members), answers=answers, free=free)


def simulate_responses(
    *,
    study: Study,
    actor: User | None = None,
    now: datetime | None = None,
    progress: Progress | None = None,
) -> int:
    """Let the study's simulated experts answer all their unanswered assignments.

    People's assignments are never touched. Returns how many answers were stored.

    Args:
        now: the time of each expert's last answer; the others are earlier, at the expert's pace.
        progress: called with (done, total, message).

    Raises:
        NotCollecting: the study is neither open nor in its pilot.
    """
    study = Study.objects.select_related("dataset").get(pk=study.pk)
    _must_collect(study)
    waiting = list(
        Assignment.objects.taken()
        .filter(study=study, expert__is_simulated=True, completed_at=None)
        .select_related("expert__study", "comparison", "instance")
        .order_by("expert__number", "position")
    )
    room = _Room.of(study)
    answers = room.answers(waiting, now or timezone.now())
    for start in range(0, len(answers), TOGETHER):
        if progress:
            progress(start, len(answers), "simulated experts answer")
        store_answers(study=study, answers=answers[start : start + TOGETHER])
    if answers:
        events.record(EventKind.SIMULATED, actor=actor, study=study, responses=len(answers))
    if progress:
        progress(len(answers), len(answers), "done")
    return len(answers)


def _must_collect(study: Study) -> None:
    if not study.accepts_responses:
        raise NotCollecting(_("Only an open study or a pilot accepts answers."))


@dataclass(frozen=True)
class _Room:
    """What a study's simulated experts look at."""

    study: Study
    P: Vector
    shown: Callable[[int | None, Instance], Vector]
    exclusive: int | None

    @classmethod
    def of(cls, study: Study) -> _Room:
        P = matrix_or_error(study.dataset.gold)
        rule = DisplayRule.of(study)

        @cache
        def predictions(system: int) -> Vector:
            return matrix_or_error(System.compared.get(pk=system).predictions)

        @cache
        def shown(system: int | None, instance: Instance) -> Vector:
            row = (P if system is None else predictions(system))[instance.position]
            return rule.shown(row, people=instance.parts, task=study.dataset.task)

        exclusive = study.dataset.labels.filter(exclusive=True).values_list("position", flat=True).first()
        return cls(study=study, P=P, shown=shown, exclusive=exclusive)

    def answers(self, waiting: list[Assignment], now: datetime) -> list[Answer]:
        by_expert: dict[int, list[Assignment]] = defaultdict(list)
        for assignment in waiting:
            by_expert[_expert(assignment).number].append(assignment)
        return [answer for mine in by_expert.values() for answer in self._one_expert(mine, now)]

    def _one_expert(self, mine: list[Assignment], now: datetime) -> list[Answer]:
        """One expert's answers in order, timed backwards from `now`."""
        temper = Temper.draw(self.study.seed, _expert(mine[0]).number)
        turns = Turns.of(_expert(mine[0]))
        new = {place.pk: turns.next(place.comparison) for place in mine if place.comparison_shown_at is None}
        answers = []
        for assignment in reversed(mine):
            turn = new.get(assignment.pk)
            side_order = assignment.side_order if turn is None else turn.side_order
            answer = self._opinion(assignment, side_order, temper)
            labels_at = now - timedelta(milliseconds=answer.preference_ms)
            begun_at = labels_at - timedelta(milliseconds=answer.labels_ms)
            answers.append(
                Answer(
                    assignment=assignment.pk,
                    begun_at=begun_at,
                    labels=answer.labels,
                    labels_ms=answer.labels_ms,
                    labels_at=labels_at,
                    a_chosen=answer.a_chosen,
                    b_chosen=answer.b_chosen,
                    certainty=answer.certainty,
                    preference_ms=answer.preference_ms,
                    completed_at=now,
                    turn=turn,
                )
            )
            now = begun_at - PAUSE
        return answers[::-1]

    def _opinion(self, assignment: Assignment, side_order: str, temper: Temper) -> Opinion:
        comparison = assignment.comparison
        row = assignment.instance.position
        first = self.shown(comparison.first_system_id, assignment.instance)
        second = self.shown(comparison.second_system_id, assignment.instance)
        first_is_a = side_order == SideOrder.FIRST_IS_A
        return opinion(
            P=self.P[row],
            shown_a=first if first_is_a else second,
            shown_b=second if first_is_a else first,
            words=sum(len(segment["text"].split()) for segment in assignment.instance.segments),
            temper=temper,
            rng=generator(
                self.study.seed,
                RandomChoice.SIMULATING,
                _expert(assignment).number,
                comparison.position,
                int(assignment.repeat_of_id is not None),
            ),
            exclusive=self.exclusive,
            one_label=self.study.dataset.task != Task.MULTILABEL,
        )


def _expert(assignment: Assignment) -> Membership:
    if assignment.expert is None:
        raise CannotAnswer("nobody holds this assignment", assignment=assignment.pk)
    return assignment.expert


BATCH = 500
Item = TypeVar("Item")


class CannotAnswer(Conflict):
    """Some of the assignments are not waiting for an answer."""


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
    keys = [answer.assignment for answer in answers]
    for batch in _batches(keys):
        experts = Membership.objects.filter(pk__in=Assignment.objects.filter(pk__in=batch).values("expert"))
        list(experts.order_by("pk").select_for_update(of=("self",)).values_list("pk"))
    waiting = Assignment.objects.filter(
        study=study, expert__isnull=False, released_at=None, completed_at=None, instance__withdrawn_at=None
    ).order_by("pk")
    locked: set[int] = set()
    for batch in _batches(keys):
        locked.update(waiting.select_for_update().filter(pk__in=batch).values_list("pk", flat=True))
    if len(locked) != len(keys):
        raise CannotAnswer(
            _(
                "Some of these assignments are not waiting for an answer: they are free, abandoned "
                "or completed, belong to another study, or are listed twice. Nothing was saved."
            ),
            wanted=len(keys),
            waiting=len(locked),
        )
    for part in _batches(answers):
        _store(part, is_pilot=study.state == StudyState.PILOT)
    return len(keys)


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
