"""Whether workers are running, and what waits for them; as sentences for an installation's operators."""

from datetime import datetime, timedelta

from django.db.models import Count, Min, Q
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from annotations.background.conditions import Condition, HealthPart
from annotations.background.jobs import HEARTBEAT_FRESH, job_models
from annotations.background.probing import waiting_in_vain
from annotations.models.jobs import DEFAULT_QUEUE, JobState, WorkerHeartbeat
from annotations.shown.plurals import filled

LONG_WAIT = timedelta(minutes=5)


def workers() -> HealthPart:
    now = timezone.now()
    known = list(WorkerHeartbeat.objects.order_by("-seen_at").values_list("seen_at", "queues")[:100])
    seen = [one for one, _queues in known]
    taken = [queues for one, queues in known if now - one <= HEARTBEAT_FRESH]
    alive = len(taken)
    if alive and not any(DEFAULT_QUEUE in queues for queues in taken):
        return HealthPart(
            _("Workers"),
            Condition.BROKEN,
            _("No running worker takes imports, exports or analyses, so these have to wait."),
            _("Start one with the command hlvstudy worker."),
        )
    if alive:
        said = filled(_("{alive, plural, one {# worker is} other {# workers are}} running."), alive=alive)
        return HealthPart(_("Workers"), Condition.WELL, said)
    last = (
        filled(
            _("The last one was active on {day} at {time} (UTC)."),
            day=date_format(seen[0], "DATE_FORMAT"),
            time=f"{seen[0]:%H:%M}",
        )
        if seen
        else _("None has ever been active.")
    )
    return HealthPart(
        _("Workers"),
        Condition.BROKEN,
        _("No worker is running, so imports, exports and analyses have to wait. {last}").format(last=last),
        _("Start one with the command hlvstudy worker."),
    )


def queue() -> HealthPart:
    now = timezone.now()
    waiting = running = 0
    oldest: datetime | None = None
    for model in job_models():
        counted = model._default_manager.aggregate(
            waiting=Count("pk", filter=Q(state=JobState.QUEUED)),
            running=Count("pk", filter=Q(state=JobState.RUNNING)),
            oldest=Min("created_at", filter=Q(state=JobState.QUEUED)),
        )
        waiting += counted["waiting"]
        running += counted["running"]
        # Elsewhere, as for a training, waiting for hours is no sign of anything.
        if model.queue == DEFAULT_QUEUE and counted["oldest"] is not None:
            oldest = min(oldest or counted["oldest"], counted["oldest"])
    if not waiting and not running:
        return HealthPart(_("Queue"), Condition.WELL, _("No jobs are waiting or running."))
    said = filled(
        _(
            "{waiting, plural, one {# job is} other {# jobs are}} waiting, and {running, plural, one {# is} "
            "other {# are}} running."
        ),
        waiting=waiting,
        running=running,
    )
    if oldest is not None and now - oldest > LONG_WAIT:
        minutes = int((now - oldest).total_seconds() // 60)
        return HealthPart(
            _("Queue"),
            Condition.LOOK,
            filled(
                _("{said} The oldest has been waiting for {minutes, plural, one {# minute} other {# minutes}}."),
                said=said,
                minutes=minutes,
            ),
            _("Start more workers, or cancel jobs that are no longer needed."),
        )
    if unheard := next(iter(waiting_in_vain()), ""):
        return HealthPart(_("Queue"), Condition.LOOK, f"{said} {nobody_takes(unheard)}", how_to_take(unheard))
    return HealthPart(_("Queue"), Condition.WELL, said)


def nobody_takes(name: str) -> str:
    """What to say where a job waits in a queue from which no worker takes any."""
    return _("No worker takes jobs from the queue {queue}.").format(queue=name)


def how_to_take(name: str) -> str:
    """... and its remedy."""
    return _("Start one with the command hlvstudy worker -Q {queue}.").format(queue=name)
