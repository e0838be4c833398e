"""Runs that real workers share: the same digits for one worker, for two, and when one is killed in the middle."""

import json
import os
import re
import signal
import subprocess

import pytest

from annotations.models import JobState, WorkerHeartbeat
from metaeval.analyses.inputs.gathering import Subject
from metaeval.jobs.models import AnalysisRun, AnalysisShard
from metaeval.jobs.runs import cancel_run, compute, start_run
from tests.conftest import launch_worker, wait_for_worker, wait_until
from tests.metaeval.studies import answered_study

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.long]

LONG = {
    "permutations": 2_000_000,
    "coefficients": ["kendall"],
    "resamples": 10_000,
    "exchangeable": "systems",
    "interval": "bca",
    "paired": "exchange systems",
}
"""Seconds of one core: long enough to be shared out, stopped and killed."""

PLANS = {"permutations", "bootstrap", "exchanges", "sensitivity", "shown x all"}

TIME = 240


@pytest.fixture
def study(transactional_db):
    return answered_study(systems=26, instances=78).study


@pytest.fixture
def workers(tmp_path):
    """Starts workers of one process each; stops what is left of them."""
    running = []

    def start(count):
        fresh = [launch_worker(tmp_path, name=f"worker{len(running) + turn}", processes=1) for turn in range(count)]
        running.extend(fresh)
        for process in fresh:
            wait_for_worker(process, tmp_path / f"worker{running.index(process)}.log")
        return running

    yield start
    for process in running:
        process.terminate()
    for process in running:
        try:
            process.wait(timeout=20)
        except Exception:
            process.kill()
            process.wait()


def start(study, **options):
    subject = Subject.of_study(study)
    return start_run(subject=subject, analysis="preference_correlation", parameters=LONG, seed=7, **options)


def state_of(run):
    return AnalysisRun.objects.get(pk=run.pk).state


def result_of(run):
    found = AnalysisRun.objects.defer(None).get(pk=run.pk)
    assert found.state == JobState.SUCCEEDED, found.error + found.error_detail
    return json.dumps(found.result, sort_keys=True)  # PostgreSQL keeps no order of keys


_alone = {}


@pytest.fixture
def expected(study):
    """What one process computes alone: once, since every test makes the same study."""
    if not _alone:
        subject = Subject.of_study(study)
        _alone["result"] = compute(
            subject=subject, analysis="preference_correlation", parameters=LONG, seed=7, progress=lambda *_: None
        )
    return json.dumps(_alone["result"], sort_keys=True)


def finish(run):
    wait_until(lambda: state_of(run) in AnalysisRun.FINAL, seconds=TIME)


def shared_out(run, *, done=2):
    """Waits until shards are there, some of them done."""
    wait_until(
        lambda: (
            AnalysisShard.objects.filter(run=run, state=JobState.SUCCEEDED).count() >= done
            or state_of(run) in AnalysisRun.FINAL
        ),
        seconds=TIME,
    )
    assert state_of(run) == JobState.RUNNING


def both_at_work(run):
    """Waits until two shards are being done at the same time."""
    wait_until(
        lambda: (
            AnalysisShard.objects.filter(run=run, state=JobState.RUNNING).count() == 2
            or state_of(run) in AnalysisRun.FINAL
        ),
        seconds=TIME,
        every=0.02,
    )
    assert state_of(run) == JobState.RUNNING, "two workers were never seen at work together"


def test_one_worker_two_workers_and_this_process_give_the_same_digits(study, workers, expected):
    workers(1)
    by_one = start(study)
    finish(by_one)
    assert result_of(by_one) == expected
    workers(1)
    by_two = start(study, rerun=True)
    both_at_work(by_two)
    finish(by_two)
    assert result_of(by_two) == expected
    wait_until(lambda: not AnalysisShard.objects.exists())  # gone a moment after the run has ended


@pytest.mark.parametrize("who", ["coordinator", "helper"])
def test_killing_a_worker_in_the_middle_changes_nothing_but_time(study, workers, expected, who):
    both = workers(2)
    run = start(study)
    both_at_work(run)
    assert set(AnalysisShard.objects.filter(run=run).values_list("plan", flat=True)) == PLANS
    taken_up = run.lines.get(text__startswith="Started by worker").text
    pid = int(re.search(r":(\d+),", taken_up).group(1))
    (coordinator,) = [worker for worker in both if pid in processes_of(worker)]
    (helper,) = [worker for worker in both if worker is not coordinator]
    kill_all(coordinator if who == "coordinator" else helper)
    finish(run)
    assert result_of(run) == expected
    attempts = run.lines.filter(text__startswith="Started by worker").count()
    assert attempts == (2 if who == "coordinator" else 1)
    wait_until(lambda: not AnalysisShard.objects.exists())  # gone a moment after the run has ended


def test_a_cancelled_run_stops_before_its_end_whoever_works_on_it(study, workers):
    """How quickly is measured by the benchmark of sharing, since this machine also runs other tests."""
    workers(2)
    run = start(study)
    shared_out(run)
    cancel_run(run=AnalysisRun.objects.get(pk=run.pk))
    wait_until(lambda: state_of(run) == JobState.CANCELLED)
    wait_until(lambda: not AnalysisShard.objects.exists())
    stopped = AnalysisRun.objects.get(pk=run.pk)
    assert stopped.progress_done < stopped.progress_total


def processes_of(worker):
    """The worker's pool."""
    ask = ["ps", "-o", "pid=", "--ppid", str(worker.pid)]
    return [int(pid) for pid in subprocess.run(ask, capture_output=True, text=True, check=False).stdout.split()]


def kill_all(worker):
    """SIGKILL to a worker and its pool, at once."""
    for pid in (worker.pid, *processes_of(worker)):
        os.kill(pid, signal.SIGKILL)
    worker.wait()
    WorkerHeartbeat.objects.filter(name__endswith=f":{worker.pid}").delete()
