"""An expert's progress counted in Python from each of their assignments, for the tests of what is counted in SQL."""

import math
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Exists, IntegerField, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from annotations.answering.progress import PACE_OF, ExpertProgress, minutes_at_pace
from annotations.models import (
    Assigning,
    Assignment,
    Comparison,
    Instance,
    LabelResponse,
    Membership,
    PreferenceResponse,
    Study,
    StudyState,
)


@dataclass(frozen=True, slots=True)
class Past:
    """One assignment that the expert has or had."""

    pk: int
    token: uuid.UUID
    position: int
    claimed_at: datetime | None
    completed_at: datetime | None
    is_released: bool
    is_withdrawn: bool
    is_paused: bool
    is_pilot: bool
    repeat_of: int | None
    labels: list[int] | None
    labels_ms: int | None
    labels_at: datetime | None
    preference_ms: int | None
    preference_at: datetime | None

    @property
    def is_completed(self) -> bool:
        return self.completed_at is not None

    @property
    def counts(self) -> bool:
        """Whether it counts: neither given up, nor unanswered when its text was withdrawn."""
        return not self.is_released and (self.is_completed or not self.is_withdrawn)

    @property
    def is_first_time(self) -> bool:
        """Whether it counts and is not a repeat."""
        return self.counts and self.repeat_of is None

    @property
    def is_unfinished(self) -> bool:
        return self.counts and not self.is_completed

    @property
    def is_held_back(self) -> bool:
        """Whether it was given by name, was never shown, and is held back while one of its systems is paused."""
        return self.is_paused and self.claimed_at is None and self.is_unfinished

    @property
    def milliseconds(self) -> int | None:
        if not self.is_completed or self.labels_ms is None or self.preference_ms is None:
            return None
        return self.labels_ms + self.preference_ms


def with_pool(memberships: QuerySet[Membership]) -> QuerySet[Membership, Any]:
    """Annotate what the study's pool can still offer each expert, and everyone's equal part of it.

    `pool_instances`: instances with a free place that the expert has not had; `pool_waiting`: those they could have
    if no system were paused; `study_comparisons` and `study_experts`: how many there are. All are
    subqueries, so one query serves a whole list of memberships.
    """
    # Deliberate repeats have the instance of what they repeat; leaving them out lets the index
    # (expert, instance), which contains no repeats, answer both questions.
    once = Assignment.objects.filter(instance=OuterRef("pk"), repeat_of=None, seen_before=False)
    free = once.free().filter(study=OuterRef(OuterRef("study")))
    seen = once.filter(expert=OuterRef(OuterRef("pk")))
    elsewhere = (
        Assignment.objects.filter(
            position__gte=0, expert__user=OuterRef(OuterRef("user")), instance__text_digest=OuterRef("text_digest")
        )
        .exclude(study=OuterRef(OuterRef("study")))
        .filter(
            ~Q(study__state=StudyState.CLOSED)
            | Exists(Study.objects.filter(pk=OuterRef(OuterRef(OuterRef("study"))), known_texts=""))
        )
    )
    shown = Comparison.objects.filter(study=OuterRef(OuterRef("study"))).values("instance")
    pool = Instance.objects.filter(Exists(free), ~Exists(seen), ~Exists(elsewhere), pk__in=shown)
    held_back = once.waiting().filter(study=OuterRef(OuterRef("study")))
    of_paused = shown.filter(is_paused=True)
    waiting = Instance.objects.filter(
        Exists(held_back), ~Exists(free), ~Exists(seen), ~Exists(elsewhere), pk__in=of_paused
    )
    planned = Comparison.objects.filter(study=OuterRef("study"), instance__withdrawn_at=None)
    experts = Membership.objects.experts().filter(study=OuterRef("study"), is_active=True)
    return memberships.annotate(
        pool_instances=_count(pool, group="dataset"),
        pool_waiting=_count(waiting, group="dataset"),
        study_comparisons=_count(planned, group="study"),
        study_experts=_count(experts, group="study"),
    )


def history(expert: Membership) -> list[Past]:
    """All of an expert's assignments in order, with the times of the newest answers. One query."""

    def newest(model: type[LabelResponse | PreferenceResponse], field: str) -> Subquery:
        answers = model._default_manager.filter(assignment=OuterRef("pk")).order_by("-revision")
        return Subquery(answers.values(field)[:1])

    rows = (
        Assignment.objects.filter(expert=expert)
        .order_by("position")
        .values_list(
            "pk",
            "token",
            "position",
            "claimed_at",
            "completed_at",
            "released_at",
            "instance__withdrawn_at",
            "comparison__is_paused",
            "is_pilot",
            "repeat_of",
            newest(LabelResponse, "labels"),
            newest(LabelResponse, "active_ms"),
            newest(LabelResponse, "created_at"),
            newest(PreferenceResponse, "active_ms"),
            newest(PreferenceResponse, "created_at"),
        )
    )
    return [
        Past(pk, token, position or 0, claimed, completed, released is not None, withdrawn is not None, *more)
        for pk, token, position, claimed, completed, released, withdrawn, *more in rows
    ]


