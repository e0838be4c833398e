"""Jobs of another queue are done by the workers that were started for it, and by no other."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from annotations.background.jobs import queues_taken
from annotations.models import JobState
from metaeval.analyses.inputs.gathering import Subject
from metaeval.jobs.models import AnalysisRun
from metaeval.jobs.runs import start_run
from tests.conftest import start_worker, wait_until
from tests.metaeval.jobs.test_workers import processes_of
from tests.metaeval.studies import answered_study

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.long]


@pytest.fixture
def workers(tmp_path):
    """Starts a worker of one process for a queue; stops them all."""
    running = []

    def start(queue):
        running.append(start_worker(tmp_path, name=f"of-{queue}", processes=1, queues=queue))
        return running[-1]

    yield start
    for process in running:
        process.terminate()
    for process in running:
        process.wait(timeout=30)


def start(study, seed):
    return start_run(
        subject=Subject.of_study(study), analysis="preference_correlation", parameters={"permutations": 100}, seed=seed
    )


def done(run):
    return AnalysisRun.objects.get(pk=run.pk).state in AnalysisRun.FINAL


def test_a_job_waits_for_a_worker_of_its_queue_while_others_are_done(workers, monkeypatch):
    study = answered_study(systems=4, instances=8).study
    monkeypatch.setattr(AnalysisRun, "queue", "apart")
    apart = start(study, seed=1)
    # As if it had been called for a moment ago, for as long as this test may take: in the workers, the model is that of
    # every day, whose jobs they would call for in the default queue.
    AnalysisRun.objects.filter(pk=apart.pk).update(rung_at=timezone.now() + timedelta(hours=1))
    monkeypatch.setattr(AnalysisRun, "queue", "celery")
    ordinary = workers("celery")
    after = start(study, seed=2)
    wait_until(lambda: done(after), seconds=120)
    assert AnalysisRun.objects.get(pk=apart.pk).state == JobState.QUEUED, "it was called for first"

    alone = workers("apart")
    assert sorted(queues_taken()) == ["apart", "celery"]
    wait_until(lambda: done(apart), seconds=120)
    for run, worker in ((apart, alone), (after, ordinary)):
        assert AnalysisRun.objects.get(pk=run.pk).state == JobState.SUCCEEDED
        (line,) = run.lines.filter(text__startswith="Started by worker")
        assert int(re.search(r":(\d+),", line.text).group(1)) in processes_of(worker)
