"""Resume what a dead worker left: every worker runs one of these beside its tasks."""

import logging
import os
import socket
import threading
from collections.abc import Iterable
from datetime import timedelta
from typing import ClassVar, TypeVar

from django.conf import settings
from django.db import Error, close_old_connections, connection
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from annotations.background.executors import executor_of
from annotations.background.jobs import RING_AGAIN, job_models, queues_taken, ring
from annotations.models.jobs import DEFAULT_QUEUE, BackgroundJob, JobState, WorkerHeartbeat
from annotations.models.people import Session
from annotations.storing.outage import outages

logger = logging.getLogger(__name__)

AnyJob = TypeVar("AnyJob", bound=BackgroundJob)

RING_FOR_MOST = 20
"""For at most so many waiting jobs of a kind: where many wait for hours, the broker would fill with messages about
them, and whoever answers one goes on with the others."""
FORGET_WORKER = timedelta(days=1)


def sweep() -> int:
    """Call workers for waiting and abandoned jobs, give up those that killed every worker; return how many were
    called for.
    """
    now = timezone.now()
    rung = 0
    taken = {DEFAULT_QUEUE, *queues_taken()}
    for model in job_models():
        manager = model._default_manager
        give_up_abandoned(manager.all())
        abandoned = Q(state=JobState.RUNNING, lease_until__lt=now)
        if model.queue in taken:  # else nobody would hear it, and the broker would keep each message
            longest = manager.filter(state=JobState.QUEUED).order_by("created_at").values("pk")[:RING_FOR_MOST]
            again = Q(rung_at__lt=now - RING_AGAIN, pk__in=longest)
            waiting = Q(state=JobState.QUEUED) & (Q(rung_at=None) | again)
            silent = Q(rung_at=None) | Q(rung_at__lt=now - timedelta(seconds=settings.JOB_LEASE_SECONDS))
            for job in manager.filter(waiting | (abandoned & silent)).order_by("created_at"):
                ring(job)
                rung += 1
        executor_of(model).tidy_up()
    return rung


def give_up_abandoned(some: QuerySet[AnyJob]) -> None:
    """End those of several jobs whose worker is dead and that nobody may start again: they killed every worker, or
    were to be cancelled.
    """
    now = timezone.now()
    abandoned = some.filter(state=JobState.RUNNING, lease_until__lt=now)
    abandoned.filter(attempts__gte=settings.JOB_MAX_ATTEMPTS).update(
        state=JobState.FAILED,
        error=_(
            "The worker died {job_max_attempts} times while running this job, so it was "
            "cancelled. The job may need more memory than the machine has."
        ).format(job_max_attempts=settings.JOB_MAX_ATTEMPTS),
        finished_at=now,
        lease_until=None,
    )
    abandoned.filter(cancel_requested=True).update(state=JobState.CANCELLED, finished_at=now, lease_until=None)


class Sweeper:
    """The thread that sweeps and reports that this worker is alive, and which queues it takes jobs from."""

    _running: ClassVar["Sweeper | None"] = None

    def __init__(self, queues: Iterable[str]) -> None:
        self.queues = sorted(queues)
        self.name = f"{socket.gethostname()}:{os.getpid()}"
        self.stopped = threading.Event()
        self.thread = threading.Thread(target=self.work, name="sweeper", daemon=True)

    @classmethod
    def start_in_background(cls, queues: Iterable[str]) -> None:
        cls._running = cls(queues)
        cls._running.thread.start()

    @classmethod
    def stop_background(cls) -> None:
        if cls._running:
            cls._running.stopped.set()
            cls._running.thread.join(timeout=5)

    def work(self) -> None:
        while not self.stopped.is_set():
            try:
                WorkerHeartbeat.objects.update_or_create(
                    name=self.name, defaults={"seen_at": timezone.now(), "queues": self.queues}
                )
                WorkerHeartbeat.objects.filter(seen_at__lt=timezone.now() - FORGET_WORKER).delete()
                sweep()
                Session.objects.expired().delete()
            except Error as error:
                outages.note(error, who="sweep")
                close_old_connections()
            self.stopped.wait(settings.JOB_SWEEP_SECONDS)
        try:
            WorkerHeartbeat.objects.filter(name=self.name).delete()
        except Error:
            logger.warning("the worker could not sign off")
        connection.close()
