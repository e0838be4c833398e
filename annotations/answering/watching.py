"""How a running study is doing, day by day and expert by expert. Nothing here tells which system is winning.

The database counts everything from one index (`assignment_watched`); only each expert's newest answers are read, for
the time per text and the side chosen. The number of queries is constant.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from statistics import median
from typing import Any

from django.db.models import Count, DateField, DateTimeField, Func, OuterRef, Q, QuerySet, Subquery
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotations.models import (
    Assigning,
    Assignment,
    Comparison,
    Membership,
    Study,
    StudyState,
)
from annotations.shown.place_counts import PlaceCounts, by_expert

DAYS_SHOWN = 60
NOT_OPEN = {
    StudyState.DRAFT: gettext_noop("The study is still a draft."),
    StudyState.PILOT: gettext_noop("The study is in its pilot."),
    StudyState.OPEN: gettext_noop("The study is open."),
    StudyState.PAUSED: gettext_noop("The study is paused."),
    StudyState.CLOSED: gettext_noop("The study is closed."),
}
PACE_DAYS = 7
NEWEST_READ, READ_IN_ALL = 50, 2_000
"""How many of each expert's newest answers are used for the time per text and the side: recent habits, and few rows."""

MOST_EXPERTS, AT_ONCE = 2_000, 400
"""The most experts in one query, which can only have so many alternatives."""
EVER = datetime(1970, 1, 1, tzinfo=UTC)
TOO_FAR = timedelta(days=3650)


@dataclass(frozen=True, slots=True)
class Day:
    """How many answers were given on one day (UTC)."""

    date: date
    answers: int


@dataclass(frozen=True, slots=True)
class Forecast:
    """When the last answer will come at the pace of the last days or, without a date, why there is none."""

    date: date | None
    per_day: float
    reason: str = ""


@dataclass(slots=True)
class Habits:
    """Recent habits of one expert, or of all: active milliseconds per text, and which side they chose, if only one."""

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
    """When they joined, and so could first have answered."""
    waiting: int = 0
    """How many of the total are held back while a system is paused."""

    @property
    def has_more(self) -> bool:
        return self.is_active and self.done + self.waiting < self.total


@dataclass(frozen=True, slots=True)
class Watched:
    """A study's progress, as researchers and admins see it."""

    done: int
    total: int
    pilot: int
    days: tuple[Day, ...]
    forecast: Forecast
    habits: Habits
    experts: tuple[WatchedExpert, ...]
    coverage: tuple[tuple[int, int], ...]
    """How many comparisons have each number of answers."""
    lacking: int
    """How many more experts the free places need, since nobody can take the same comparison twice."""
    waiting: int = 0
    """How many places of the total are held back while a system is paused."""


def watch(study: Study, *, now: datetime | None = None) -> Watched:
    """The study's current progress."""
    now = now or timezone.now()
    places = Assignment.objects.filter(study=study, released_at=None, repeat_of=None)
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
    paused = _paused(study, instances)
    held_back = _held_back(taken, paused)
    free_paused = sum(number for comparison, number in free.items() if comparison in paused)
    waiting = free_paused + sum(held_back.values())
    members = list(Membership.objects.experts().filter(study=study).order_by("number")[:MOST_EXPERTS])
    active = {member.pk for member in members if member.is_active}
    kept = by_expert(taken)
    seen = _by_comparison(taken, gone=[expert for expert in kept if expert not in active])
    total = sum(one.places for one in kept.values()) + sum(free.values())
    done = sum(one.answered for one in kept.values())
    habits = _habits(study, taken, experts=len(members))
    share = math.ceil(total / max(1, len(active))) if study.assigning == Assigning.OPEN_POOL and free else 0
    part_waiting = math.ceil(free_paused / max(1, len(active))) if share else 0
    answered = taken.filter(completed_at__isnull=False)
    counted = Counter(done for comparison, (done, _) in seen.items() if comparison in instances)
    counted[0] += len(instances.keys() - seen.keys())
    return Watched(
        done=done,
        total=total,
        pilot=pilot,
        days=_days(answered, now),
        forecast=_forecast(study, answered, left=total - done - waiting, waiting=waiting, now=now),
        habits=_together(habits.values()),
        experts=tuple(
            _expert(member, kept, habits, share, waiting=held_back.get(member.pk, 0) + part_waiting)
            for member in members
            if member.is_active or member.pk in kept
        ),
        coverage=tuple(sorted((answers, number) for answers, number in counted.items() if number)),
        lacking=max(
            0, _lacking({one: n for one, n in free.items() if one not in paused}, seen, instances, len(active))
        ),
        waiting=waiting,
    )


