"""Where an interrupted fit goes on: a file that belongs to its job, replaced after every epoch."""

from __future__ import annotations

import uuid

from django.core.files.storage import default_storage

from annotations.background.jobs import JobCancelled
from annotations.background.kept_files import keep, names_in
from annotations.models import JobState
from metaeval.training_jobs.models import TrainingJob

FOLDER = "training"


class JobCheckpoints:
    """The checkpoints of one job, as `metaeval.training.lessons.Checkpoints`. They hold no texts and no answers, but
    weights that were learnt from both.
    """

    def __init__(self, job: TrainingJob) -> None:
        self._job = job

    def latest(self) -> bytes | None:
        """What the job's last worker kept; None if there was none, or the file is gone."""
        name = TrainingJob.objects.values_list("checkpoint", flat=True).get(pk=self._job.pk)
        if not name or not default_storage.exists(name):
            return None
        with default_storage.open(name, "rb") as file:
            state: bytes = file.read()
        return state

    def keep(self, state: bytes) -> None:
        """Each epoch that is done counts as a success: a job is given up only if it dies again and again in the same.

        Raises:
            JobCancelled: the job has another worker by now.
        """
        before = TrainingJob.objects.values_list("checkpoint", flat=True).get(pk=self._job.pk)
        name = f"{FOLDER}/{self._job.pk}.{uuid.uuid4().hex}"
        keep(name, [state])
        mine = TrainingJob.objects.filter(
            pk=self._job.pk, lease_owner=self._job.lease_owner, state=JobState.RUNNING
        ).update(checkpoint=name, attempts=1)
        if not mine:
            default_storage.delete(name)
            raise JobCancelled
        if before:
            default_storage.delete(before)


def forget_checkpoints() -> None:
    """Delete the files of jobs that succeeded or no longer exist. Those of stopped and failed ones stay, so that they
    can go on.
    """
    names = names_in(FOLDER)
    if not names:
        return
    TrainingJob.objects.filter(state=JobState.SUCCEEDED).exclude(checkpoint="").update(checkpoint="")
    unfinished = TrainingJob.objects.exclude(state=JobState.SUCCEEDED)
    needed = set(unfinished.exclude(checkpoint="").values_list("checkpoint", flat=True))
    writing = {str(pk) for pk in unfinished.filter(state=JobState.RUNNING).values_list("pk", flat=True)}
    for name in names:
        if f"{FOLDER}/{name}" not in needed and name.partition(".")[0] not in writing:
            default_storage.delete(f"{FOLDER}/{name}")
