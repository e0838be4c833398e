"""Background jobs: none lost, none doubled, none silently stuck."""

import errno
import threading
import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from annotations.background import jobs
from annotations.background.executors import Executor, executors
from annotations.background.sweeping import sweep
from annotations.ground.errors import HLVError, naming
from annotations.models import ImportJob, JobState

pytestmark = pytest.mark.django_db(transaction=True)

Work = Callable[[ImportJob, jobs.JobProgress], dict[str, Any]]


@pytest.fixture
def rung(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Job ids for which a worker was called. The broker itself is exercised with real workers elsewhere."""
    calls: list[str] = []
    monkeypatch.setattr(jobs.run_job, "apply_async", lambda given, queue: calls.append(given[1]))
    return calls


@pytest.fixture
def working(monkeypatch: pytest.MonkeyPatch) -> Callable[[Work], ImportJob]:
    """A queued job that does what the test says."""

    def make(work: Work) -> ImportJob:
        label = ImportJob._meta.label
        executors.get(label)  # so that all are loaded, and none takes this one's place later
        monkeypatch.setitem(executors._entries, label, Executor(work))
        return ImportJob.objects.create(kind=ImportJob.Kind.DATASET, dataset_slug="d")

    return make


def expire_lease(job: ImportJob) -> None:
    ImportJob.objects.filter(pk=job.pk).update(lease_until=timezone.now() - timedelta(seconds=1))


def test_a_job_is_rung_only_after_commit(rung: list[str]) -> None:
    with transaction.atomic():
        job = ImportJob.objects.create(kind=ImportJob.Kind.DATASET, dataset_slug="d")
        jobs.enqueue(job)
        assert rung == []
    assert rung == [str(job.pk)]


def test_success_is_stored_with_what_the_work_returned(working: Callable[[Work], ImportJob]) -> None:
    def work(job: ImportJob, progress: jobs.JobProgress) -> dict[str, Any]:
        progress(3, 3, "three")
        return {"report": {"rows": 3}}

    job = working(work)
    assert jobs.run(ImportJob, job.pk)
    job.refresh_from_db()
    assert (job.state, job.report, job.progress_done, job.progress_total) == ("succeeded", {"rows": 3}, 3, 3)
    assert job.finished_at is not None


def test_a_full_disk_is_named_and_any_other_surprise_is_an_internal_error(working: Callable[[Work], ImportJob]) -> None:
    said = []
    for error in (OSError(errno.ENOSPC, "No space left on device"), OSError(errno.EIO, "Input/output error")):

        def fail(job: ImportJob, progress: jobs.JobProgress, error: OSError = error) -> dict[str, Any]:
            raise error

        job = working(fail)
        jobs.run(ImportJob, job.pk)
        job.refresh_from_db()
        said.append(job.error)
    assert said == [
        "The server's disk is full. Nothing was saved. An admin of the server has to make room.",
        "An internal error occurred (OSError). An admin can see the details.",
    ]


def test_a_typed_error_is_the_readable_reason(working: Callable[[Work], ImportJob]) -> None:
    def fail(job: ImportJob, progress: jobs.JobProgress) -> dict[str, Any]:
        raise HLVError("The file answers.csv has no column 'label'.")

    job = working(fail)
    jobs.run(ImportJob, job.pk)
    job.refresh_from_db()
    assert (job.state, job.error) == (JobState.FAILED, "The file answers.csv has no column 'label'.")


def test_an_unknown_error_shows_no_message_but_keeps_its_traceback_for_admins(
    working: Callable[[Work], ImportJob], caplog: pytest.LogCaptureFixture
) -> None:
    def fail(job: ImportJob, progress: jobs.JobProgress) -> dict[str, Any]:
        raise RuntimeError("my landlord says")

    job = working(fail)
    jobs.run(ImportJob, job.pk)
    job.refresh_from_db()
    assert job.state == JobState.FAILED
    assert "my landlord" not in job.error
    assert "my landlord" in job.error_detail
    assert "my landlord" not in caplog.text


def test_an_unknown_error_names_the_inputs_that_the_work_named_and_none_of_its_own_notes(
    working: Callable[[Work], ImportJob],
) -> None:
    def fail(job: ImportJob, progress: jobs.JobProgress) -> dict[str, Any]:
        with naming("dataset one", lambda: "row 7"):
            error = RuntimeError("my landlord says")
            error.add_note("of my landlord")
            raise error

    job = working(fail)
    jobs.run(ImportJob, job.pk)
    job.refresh_from_db()
    assert ": dataset one, row 7. " in job.error
    assert "landlord" not in job.error


def test_a_job_runs_once_however_often_it_is_rung(working: Callable[[Work], ImportJob]) -> None:
    runs = []

    def work(job: ImportJob, progress: jobs.JobProgress) -> dict[str, Any]:
        runs.append(job.pk)
        return {}

    job = working(work)
    assert [jobs.run(ImportJob, job.pk) for _ in range(3)] == [True, False, False]
    assert runs == [job.pk]


def test_parallel_claims_of_a_job_have_one_winner(working: Callable[[Work], ImportJob]) -> None:
    job = working(lambda job, progress: {})
    claimed: list[ImportJob | None] = []

    def claim() -> None:
        try:
            claimed.append(jobs.claim(ImportJob, job.pk, uuid.uuid4()))
        finally:
            connection.close()

    threads = [threading.Thread(target=claim) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(claimed) == 12
    assert sum(claim is not None for claim in claimed) == 1


def test_the_result_of_a_worker_that_lost_its_lease_is_not_stored(working: Callable[[Work], ImportJob]) -> None:
    job = working(lambda job, progress: {})
    slow, quick = uuid.uuid4(), uuid.uuid4()
    assert jobs.claim(ImportJob, job.pk, slow)
    expire_lease(job)
    assert jobs.claim(ImportJob, job.pk, quick)
    end = {"state": JobState.SUCCEEDED, "report": {"by": "slow"}}
    assert not jobs.finish(ImportJob, job.pk, slow, jobs.JobProgress(), end)
    assert jobs.finish(ImportJob, job.pk, quick, jobs.JobProgress(), {**end, "report": {"by": "quick"}})
    job.refresh_from_db()
    assert job.report == {"by": "quick"}


def test_a_waiting_job_is_cancelled_at_once_and_a_running_one_at_its_next_step(
    working: Callable[[Work], ImportJob],
) -> None:
    started = threading.Event()

    def work(job: ImportJob, progress: jobs.JobProgress) -> dict[str, Any]:
        started.set()
        for step in range(10_000):
            progress(step, 10_000)
            progress.cancelled.wait(0.01)
        return {}

    waiting = working(work)
    assert jobs.cancel(waiting).state == JobState.CANCELLED
    assert not jobs.run(ImportJob, waiting.pk)

    running = working(work)

    def run() -> None:
        try:
            jobs.run(ImportJob, running.pk)
        finally:
            connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    assert started.wait(10)
    jobs.cancel(running)
    thread.join(10)
    running.refresh_from_db()
    assert running.state == JobState.CANCELLED
    assert running.progress_done < 10_000


def test_the_sweeper_rings_for_abandoned_and_forgotten_jobs_and_not_for_living_ones(
    working: Callable[[Work], ImportJob], rung: list[str]
) -> None:
    abandoned, living, forgotten = (working(lambda job, progress: {}) for _ in range(3))
    for job in (abandoned, living):
        assert jobs.claim(ImportJob, job.pk, uuid.uuid4())
    expire_lease(abandoned)
    assert sweep() == 2
    assert set(rung) == {str(abandoned.pk), str(forgotten.pk)}
    assert sweep() == 0, "what was rung a moment ago is not rung again"


def test_a_job_that_kills_every_worker_is_given_up_with_a_reason(working: Callable[[Work], ImportJob]) -> None:
    job = working(lambda job, progress: {})
    for _ in range(settings.JOB_MAX_ATTEMPTS):
        assert jobs.claim(ImportJob, job.pk, uuid.uuid4())
        expire_lease(job)
    assert jobs.claim(ImportJob, job.pk, uuid.uuid4()) is None
    sweep()
    job.refresh_from_db()
    assert job.state == JobState.FAILED
    assert "died" in job.error


def test_a_failed_job_can_be_tried_again(working: Callable[[Work], ImportJob], rung: list[str]) -> None:
    outcomes = iter([HLVError("not now"), None])

    def work(job: ImportJob, progress: jobs.JobProgress) -> dict[str, Any]:
        outcome = next(outcomes)
        if outcome:
            raise outcome
        return {}

    job = working(work)
    jobs.run(ImportJob, job.pk)
    assert jobs.retry(job).state == JobState.QUEUED
    assert rung == [str(job.pk)]
    jobs.run(ImportJob, job.pk)
    job.refresh_from_db()
    assert (job.state, job.error) == (JobState.SUCCEEDED, "")
