"""`make test`: everything that a change can break by itself, on SQLite; and on PostgreSQL and Redis, if they are there,
what SQL can change of it. `make test-long`: the same promises in the real world, and everything that uses a database
on PostgreSQL.

Each database gets a run of pytest, which pytest-xdist distributes among processes file by file. tests/tiers.py says
what belongs where.
"""

import fcntl
import json
import os
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from hlvstudy.program.steps import say

from . import budget
from .prepare import (
    FRONTEND,
    PYTHON,
    ROOT,
    STATE,
    environment,
    keep_training_packages,
    pages,
    python_packages,
    run_step,
    shared_cache,
    translations,
)

POSTGRES_URL = os.environ.get("TEST_DATABASE_URL", "postgres://postgres@127.0.0.1:5432/postgres")
REDIS_URL = os.environ.get("TEST_BROKER_URL", "redis://127.0.0.1:6379/9")
# One more than there are cores, because a test that waits for a browser or a worker leaves its core free. Each has
# its own Redis database, from the ninth of sixteen on.
PROCESSES = min((os.cpu_count() or 1) + 1, 6)
PROCESSES_OF_LONG = PROCESSES + 1
"""Its tests wait longer for others: with as many as above, a third of the machine was idle."""
# The processes share the cores. If each matrix product also uses all cores, their threads wait for one another: a fit
# of four seconds took a minute.
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
# Hypothesis tries the same examples each time, here as in CI, so that unchanged code never fails. `make search` tries
# others.
PYTEST = [str(PYTHON), "-m", "pytest", "-q", "--hypothesis-profile=ci", "-p", "tests.records"]
# A process that a test ends is not replaced: pytest-xdist 3.8 would then wait for ever (its issues 1323 and 1327, which
# were mended after that release).
SHARED_OUT = ["--dist", "loadfile", "--no-loadscope-reorder", "--max-worker-restart", "0"]
IN_CI = os.environ.get("CI") == "true"
DEADLINE = float(os.environ.get("HLV_DEADLINE", "inf"))
"""When CI must end, in seconds since 1970 (.ci/run)."""
BOTH_SECONDS = 55 * 60
"""What both runs of the long tier may take. With less left, CI's machine takes nearly twice as long as usual."""
SECOND_TRIES = 4 * 60
"""The seconds that runs leave for what failed in them."""
DEAREST = 10
SECONDS_TO_END = 30


@dataclass(frozen=True)
class Suite:
    """One run of pytest: where it runs, what it takes of all tests (an expression of marks), how many processes share
    them, and its environment."""

    where: str
    marks: str
    processes: int
    env: dict[str, str] = field(default_factory=dict)


@dataclass
class Ran:
    """What a run of pytest leaves behind. `failures` has the first of each file."""

    code: int
    costs: dict[str, float] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)
    not_begun: list[str] = field(default_factory=list)
    out_of_time: bool = False


def main(arguments: list[str]) -> int:
    """`make test`: the last lines say what ran where, and what it cost. Arguments go to pytest."""
    prepared()
    costs: dict[str, float] = {}
    chosen = suites("not long", "sql and not long", processes=PROCESSES)
    with budget.Meter() as meter:
        results = [("the pages' unit tests", run_pages())]
        for suite in chosen:
            ran = run(suite, arguments)
            results.append((suite.where, ran.code))
            costs |= {f"{file} ({suite.where})": seconds for file, seconds in ran.costs.items()}
        say_dearest(costs)
        exceeded = budget.judge(*meter.read(), whole=not arguments and len(chosen) > 1)
    if exceeded and IN_CI:
        results.append(("the suite's own budget", 1))
    return conclude(results, chosen)


def main_long(arguments: list[str]) -> int:
    """`make test-long`: a file that fails is run once more alone, and called unsteady if it then passes. Where CI has
    not the time for both databases, each test runs on one: in `make test`, or on PostgreSQL if it uses a database. What
    even that leaves no time for is printed there, and is no failure; on a machine of the usual speed it is.
    """
    prepared()
    has_time = DEADLINE - time.time() >= BOTH_SECONDS
    if not has_time:
        say(f"Less than {BOTH_SECONDS // 60} minutes are left: no test runs on a second database.")
    results: list[tuple[str, int]] = []
    costs: dict[str, float] = {}
    unsteady: dict[str, str] = {}
    marks = ("long", "database and (long or not sql)") if has_time else ("long and not database", "database and long")
    chosen = suites(*marks, processes=PROCESSES_OF_LONG)
    for suite in chosen:
        ran = run(suite, arguments)
        costs |= {f"{file} ({suite.where})": seconds for file, seconds in ran.costs.items()}
        if ran.code and ran.failures:
            again = {file: run(suite, [*options(arguments), file], alone=True).code for file in ran.failures}
            unsteady |= {f"{file} ({suite.where})": ran.failures[file] for file, code in again.items() if not code}
            ran.code = max(again.values()) or (1 if ran.not_begun and has_time else 0)
        elif ran.out_of_time and not has_time:
            ran.code = 0
        results.append((suite.where, ran.code))
    say_dearest(costs)
    for file, why in unsteady.items():
        say(f"\nUNSTEADY: {file} failed, and passed when it ran again alone. Mend it, or take it out. It said:\n{why}")
    return conclude(results, chosen)


