"""Jobs of another queue than the default one: who is called for them, and what is said while nobody takes them."""

import uuid
from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from annotations.background import jobs, sweeping
from annotations.background.executors import Executor, executors
from annotations.background.jobs import backlog
from annotations.background.sweeping import sweep
from annotations.models import ImportJob, JobState, WorkerHeartbeat
from hlvstudy.checks.conditions import Condition
from hlvstudy.health import look_after
from hlvstudy.monitoring import forget_probes

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _imports_have_a_queue_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ImportJob, "queue", "apart")


@pytest.fixture(autouse=True)
def _asked_anew() -> Iterator[None]:
    forget_probes()
    yield
    forget_probes()


@pytest.fixture
def rung(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """The jobs for which a worker was called, and the queues in which their messages wait."""
    calls: list[tuple[str, str]] = []
    monkeypatch.setattr(jobs.run_job, "apply_async", lambda given, *, queue: calls.append((given[1], queue)))
    return calls


def waiting(**fields: object) -> ImportJob:
    return ImportJob.objects.create(kind=ImportJob.Kind.DATASET, dataset_slug="d", **fields)


def worker(*queues: str) -> None:
    WorkerHeartbeat.objects.create(name=str(uuid.uuid4()), seen_at=timezone.now(), queues=list(queues))


def queue() -> tuple[Condition, str, str]:
    part = next(one for one in look_after().parts if one.name == "Queue")
    return part.condition, part.sentence, part.remedy


def test_a_worker_is_called_in_the_queue_of_the_job(rung: list[tuple[str, str]]) -> None:
    job = waiting()
    jobs.enqueue(job)
    assert rung == [(str(job.pk), "apart")]


def test_nobody_is_called_again_and_again_before_a_worker_takes_such_jobs(rung: list[tuple[str, str]]) -> None:
    job = waiting(rung_at=timezone.now() - timedelta(hours=3))
    worker("celery")
    assert sweep() == 0
    worker("apart")
    assert sweep() == 1
    assert rung == [(str(job.pk), "apart")]


def test_of_many_that_wait_for_hours_those_are_rung_again_that_waited_longest(
    rung: list[tuple[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweeping, "RING_FOR_MOST", 2)
    worker("apart")
    long_ago = timezone.now() - timedelta(hours=3)
    many = [waiting(rung_at=long_ago, created_at=long_ago + timedelta(minutes=turn)) for turn in range(4)]
    never_rung = waiting()
    assert sweep() == 3
    assert {job for job, _ in rung} == {str(job.pk) for job in (*many[:2], never_rung)}


def test_a_message_that_comes_twice_while_the_job_runs_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """As Redis sends one again that was not acknowledged within its visibility timeout, to the same worker or another,
    when a training takes longer than that."""
    label, done = ImportJob._meta.label, []

    def work(job: ImportJob, progress: jobs.JobProgress) -> dict[str, object]:
        before = ImportJob.objects.get(pk=job.pk)
        jobs.run_job(label, str(job.pk))
        after = ImportJob.objects.get(pk=job.pk)
        done.append((after.lease_owner == before.lease_owner, after.attempts, after.state))
        return {"report": {"rows": 3}}

    executors.get(label)
    monkeypatch.setitem(executors._entries, label, Executor(work))
    job = waiting()
    jobs.run_job(label, str(job.pk))
    jobs.run_job(label, str(job.pk))
    job.refresh_from_db()
    assert done == [(True, 1, JobState.RUNNING)]
    assert (job.state, job.report, job.attempts) == (JobState.SUCCEEDED, {"rows": 3}, 1)


def test_a_worker_of_another_queue_is_no_worker_for_these_jobs() -> None:
    worker("celery")
    assert jobs.worker_alive()
    assert not jobs.worker_alive("apart")
    worker("apart", "celery")
    assert jobs.worker_alive("apart")
    assert sorted(jobs.queues_taken()) == ["apart", "celery", "celery"]


def test_what_waits_where_no_worker_listens_is_said_with_the_remedy() -> None:
    worker("celery")
    waiting()
    assert backlog(JobState.QUEUED).unheard == {"apart": 1}
    assert queue() == (
        Condition.LOOK,
        "1 job is waiting, and 0 are running. No worker takes jobs from the queue apart.",
        "Start one with the command hlvstudy worker -Q apart.",
    )
    worker("apart")
    assert backlog(JobState.QUEUED).unheard == {}
    assert queue()[0] == Condition.WELL


def test_a_server_is_well_while_such_jobs_wait_for_hours(client: Client) -> None:
    worker("celery")
    worker("apart")
    waiting(created_at=timezone.now() - timedelta(hours=9))
    assert client.get("/health/ready").json()["queue"] is True
    assert queue()[0] == Condition.WELL


def test_a_worker_that_takes_such_jobs_only_is_not_the_one_that_the_server_needs(client: Client) -> None:
    worker("apart")
    assert client.get("/health/ready").json()["worker"] is False
    part = next(one for one in look_after().parts if one.name == "Workers")
    assert (part.condition, part.sentence) == (
        Condition.BROKEN,
        "No running worker takes imports, exports or analyses, so these have to wait.",
    )
