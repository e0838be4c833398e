"""Admins' decisions on reports: withdraw a text that identifies a person, show it again, or leave it as it is.

A withdrawn text is no longer sent to any expert in any study of its dataset: a person identified in one is
identified in all. Its places can be neither taken nor answered while it is withdrawn, and count in no plan, but
nothing is lost: answers stay, and unfinished assignments continue when the text is shown again.

When `confirm` returns, every claim and answer that was under way has ended, and no later one can succeed: it locks
the text's places, and whoever claims or answers checks the text again once they hold their place's lock.
"""

from typing import Any

from django.db import transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext as _

from annotations.ground.errors import Conflict
from annotations.history import events
from annotations.models import Assignment, EventKind, Instance, Report, ReportDecision, Study, User, Verdict

EVENTS = {Verdict.CONFIRMED: EventKind.TEXT_WITHDRAWN, Verdict.SHOWN_AGAIN: EventKind.TEXT_SHOWN_AGAIN}


class IsWithdrawn(Conflict):
    """The text is withdrawn because of this report, which therefore cannot be dismissed."""


class IsShown(Conflict):
    """The text is not withdrawn."""


class IsErased(Conflict):
    """The text's words no longer exist, so it cannot be shown again."""


class StaysWithdrawn(Conflict):
    """Another study has confirmed that the text identifies a person."""


@transaction.atomic
def confirm(*, report: Report, note: str = "", actor: User | None = None) -> ReportDecision:
    """Confirm that the text identifies a person: from now on no expert gets it. Confirming again changes nothing."""
    instance = _lock(report)
    newest = _newest(report)
    if newest is not None and newest.verdict == Verdict.CONFIRMED:
        return newest
    decision = _decide(report, Verdict.CONFIRMED, note, actor)
    if instance.withdrawn_at is None:
        instance.withdrawn_at = decision.decided_at
        instance.save(update_fields=["withdrawn_at"])
        # Wait for anyone who is just taking or answering a place with this text.
        places = Assignment.objects.filter(instance=instance, released_at=None, completed_at=None)
        list(places.order_by("pk").select_for_update().values_list("pk"))
        _tell(report, Verdict.CONFIRMED, actor)
    return decision


@transaction.atomic
def dismiss(*, report: Report, note: str = "", actor: User | None = None) -> ReportDecision:
    """Decide that the text stays as it is. Raises IsWithdrawn while it is withdrawn because of this report."""
    _lock(report)
    newest = _newest(report)
    if newest is not None and newest.verdict == Verdict.CONFIRMED:
        raise IsWithdrawn(
            _(
                "The text was withdrawn because of this report. Restore the text first if you want "
                "to change the decision."
            )
        )
    decision = _decide(report, Verdict.DISMISSED, note, actor)
    events.record(EventKind.REPORT_DISMISSED, actor=actor, study=report.assignment.study, report=report.pk)
    return decision


@transaction.atomic
def show_again(*, report: Report, note: str = "", actor: User | None = None) -> ReportDecision:
    """Undo a withdrawal, with one decision for each report in this study that had confirmed it.

    Raises:
        IsShown: the text is not withdrawn.
        IsErased: its words no longer exist.
        StaysWithdrawn: a report in another study is confirmed too, and this study cannot overrule it.
    """
    instance = _lock(report)
    if instance.withdrawn_at is None:
        raise IsShown(_("The text has not been withdrawn."))
    if instance.erased_at is not None:
        raise IsErased(_("The text was erased, so it cannot be shown again."))
    reports: Any = Report.objects.filter(assignment__instance=instance).with_verdict()
    confirmed = reports.filter(verdict=Verdict.CONFIRMED)
    study = report.assignment.study
    if confirmed.exclude(assignment__study=study).exists():
        raise StaysWithdrawn(
            _(
                "Another study with the same texts has confirmed that this text identifies a person. "
                "Only the admins of that study can restore it."
            )
        )
    mine = {other.pk: other for other in confirmed} | {report.pk: report}
    decisions = {pk: _decide(mine[pk], Verdict.SHOWN_AGAIN, note, actor) for pk in sorted(mine)}
    instance.withdrawn_at = None
    instance.save(update_fields=["withdrawn_at"])
    _tell(report, Verdict.SHOWN_AGAIN, actor)
    return decisions[report.pk]


def _lock(report: Report) -> Instance:
    """Lock all studies of the dataset, as assigning places locks its study; then the text."""
    dataset = report.assignment.instance.dataset_id
    list(Study.objects.filter(dataset=dataset).order_by("pk").select_for_update(no_key=True).values_list("pk"))
    return Instance.objects.select_for_update(no_key=True).get(pk=report.assignment.instance_id)


def _newest(report: Report) -> ReportDecision | None:
    return report.decisions.order_by("revision").last()


def _decide(report: Report, verdict: Verdict, note: str, actor: User | None) -> ReportDecision:
    last = report.decisions.aggregate(last=Max("revision"))["last"]
    return ReportDecision.objects.create(
        report=report,
        revision=0 if last is None else last + 1,
        verdict=verdict,
        note=note,
        decided_by=actor,
        decided_at=timezone.now(),
    )


def _tell(report: Report, verdict: Verdict, actor: User | None) -> None:
    """Record one event in each study that shows the text, because their plans change."""
    instance = report.assignment.instance
    for study in Study.objects.filter(comparisons__instance=instance).distinct().select_related("dataset"):
        events.record(
            EVENTS[verdict],
            actor=actor,
            study=study,
            instance=instance.external_id,
            reported_in=report.assignment.study.slug,
        )
