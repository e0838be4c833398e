"""Run background jobs so that none is lost, doubled, or silently stuck.

A job is a row (models/jobs.py). `enqueue` calls a worker after commit. A call says no more than that there is work in
a queue: the worker takes the job that is due there, of the person served longest ago, with one conditional UPDATE,
extends its lease while it works, and stores the outcome only if it still holds the lease. The sweeper finds what a
dead worker left (annotations/background/sweeping.py). The broker may lose or duplicate any message.
"""

import errno
import logging
import threading
import time
import traceback
import uuid
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib import import_module
from typing import Any, TypeVar

from celery import shared_task
from django.apps import apps
from django.conf import settings
from django.db import InterfaceError, OperationalError, close_old_connections, connection, models, transaction
from django.db.models import Case, Count, F, Min, OuterRef, Q, Subquery, Value, When
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.translation import gettext as _

from annotations.background.executors import Execute, executor_of
from annotations.ground.errors import HLVError, input_names
from annotations.models.jobs import DEFAULT_QUEUE, BackgroundJob, JobState, QueueTurn, WorkerHeartbeat
from annotations.storing import origins

logger = logging.getLogger(__name__)
import_module(settings.HLV_CELERY_APP)  # Celery sends a task by the application that was created last

Job = TypeVar("Job", bound=BackgroundJob)
TICK_SECONDS = 0.5
HEARTBEAT_FRESH = timedelta(seconds=20)
RING_AGAIN = timedelta(seconds=60)
"""A worker is called again for a job that has waited this long: its message may be lost; a duplicate is harmless."""
LONG_AGO = datetime(1, 1, 1, tzinfo=UTC)
"""When people were served who never were: databases disagree about whether NULL is first."""


class JobCancelled(Exception):
    """Raised inside the work by `progress` when somebody has cancelled the job."""


class JobReturned(Exception):
    """Raised by work that this worker cannot do but another may: the job waits again, as if never taken."""


class JobProgress:
    """The callback by which work reports its progress. Cheap: it only takes a note; a thread writes it twice a
    second.
    """

    def __init__(self) -> None:
        self.done = 0
        self.total = 0
        self.message = ""
        self.cancelled = threading.Event()

    def __call__(self, done: int, total: int, message: str = "") -> None:
        """Note the progress, and raise JobCancelled if the job is to stop."""
        self.done, self.total, self.message = done, total, message[:300]
        if self.cancelled.is_set():
            raise JobCancelled


def job_models() -> list[type[BackgroundJob]]:
    return [model for model in apps.get_models() if issubclass(model, BackgroundJob)]


def enqueue(job: BackgroundJob) -> None:
    """Call a worker for a saved job once the transaction that created it is committed."""
    transaction.on_commit(lambda: ring(job))


def ring(job: BackgroundJob) -> None:
    """Send the message to the queue of such jobs. If the broker is unavailable, the sweeper sends it again later: the
    row is the truth.
    """
    type(job)._default_manager.filter(pk=job.pk).update(rung_at=timezone.now())
    try:
        run_job.apply_async((job._meta.label, str(job.pk)), queue=job.queue)
    except Exception as error:  # whatever the broker's client raises
        logger.warning(
            "the broker could not be reached (%s); job %s waits for the sweeper", type(error).__name__, job.pk
        )


@shared_task(name="annotations.run_job", ignore_result=True)
def run_job(label: str, pk: str) -> None:
    """The only Celery task: do what is due in the queue of such jobs, for a while. The rows decide whose turn it is,
    not the message: the job that it names may have to wait for longer, or be done already.
    """
    model = apps.get_model(label)
    if not issubclass(model, BackgroundJob):
        raise TypeError(f"{label} is not a background job")
    done_until = time.monotonic() + settings.JOB_STAY_SECONDS
    while (job := take(model.queue)) is not None:
        if str(job.pk) != pk:
            origins.current.set(None)  # it was begun by another request than the message's
        work_off(job, executor_of(type(job)).execute, JobProgress())
        following = type(job).next_for(job.pk)
        while following is not None and time.monotonic() < done_until:
            run(type(job), following)
            following = type(job).next_for(following)
        if time.monotonic() >= done_until:
            # Messages of other queues have been waiting, so what is left here goes to the back.
            if due := next_due(model.queue):
                for job in due[0]._default_manager.filter(pk=due[1]):
                    ring(job)
            return


def due(model: type[Job]) -> models.QuerySet[Job]:
    """The jobs of a kind that a worker may take: waiting ones, and those that a dead worker left."""
    now = timezone.now()
    free: models.QuerySet[Job] = model._default_manager.filter(
        Q(lease_until=None) | Q(lease_until__lt=now),
        state__in=BackgroundJob.UNFINISHED,
        cancel_requested=False,
        attempts__lt=settings.JOB_MAX_ATTEMPTS,
    )
    return free.order_by()


