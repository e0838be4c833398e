"""How a study that takes answers is doing: day by day, expert by expert. Nothing here tells which system wins.

Everything is counted by the database from one index (`assignment_watched`); only the newest answers of each expert are
read, for the time that a text takes them and the side that they choose. The number of queries is always the same.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from statistics import median

from django.db.models import CharField, Count, F, Max, Q, QuerySet, Window
from django.db.models.functions import Cast, RowNumber, Substr
from django.utils import timezone

from annotations.models import (
    Assigning,
    Assignment,
    Comparison,
    LabelResponse,
    Membership,
    PreferenceResponse,
    Study,
    StudyState,
)

DAYS_SHOWN = 60
PACE_DAYS = 7
NEWEST_READ, READ_IN_ALL = 50, 3_000
"""Of each expert's answers, for the time per text and the side: what they do now, and a bounded number of rows."""

MOST_EXPERTS = 2_000
TOO_FAR = timedelta(days=3650)


@dataclass(frozen=True, slots=True)
class Day:
    """How many answers came on one day (UTC)."""

    date: date
    answers: int


@dataclass(frozen=True, slots=True)
class Forecast:
    """When the last answer comes at the pace of the last days; without a date, why there is none."""

    date: date | None
    per_day: float
    reason: str = ""


@dataclass(slots=True)
class Habits:
    """What an expert, or all of them, lately did: active milliseconds per text, and which side where they chose one."""

    times: list[int] = field(default_factory=list)
    chose_a: int = 0
    chose_one: int = 0

    @property
    def median_ms(self) -> int | None:
        return round(median(self.times)) if self.times else None

    @property
    def a_share(self) -> float | None:
        return self.chose_a / self.chose_one if self.chose_one else None


@dataclass(frozen=True, slots=True)
class WatchedExpert:
    """One expert's progress."""

    number: int
    is_active: bool
    done: int
    total: int
    last_answer: datetime | None
    habits: Habits
    since: datetime
    """From when an answer could have come: when they joined."""

    @property
    def has_more(self) -> bool:
        return self.is_active and self.done < self.total


@dataclass(frozen=True, slots=True)
class Watched:
    """A study as its people watch it."""

    done: int
    total: int
    pilot: int
    days: tuple[Day, ...]
    forecast: Forecast
    habits: Habits
    experts: tuple[WatchedExpert, ...]
    coverage: tuple[tuple[int, int], ...]
    """How many answers, and how many comparisons have so many."""
    lacking: int
    """How many experts more the free places need; who had a comparison cannot take it again."""


def watch(study: Study, *, now: datetime | None = None) -> Watched:
    """The study as it stands."""
    now = now or timezone.now()
    places = Assignment.objects.filter(study=study, released_at=None)
    pilot = 0 if study.state == StudyState.PILOT else places.filter(expert__isnull=False, is_pilot=True).count()
    if study.state != StudyState.PILOT:
        places = places.filter(is_pilot=False)
    comparisons = Comparison.objects.filter(study=study).values_list("pk", "instance", "instance__withdrawn_at")
    instances = {pk: instance for pk, instance, withdrawn in comparisons if withdrawn is None}
    withdrawn = [pk for pk, _, withdrawn in comparisons if withdrawn is not None]
    if withdrawn:
        places = places.exclude(comparison__in=withdrawn, completed_at=None)
    taken = places.filter(expert__isnull=False)
    free = _free(places)
    members = list(Membership.objects.experts().filter(study=study).order_by("number")[:MOST_EXPERTS])
    active = [member.pk for member in members if member.is_active]
    seen = _by_comparison(taken, active)
    kept = {
        expert: (places, done, last)
        for expert, places, done, last in taken.order_by()
        .values_list("expert")
        .annotate(places=Count("pk"), done=Count("completed_at"), last=Max("completed_at"))
    }
    total = sum(places for places, _, _ in kept.values()) + sum(free.values())
    done = sum(done for _, done, _ in kept.values())
    habits = _habits(taken, experts=len(members))
    share = math.ceil(total / max(1, len(active))) if study.assigning == Assigning.OPEN_POOL and free else 0
    answered = taken.filter(completed_at__isnull=False)
    counted = Counter(done for comparison, (done, _) in seen.items() if comparison in instances)
    counted[0] += len(instances.keys() - seen.keys())
    return Watched(
        done=done,
        total=total,
        pilot=pilot,
        days=_days(answered, now),
        forecast=_forecast(study, answered, left=total - done, now=now),
        habits=_together(habits.values()),
        experts=tuple(
            _expert(member, kept, habits, share) for member in members if member.is_active or member.pk in kept
        ),
        coverage=tuple(sorted((answers, number) for answers, number in counted.items() if number)),
        lacking=max(0, _lacking(free, seen, instances, len(active))),
    )


