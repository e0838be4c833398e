"""The installation's health: what responds, what is waiting, what is nearly full; as sentences for its operators."""

import shutil
import sqlite3
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from importlib.metadata import version
from pathlib import Path

from django.conf import settings
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone
from django.utils.translation import gettext as _

from annotations.background import health_of_jobs
from annotations.background.conditions import Condition, HealthPart
from annotations.background.jobs import job_models
from annotations.background.probing import broker_trouble, little_space, storage_trouble
from annotations.models.jobs import JobState
from annotations.plurals import filled, one_decimal

RECENT = timedelta(days=7)
LIBRARIES = ("Django", "djangorestframework", "celery", "numpy", "scipy", "pandas", "psycopg")
NO_MAIL = {"console", "dummy", "locmem"}
"""Django's backends that send nothing."""


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
        worst = [one for one in reversed(Condition) if any(part.condition == one for part in self.parts)]
        return worst[0]


def look_after() -> Health:
    """Check every part once. A part that does not respond is itself the finding, so nothing here raises."""
    looks: dict[str, Callable[[], HealthPart]] = {
        _("Database"): _database,
        _("Message broker"): _broker,
        _("Workers"): health_of_jobs.workers,
        _("Queue"): health_of_jobs.queue,
        _("Disk"): _disk,
        _("Files"): _storage,
        _("Mail"): _mail,
    }
    return Health(
        parts=[_asked(name, look) for name, look in looks.items()],
        versions=_versions(),
        settings=_settings(),
        failures=_failures(),
    )


def look_at_installation() -> list[HealthPart]:
    """The parts that can be checked while no server and no worker runs."""
    return [_asked(_("Database"), _database), _asked(_("Disk"), _disk)]


def _asked(name: str, look: Callable[[], HealthPart]) -> HealthPart:
    try:
        return look()
    except Exception as error:  # whatever the part's library raises is the finding
        return HealthPart(
            name,
            Condition.BROKEN,
            _("It does not respond ({name}).").format(name=type(error).__name__),
            _("Check the server's log."),
        )


def _database() -> HealthPart:
    executor = MigrationExecutor(connection)
    graph = executor.loader.graph
    # Django leaves one out that replaces others of which only some were applied.
    left_out = executor.loader.replacements.keys() - graph.nodes.keys()
    waiting = len(executor.migration_plan(graph.leaf_nodes())) + len(left_out)
    if waiting:
        said = filled(
            _("{waiting, plural, one {# migration has} other {# migrations have}} not been applied."), waiting=waiting
        )
        return HealthPart(_("Database"), Condition.BROKEN, said, _("Run `python manage.py migrate`."))
    said = filled(
        _("{database} is running and uses {size}."), database=_database_version(), size=in_units(database_size())
    )
    return HealthPart(_("Database"), Condition.WELL, said)


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


def _broker() -> HealthPart:
    kind, trouble = settings.CELERY_BROKER_URL.split(":")[0], broker_trouble()
    if trouble:
        return HealthPart(
            _("Message broker"),
            Condition.BROKEN,
            _("It cannot be reached ({name}). Jobs are not lost, but start late.").format(name=trouble),
            _("Start it and check CELERY_BROKER_URL."),
        )
    if kind.startswith("sqla+sqlite"):
        said = _("Jobs are kept in a file next to the database.")
    else:
        said = filled(_("{broker} is running."), broker="Redis" if kind.startswith("redis") else kind)
    return HealthPart(_("Message broker"), Condition.WELL, said)


def _disk() -> HealthPart:
    usage = shutil.disk_usage(settings.STATE_DIR)
    said = _("{free} of {total} are free on the disk for uploads and results.").format(
        free=in_units(usage.free), total=in_units(usage.total)
    )
    if little_space():
        return HealthPart(
            _("Disk"), Condition.LOOK, said, _("Free some space before it is full. A full disk cannot save answers.")
        )
    return HealthPart(_("Disk"), Condition.WELL, said)


def _storage() -> HealthPart:
    trouble = storage_trouble()
    if trouble:
        return HealthPart(
            _("Files"),
            Condition.BROKEN,
            _("Uploads, exports and documents cannot be saved ({name}).").format(name=trouble),
            _("Check that the server may write to where files are kept."),
        )
    return HealthPart(_("Files"), Condition.WELL, _("Uploads, exports and documents can be saved."))


def _mail() -> HealthPart:
    if sends_mail():
        return HealthPart(
            _("Mail"),
            Condition.WELL,
            _("The app sends e-mail from {default_from_email}.").format(default_from_email=settings.DEFAULT_FROM_EMAIL),
        )
    return HealthPart(
        _("Mail"),
        Condition.WELL,
        _("No mail server is set up. Invitation links are displayed, and you send them yourself."),
        _("Set EMAIL_URL to let the app send them."),
    )


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