def prepared() -> None:
    """Everything that tests need is installed and built."""
    python_packages(dev=True)
    keep_training_packages()
    translations()
    pages()
    with alone_on_this_machine():
        run_step("Compiling the loops", [PYTHON, "-m", "metaeval.loops"])


@contextmanager
def alone_on_this_machine() -> Iterator[None]:
    """Two checkouts do not write what they compile into one cache at the same time."""
    shared = shared_cache() or STATE
    shared.mkdir(parents=True, exist_ok=True)
    with (shared / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def conclude(results: list[tuple[str, int]], chosen: list[Suite]) -> int:
    """Say what ran, and give the exit code."""
    say("\nWhat ran:")
    for where, code in results:
        say(f"  {'passed' if code == 0 else 'FAILED'}  {where}")
    if len(chosen) == 1:
        say(f"  not run: PostgreSQL (nothing answers at {POSTGRES_URL}; set TEST_DATABASE_URL)")
        if IN_CI:
            say("  FAILED  In CI the suite must run on PostgreSQL, too.")
            return 1
    return max(code for _, code in results)


def suites(on_sqlite: str, on_postgresql: str, *, processes: int) -> list[Suite]:
    """The runs of a tier, from what each database is given."""
    chosen = [Suite("SQLite, embedded broker", on_sqlite, processes)]
    if answers(POSTGRES_URL, 5432):
        redis = {"CELERY_BROKER_URL": REDIS_URL} if answers(REDIS_URL, 6379) else {}
        where = "PostgreSQL, Redis" if redis else "PostgreSQL, embedded broker (no Redis here)"
        chosen.append(Suite(where, on_postgresql, processes, {"DATABASE_URL": POSTGRES_URL, **redis}))
    return chosen


def answers(url: str, port: int) -> bool:
    parts = urlsplit(url)
    try:
        with socket.create_connection((parts.hostname or "127.0.0.1", parts.port or port), timeout=2):
            return True
    except OSError:
        return False


def run_pages() -> int:
    say("\n== Tests: the pages' unit tests")
    return finished(["npm", "test"], FRONTEND, environment(), until=DEADLINE)


def run(suite: Suite, arguments: list[str], *, alone: bool = False) -> Ran:
    """Run a suite, with only its own database and broker."""
    say(f"\n== Tests: {suite.where}{f' (again, alone): {arguments[-1]}' if alone else ''}")
    started = time.monotonic()
    kept = {key: value for key, value in environment().items() if key not in {"DATABASE_URL", "CELERY_BROKER_URL"}}
    with tempfile.TemporaryDirectory() as folder:
        records = Path(folder, "records.jsonl")
        shared = ["-n", str(0 if alone else suite.processes), *SHARED_OUT]
        places = arguments or (["tests"] if suite.env else [])  # examples in docstrings need no database
        command = [*PYTEST, *shared, "--records", str(records), "-m", suite.marks, *places]
        until = DEADLINE - (0 if alone else SECOND_TRIES)
        ran = read(records, finished(command, ROOT, {**kept, **ONE_THREAD, **suite.env}, until=until))
    ran.out_of_time = time.time() >= until
    say(f"   {time.monotonic() - started:.0f} s: {suite.where}")
    if ran.not_begun:
        why = "CI has no time left. " if ran.out_of_time else ""
        say(f"{why}Not begun ({suite.where}):\n  " + "\n  ".join(ran.not_begun))
    return ran


def finished(command: list[str], cwd: Path, env: dict[str, str], *, until: float) -> int:
    """The exit code of a command, which is interrupted when CI has no time left."""
    if time.time() >= until:
        say("CI has no time left: not begun.")
        return 1
    process = subprocess.Popen(command, cwd=cwd, env=env)
    try:
        return process.wait(until - time.time())
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)  # so that pytest ends what its tests started
    try:
        process.wait(SECONDS_TO_END)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    return 1


def read(records: Path, code: int) -> Ran:
    """What tests/records.py noted down."""
    ran = Ran(code)
    files, begun = dict[str, None](), set()
    for line in records.read_text(encoding="utf-8").splitlines() if records.exists() else ():
        match json.loads(line):
            case {"files": collected}:
                files |= dict.fromkeys(collected)
            case {"begun": file}:
                begun.add(file)
            case {"failed": file, "test": test, "why": why}:
                ran.failures.setdefault(file, f"{test}\n{why}")
            case {"costs": costs}:
                for file, seconds in costs.items():
                    ran.costs[file] = ran.costs.get(file, 0) + seconds
    ran.not_begun = [file for file in files if file not in begun]
    return ran


def options(arguments: list[str]) -> list[str]:
    """Arguments without the places where tests are: those that a file which is run again must also have."""
    return [argument for argument in arguments if not (ROOT / argument.partition("::")[0]).exists()]


def say_dearest(costs: dict[str, float]) -> None:
    say(f"\nThe {DEAREST} dearest files, in processor seconds:")
    for file in sorted(costs, key=costs.__getitem__, reverse=True)[:DEAREST]:
        say(f"  {costs[file]:6.1f}  {file}")
