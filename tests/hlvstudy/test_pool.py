"""A worker whose processes are all killed goes on: the embedded broker's pool does not stay locked."""

import multiprocessing
import os
import signal
import subprocess
from functools import partial

import pytest

from annotations.background import jobs
from annotations.models import ImportJob, JobState, User
from hlvstudy.workers import KernelLock
from tests.conftest import wait_until


def test_the_lock_excludes_and_is_freed_when_its_holder_is_killed() -> None:
    lock = KernelLock()
    fork = multiprocessing.get_context("fork")
    held, freed = fork.Event(), fork.Event()

    def hold() -> None:
        lock.acquire()
        held.set()
        signal.pause()

    def want() -> None:
        with lock:
            freed.set()

    holder = fork.Process(target=hold)
    holder.start()
    assert held.wait(10)
    waiting = fork.Process(target=want)
    waiting.start()
    assert not freed.wait(0.3), "two processes held it"
    assert holder.pid is not None
    os.kill(holder.pid, signal.SIGKILL)
    assert freed.wait(10)
    holder.join()
    waiting.join()


def processes_of(worker: "subprocess.Popen[bytes]") -> list[int]:
    """Those that do jobs; another one may compile loops."""
    ask = ["ps", "-o", "pid=,args=", "--ppid", str(worker.pid)]
    lines = subprocess.run(ask, capture_output=True, text=True, check=False).stdout.splitlines()
    return [int(line.split()[0]) for line in lines if "celery" in line]


def are_replaced(worker: "subprocess.Popen[bytes]", before: list[int]) -> bool:
    return len(set(processes_of(worker)) - set(before)) == len(before)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("celery_worker_process", [2], indirect=True, ids=["two processes"])
def test_a_worker_goes_on_when_all_its_processes_are_killed(celery_worker_process: "subprocess.Popen[bytes]") -> None:
    worker = celery_worker_process

    def done_by_worker() -> None:
        owner = User.objects.create_user(f"somebody{ImportJob.objects.count()}@example.org")
        job = ImportJob.objects.create(kind=ImportJob.Kind.DATASET, dataset_slug="d", owner=owner)
        jobs.ring(job)
        # Nobody may import, so it ends at once; or, if its message was lost on a busy machine, when it is rung again.
        patience = jobs.RING_AGAIN.total_seconds() * 2
        wait_until(lambda: ImportJob.objects.get(pk=job.pk).state == JobState.FAILED, seconds=patience)

    done_by_worker()
    for _ in range(3):
        before = processes_of(worker)
        assert len(before) == 2
        for pid in before:
            os.kill(pid, signal.SIGKILL)
        wait_until(partial(are_replaced, worker, before))
        done_by_worker()
