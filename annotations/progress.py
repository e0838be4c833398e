"""How far an expert is: done, total, and the minutes that are left at their own pace."""

import math
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import median
from typing import Any

from django.db.models import Count, Exists, IntegerField, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from annotations.models import (
    Assigning,
    Assignment,
    Comparison,
    Instance,
    LabelResponse,
    Membership,
    PreferenceResponse,
)


@dataclass(frozen=True, slots=True)
class Progress:
    done: int
    total: int
    minutes_left: int | None


@dataclass(frozen=True, slots=True)
class Past:
    """One assignment that the expert has or had."""

    pk: int
    token: uuid.UUID
    position: int
    is_released: bool
    is_completed: bool
    labels: list[int] | None
    labels_ms: int | None
    labels_at: datetime | None
    preference_ms: int | None
    preference_at: datetime | None

    @property
    def milliseconds(self) -> int | None:
        if not self.is_completed or self.labels_ms is None or self.preference_ms is None:
            return None
        return self.labels_ms + self.preference_ms


def with_pool(memberships: QuerySet[Membership]) -> QuerySet[Membership, Any]:
    """Annotate what the study's pool may still give each expert, and everybody's equal part of it.

    `pool_instances`: instances with a free place that the expert has not had; `study_places` and
    `study_experts`: how many there are. All are subqueries, so that one query serves a list of memberships.
    """
    # Deliberate repeats have the instance of what they repeat; leaving them out lets the index
    # (expert, instance), which knows no repeats, answer both questions.
    once = Assignment.objects.filter(instance=OuterRef("pk"), repeat_of=None)
    free = once.free().filter(study=OuterRef(OuterRef("study")))
    seen = once.filter(expert=OuterRef(OuterRef("pk")))
    shown = Comparison.objects.filter(study=OuterRef(OuterRef("study"))).values("instance")
    pool = Instance.objects.filter(Exists(free), ~Exists(seen), pk__in=shown)
    planned = Comparison.objects.filter(study=OuterRef("study"))
    experts = Membership.objects.experts().filter(study=OuterRef("study"), is_active=True)
    return memberships.annotate(
        pool_instances=_count(pool, group="dataset"),
        study_comparisons=_count(planned, group="study"),
        study_experts=_count(experts, group="study"),
    )


def history(expert: Membership) -> list[Past]:
    """All assignments of an expert in order, with the newest answers' times. One query."""

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
            "released_at",
            "completed_at",
            newest(LabelResponse, "labels"),
            newest(LabelResponse, "active_ms"),
            newest(LabelResponse, "created_at"),
            newest(PreferenceResponse, "active_ms"),
            newest(PreferenceResponse, "created_at"),
        )
    )
    return [
        Past(pk, token, position or 0, released is not None, completed is not None, *answers)
        for pk, token, position, released, completed, *answers in rows
    ]


def progress_of(expert: Membership, past: Sequence[Past]) -> Progress:
    """The progress of an expert from `with_pool` and `history`.

    With named assigning the total is what was assigned. In an open pool it is everybody's equal part of all
    places, or less where the pool cannot give so much; who has had more than that part is told the rest of the pool.
    """
    kept = [one for one in past if not one.is_released]
    done = sum(one.is_completed for one in kept)
    total = total_for(expert, taken=len(kept))
    return Progress(done=done, total=total, minutes_left=minutes_left(past, left=total - done))


def progress_now(expert: int) -> Progress:
    """The progress of the membership with this key, as it stands. Two queries."""
    membership = with_pool(Membership.objects.filter(pk=expert)).select_related("study").get()
    return progress_of(membership, history(membership))


def total_for(expert: Any, *, taken: int) -> int:
    """How many assignments an expert of `with_pool`, who has taken so many, will have had in the end."""
    if expert.study.assigning == Assigning.NAMED:
        return taken
    possible: int = taken + expert.pool_instances
    part = math.ceil(expert.study_comparisons * expert.study.experts_per_comparison / max(1, expert.study_experts))
    return possible if taken > part else max(taken, min(possible, part))


def minutes_left(past: Sequence[Past], *, left: int) -> int | None:
    """`left` times the median of the expert's own active times, rounded up; unknown before two are done."""
    times = [one.milliseconds for one in past if one.milliseconds is not None]
    if len(times) < 2:
        return None
    return math.ceil(median(times) * left / 60_000)


def saved_at(past: Sequence[Past]) -> datetime | None:
    """When the newest answer was stored."""
    moments = [at for one in past for at in (one.labels_at, one.preference_at) if at is not None]
    return max(moments, default=None)


def _count(queryset: QuerySet[Any], *, group: str) -> Coalesce:
    counted = queryset.order_by().values(group).annotate(number=Count("pk")).values("number")
    return Coalesce(Subquery(counted, output_field=IntegerField()), 0)
