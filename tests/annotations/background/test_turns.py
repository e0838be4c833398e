"""People take turns in a queue: nobody waits for more than one job of each of the others, however many they have."""

import threading
import uuid
from collections import deque
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from annotations.background import jobs
from annotations.background.executors import Executor, executors
from annotations.models import Erasure, ImportJob, JobState, QueueTurn, User

pytestmark = pytest.mark.django_db(transaction=True)

Ask = Callable[..., list[Any]]
Answer = Callable[[], None]


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Whose imports and erasures were started, in order."""
    names: list[str] = []

    def work(job: ImportJob | Erasure, progress: jobs.JobProgress) -> dict[str, Any]:
        names.append(job.owner.name if job.owner else "nobody")
        return {}

    for model in (ImportJob, Erasure):
        executors.get(model._meta.label)
        monkeypatch.setitem(executors._entries, model._meta.label, Executor(work))
    return names


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> deque[tuple[str, str]]:
    """The calls that no worker has answered yet."""
    calls: deque[tuple[str, str]] = deque()
    monkeypatch.setattr(jobs.run_job, "apply_async", lambda given, queue: calls.append(given))
    return calls


@pytest.fixture
def answer_calls(calls: deque[tuple[str, str]]) -> Answer:
    """Does what one worker does with all calls, in the order in which they came."""

    def answer() -> None:
        while calls:
            jobs.run_job(*calls.popleft())

    return answer


@pytest.fixture
def ask(make_user: Callable[..., User], calls: deque[tuple[str, str]]) -> Ask:
    """So many jobs of somebody, each with a call."""

    def made(name: str, count: int = 1, *, to_erase: bool = False) -> list[ImportJob | Erasure]:
        owner = User.objects.filter(name=name).first()
        if name != "nobody" and owner is None:
            owner = make_user(f"{name}@example.org", name=name)
        rows: list[ImportJob | Erasure] = [
            Erasure.objects.create(what="text", target=0, owner=owner)
            if to_erase
            else ImportJob.objects.create(kind=ImportJob.Kind.DATASET, dataset_slug="d", owner=owner)
            for _ in range(count)
        ]
        for row in rows:
            jobs.enqueue(row)
        return rows

    return made


def test_who_asks_after_sixty_jobs_of_somebody_else_is_next(
    started: list[str], ask: Ask, calls: deque[tuple[str, str]], settings: Any, tried: Callable[[int, str], None]
) -> None:
    tried(60, "jobs in front of another person's")
    settings.JOB_STAY_SECONDS = 0  # a job for each call
    ask("ann", 60)
    jobs.run_job(*calls.popleft())
    ask("ben")
    jobs.run_job(*calls.popleft())
    jobs.run_job(*calls.popleft())
    assert started == ["ann", "ben", "ann"]


def test_people_take_turns_whatever_the_kind_of_their_jobs(started: list[str], answer_calls: Answer, ask: Ask) -> None:
    ask("ann", 2, to_erase=True)
    ask("ann", 3)
    ask("ben", 2)
    ask("nobody", 2, to_erase=True)
    ask("cem", to_erase=True)
    answer_calls()
    assert started == ["ann", "ben", "nobody", "cem", "ann", "ben", "nobody", "ann", "ann", "ann"]


def test_a_persons_own_jobs_keep_their_order(started: list[str], answer_calls: Answer, ask: Ask) -> None:
    rows = [ask("ann")[0], ask("ann", to_erase=True)[0], ask("ann")[0]]
    answer_calls()
    for row in rows:
        row.refresh_from_db()
    assert rows == sorted(rows, key=lambda row: row.started_at)


def test_what_somebody_did_in_another_queue_costs_no_turn(
    started: list[str], answer_calls: Answer, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Erasure, "queue", "apart")
    ask("ben")
    answer_calls()
    ask("ann", to_erase=True)
    answer_calls()
    ask("ben", to_erase=True)
    ask("ann", to_erase=True)
    answer_calls()
    assert started == ["ben", "ann", "ben", "ann"], "in the other queue, ann was served later"
    assert set(QueueTurn.objects.values_list("queue", "person__name")) == {
        ("celery", "ben"),
        ("apart", "ann"),
        ("apart", "ben"),
    }


def test_workers_that_look_at_the_same_moment_serve_everybody_before_anybody_twice(ask: Ask) -> None:
    ask("ann", 20)
    for name in ("ben", "cem", "dora", "eva", "fay"):
        ask(name)
    taken: list[Any] = []
    together = threading.Barrier(6)

    def work() -> None:
        try:
            together.wait(10)
            taken.append(jobs.take("celery"))
        finally:
            connection.close()

    workers = [threading.Thread(target=work) for _ in range(6)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert sorted(job.owner.name for job in taken) == ["ann", "ben", "cem", "dora", "eva", "fay"]


def test_one_call_is_enough_for_many_jobs_until_others_have_waited(
    started: list[str], ask: Ask, calls: deque[tuple[str, str]], settings: Any
) -> None:
    ask("ann", 4)
    one = calls[0]
    calls.clear()
    calls.append(one)
    settings.JOB_STAY_SECONDS = 0
    jobs.run_job(*calls.pop())
    assert (len(started), len(calls)) == (1, 1), "whoever stayed long enough calls for what is left"
    settings.JOB_STAY_SECONDS = 600
    jobs.run_job(*calls.pop())
    assert (len(started), len(calls)) == (4, 0)


def test_what_a_dead_worker_left_comes_in_its_persons_turn(started: list[str], answer_calls: Answer, ask: Ask) -> None:
    (left,) = ask("ann")
    assert jobs.claim(ImportJob, left.pk, uuid.uuid4())
    ask("ben", 2)
    ImportJob.objects.filter(pk=left.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
    answer_calls()
    assert started == ["ben", "ann", "ben"]
    left.refresh_from_db()
    assert (left.state, left.attempts) == (JobState.SUCCEEDED, 2)


def test_a_job_that_was_given_back_is_not_taken_before_its_time(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[uuid.UUID] = []

    def refuse(job: ImportJob, progress: jobs.JobProgress) -> dict[str, Any]:
        tried.append(job.pk)
        raise jobs.JobReturned

    executors.get(ImportJob._meta.label)
    monkeypatch.setitem(executors._entries, ImportJob._meta.label, Executor(refuse))
    (job,) = ask("ann")
    call = (ImportJob._meta.label, str(job.pk))
    jobs.run_job(*call)
    jobs.run_job(*call)
    assert tried == [job.pk]
    ImportJob.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    jobs.run_job(*call)
    assert tried == [job.pk] * 2