def _free(places: QuerySet[Assignment]) -> dict[int, int]:
    """How many places of each comparison nobody has."""
    return dict(places.filter(expert=None).order_by().values_list("comparison").annotate(places=Count("pk")))


def _by_comparison(taken: QuerySet[Assignment], active: Sequence[int]) -> dict[int, tuple[int, int]]:
    """Of each comparison: how many answers it has, and how many active experts have or had it in hand."""
    found = taken.order_by().values_list("comparison")
    counted = found.annotate(done=Count("completed_at"), active=Count("pk", filter=Q(expert__in=active)))
    return {comparison: (done, active) for comparison, done, active in counted}


def _days(answered: QuerySet[Assignment], now: datetime) -> tuple[Day, ...]:
    """Every day from the first with answers, or the last `DAYS_SHOWN`; those without answers, too."""
    today = now.date()
    since = today - timedelta(days=DAYS_SHOWN - 1)
    day = Substr(Cast("completed_at", CharField()), 1, 10)  # in the database's own words, which is quick: days of UTC
    counts = {
        date.fromisoformat(text): number
        for text, number in answered.order_by().annotate(day=day).values_list("day").annotate(number=Count("pk"))
    }
    first = max(min(counts, default=today), since)
    return tuple(
        Day(at, counts.get(at, 0)) for at in (first + timedelta(days=n) for n in range((today - first).days + 1))
    )


def _forecast(study: Study, answered: QuerySet[Assignment], *, left: int, now: datetime) -> Forecast:
    since = max(now - timedelta(days=PACE_DAYS), study.opened_at or now - timedelta(days=PACE_DAYS))
    recent = answered.filter(completed_at__gt=since).count()
    days = max(1.0, (now - since).total_seconds() / 86_400)
    per_day = round(recent / days, 1)
    if left <= 0:
        return Forecast(None, per_day, "All answers are here." if answered.exists() else "There is no plan yet.")
    if study.state != StudyState.OPEN:
        return Forecast(None, per_day, f"The study is not open: it is {study.get_state_display()}.")
    if not recent:
        return Forecast(None, per_day, f"There was no answer in the last {PACE_DAYS} days.")
    ahead = timedelta(days=left * days / recent)
    if ahead > TOO_FAR:
        return Forecast(None, per_day, "At the pace of the last days it takes more than ten years.")
    return Forecast((now + ahead).date(), per_day)


def _habits(taken: QuerySet[Assignment], *, experts: int) -> dict[int, Habits]:
    """What each expert's newest answers are like."""
    most = max(5, min(NEWEST_READ, READ_IN_ALL // max(1, experts)))
    newest = taken.filter(completed_at__isnull=False).annotate(
        rank=Window(RowNumber(), partition_by="expert", order_by=F("completed_at").desc())
    )
    whose: dict[int, int] = dict(newest.filter(rank__lte=most).values_list("pk", "expert"))
    labels = LabelResponse.objects.filter(assignment__in=list(whose)).order_by("revision")  # the newest comes last
    in_step_1 = dict(labels.values_list("assignment", "active_ms"))
    preferences = PreferenceResponse.objects.filter(assignment__in=list(whose)).order_by("revision")
    in_step_2 = {row[0]: row[1:] for row in preferences.values_list("assignment", "a_chosen", "b_chosen", "active_ms")}
    found: dict[int, Habits] = defaultdict(Habits)
    for assignment, (a, b, ms) in in_step_2.items():
        habits, before = found[whose[assignment]], in_step_1.get(assignment)
        habits.chose_a += a and not b
        habits.chose_one += a != b
        if ms is not None and before is not None:
            habits.times.append(before + ms)
    return found


def _together(habits: Iterable[Habits]) -> Habits:
    habits = list(habits)
    return Habits(
        times=[time for one in habits for time in one.times],
        chose_a=sum(one.chose_a for one in habits),
        chose_one=sum(one.chose_one for one in habits),
    )


def _expert(
    member: Membership, kept: Mapping[int, tuple[int, int, datetime | None]], habits: Mapping[int, Habits], share: int
) -> WatchedExpert:
    places, done, last = kept.get(member.pk, (0, 0, None))
    return WatchedExpert(
        number=member.number,
        is_active=member.is_active,
        done=done,
        total=max(places, share) if member.is_active else places,
        last_answer=last,
        habits=habits.get(member.pk, Habits()),
        since=member.created_at,
    )


def _lacking(
    free: Mapping[int, int], seen: Mapping[int, tuple[int, int]], instances: Mapping[int, int], active: int
) -> int:
    """How many active experts more there must be before every free place can be taken."""
    open_places, had = Counter[int](), Counter[int]()
    for comparison, places in free.items():
        open_places[instances[comparison]] += places
    for comparison, (_, experts) in seen.items():
        if comparison in instances:
            had[instances[comparison]] += experts
    return max((places - (active - had[instance]) for instance, places in open_places.items()), default=0)
