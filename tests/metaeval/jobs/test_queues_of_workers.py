"""Jobs of another queue are done by the workers that were started for it, and by no other."""

import re

import pytest

from annotations.background import jobs
from annotations.models import ImportJob, JobState
from metaeval.analyses.inputs.gathering import Subject
from metaeval.jobs.models import AnalysisRun
from metaeval.jobs.runs import start_run
from tests.conftest import start_worker, wait_until
from tests.metaeval.jobs.test_workers import processes_of
from tests.metaeval.studies import answered_study

APART = "tests.metaeval.jobs.apart"
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.long]


@pytest.fixture(autouse=True)
def _analyses_have_a_queue_of_their_own(monkeypatch):
    monkeypatch.setattr(AnalysisRun, "queue", "apart")


@pytest.fixture
def workers(tmp_path):
    """Starts a worker of one process for a queue; stops them all."""
    running = []

    def start(queue):
        worker = start_worker(tmp_path, name=f"of-{queue}", processes=1, queues=queue, include=APART)
        running.append(worker)
        return running[-1]

    yield start
    for process in running:
        process.terminate()
    for process in running:
        process.wait(timeout=30)


def imports(owner, count=1):
    """So many imports, which end at once: their owner may not import."""
    rows = [ImportJob.objects.create(kind=ImportJob.Kind.DATASET, dataset_slug="d", owner=owner) for _ in range(count)]
    for row in rows:
        jobs.enqueue(row)
    return rows


def done(job):
    return type(job).objects.get(pk=job.pk).is_final


def test_a_job_waits_for_a_worker_of_its_queue_while_others_are_done(workers, make_user, tmp_path):
    study = answered_study(systems=4, instances=8).study
    run = start_run(
        subject=Subject.of_study(study), analysis="preference_correlation", parameters={"permutations": 100}, seed=1
    )
    of_others = workers("celery")
    (after,) = imports(make_user())
    wait_until(lambda: done(after), seconds=120)
    assert AnalysisRun.objects.get(pk=run.pk).state == JobState.QUEUED, "it was called for first"

    workers("apart")
    assert sorted(jobs.queues_taken()) == ["apart", "celery"]
    wait_until(lambda: done(run), seconds=120)
    assert AnalysisRun.objects.get(pk=run.pk).state == JobState.SUCCEEDED
    (line,) = run.lines.filter(text__startswith="Started by worker")
    # Asked this way round because a worker replaces a process of its pool that dies.
    logs = [file.read_text() for file in sorted(tmp_path.glob("*.log"))]
    assert int(re.search(r":(\d+),", line.text).group(1)) not in processes_of(of_others), logs


def test_a_worker_serves_who_came_after_sixty_jobs_of_somebody_else_second(workers, make_user):
    many = imports(make_user("ann@example.org"), 60)
    (one,) = imports(make_user("ben@example.org"))
    workers("celery")
    wait_until(lambda: all(map(done, [*many, one])), seconds=300)
    order = [job.pk for job in ImportJob.objects.order_by("started_at")]
    assert order.index(one.pk) == 1
    assert set(ImportJob.objects.values_list("attempts", flat=True)) == {1}, "none was done twice"
