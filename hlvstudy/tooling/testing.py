"""`make test`: every test on SQLite and, if PostgreSQL and Redis are available, those on them that a database can
affect.

Each database gets a run of pytest, which pytest-xdist distributes among processes file by file. tests/once.py lists
what a database cannot affect.
"""

import os
import socket
import subprocess
import time
from pathlib import Path
from urllib.parse import urlsplit

from hlvstudy.program.steps import say

from .prepare import (
    FRONTEND,
    PYTHON,
    ROOT,
    environment,
    keep_training_packages,
    pages,
    python_packages,
    run_step,
    translations,
)

POSTGRES_URL = os.environ.get("TEST_DATABASE_URL", "postgres://postgres@127.0.0.1:5432/postgres")
REDIS_URL = os.environ.get("TEST_BROKER_URL", "redis://127.0.0.1:6379/9")
# One more than there are cores, because a test that waits for a browser or a worker leaves its core free. Each has
# its own Redis database, from the ninth of sixteen on.
PROCESSES = min((os.cpu_count() or 1) + 1, 7)
# The processes share the cores. If each matrix product also uses all cores, their threads wait for one another: a fit
# of four seconds took a minute.
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
# Hypothesis tries the same examples each time, here as in CI, so that unchanged code never fails. `make search` tries
# others.
PYTEST = [str(PYTHON), "-m", "pytest", "-q", "--durations=10", "--hypothesis-profile=ci"]
SHARED_OUT = ["-n", str(PROCESSES), "--dist", "loadfile", "--no-loadscope-reorder"]
ON_EVERY_DATABASE = ["tests", "-m", "not slow and not hypothesis and not once"]

Suite = tuple[str, list[str], dict[str, str]]


def main(arguments: list[str]) -> int:
    """Run every test; the last lines say what ran where. Arguments go to pytest."""
    python_packages(dev=True)
    keep_training_packages()
    translations()
    pages()
    run_step("Compiling the loops", [PYTHON, "-m", "tests.loops"])
    postgres, redis = answers(POSTGRES_URL, 5432), answers(REDIS_URL, 6379)
    results = [("the pages' unit tests", run("the pages' unit tests", ["npm", "test"], FRONTEND))]
    for where, chosen, env in suites(arguments, postgres=postgres, redis=redis):
        results.append((where, run(where, [*PYTEST, *SHARED_OUT, *chosen], ROOT, **ONE_THREAD, **env)))
    if not postgres and os.environ.get("CI") == "true":
        say(f"In CI the suite must run on PostgreSQL too, and nothing answers at {POSTGRES_URL}.")
        results.append(("PostgreSQL", 1))
    say("\nWhat ran:")
    for where, code in results:
        say(f"  {'passed' if code == 0 else 'FAILED'}  {where}")
    if not postgres:
        say(f"  not run: PostgreSQL (nothing answers at {POSTGRES_URL}; set TEST_DATABASE_URL)")
    return max(code for _, code in results)


def suites(arguments: list[str], *, postgres: bool, redis: bool) -> list[Suite]:
    """Where pytest runs, with which arguments and environment."""
    found: list[Suite] = [("SQLite, embedded broker", arguments, {})]
    if postgres:
        where = "PostgreSQL, Redis" if redis else "PostgreSQL, embedded broker (no Redis here)"
        env = {"DATABASE_URL": POSTGRES_URL, **({"CELERY_BROKER_URL": REDIS_URL} if redis else {})}
        found.append((where, arguments or ON_EVERY_DATABASE, env))
    return found


def answers(url: str, port: int) -> bool:
    parts = urlsplit(url)
    try:
        with socket.create_connection((parts.hostname or "127.0.0.1", parts.port or port), timeout=2):
            return True
    except OSError:
        return False


def run(what: str, command: list[str], cwd: Path, **more: str) -> int:
    """Run one suite, with only the given database and broker."""
    say(f"\n== Tests: {what}")
    started = time.monotonic()
    kept = {key: value for key, value in environment().items() if key not in {"DATABASE_URL", "CELERY_BROKER_URL"}}
    code = subprocess.run(command, cwd=cwd, env={**kept, **more}, check=False).returncode
    say(f"   {time.monotonic() - started:.0f} s: {what}")
    return code