def _free(places: QuerySet[Assignment]) -> dict[int, int]:
    """How many free places each comparison has."""
    return dict(places.filter(expert=None).order_by().values_list("comparison").annotate(places=Count("pk")))


def _paused(study: Study, instances: Mapping[int, int]) -> set[int]:
    """The comparisons of paused systems whose texts are not withdrawn."""
    if not study.paused_systems:
        return set()
    found = Comparison.objects.filter(study=study, is_paused=True).values_list("pk", flat=True)
    return {pk for pk in found if pk in instances}


def _held_back(taken: QuerySet[Assignment], paused: set[int]) -> dict[int, int]:
    """Expert -> how many places given to them by name are held back while a system is paused."""
    if not paused:
        return {}
    mine = taken.filter(comparison__is_paused=True, claimed_at=None, completed_at=None)
    return dict(mine.order_by().values_list("expert").annotate(places=Count("pk")))


def _by_comparison(taken: QuerySet[Assignment], *, gone: Iterable[int | None]) -> dict[int, tuple[int, int]]:
    """For each comparison, how many answers it has and how many active experts have or had it."""
    found = taken.order_by().values_list("comparison")
    counted = found.annotate(done=Count("completed_at"), experts=Count("pk"))
    seen = {comparison: (done, experts) for comparison, done, experts in counted}
    by_others = found.filter(expert__in=list(gone)).annotate(experts=Count("pk"))  # few, if any
    for comparison, experts in by_others:
        seen[comparison] = (seen[comparison][0], seen[comparison][1] - experts)
    return seen


class _DayOf(Func):
    """The UTC day of a time in each database's own SQL, since a Python function would be called for every row."""

    output_field = DateField()

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        return self.as_sql(compiler, connection, template="SUBSTR(%(expressions)s, 1, 10)", **context)

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        return self.as_sql(compiler, connection, template="((%(expressions)s) AT TIME ZONE 'UTC')::date", **context)


def _days(answered: QuerySet[Assignment], now: datetime) -> tuple[Day, ...]:
    """Every day since the first with answers, at most the last `DAYS_SHOWN`, including days without answers."""
    today = now.date()
    since = today - timedelta(days=DAYS_SHOWN - 1)
    days = answered.order_by().annotate(day=_DayOf("completed_at")).values_list("day")
    counts = dict(days.annotate(number=Count("pk")))
    first = max(min(counts, default=today), since)
    return tuple(
        Day(at, counts.get(at, 0)) for at in (first + timedelta(days=n) for n in range((today - first).days + 1))
    )


def _forecast(study: Study, answered: QuerySet[Assignment], *, left: int, waiting: int, now: datetime) -> Forecast:
    since = max(now - timedelta(days=PACE_DAYS), study.opened_at or now - timedelta(days=PACE_DAYS))
    recent = answered.filter(completed_at__gt=since).count()
    days = max(1.0, (now - since).total_seconds() / 86_400)
    per_day = round(recent / days, 1)
    if left <= 0 and waiting:
        return Forecast(None, per_day, _("Only places of paused systems are left."))
    if left <= 0:
        return Forecast(
            None, per_day, _("All answers have been collected.") if answered.exists() else _("There is no plan yet.")
        )
    if study.state != StudyState.OPEN:
        return Forecast(None, per_day, translation.gettext(NOT_OPEN[StudyState(study.state)]))
    if not recent:
        return Forecast(None, per_day, _("No answers were given in the last {days} days.").format(days=PACE_DAYS))
    ahead = timedelta(days=left * days / recent)
    if ahead > TOO_FAR:
        return Forecast(None, per_day, _("At the current pace, this would take more than ten years."))
    return Forecast((now + ahead).date(), per_day)


