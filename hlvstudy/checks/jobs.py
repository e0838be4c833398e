"""Jobs: the broker that announces them, the queues they wait in, and the workers that take them."""

import os
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit

from celery import current_app
from django.conf import settings
from django.db import DatabaseError
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from annotations.background.jobs import HEARTBEAT_FRESH, backlog, job_models, queues_taken
from annotations.models.jobs import DEFAULT_QUEUE, JobState, WorkerHeartbeat
from annotations.shown.plurals import filled
from hlvstudy.checks.conditions import Gauge, HealthPart, Remembered, broken, gauge, look, well
from metaeval.training.extra import INSTALL, QUEUE, absent, versions

BROKER_SECONDS = 1
LONG_WAIT = timedelta(minutes=5)


def _ask_broker() -> str:
    url = str(settings.CELERY_BROKER_URL)
    try:
        if url.startswith("sqla+sqlite"):
            file = Path(urlsplit(url.removeprefix("sqla+")).path.removeprefix("/"))
            return "" if os.access(file if file.exists() else file.parent, os.W_OK) else "PermissionError"
        if url.startswith("redis"):
            import redis

            # Not by way of Celery, whose patience with an address that swallows everything is that of TCP.
            patience = {"socket_connect_timeout": BROKER_SECONDS, "socket_timeout": BROKER_SECONDS}
            with redis.Redis.from_url(url, **patience) as client:
                client.ping()
            return ""
        with current_app.connection_for_write(url, connect_timeout=BROKER_SECONDS) as link:
            link.ensure_connection(max_retries=1, interval_start=0, timeout=BROKER_SECONDS)
    except Exception as error:  # whatever the broker's client raises
        return type(error).__name__
    return ""


broker_trouble = Remembered(_ask_broker)
"""The class of the error with which the broker does not respond; empty if it does."""


def broker() -> Iterator[HealthPart]:
    kind = settings.CELERY_BROKER_URL.partition(":")[0]
    if trouble := broker_trouble():
        yield broken(
            f"The broker cannot be reached ({trouble}).",
            "Start it, or correct CELERY_BROKER_URL.",
            name="CELERY_BROKER_URL",
        )
    elif kind.startswith("sqla+sqlite"):
        yield well("Jobs are announced in a file beside the database.")
    else:
        yield well(f"{kind} answers.")


def broker_on_page() -> HealthPart:
    kind = settings.CELERY_BROKER_URL.split(":")[0]
    if trouble := broker_trouble():
        sentence = _("It cannot be reached ({name}). Jobs are not lost, but start late.").format(name=trouble)
        return broken(sentence, _("Start it and check CELERY_BROKER_URL."))
    if kind.startswith("sqla+sqlite"):
        return well(_("Jobs are kept in a file next to the database."))
    return well(filled(_("{broker} is running."), broker="Redis" if kind.startswith("redis") else kind))


def figures_of_broker() -> list[Gauge]:
    return [gauge("hlv_broker_up", "Whether the message broker responds", not broker_trouble())]


def workers() -> Iterator[HealthPart]:
    taken = queues_with_workers()
    if taken is None:
        return
    if DEFAULT_QUEUE in taken:
        yield well("One was seen in the last 20 seconds.")
    else:
        yield look("None was seen, so imports, exports and mails wait.", "Start one: hlvstudy worker")


def queues_with_workers() -> list[str] | None:
    """None without a database, of whose finding this would be a repetition."""
    try:
        return queues_taken()
    except DatabaseError:
        return None


def workers_on_page() -> HealthPart:
    fresh = timezone.now() - HEARTBEAT_FRESH
    heartbeats = list(WorkerHeartbeat.objects.order_by("-seen_at").values_list("seen_at", "queues")[:100])
    taken = [queues for seen_at, queues in heartbeats if seen_at >= fresh]
    if taken and not any(DEFAULT_QUEUE in queues for queues in taken):
        sentence = _("No running worker takes imports, exports or analyses, so these have to wait.")
        return broken(sentence, _("Start one with the command hlvstudy worker."))
    if taken:
        return well(filled(_("{alive, plural, one {# worker is} other {# workers are}} running."), alive=len(taken)))
    last = _("None has ever been active.")
    if heartbeats:
        seen_at = heartbeats[0][0]
        last = filled(
            _("The last one was active on {day} at {time} (UTC)."),
            day=date_format(seen_at, "DATE_FORMAT"),
            time=f"{seen_at:%H:%M}",
        )
    sentence = _("No worker is running, so imports, exports and analyses have to wait. {last}").format(last=last)
    return broken(sentence, _("Start one with the command hlvstudy worker."))