def line(queue: str) -> tuple[list[type[BackgroundJob]], Any]:
    """What is due in a queue, and whose turn comes first: the kinds of its jobs, and rows of a kind's number, when the
    owner was last served there, when the job was created, its id and its owner's.
    """
    turns = QueueTurn.objects.filter(queue=queue)
    of_nobody = Subquery(turns.filter(person=None).values("taken_at"))
    of_owner = Subquery(turns.filter(person=OuterRef("owner")).values("taken_at"))
    served = Coalesce(Case(When(owner=None, then=of_nobody), default=of_owner), Value(LONG_AGO))
    kinds = [model for model in job_models() if model.queue == queue]
    rows = [
        due(model)
        .annotate(of_kind=Value(number), served=served)
        .values_list("of_kind", "served", "created_at", "pk", "owner")
        for number, model in enumerate(kinds)
    ]
    return kinds, rows[0].union(*rows[1:], all=True).order_by("served", "created_at", "pk")


def next_due(queue: str) -> tuple[type[BackgroundJob], uuid.UUID] | None:
    """The job of a queue whose turn it is: the oldest of whoever was served there longest ago."""
    kinds, rows = line(queue)
    first = rows.first()
    return (kinds[first[0]], first[3]) if first else None


def take(queue: str) -> BackgroundJob | None:
    """Lease the job of a queue whose turn it is; None: nothing is due. Whoever loses it to another worker looks again:
    by then its person has been served.
    """
    while (due := next_due(queue)) is not None:
        if (job := claim(*due, uuid.uuid4())) is not None:
            return job
    return None


def run(model: type[Job], pk: uuid.UUID) -> bool:
    """Claim and execute one job in this process; False if it could not be claimed."""
    job = claim(model, pk, uuid.uuid4())
    return job is not None and work_off(job, executor_of(model).execute, JobProgress())


def run_here(job: BackgroundJob, execute: Execute, progress: JobProgress) -> bool:
    """Execute a job that this process claimed in the transaction that created it: no worker has seen it waiting, and
    while this process is alive, no worker starts it again. Interrupting the process cancels the job."""
    try:
        return work_off(job, execute, progress)
    except (KeyboardInterrupt, SystemExit):
        finish(type(job), job.pk, job.lease_owner, progress, {"state": JobState.CANCELLED})
        raise


def work_off(job: BackgroundJob, execute: Execute, progress: JobProgress) -> bool:
    """Execute a claimed job and store its outcome; False if that was not stored because the job is no longer ours."""
    model, lease_owner = type(job), job.lease_owner
    keeper = LeaseKeeper(job, lease_owner, progress)
    keeper.start()
    end: dict[str, Any]
    returned = False
    try:
        end = {**execute(job, progress), "state": JobState.SUCCEEDED}
    except JobCancelled:
        end = {"state": JobState.CANCELLED}
    except JobReturned:
        end, returned = {}, True
    except HLVError as error:
        end = {"state": JobState.FAILED, "error": error.message, "error_detail": traceback.format_exc()}
    except Exception as error:
        # The row keeps the traceback for admins; the log gets only the error's type, since messages may contain texts.
        logger.error("job %s failed: %s", job.pk, type(error).__name__)
        end = {
            "state": JobState.FAILED,
            "error": sentence_for(error),
            "error_detail": traceback.format_exc(),
        }
    finally:
        keeper.stop()
    if returned:
        give_back(model, job.pk, lease_owner)
        return False
    return finish(model, job.pk, lease_owner, progress, end)


def sentence_for(error: Exception) -> str:
    """What people are told of an error that no use case foresaw."""
    if isinstance(error, OSError) and error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return _("The server's disk is full. Nothing was saved. An admin of the server has to make room.")
    name, inputs = type(error).__name__, ", ".join(input_names(error))
    if inputs:
        sentence = _(
            "An internal error occurred ({name}) while this was computed: {inputs}. An admin can see the details."
        )
        return sentence.format(name=name, inputs=inputs)
    return _("An internal error occurred ({name}). An admin can see the details.").format(name=name)


def claim(model: type[Job], pk: uuid.UUID, lease_owner: uuid.UUID) -> Job | None:
    """Lease a waiting job, or a running one whose lease has expired, with one conditional UPDATE."""
    now = timezone.now()
    manager: models.Manager[Job] = model._default_manager
    with transaction.atomic():
        taken = (
            manager.filter(pk=pk, cancel_requested=False, attempts__lt=settings.JOB_MAX_ATTEMPTS)
            .filter(Q(state=JobState.QUEUED) | Q(state=JobState.RUNNING, lease_until__lt=now))
            .update(
                state=JobState.RUNNING,
                lease_owner=lease_owner,
                lease_until=now + timedelta(seconds=settings.JOB_LEASE_SECONDS),
                attempts=F("attempts") + 1,
                started_at=Coalesce(F("started_at"), now),
            )
        )
        if not taken:
            return None
        job = manager.get(pk=pk)
        turn = {"queue": job.queue, "person_id": job.owner_id}
        if not QueueTurn.objects.filter(**turn).update(taken_at=now):
            QueueTurn.objects.get_or_create(**turn, defaults={"taken_at": now})
    return job


