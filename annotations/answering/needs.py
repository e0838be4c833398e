"""What needs attention in a study, as sentences, each with the tab where it can be dealt with."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotations.answering.watching import Watched, WatchedExpert
from annotations.background.jobs import job_models, worker_alive
from annotations.models import Invitation, JobState, Report, Study, StudyState
from annotations.shown.plurals import filled, with_and

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
class Need:
    """One thing to do. `tab` is a tab of the study's page, or empty."""

    kind: str
    sentence: str
    tab: str
    count: int


def needs_of(study: Study, watched: Watched, *, now: datetime | None = None) -> list[Need]:
    """What needs attention, most urgent first. The number of queries does not depend on the study's size."""
    now = now or timezone.now()
    found = [_reports(study), *_experts(study, watched, now), _invitations(study, now), *_jobs(study, now)]
    return [need for need in found if need is not None and need.count]


def _reports(study: Study) -> Need:
    number = Report.objects.filter(assignment__study=study, decisions=None).count()
    message = _(
        "{number, plural, one {# reported problem is waiting for a decision.} "
        "other {# reported problems are waiting for a decision.}}"
    )
    return Need("reports", filled(message, number=number), "problems", number)


def _experts(study: Study, watched: Watched, now: datetime) -> list[Need]:
    lacking = watched.lacking if study.state != StudyState.CLOSED else 0
    message = _(
        "{number, plural, one {Invite 1 more expert to collect all answers.} "
        "other {Invite at least # more experts to collect all answers.}}"
    )
    missing = Need("missing_experts", filled(message, number=lacking), "people", lacking)
    if study.state != StudyState.OPEN:
        return [missing]
    quiet = [one for one in watched.experts if one.has_more and now - _last_sign(one, study) >= QUIET]
    return [Need("quiet_experts", _not_answered(quiet), "people", len(quiet)), missing]


def _not_answered(experts: list[WatchedExpert]) -> str:
    """Who has been quiet, by number if there are only a few."""
    numbers, days = [str(one.number) for one in experts], QUIET.days
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
        message = FAILED.get(str(model._meta.verbose_name), FAILED["job"])
        told = filled(translation.gettext(message), number=failed, days=FAILED_WITHIN.days)
        found.append(Need("failed", told, model.tab, failed))
    if waiting and not worker_alive():
        message = _(
            "{number, plural, one {No worker is running, and # job is waiting for one.} "
            "other {No worker is running, and # jobs are waiting for one.}}"
        )
        found.insert(0, Need("no_worker", filled(message, number=waiting), "", waiting))
    return found