def figures_of_workers() -> list[Gauge]:
    alive = queues_taken().count(DEFAULT_QUEUE)
    return [gauge("hlv_workers", "Workers of the default queue seen in the last 20 seconds", alive)]


def training() -> Iterator[HealthPart]:
    """The packages are optional, so their absence is wrong only where a worker is to train."""
    lacking = ", ".join(absent())
    if lacking and QUEUE in settings.HLV_WORKER_QUEUES:
        yield broken(
            f"Workers of this machine are to take jobs from the queue {QUEUE}, and {lacking} cannot be imported.",
            f"Run: {INSTALL}; or remove {QUEUE} from HLV_WORKER_QUEUES.",
            name="HLV_WORKER_QUEUES",
        )
    elif lacking:
        yield well(f"Nothing can be trained on this machine ({INSTALL} adds what it needs).")
    else:
        yield well(f"Models can be trained on this machine (torch {versions().get('torch', '')}).")


def queues() -> Iterator[HealthPart]:
    """Which queues exist, which the settings name, and which workers take jobs from."""
    taken = queues_with_workers()
    if taken is None:
        return
    names = {QUEUE, *(model.queue for model in job_models())}
    for name in sorted(set(settings.HLV_WORKER_QUEUES) - names):
        yield broken(
            f"There is no queue {name}.",
            f"Name some of these, separated by commas: {', '.join(sorted(names))}.",
            name="HLV_WORKER_QUEUES",
        )
    if taken and QUEUE not in taken and not absent():
        yield look(
            f"No worker takes jobs from the queue {QUEUE}, although models could be trained on this machine.",
            f"If somebody wants to train models, start one: hlvstudy worker -Q {QUEUE} --concurrency 1",
            name="Training",
        )
    elif taken:
        yield well(f"Workers take jobs from these: {', '.join(sorted(set(taken)))}.")


def queue_on_page() -> HealthPart:
    now = backlog(JobState.QUEUED, JobState.RUNNING)
    waiting, running = now.in_state(JobState.QUEUED), now.in_state(JobState.RUNNING)
    if not waiting and not running:
        return well(_("No jobs are waiting or running."))
    sentence = filled(
        _(
            "{waiting, plural, one {# job is} other {# jobs are}} waiting, and {running, plural, one {# is} "
            "other {# are}} running."
        ),
        waiting=waiting,
        running=running,
    )
    if now.oldest > LONG_WAIT:
        sentence = filled(
            _("{said} The oldest has been waiting for {minutes, plural, one {# minute} other {# minutes}}."),
            said=sentence,
            minutes=int(now.oldest.total_seconds() // 60),
        )
        return look(sentence, _("Start more workers, or cancel jobs that are no longer needed."))
    for queue in now.unheard:
        sentence += " " + _("No worker takes jobs from the queue {queue}.").format(queue=queue)
        return look(sentence, _("Start one with the command hlvstudy worker -Q {queue}.").format(queue=queue))
    return well(sentence)


def queue_moves() -> bool:
    return backlog(JobState.QUEUED).oldest < LONG_WAIT


def figures_of_queues() -> list[Gauge]:
    jobs = backlog(*JobState)
    oldest, unheard = jobs.oldest.total_seconds(), sum(jobs.unheard.values())
    return [
        Gauge("hlv_jobs", "Background jobs by kind and state", jobs.jobs, ("kind", "state")),
        gauge("hlv_queue_jobs", "Jobs that wait for a worker", jobs.in_state(JobState.QUEUED)),
        gauge("hlv_queue_oldest_seconds", "How long the oldest in the default queue has waited", oldest),
        gauge("hlv_queue_unheard_jobs", "Jobs that wait in a queue from which no worker takes any", unheard),
    ]