def progress_of(expert: Membership, past: Sequence[Past]) -> ExpertProgress:
    """The progress of an expert from `with_pool` and `history`.

    If assignments are given by name, the total is what was assigned. In an open pool it is what the expert was promised
    with their first text, or less if the pool can no longer offer as much; it grows only when they ask for more. What
    a pause holds back still counts, so neither the pause nor its end changes what an expert is told.
    """
    done = sum(one.counts and one.is_completed for one in past)
    total = first_times(expert, past)
    total += sum(one.counts and one.repeat_of is not None for one in past) + repeats_left(expert, past, total=total)
    return ExpertProgress(done=done, total=total, minutes_left=minutes_left(past, left=total - done))


def first_times(expert: Membership, past: Sequence[Past]) -> int:
    """How many different texts an expert from `with_pool` will have had in the end."""
    once = [one for one in past if one.is_first_time]
    begun = sum(one.claimed_at is not None and not one.is_completed for one in once)
    return total_for(expert, kept=len(once), begun=begun)


def repeats_left(expert: Membership, past: Sequence[Past], *, total: int) -> int:
    """How many texts the expert will still get a second time; `total` is how many they get a first time."""
    wanted = min(expert.study.repeats_per_expert, total)
    if not wanted:
        return 0
    given = sum(one.repeat_of is not None for one in past)  # including skipped ones: nobody is asked a third time
    to_come = total - sum(one.is_first_time and one.is_completed for one in past)
    return max(0, min(wanted - given, len(repeatable(expert, past)) + to_come))


def repeatable(expert: Membership, past: Sequence[Past]) -> list[Past]:
    """What the expert has answered exactly once in this phase of the study, in order."""
    again = {one.repeat_of for one in past}
    is_pilot = expert.study.state == StudyState.PILOT
    return [
        one
        for one in past
        if one.is_first_time
        and one.is_completed
        and not one.is_withdrawn
        and one.is_pilot == is_pilot
        and one.pk not in again
    ]


def progress_now(expert: int) -> ExpertProgress:
    """The current progress of the membership with this key. Two queries."""
    membership = with_pool(Membership.objects.filter(pk=expert)).select_related("study").get()
    return progress_of(membership, history(membership))


def total_for(expert: Any, *, kept: int, begun: int) -> int:
    """How many assignments an expert from `with_pool` will have had in the end, without repeats.

    `kept` counts those not given back, `begun` those among them that were handed out and are unfinished. One of these
    is in hand; any other was fetched ahead and must not make the expert's part of the pool seem exceeded.
    """
    if expert.study.assigning == Assigning.NAMED:
        return kept
    taken = kept - max(0, begun - 1)
    promised: int = part_of(expert) if expert.promised is None else expert.promised
    possible: int = kept + expert.pool_instances + expert.pool_waiting
    return max(taken, min(possible, promised))


def part_of(expert: Any) -> int:
    """Everyone's equal part of the pool, for an expert from `with_pool`."""
    part: float = expert.study_comparisons * expert.study.experts_per_comparison / max(1, expert.study_experts)
    return math.ceil(part)


def offered(expert: Any, past: Sequence[Past]) -> int:
    """How many more texts, beyond those promised, an expert from `with_pool` may ask for: one part at a time."""
    if expert.study.assigning == Assigning.NAMED:
        return 0
    kept = sum(one.is_first_time for one in past)
    left: int = expert.pool_instances - max(0, (expert.promised or 0) - kept)
    return max(0, min(part_of(expert), left))


def minutes_left(past: Sequence[Past], *, left: int) -> int | None:
    """As `minutes_at_pace`, from a `history`."""
    newest = [one.milliseconds for one in past if one.is_completed][-PACE_OF:]
    return minutes_at_pace([one for one in newest if one is not None], left=left)


def saved_at(past: Sequence[Past]) -> datetime | None:
    """When the newest answer was stored."""
    moments = [at for one in past for at in (one.labels_at, one.preference_at) if at is not None]
    return max(moments, default=None)


def _count(queryset: QuerySet[Any], *, group: str) -> Coalesce:
    counted = queryset.order_by().values(group).annotate(number=Count("pk")).values("number")
    return Coalesce(Subquery(counted, output_field=IntegerField()), 0)
