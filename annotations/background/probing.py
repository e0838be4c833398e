"""Whether what the server needs responds: asked with short patience, and not again within two seconds.

Probes come every few seconds from each of several machines; none of them may become a load, or wait for long.
"""

import os
import shutil
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar
from urllib.parse import urlsplit

from celery import current_app
from django.conf import settings
from django.core.files.storage import default_storage
from django.db import connection
from django.db.models import Min
from django.utils import timezone

from annotations.background.jobs import job_models, queues_taken, worker_alive
from annotations.models.jobs import DEFAULT_QUEUE, JobState

BROKER_SECONDS = 1
REMEMBERED_SECONDS = 2.0
LITTLE_SPACE = 2 * 1024**3
LITTLE_SHARE = 0.05
LONG_WAIT_SECONDS = 300

Found = TypeVar("Found")


class Remembered(Generic[Found]):
    """What a question found, asked anew when that is too old; one asks at a time."""

    def __init__(self, ask: Callable[[], Found], *, seconds: float = REMEMBERED_SECONDS) -> None:
        self._ask = ask
        self._seconds = seconds
        self._lock = threading.Lock()
        self._found: tuple[float, Found] | None = None

    def __call__(self) -> Found:
        with self._lock:
            if self._found is None or time.monotonic() - self._found[0] > self._seconds:
                self._found = (time.monotonic(), self._ask())
            return self._found[1]

    def forget(self) -> None:
        """Ask anew next time."""
        with self._lock:
            self._found = None


def _ask_broker() -> str:
    url = str(settings.CELERY_BROKER_URL)
    try:
        if url.startswith("sqla+sqlite"):
            folder = Path(urlsplit(url.removeprefix("sqla+")).path.removeprefix("/")).parent
            return "" if os.access(folder, os.W_OK) else "PermissionError"
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
        there = next((one for one in (folder, *folder.parents) if one.exists()), folder)
        return "" if os.access(there, os.W_OK) else "PermissionError"
    except Exception as error:  # whatever the storage's client raises
        return type(error).__name__


def little_space() -> bool:
    """Whether the disk of the state folder is nearly full."""
    usage = shutil.disk_usage(settings.STATE_DIR)
    return usage.free < LITTLE_SPACE or usage.free < LITTLE_SHARE * usage.total


def oldest_waiting_seconds() -> float:
    """For how long the job has waited that has waited longest; 0 if none waits. Only of the default queue: those in
    others, such as trainings, may well wait for hours while a worker takes one after the other.
    """
    oldest = []
    for model in job_models():
        if model.queue == DEFAULT_QUEUE:
            waiting = model._default_manager.filter(state=JobState.QUEUED)
            oldest += [found for found in waiting.aggregate(oldest=Min("created_at")).values() if found]
    return max((timezone.now() - min(oldest)).total_seconds(), 0.0) if oldest else 0.0


def waiting_in_vain() -> dict[str, int]:
    """How many jobs wait in each queue of its own from which no worker takes any."""
    taken, waiting = queues_taken(), Counter[str]()
    for model in job_models():
        if model.queue not in {DEFAULT_QUEUE, *taken}:
            waiting[model.queue] += model._default_manager.filter(state=JobState.QUEUED).count()
    return dict(+waiting)


@dataclass(frozen=True, slots=True)
class Readiness:
    """What a probe is told: no names, addresses or sizes, because everybody may ask. `worker` and `queue` are about the
    default queue.
    """

    database: bool
    broker: bool
    worker: bool
    storage: bool
    disk: bool
    queue: bool


def _ask_all() -> Readiness:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return Readiness(
        database=True,
        broker=not broker_trouble(),
        worker=worker_alive(),
        storage=not storage_trouble(),
        disk=not little_space(),
        queue=oldest_waiting_seconds() < LONG_WAIT_SECONDS,
    )


def readiness() -> Readiness:
    """Everything that a probe asks.

    Raises:
        django.db.Error: the database does not respond.
    """
    return _all()


_all = Remembered(_ask_all)


def forget_probes() -> None:
    """Ask everything anew next time."""
    broker_trouble.forget()
    _all.forget()
