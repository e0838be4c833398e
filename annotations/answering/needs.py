"""What in a study needs somebody: as sentences, each with the tab on which it is settled."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q
from django.utils import timezone

from annotations.answering.watching import Watched, WatchedExpert
from annotations.background.jobs import job_models, worker_alive
from annotations.models import Invitation, JobState, Report, Study, StudyState

QUIET = timedelta(days=5)
SOON = timedelta(days=3)
FAILED_WITHIN = timedelta(days=7)
NAMED_AT_MOST = 5


@dataclass(frozen=True, slots=True)
class Need:
    """One thing to do. `tab` is a tab of the study's page, or empty."""

    kind: str
    sentence: str
    tab: str
    count: int


def needs_of(study: Study, watched: Watched, *, now: datetime | None = None) -> list[Need]:
    """What needs somebody, the most urgent first. As many queries for a large study as for a small one."""
    now = now or timezone.now()
    found = [_reports(study), *_experts(study, watched, now), _invitations(study, now), *_jobs(study, now)]
    return [need for need in found if need is not None and need.count]


def _reports(study: Study) -> Need:
    number = Report.objects.filter(assignment__study=study, decisions=None).count()
    waits = "1 reported problem waits" if number == 1 else f"{number:,} reported problems wait"
    return Need("reports", f"{waits} for a decision.", "problems", number)


def _experts(study: Study, watched: Watched, now: datetime) -> list[Need]:
    lacking = watched.lacking if study.state != StudyState.CLOSED else 0
    more = "1 more expert" if lacking == 1 else f"at least {lacking:,} more experts"
    missing = Need("missing_experts", f"Invite {more} to collect all answers.", "people", lacking)
    if study.state != StudyState.OPEN:
        return [missing]
    quiet = [one for one in watched.experts if one.has_more and now - _last_sign(one, study) >= QUIET]
    who = f"{_named(quiet)} {'has' if len(quiet) == 1 else 'have'}"
    told = f"{who} not answered for {QUIET.days} days or more."
    return [Need("quiet_experts", told, "people", len(quiet)), missing]


def _last_sign(expert: WatchedExpert, study: Study) -> datetime:
    """The newest answer; before the first, when it could have come."""
    return expert.last_answer or max(expert.since, study.opened_at or expert.since)


def _named(experts: list[WatchedExpert]) -> str:
    numbers = [str(one.number) for one in experts]
    if len(numbers) == 1:
        return f"Expert {numbers[0]}"
    if len(numbers) > NAMED_AT_MOST:
        return f"{len(numbers)} experts"
    return f"Experts {', '.join(numbers[:-1])} and {numbers[-1]}" if numbers else ""


def _invitations(study: Study, now: datetime) -> Need | None:
    if study.state == StudyState.CLOSED:
        return None
    ending = Invitation.objects.filter(study=study).unsettled().filter(expires_at__lt=now + SOON)
    number = ending.count()
    end = "1 invitation ends" if number == 1 else f"{number:,} invitations end"
    return Need("invitations", f"{end} within {SOON.days} days, or ended unused.", "people", number)


def _jobs(study: Study, now: datetime) -> list[Need]:
    """What workers could not do; and whether there is a worker."""
    found, waiting = [], 0
    for model in job_models():
        if not any(field.name == "study" for field in model._meta.fields):
            continue
        manager: Any = model._default_manager
        mine = manager.filter(study=study)
        recent = Q(state=JobState.FAILED, finished_at__gt=now - FAILED_WITHIN)
        states = list(mine.filter(recent | Q(state=JobState.QUEUED)).values_list("state", flat=True))
        failed = states.count(JobState.FAILED)
        waiting += len(states) - failed
        name = model._meta.verbose_name if failed == 1 else model._meta.verbose_name_plural
        told = f"{failed:,} {name} failed in the last {FAILED_WITHIN.days} days."
        found.append(Need("failed", told, model.tab, failed))
    if waiting and not worker_alive():
        thing = "1 job waits" if waiting == 1 else f"{waiting:,} jobs wait"
        found.insert(0, Need("no_worker", f"No worker is running, and {thing} for one.", "", waiting))
    return found
