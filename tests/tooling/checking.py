"""`make check`: everything that can be checked about the code without running it; `make release-check`: more of it."""

import os
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from hlvstudy.program.steps import say

from .prepare import ROOT, STATE, digest, environment, npm_packages, python_packages, shared_cache

# Each check and its shell command; the longest first, because they run in parallel.
CHECKS = {
    "mypy: types": "mypy hlvstudy annotations metaeval tests",
    "the API's schema is valid, Biome and tsc: the pages": (
        "python tests/tooling/cli.py schema && cd frontend && npm run check"
    ),
    "translations are faithful": "cd frontend && npm run messages:check",
    "migrations are complete": "python manage.py makemigrations --check --dry-run",
    "settings are fit to deploy": "python manage.py check --deploy --fail-level WARNING",
    "the reference is up to date (else: make reference)": "python -m tests.lab.reference --check",
    "what went from the API is in the changelog": "python -m tests.tooling.api_changes",
    "import-linter: imports run one way": "lint-imports",
    "ruff: lint": "ruff check .",
    "ruff: format": "ruff format --check .",
}
OF_A_RELEASE = {"every sentence is translated": "cd frontend && npm run messages:complete"}
"""What somebody who knows neither German nor Arabic may leave to others."""
UNUSED_FOR = 7 * 24 * 3600
NOTE = "note: "
"""What a line begins with that is shown although the check passes."""


def main(_: list[str]) -> int:
    """`make check`."""
    return _run(CHECKS)


def release(_: list[str]) -> int:
    """`make release-check`."""
    return _run(CHECKS | OF_A_RELEASE)


def _run(checks: dict[str, str]) -> int:
    python_packages(dev=True)
    npm_packages()
    forget_types_of_other_packages()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = dict(zip(checks, pool.map(holds, checks, checks.values()), strict=True))
    failed = [name for name, good in found.items() if not good]
    say("All checks passed." if not failed else f"{len(failed)} failed: {'; '.join(failed)}")
    return 1 if failed else 0


def holds(name: str, command: str) -> bool:
    """Run one check; its output is shown if it fails, else its notes."""
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            ["sh", "-c", command],
            cwd=ROOT,
            env=as_deployed(folder),
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
    took = f"({time.monotonic() - started:.1f} s)"
    notes = "".join(f"\n          {line}" for line in done.stdout.splitlines() if line.startswith(NOTE))
    say(f"  FAILED  {name} {took}\n{done.stdout}" if done.returncode else f"  ok      {name} {took}{notes}")
    return done.returncode == 0


def as_deployed(folder: str) -> dict[str, str]:
    """An environment as on a real server, so that the deployment checks are meaningful."""
    return environment(
        DJANGO_SETTINGS_MODULE="hlvstudy.settings",
        SECRET_KEY=secrets.token_urlsafe(50),
        PUBLIC_URL="https://study.example.org",
        DEBUG="0",
        HLV_STATE=folder,
        MYPYPATH=str(ROOT),
        MYPY_CACHE_DIR=str(types_known()),
    )


def types_known() -> Path:
    """Where mypy keeps what it knows of the code: with the same packages and settings, what another checkout on this
    machine found out holds here, too, because mypy asks for the contents of files, not for where they are."""
    shared = shared_cache() or STATE
    pins = digest(ROOT / "constraints.txt", ROOT / "requirements-dev.txt", ROOT / "pyproject.toml")
    return shared / f"mypy-{sys.version_info.major}.{sys.version_info.minor}-{pins[:16]}"


def forget_types_of_other_packages() -> None:
    """Of checkouts with other packages, which nobody has checked for a week: a hundred megabytes each."""
    known = types_known()
    known.mkdir(parents=True, exist_ok=True)
    known.touch()
    for other in set(known.parent.glob("mypy-*")) - {known}:
        if time.time() - other.stat().st_mtime > UNUSED_FOR:
            shutil.rmtree(other, ignore_errors=True)
