"""One long run of the demo study, done by one worker and by two: 10,000,000 permutations, nested bootstrap 10,000.

    python -m tests.benchmarks.sharding [--permutations 10000000] [--rounds 3]

A fresh database gets the demo; real workers of one process each take their runs from the embedded broker (or the one of
the environment). The same question is asked again and again: every answer must have the same digits. Time is the
run's own, from its start to its end; processor time is the largest of any worker's, which tells how evenly the work
was shared even while the machine does other things.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import django
from django.test.utils import setup_databases, setup_test_environment, teardown_databases

from ._timing import duration, machine

ROOT = Path(__file__).resolve().parents[2]
TARGET = 0.6
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
    workers: list[subprocess.Popen[bytes]] = []
    try:
        from annotations.demo.loading import load_demo
        from tests.conftest import start_worker

        study = load_demo().study
        asked = parameters(options.permutations, options.resamples)
        one, two = [], []
        workers.append(start_worker(Path(folder), name="first", processes=1))
        answers = [ask(study, asked, workers)]  # compiles, imports, fills caches
        one = [ask(study, asked, workers) for _ in range(options.rounds)]
        workers.append(start_worker(Path(folder), name="second", processes=1))
        answers.append(ask(study, asked, workers))
        two = [ask(study, asked, workers) for _ in range(options.rounds)]
        answers += one + two
    finally:
        for worker in workers:
            worker.terminate()
        for worker in workers:
            worker.wait()
        teardown_databases(databases, verbosity=0)
    return tell(asked, one, two, equal=len({answer[2] for answer in answers}) == 1)


def parameters(permutations: int, resamples: int) -> dict[str, int]:
    """As much of the question as the analysis can be asked today."""
    from metaeval.analyses.registry import analyses

    known = analyses.get("preference_correlation").parameters.model_fields
    wanted = {"permutations": permutations, "resamples": resamples}
    return {name: value for name, value in wanted.items() if name in known}


def ask(study: object, asked: dict[str, int], workers: list["subprocess.Popen[bytes]"]) -> tuple[float, float, str]:
    """Seconds of the run, the most processor seconds of any worker, and the result's digits."""
    from metaeval.analyses.inputs.gathering import Subject
    from metaeval.jobs.models import AnalysisRun
    from metaeval.jobs.running import start_run

    before = [processor_seconds(worker) for worker in workers]
    run = start_run(
        subject=Subject.of_study(study),  # type: ignore[arg-type]  # imported only once Django is set up
        analysis="preference_correlation",
        parameters=asked,
        seed=1,
        rerun=True,
    )
    while (found := AnalysisRun.objects.defer(None).get(pk=run.pk)).finished_at is None:
        time.sleep(0.05)
    if found.state != "succeeded" or found.started_at is None:
        raise RuntimeError(found.error + found.error_detail)
    spent = [processor_seconds(worker) - earlier for worker, earlier in zip(workers, before, strict=True)]
    took = (found.finished_at - found.started_at).total_seconds()
    return took, max(spent), json.dumps(found.result, sort_keys=True)


def processor_seconds(worker: "subprocess.Popen[bytes]") -> float:
    """Seconds that the worker's processes have used so far."""
    ask_ps = ["ps", "-o", "pid=", "--ppid", str(worker.pid)]
    listed = subprocess.run(ask_ps, capture_output=True, text=True, check=True).stdout.split()
    total = 0
    for pid in (str(worker.pid), *listed):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        total += int(fields[11]) + int(fields[12])
    return total / TICKS


def tell(
    asked: dict[str, int], one: list[tuple[float, float, str]], two: list[tuple[float, float, str]], *, equal: bool
) -> int:
    """The table; 1 when a target is missed or any digit differs."""
    print(f"\nA long run shared by two workers\n{machine()}\n")
    question = ", ".join(f"{value:,} {name}" for name, value in asked.items())
    print(f"Demo study, {question}; one process a worker.\n")
    print("| measured | one worker | two workers | share | at most | rounds |\n|---|---:|---:|---:|---:|---:|")
    missed = False
    for place, name in enumerate(("time of the run", "processor time of the busier worker")):
        alone, shared = (statistics.median(float(answer[place]) for answer in runs) for runs in (one, two))
        share = shared / alone
        missed = missed or share > TARGET
        mark = " MISSED" if share > TARGET else ""
        print(f"| {name} | {duration(alone)} | {duration(shared)} | {share:.2f} | {TARGET}{mark} | {len(one)} |")
    print(f"\nAll {len(one) + len(two) + 2} results are {'equal to the last digit' if equal else 'NOT EQUAL'}.")
    print(f"Load of the machine over the last minute: {os.getloadavg()[0]:.1f}")
    return 1 if missed or not equal else 0


if __name__ == "__main__":
    sys.exit(main())
