"""How a running study is doing, day by day and expert by expert, and what needs attention. Nothing here tells which
system is winning.

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

from annotations.background.jobs import job_models, worker_alive
from annotations.models import (
    Assigning,
    Assignment,
    Comparison,
    Invitation,
    JobState,
    Membership,
    Report,
    Study,
    StudyState,
)
from annotations.shown.place_counts import PlaceCounts, by_expert
from annotations.shown.plurals import filled, with_and

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
QUIET = timedelta(days=5)
SOON = timedelta(days=3)
FAILED_WITHIN = timedelta(days=7)
NAMED_AT_MOST = 5
FAILED = {
    "import": gettext_noop("{number, plural, one {# import failed} other {# imports failed}} in the last {days} days."),
    "export": gettext_noop("{number, plural, one {# export failed} other {# exports failed}} in the last {days} days."),
    "analysis": gettext_noop(
        "{number, plural, one {# analysis failed} other {# analyses failed}} in the last {days} days."
    ),
    "job": gettext_noop("{number, plural, one {# job failed} other {# jobs failed}} in the last {days} days."),
}
"""The sentence for each kind of failed job."""


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


@dataclass(frozen=True, slots=True)
class Need:
    """One thing to do. `tab` is a tab of the study's page, or empty."""

    kind: str
    sentence: str
    tab: str
    count: int


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
    counts = by_expert(taken)
    seen = _by_comparison(taken, gone=[expert for expert in counts if expert not in active])
    total = sum(count.places for count in counts.values()) + sum(free.values())
    done = sum(count.answered for count in counts.values())
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
            _expert(member, counts, habits, share, waiting=held_back.get(member.pk, 0) + part_waiting)
            for member in members
            if member.is_active or member.pk in counts
        ),
        coverage=tuple(sorted((answers, number) for answers, number in counted.items() if number)),
        lacking=max(
            0, _lacking({count: n for count, n in free.items() if count not in paused}, seen, instances, len(active))
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
    paused = Comparison.objects.filter(study=study, is_paused=True).values_list("pk", flat=True)
    return {pk for pk in paused if pk in instances}


def _held_back(taken: QuerySet[Assignment], paused: set[int]) -> dict[int, int]:
    """Expert -> how many places given to them by name are held back while a system is paused."""
    if not paused:
        return {}
    mine = taken.filter(comparison__is_paused=True, claimed_at=None, completed_at=None)
    return dict(mine.order_by().values_list("expert").annotate(places=Count("pk")))


def _by_comparison(taken: QuerySet[Assignment], *, gone: Iterable[int | None]) -> dict[int, tuple[int, int]]:
    """For each comparison, how many answers it has and how many active experts have or had it."""
    by_comparison = taken.order_by().values_list("comparison")
    counted = by_comparison.annotate(done=Count("completed_at"), experts=Count("pk"))
    seen = {comparison: (done, experts) for comparison, done, experts in counted}
    by_others = by_comparison.filter(expert__in=list(gone)).annotate(experts=Count("pk"))  # few, if any
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
    habits: dict[int, Habits] = defaultdict(Habits)
    for expert, (_revisions, a, b, ms_1, ms_2) in newest.values():
        habits[expert].chose_a += a and not b
        habits[expert].chose_one += a != b
        if ms_1 is not None and ms_2 is not None:
            habits[expert].times.append(ms_1 + ms_2)
    return habits


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
        condition = Q()
        for expert, since in begins[first : first + AT_ONCE]:
            condition |= Q(study=study, expert=expert, completed_at__gte=since or EVER, released_at=None)
        yield from places.filter(condition).values_list(
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
        times=[time for habit in habits for time in habit.times],
        chose_a=sum(habit.chose_a for habit in habits),
        chose_one=sum(habit.chose_one for habit in habits),
    )


def _expert(
    member: Membership,
    counts_of: Mapping[int | None, PlaceCounts],
    habits: Mapping[int, Habits],
    share: int,
    waiting: int,
) -> WatchedExpert:
    counts = counts_of.get(member.pk, PlaceCounts())
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


def needs_of(study: Study, watched: Watched, *, now: datetime | None = None) -> list[Need]:
    """What needs attention, most urgent first. The number of queries does not depend on the study's size."""
    now = now or timezone.now()
    needs = [_reports(study), *_quiet_or_missing(study, watched, now), _invitations(study, now), *_jobs(study, now)]
    return [need for need in needs if need is not None and need.count]


def _reports(study: Study) -> Need:
    number = Report.objects.filter(assignment__study=study, decisions=None).count()
    message = _(
        "{number, plural, one {# reported problem is waiting for a decision.} "
        "other {# reported problems are waiting for a decision.}}"
    )
    return Need("reports", filled(message, number=number), "problems", number)


def _quiet_or_missing(study: Study, watched: Watched, now: datetime) -> list[Need]:
    lacking = watched.lacking if study.state != StudyState.CLOSED else 0
    message = _(
        "{number, plural, one {Invite 1 more expert to collect all answers.} "
        "other {Invite at least # more experts to collect all answers.}}"
    )
    missing = Need("missing_experts", filled(message, number=lacking), "people", lacking)
    if study.state != StudyState.OPEN:
        return [missing]
    quiet = [expert for expert in watched.experts if expert.has_more and now - _last_sign(expert, study) >= QUIET]
    return [Need("quiet_experts", _not_answered(quiet), "people", len(quiet)), missing]


def _not_answered(experts: list[WatchedExpert]) -> str:
    """Who has been quiet, by number if there are only a few."""
    numbers, days = [str(expert.number) for expert in experts], QUIET.days
    if len(numbers) == 1:
        return filled(_("Expert {number} has not answered for {days} days or more."), number=numbers[0], days=days)
    if len(numbers) <= NAMED_AT_MOST:
        message = _("Experts {numbers} have not answered for {days} days or more.")
        return filled(message, numbers=with_and(numbers), days=days)
    message = _("{count, plural, one {# expert has} other {# experts have}} not answered for {days} days or more.")
    return filled(message, count=len(numbers), days=days)


def _last_sign(expert: WatchedExpert, study: Study) -> datetime:
    """When their newest answer came; before the first, when it could have come."""
    return expert.last_answer or max(expert.since, study.opened_at or expert.since)


def _invitations(study: Study, now: datetime) -> Need | None:
    if study.state == StudyState.CLOSED:
        return None
    ending = Invitation.objects.filter(study=study).unsettled().filter(expires_at__lt=now + SOON)
    number = ending.count()
    message = _(
        "{number, plural, one {# invitation is still unused and expires within {days} days, or has expired.} "
        "other {# invitations are still unused and expire within {days} days, or have expired.}}"
    )
    return Need("invitations", filled(message, number=number, days=SOON.days), "people", number)


def _jobs(study: Study, now: datetime) -> list[Need]:
    """Jobs that failed, and whether a worker is running."""
    needs, waiting = [], 0
    for model in job_models():
        if not any(field.name == "study" for field in model._meta.fields):
            continue
        manager: Any = model._default_manager
        mine = manager.filter(study=study)
        recent = Q(state=JobState.FAILED, finished_at__gt=now - FAILED_WITHIN)
        states = list(mine.filter(recent | Q(state=JobState.QUEUED)).values_list("state", flat=True))
        failed = states.count(JobState.FAILED)
        waiting += len(states) - failed
        message = FAILED.get(str(model._meta.verbose_name), FAILED["job"])
        sentence = filled(translation.gettext(message), number=failed, days=FAILED_WITHIN.days)
        needs.append(Need("failed", sentence, model.tab, failed))
    if waiting and not worker_alive():
        message = _(
            "{number, plural, one {No worker is running, and # job is waiting for one.} "
            "other {No worker is running, and # jobs are waiting for one.}}"
        )
        needs.insert(0, Need("no_worker", filled(message, number=waiting), "", waiting))
    return needs
