"""The installation's health: what responds, what is waiting, what is nearly full.

Each part is asked here for all who tell of it: the page for admins, `/health/ready`, the figures for Prometheus
(hlvstudy/monitoring.py) and `hlvstudy doctor`. Probes come every few seconds from each of several machines, and none
of them may become a load, or wait for long: they ask with short patience, and not again within two seconds.
"""

import os
import shutil
import sqlite3
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from importlib.metadata import version
from pathlib import Path
from typing import Generic, TypeVar
from urllib.parse import urlsplit

from celery import current_app
from django.conf import settings
from django.core.files.storage import default_storage
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.models import Count, Min, Q
from django.utils import timezone, translation
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotations.background.conditions import Check, Condition, HealthPart, broken, look, well
from annotations.background.jobs import HEARTBEAT_FRESH, job_models, queues_taken, worker_alive
from annotations.models.jobs import DEFAULT_QUEUE, JobState, WorkerHeartbeat
from annotations.shown.plurals import filled, one_decimal

BROKER_SECONDS = 1
REMEMBERED_SECONDS = 2.0
LITTLE_SPACE = 2 * 1024**3
LITTLE_SHARE = 0.05
LONG_WAIT = timedelta(minutes=5)
RECENT = timedelta(days=7)
LIBRARIES = ("Django", "djangorestframework", "celery", "numpy", "scipy", "pandas", "psycopg")
NO_MAIL = {"console", "dummy", "locmem"}
"""Django's backends that send nothing."""

Answer = TypeVar("Answer")


class Remembered(Generic[Answer]):
    """The answer to a question, asked anew when it is too old; one asks at a time."""

    def __init__(self, ask: Callable[[], Answer], *, seconds: float = REMEMBERED_SECONDS) -> None:
        self._ask = ask
        self._seconds = seconds
        self._lock = threading.Lock()
        self._answer: tuple[float, Answer] | None = None

    def __call__(self) -> Answer:
        with self._lock:
            if self._answer is None or time.monotonic() - self._answer[0] > self._seconds:
                self._answer = (time.monotonic(), self._ask())
            return self._answer[1]

    def forget(self) -> None:
        """Ask anew next time."""
        with self._lock:
            self._answer = None


# -- what is asked


def migrations_waiting() -> int:
    """How many migrations have not been applied."""
    executor = MigrationExecutor(connection)
    graph = executor.loader.graph
    # Django leaves one out that replaces others of which only some were applied.
    left_out = executor.loader.replacements.keys() - graph.nodes.keys()
    return len(executor.migration_plan(graph.leaf_nodes())) + len(left_out)


def database_size() -> int:
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()")
        else:
            cursor.execute("SELECT pg_database_size(current_database())")
        return int(cursor.fetchone()[0])


def _database_version() -> str:
    if connection.vendor == "sqlite":
        return f"SQLite {sqlite3.sqlite_version}"
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version")
        return f"PostgreSQL {str(cursor.fetchone()[0]).split()[0]}"


def _database_responds() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return True


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


def storage_trouble() -> str:
    """The class of the error with which files cannot be kept; empty if they can."""
    try:
        try:
            folder = Path(default_storage.path(""))
        except NotImplementedError:  # on another machine
            default_storage.exists("health")
            return ""
        there = next((place for place in (folder, *folder.parents) if place.exists()), folder)
        return "" if os.access(there, os.W_OK) else "PermissionError"
    except Exception as error:  # whatever the storage's client raises
        return type(error).__name__


def little_space() -> bool:
    """Whether the disk of the state folder is nearly full."""
    usage = shutil.disk_usage(settings.STATE_DIR)
    return usage.free < LITTLE_SPACE or usage.free < LITTLE_SHARE * usage.total


@dataclass(frozen=True, slots=True)
class Backlog:
    """Jobs in some states."""

    jobs: dict[tuple[str, ...], int]
    """How many, by kind and state."""
    oldest: timedelta
    """For how long the one has waited that has waited longest. Only of the default queue: those in others, such as
    trainings, may well wait for hours while a worker takes one after the other.
    """
    unheard: dict[str, int]
    """How many wait in each queue of its own from which no worker takes any."""

    def in_state(self, state: JobState) -> int:
        return sum(number for (_, of), number in self.jobs.items() if of == state)


def backlog(*states: JobState) -> Backlog:
    """What there is in these states, `queued` among them; one query for each kind."""
    jobs: dict[tuple[str, ...], int] = {}
    taken, unheard = queues_taken(), Counter[str]()
    since = now = timezone.now()
    for model in job_models():
        counts = model._default_manager.filter(state__in=states).aggregate(
            oldest=Min("created_at", filter=Q(state=JobState.QUEUED)),
            **{state.value: Count("pk", filter=Q(state=state)) for state in states},
        )
        oldest = counts.pop("oldest")
        if model.queue == DEFAULT_QUEUE:
            since = min(since, oldest or now)
        elif model.queue not in taken:
            unheard[model.queue] += counts[JobState.QUEUED]
        jobs |= {(model._meta.model_name or "", state): number for state, number in counts.items()}
    return Backlog(jobs, now - since, dict(+unheard))