def _habits(study: Study, taken: QuerySet[Assignment], *, experts: int) -> dict[int, Habits]:
    """The habits in each expert's newest answers, taking the newest revision of corrected ones."""
    newest: dict[int, tuple[int, tuple[Any, ...]]] = {}
    most = max(5, min(NEWEST_READ, READ_IN_ALL // max(1, experts)))
    for expert, assignment, *revisions, a, b, ms_1, ms_2 in _newest(study, taken, most=most):
        if None in revisions:
            continue  # restored without its answer
        if assignment not in newest or newest[assignment][1][0] < revisions:
            newest[assignment] = expert, (revisions, a, b, ms_1, ms_2)
    found: dict[int, Habits] = defaultdict(Habits)
    for expert, (_revisions, a, b, ms_1, ms_2) in newest.values():
        found[expert].chose_a += a and not b
        found[expert].chose_one += a != b
        if ms_1 is not None and ms_2 is not None:
            found[expert].times.append(ms_1 + ms_2)
    return found


def _newest(study: Study, taken: QuerySet[Assignment], *, most: int) -> Iterator[tuple[Any, ...]]:
    """About `most` newest answers of each expert: expert, assignment, revisions of its steps, and their content.

    First it finds when each expert gave the oldest of these, which the index can tell without counting them all; then
    everything since. Each alternative repeats the index's whole condition, so that the index is used for it.
    """
    own = taken.filter(completed_at__isnull=False, expert=OuterRef("pk")).order_by("-completed_at")
    nth = Subquery(own.values("completed_at")[most - 1 : most], output_field=DateTimeField())
    experts = Membership.objects.experts().filter(study=study).order_by("number").annotate(since=nth)
    begins: list[tuple[int, datetime | None]] = list(experts.values_list("pk", "since")[:MOST_EXPERTS])
    places = Assignment.objects.order_by()
    if study.state != StudyState.PILOT:
        places = places.filter(is_pilot=False)
    for first in range(0, len(begins), AT_ONCE):
        wanted = Q()
        for expert, since in begins[first : first + AT_ONCE]:
            wanted |= Q(study=study, expert=expert, completed_at__gte=since or EVER, released_at=None)
        yield from places.filter(wanted).values_list(
            "expert",
            "pk",
            "labelresponses__revision",
            "preferenceresponses__revision",
            "preferenceresponses__a_chosen",
            "preferenceresponses__b_chosen",
            "labelresponses__active_ms",
            "preferenceresponses__active_ms",
        )


def _together(habits: Iterable[Habits]) -> Habits:
    habits = list(habits)
    return Habits(
        times=[time for one in habits for time in one.times],
        chose_a=sum(one.chose_a for one in habits),
        chose_one=sum(one.chose_one for one in habits),
    )


def _expert(
    member: Membership,
    kept: Mapping[int | None, PlaceCounts],
    habits: Mapping[int, Habits],
    share: int,
    waiting: int,
) -> WatchedExpert:
    counts = kept.get(member.pk, PlaceCounts())
    return WatchedExpert(
        number=member.number,
        is_active=member.is_active,
        done=counts.answered,
        total=max(counts.places, share) if member.is_active else counts.places,
        last_answer=counts.last,
        habits=habits.get(member.pk, Habits()),
        since=member.created_at,
        waiting=waiting,
    )


def _lacking(
    free: Mapping[int, int], seen: Mapping[int, tuple[int, int]], instances: Mapping[int, int], active: int
) -> int:
    """How many more active experts are needed before every free place can be taken."""
    open_places, had = Counter[int](), Counter[int]()
    for comparison, places in free.items():
        open_places[instances[comparison]] += places
    for comparison, (_done, experts) in seen.items():
        if comparison in instances:
            had[instances[comparison]] += experts
    return max((places - (active - had[instance]) for instance, places in open_places.items()), default=0)