def finish(
    model: type[BackgroundJob], pk: uuid.UUID, lease_owner: uuid.UUID | None, progress: JobProgress, end: dict[str, Any]
) -> bool:
    """Store the outcome only if the lease is still ours, so that a job taken over by another worker has one result."""
    if end["state"] == JobState.SUCCEEDED:
        progress.done = progress.total
    stored = model._default_manager.filter(pk=pk, lease_owner=lease_owner, state=JobState.RUNNING).update(
        progress_done=progress.done,
        progress_total=progress.total,
        progress_message=progress.message,
        finished_at=timezone.now(),
        lease_until=None,
        **end,
    )
    executor_of(model).tidy_up()
    return bool(stored)


def give_back(model: type[BackgroundJob], pk: uuid.UUID, lease_owner: uuid.UUID | None) -> None:
    """Put a claimed job back into the queue if the lease is still ours. No worker takes it before the sweeper calls for
    it again.
    """
    now = timezone.now()
    model._default_manager.filter(pk=pk, lease_owner=lease_owner, state=JobState.RUNNING).update(
        state=JobState.QUEUED, lease_owner=None, lease_until=now + RING_AGAIN, attempts=F("attempts") - 1, rung_at=now
    )


def cancel(job: Job) -> Job:
    """Ask a job to stop: at once if it is still waiting, at its next step if it is running. An ended job stays as
    it is.
    """
    manager: models.Manager[Job] = type(job)._default_manager
    ask_to_stop(job)
    executor_of(type(job)).tidy_up()
    return manager.get(pk=job.pk)


def ask_to_stop(job: BackgroundJob) -> None:
    """The part of `cancel` that only writes the row, for use inside a longer transaction."""
    ask_all_to_stop(type(job)._default_manager.filter(pk=job.pk))


def ask_all_to_stop(some: models.QuerySet[Job]) -> None:
    """The same for several jobs of one kind; those that have ended stay as they are."""
    some.filter(state=JobState.QUEUED).update(
        state=JobState.CANCELLED, cancel_requested=True, finished_at=timezone.now()
    )
    some.filter(state=JobState.RUNNING).update(cancel_requested=True)


def retry(job: Job) -> Job:
    """Put a failed or cancelled job back into the queue as if new."""
    manager: models.Manager[Job] = type(job)._default_manager
    if put_back(manager.filter(pk=job.pk)):
        enqueue(job)
    return manager.get(pk=job.pk)


def put_back(some: models.QuerySet[Job]) -> int:
    """Let the failed and cancelled ones of several jobs wait as if new, without calling a worker; return how many."""
    return some.filter(state__in=[JobState.FAILED, JobState.CANCELLED]).update(
        state=JobState.QUEUED,
        cancel_requested=False,
        attempts=0,
        error="",
        error_detail="",
        progress_done=0,
        progress_message="",
        started_at=None,
        finished_at=None,
        lease_owner=None,
        lease_until=None,
    )


def queues_taken() -> list[str]:
    """The queues that workers take jobs from, of those that have been seen lately: each as often as there are such
    workers.
    """
    alive = WorkerHeartbeat.objects.filter(seen_at__gt=timezone.now() - HEARTBEAT_FRESH)
    return [queue for queues in alive.values_list("queues", flat=True) for queue in queues]


def worker_alive(queue: str = DEFAULT_QUEUE) -> bool:
    """Whether a worker that takes the jobs of a queue has been seen lately."""
    return queue in queues_taken()


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


class LeaseKeeper:
    """A thread beside the work that extends the lease, writes progress and notices cancellation."""

    def __init__(self, job: BackgroundJob, lease_owner: uuid.UUID | None, progress: JobProgress) -> None:
        self.mine = type(job)._default_manager.filter(pk=job.pk, lease_owner=lease_owner, state=JobState.RUNNING)
        self.progress = progress
        self.stopped = threading.Event()
        self.thread = threading.Thread(target=self.keep, name=f"lease-{job.pk}", daemon=True)

    def start(self) -> None:
        self.thread.start()

    def stop(self) -> None:
        self.stopped.set()
        self.thread.join()

    def keep(self) -> None:
        try:
            while not self.stopped.wait(TICK_SECONDS):
                try:
                    self.tick()
                except (OperationalError, InterfaceError):
                    # It is away for a moment, or locked by somebody else's long write; the lease is longer than that.
                    close_old_connections()
        finally:
            connection.close()

    def tick(self) -> None:
        held = self.mine.update(
            lease_until=timezone.now() + timedelta(seconds=settings.JOB_LEASE_SECONDS),
            progress_done=self.progress.done,
            progress_total=self.progress.total,
            progress_message=self.progress.message,
        )
        if not held or self.mine.filter(cancel_requested=True).exists():
            self.progress.cancelled.set()