# -- what is said of it


def _database() -> HealthPart:
    if waiting := migrations_waiting():
        said = filled(
            _("{waiting, plural, one {# migration has} other {# migrations have}} not been applied."), waiting=waiting
        )
        return broken(said, _("Run `python manage.py migrate`."))
    return well(
        filled(
            _("{database} is running and uses {size}."), database=_database_version(), size=in_units(database_size())
        )
    )


def _broker() -> HealthPart:
    kind = settings.CELERY_BROKER_URL.split(":")[0]
    if trouble := broker_trouble():
        said = _("It cannot be reached ({name}). Jobs are not lost, but start late.").format(name=trouble)
        return broken(said, _("Start it and check CELERY_BROKER_URL."))
    if kind.startswith("sqla+sqlite"):
        return well(_("Jobs are kept in a file next to the database."))
    return well(filled(_("{broker} is running."), broker="Redis" if kind.startswith("redis") else kind))


def _workers() -> HealthPart:
    fresh = timezone.now() - HEARTBEAT_FRESH
    known = list(WorkerHeartbeat.objects.order_by("-seen_at").values_list("seen_at", "queues")[:100])
    taken = [queues for seen_at, queues in known if seen_at >= fresh]
    if taken and not any(DEFAULT_QUEUE in queues for queues in taken):
        said = _("No running worker takes imports, exports or analyses, so these have to wait.")
        return broken(said, _("Start one with the command hlvstudy worker."))
    if taken:
        return well(filled(_("{alive, plural, one {# worker is} other {# workers are}} running."), alive=len(taken)))
    last = _("None has ever been active.")
    if known:
        seen_at = known[0][0]
        last = filled(
            _("The last one was active on {day} at {time} (UTC)."),
            day=date_format(seen_at, "DATE_FORMAT"),
            time=f"{seen_at:%H:%M}",
        )
    said = _("No worker is running, so imports, exports and analyses have to wait. {last}").format(last=last)
    return broken(said, _("Start one with the command hlvstudy worker."))


