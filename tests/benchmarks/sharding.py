"""One long run of the demo study, done by one worker and by two: 10,000,000 permutations, nested bootstrap 10,000.

    python -m tests.benchmarks.sharding [--permutations 10000000] [--resamples 10000] [--rounds 3]

A fresh database gets the demo; real workers of one process each take their runs from the embedded broker (or the one of
the environment). The same question is asked again and again: every answer must have the same digits. Time is the
run's own, from its start to its end; processor time is the largest of any worker's, which tells how evenly the work
was shared even while the machine does other things. At last the run is cancelled in the middle, and then asked once
more while one of the two workers is killed with SIGKILL.
"""

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import django
from django.test.utils import setup_databases, setup_test_environment, teardown_databases

from ._timing import duration, machine

ROOT = Path(__file__).resolve().parents[2]
TARGET = 0.6
CANCELLED_WITHIN = 2.0
LEAST_STEPS = 3
Worker = subprocess.Popen[bytes]
TICKS = os.sysconf("SC_CLK_TCK")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--permutations", type=int, default=10_000_000)
    parser.add_argument("--resamples", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()
    setup_test_environment()
    databases = setup_databases(verbosity=0, interactive=False)
    folder = tempfile.mkdtemp(prefix="hlvstudy-sharding-")
    workers: list[Worker] = []
    try:
        from annotations.simulating.demo.loading import load_demo
        from tests.conftest import start_worker

        study = load_demo().study
        asked = {"permutations": options.permutations, "resamples": options.resamples}
        workers.append(start_worker(Path(folder), name="first", processes=1))
        answers = [ask(study, asked, workers)]  # compiles, imports, fills caches
        one = [ask(study, asked, workers) for _ in range(options.rounds)]
        workers.append(start_worker(Path(folder), name="second", processes=1))
        answers.append(ask(study, asked, workers))
        two = [ask(study, asked, workers) for _ in range(options.rounds)]
        stopped = cancel_in_the_middle(study, asked)
        answers += [*one, *two, ask(study, asked, workers, kill=workers[1])]
    finally:
        for worker in workers:
            worker.terminate()
        for worker in workers:
            worker.wait()
        teardown_databases(databases, verbosity=0)
    return tell(asked, one, two, stopped, equal=len({answer.digits for answer in answers}) == 1, count=len(answers))


@dataclass(frozen=True)
class Answer:
    """Seconds of the run, the most processor seconds of any worker, the result's digits, and how many different values
    of its progress were seen on the way."""

    seconds: float
    busiest: float
    digits: str
    steps: int


def started(study: object, asked: dict[str, int]) -> Any:
    """The question as a run that waits for a worker."""
    from metaeval.analyses.inputs.gathering import Subject
    from metaeval.jobs.runs import start_run

    return start_run(
        subject=Subject.of_study(study),  # imported only once Django is set up
        analysis="preference_correlation",
        parameters=asked,
        seed=1,
        rerun=True,
    )


def ask(study: object, asked: dict[str, int], workers: list[Worker], *, kill: Worker | None = None) -> Answer:
    """The answer to the question; `kill` is killed when it is at work, with its pool."""
    from metaeval.jobs.models import AnalysisRun

    before = [processor_seconds(worker) for worker in workers]
    run = started(study, asked)
    seen = set()
    while (found := AnalysisRun.objects.defer(None).get(pk=run.pk)).finished_at is None:
        seen.add(found.progress_done)
        if kill is not None and found.progress_total and found.progress_done > 0.3 * found.progress_total:
            for pid in (kill.pid, *pool(kill)):
                os.kill(pid, signal.SIGKILL)
            kill = None
        time.sleep(0.05)
    if found.state != "succeeded" or found.started_at is None:
        raise RuntimeError(found.error + found.error_detail)
    if kill is not None:
        raise RuntimeError("the run ended before a worker could be killed; ask for more permutations")
    alive = [worker for worker in workers if worker.poll() is None]
    spent = [processor_seconds(worker) - earlier for worker, earlier in zip(alive, before, strict=False)]
    took = (found.finished_at - found.started_at).total_seconds()
    return Answer(took, max(spent), json.dumps(found.result, sort_keys=True), len(seen))


def cancel_in_the_middle(study: object, asked: dict[str, int]) -> float:
    """Seconds from the cancellation until the run has ended and nobody works on it any more."""
    from metaeval.jobs.models import AnalysisRun, AnalysisShard
    from metaeval.jobs.runs import cancel_run

    run = started(study, asked)
    while not AnalysisShard.objects.filter(run=run, state="succeeded").exists():
        if AnalysisRun.objects.get(pk=run.pk).finished_at is not None:
            raise RuntimeError("the run ended before it could be cancelled; ask for more permutations")
        time.sleep(0.02)
    began = time.monotonic()
    cancel_run(run=AnalysisRun.objects.get(pk=run.pk))
    while AnalysisRun.objects.get(pk=run.pk).finished_at is None or AnalysisShard.objects.filter(run=run).exists():
        time.sleep(0.02)
    return time.monotonic() - began


def pool(worker: Worker) -> list[int]:
    """The processes that do the worker's work."""
    ask_ps = ["ps", "-o", "pid=", "--ppid", str(worker.pid)]
    return [int(pid) for pid in subprocess.run(ask_ps, capture_output=True, text=True, check=False).stdout.split()]


def processor_seconds(worker: Worker) -> float:
    """Seconds that the worker's processes have used so far."""
    total = 0
    for pid in (worker.pid, *pool(worker)):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        total += int(fields[11]) + int(fields[12])
    return total / TICKS


def tell(
    asked: dict[str, int], one: list[Answer], two: list[Answer], stopped: float, *, equal: bool, count: int
) -> int:
    """The table; 1 when a target is missed or any digit differs."""
    print(f"\nA long run shared by two workers\n{machine()}\n")
    question = ", ".join(f"{value:,} {name}" for name, value in asked.items())
    print(f"Demo study, {question}; one process a worker.\n")
    print("| measured | one worker | two workers | share | at most | rounds |\n|---|---:|---:|---:|---:|---:|")
    missed = False
    for field, name in (("seconds", "time of the run"), ("busiest", "processor time of the busier worker")):
        alone, shared = (statistics.median(float(getattr(answer, field)) for answer in runs) for runs in (one, two))
        share = shared / alone
        missed = missed or share > TARGET
        mark = " MISSED" if share > TARGET else ""
        print(f"| {name} | {duration(alone)} | {duration(shared)} | {share:.2f} | {TARGET}{mark} | {len(one)} |")
    late = stopped > CANCELLED_WITHIN
    print(f"\nAll {count} results are {'equal to the last digit' if equal else 'NOT EQUAL'}.")
    print("During the last of them one of the two workers was killed in the middle (SIGKILL).")
    mark = f"at most {CANCELLED_WITHIN:g} s{', MISSED' if late else ''}"
    print(f"\nCancelled in the middle, two workers stopped within {duration(stopped)} ({mark}).")
    steps = min(answer.steps for answer in (*one, *two))
    print(f"\nIts progress had at least {steps} different values, looked at 20 times a second.")
    print(f"Load of the machine over the last minute: {os.getloadavg()[0]:.1f}")
    return 1 if missed or late or not equal or steps < LEAST_STEPS else 0


if __name__ == "__main__":
    sys.exit(main())
