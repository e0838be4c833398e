"""`make check`: everything that can be checked about the code without running it."""

import os
import secrets
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

from hlvstudy.program.steps import say

from .prepare import ROOT, environment, npm_packages, python_packages

# Each check and its shell command; the longest first, because they run in parallel.
CHECKS = {
    "mypy: types": "mypy hlvstudy annotations metaeval tests",
    "Biome and tsc: the pages": "cd frontend && npm run check",
    "translations are complete and faithful": "cd frontend && npm run messages:check",
    "migrations are complete": "python manage.py makemigrations --check --dry-run",
    "settings are fit to deploy": "python manage.py check --deploy --fail-level WARNING",
    "OpenAPI schema is valid and up to date (else: make schema)": (
        "python manage.py spectacular --format openapi-json --validate --fail-on-warn --file $HLV_STATE/openapi.json"
        " && cmp $HLV_STATE/openapi.json frontend/openapi.json"
    ),
    "types of the API are up to date (else: make schema)": (
        "cd frontend && node node_modules/openapi-typescript/bin/cli.js openapi.json -o $HLV_STATE/schema.d.ts"
        " && cmp $HLV_STATE/schema.d.ts src/api/schema.d.ts"
    ),
    "the reference is up to date (else: make reference)": "python manage.py write_reference --check",
    "import-linter: imports run one way": "lint-imports",
    "ruff: lint": "ruff check .",
    "ruff: format": "ruff format --check .",
}


def main(_: list[str]) -> int:
    python_packages(dev=True)
    npm_packages()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = dict(zip(CHECKS, pool.map(holds, CHECKS), strict=True))
    failed = [name for name, good in found.items() if not good]
    say("All checks passed." if not failed else f"{len(failed)} failed: {'; '.join(failed)}")
    return 1 if failed else 0


def holds(name: str) -> bool:
    """Run one check; its output is shown if it fails."""
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            ["sh", "-c", CHECKS[name]],
            cwd=ROOT,
            env=as_deployed(folder),
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
    took = f"({time.monotonic() - started:.1f} s)"
    say(f"  FAILED  {name} {took}\n{done.stdout}" if done.returncode else f"  ok      {name} {took}")
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
    )