def _queue() -> HealthPart:
    now = backlog(JobState.QUEUED, JobState.RUNNING)
    waiting, running = now.in_state(JobState.QUEUED), now.in_state(JobState.RUNNING)
    if not waiting and not running:
        return well(_("No jobs are waiting or running."))
    said = filled(
        _(
            "{waiting, plural, one {# job is} other {# jobs are}} waiting, and {running, plural, one {# is} "
            "other {# are}} running."
        ),
        waiting=waiting,
        running=running,
    )
    if now.oldest > LONG_WAIT:
        said = filled(
            _("{said} The oldest has been waiting for {minutes, plural, one {# minute} other {# minutes}}."),
            said=said,
            minutes=int(now.oldest.total_seconds() // 60),
        )
        return look(said, _("Start more workers, or cancel jobs that are no longer needed."))
    for queue in now.unheard:
        said += " " + _("No worker takes jobs from the queue {queue}.").format(queue=queue)
        return look(said, _("Start one with the command hlvstudy worker -Q {queue}.").format(queue=queue))
    return well(said)


def _disk() -> HealthPart:
    usage = shutil.disk_usage(settings.STATE_DIR)
    said = _("{free} of {total} are free on the disk for uploads and results.").format(
        free=in_units(usage.free), total=in_units(usage.total)
    )
    if little_space():
        return look(said, _("Free some space before it is full. A full disk cannot save answers."))
    return well(said)


def _storage() -> HealthPart:
    if trouble := storage_trouble():
        said = _("Uploads, exports and documents cannot be saved ({name}).").format(name=trouble)
        return broken(said, _("Check that the server may write to where files are kept."))
    return well(_("Uploads, exports and documents can be saved."))


def _mail() -> HealthPart:
    if sends_mail():
        sender = settings.DEFAULT_FROM_EMAIL
        return well(_("The app sends e-mail from {default_from_email}.").format(default_from_email=sender))
    return well(
        _("No mail server is set up. Invitation links are displayed, and you send them yourself."),
        _("Set EMAIL_URL to let the app send them."),
    )


CHECKS = (
    Check(gettext_noop("Database"), _database, "database", _database_responds, at_rest=True),
    Check(gettext_noop("Message broker"), _broker, "broker", lambda: not broker_trouble()),
    Check(gettext_noop("Workers"), _workers, "worker", worker_alive),
    Check(gettext_noop("Queue"), _queue, "queue", lambda: backlog(JobState.QUEUED).oldest < LONG_WAIT),
    Check(gettext_noop("Disk"), _disk, "disk", lambda: not little_space(), at_rest=True),
    Check(gettext_noop("Files"), _storage, "storage", lambda: not storage_trouble()),
    Check(gettext_noop("Mail"), _mail),
)

readiness = Remembered(lambda: {check.key: check.responds() for check in CHECKS if check.key})
"""What a probe is told: no names, addresses or sizes, because everybody may ask. `worker` and `queue` are about the
default queue. Raises django.db.Error if the database does not respond.
"""


def forget_probes() -> None:
    """Ask everything anew next time."""
    broker_trouble.forget()
    readiness.forget()


# -- the page


@dataclass(frozen=True, slots=True)
class Named:
    """A setting or a version, in words."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Failure:
    """A recently failed job, with the reason as told to its owner: never a text from a dataset."""

    kind: str
    finished_at: datetime | None
    error: str


@dataclass(frozen=True, slots=True)
class Health:
    parts: list[HealthPart]
    versions: list[Named]
    settings: list[Named]
    failures: list[Failure]

    @property
    def condition(self) -> Condition:
        """The worst condition of all parts."""
        return max((part.condition for part in self.parts), key=list(Condition).index)


def look_after() -> Health:
    """Check every part once. A part that does not respond is itself the finding, so nothing here raises."""
    return Health(parts=look_at(CHECKS), versions=_versions(), settings=_settings(), failures=_failures())


def look_at_installation() -> list[HealthPart]:
    """The parts that can be checked while no server and no worker runs."""
    return look_at([check for check in CHECKS if check.at_rest])


def look_at(checks: Iterable[Check]) -> list[HealthPart]:
    silent = _("It does not respond ({name})."), _("Check the server's log.")
    return [
        replace(part, name=translation.gettext(part.name)) for check in checks for part in check.answers(silent=silent)
    ]


def sends_mail() -> bool:
    """Whether mail leaves this machine: a backend is set that sends."""
    return settings.EMAIL_BACKEND.split(".")[-2] not in NO_MAIL


def _versions() -> list[Named]:
    found = [Named("Python", ".".join(map(str, sys.version_info[:3]))), Named(_("Database"), _database_version())]
    return found + [Named(name, version(name)) for name in LIBRARIES]


def _settings() -> list[Named]:
    """What differs between installations, in words, without passwords, keys, or addresses that contain one."""
    return [
        Named(_("Address of this server"), settings.PUBLIC_URL),
        Named(_("Largest upload"), in_units(settings.HLV_MAX_UPLOAD_BYTES)),
        Named(_("Validity of an invitation"), _days(settings.INVITATION_DAYS)),
        Named(_("Time limit for an analysis"), _minutes(settings.HLV_RUN_SECONDS // 60)),
        Named(_("How long a session lasts"), _days(settings.SESSION_DAYS)),
        Named(_("How long an admin's session lasts"), _hours(settings.ADMIN_SESSION_HOURS)),
        Named(_("Wrong passwords before sign-in is paused"), str(settings.ATTEMPTS_PER_ACCOUNT)),
        Named(_("Webhook for notifications"), _("yes") if settings.NOTIFY_WEBHOOK_URL else _("no")),
        Named(_("HTTPS only"), _("yes") if settings.SECURE_SSL_REDIRECT else _("no")),
        Named(_("Folder for uploads and results"), Path(settings.STATE_DIR).name),
    ]


def _days(days: int) -> str:
    return filled(_("{days, plural, one {# day} other {# days}}"), days=days)


def _hours(hours: int) -> str:
    return filled(_("{hours, plural, one {# hour} other {# hours}}"), hours=hours)


def _minutes(minutes: int) -> str:
    return filled(_("{minutes, plural, one {# minute} other {# minutes}}"), minutes=minutes)


def _failures() -> list[Failure]:
    since = timezone.now() - RECENT
    found = [
        Failure(str(model._meta.verbose_name), job.finished_at, job.error)
        for model in job_models()
        for job in model._default_manager.filter(state=JobState.FAILED, finished_at__gte=since).only(
            "finished_at", "error"
        )[:20]
    ]
    return sorted(found, key=lambda one: str(one.finished_at), reverse=True)[:20]


def in_units(size: int) -> str:
    """A size in readable units.

    >>> in_units(1_288_490_189)
    '1.2 GB'
    """
    amount = float(size)
    for unit in ("bytes", "kB", "MB", "GB"):
        if amount < 1024:
            return f"{amount:.0f} {unit}" if unit == "bytes" else f"{one_decimal(amount)} {unit}"
        amount /= 1024
    return f"{one_decimal(amount)} TB"
