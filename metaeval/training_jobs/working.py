"""Do a training's jobs in this process and others of this machine, beside workers or without any.

The rows are the queue: each process claims the next waiting job, as a worker would. One that is killed leaves a lease
that expires, and whoever comes next goes on from the last epoch.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from django.db.models import Q
from django.utils import timezone

from annotations.background import jobs
from annotations.background.sweeping import give_up_abandoned
from annotations.ground.progress import Progress
from annotations.models import JobState
from metaeval.training_jobs.advancing import advance
from metaeval.training_jobs.models import Training, TrainingJob

LOOK_AGAIN_SECONDS = 0.5


def work_through(training: Training, *, processes: int, progress: Progress) -> Training:
    """Work until the training has ended or waits to be started; returns it as it is then. No worker need be there that
    would give up jobs whose process is dead.
    """
    with _helped(training, processes - 1):
        while True:
            give_up_abandoned(training.jobs.all())
            advance(training.pk)
            training.refresh_from_db()
            if training.state not in Training.UNDER_WAY:
                return training
            progress(*so_far(training))
            if not work_once(training):
                time.sleep(LOOK_AGAIN_SECONDS)


def work_once(training: Training) -> bool:
    """Do one waiting job; False if there is none, or another process was faster."""
    now = timezone.now()
    waiting = training.jobs.filter(Q(state=JobState.QUEUED) | Q(state=JobState.RUNNING, lease_until__lt=now))
    pk = waiting.order_by("created_at", "pk").values_list("pk", flat=True).first()
    return pk is not None and jobs.run(TrainingJob, pk)


def so_far(training: Training) -> tuple[int, int, str]:
    """How many fits and searches have ended well, of how many, and what is under way."""
    ended = training.jobs.filter(state=JobState.SUCCEEDED).exclude(kind=TrainingJob.Piece.CHECK).count()
    fits = training.split.folds * len(training.methods)
    total = fits * (training.parameters["runs"] + bool(training.parameters["search"]))
    under_way = training.jobs.filter(state=JobState.RUNNING).first()
    return ended, total, under_way.name if under_way else ""


@contextmanager
def _helped(training: Training, helpers: int) -> Iterator[None]:
    """Other processes that do the same until the training has ended."""
    command = [sys.executable, "-m", "hlvstudy", "manage", "train", "--help-with", str(training.pk)]
    started = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for _ in range(helpers)]  # noqa: S603 (our own program)
    try:
        yield
    finally:
        for process in started:
            process.terminate()
        for process in started:
            process.wait()


def help_with(training: Training) -> None:
    """Do jobs of a training that another process watches over, until it has ended."""
    while training.state in Training.UNDER_WAY:
        if not work_once(training):
            time.sleep(LOOK_AGAIN_SECONDS)
        training.refresh_from_db()
