"""`make test`: every test on SQLite; on PostgreSQL and Redis, if they are there, all that a database can change."""

import os
import shutil
import socket
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

from .prepare import PYTHON, ROOT, environment, pages, python_packages, say, translations

POSTGRES_URL = os.environ.get("TEST_DATABASE_URL", "postgres://postgres@127.0.0.1:5432/postgres")
BROWSER, COLLECTING, JUDGING = "tests/browser", "tests/annotations", "tests/metaeval"
PACKAGES = ("annotations", "metaeval", "hlvstudy")
# What no database can change runs on SQLite only: the library, the tools, the analyses (they read arrays), how
# the pages look and read. Of the browser's tests those run on both in which requests are cut off or the server dies.
ON_BOTH = ("faults/test_connection.py", "faults/test_server.py")
ONCE = ["tests/metaeval/metrics", "tests/metaeval/stats", "tests/metaeval/analyses", "tests/metaeval/figures",
        "tests/metaeval/documents/test_report.py", "tests/hlvstudy/tooling",
        "tests/test_earlier_versions.py"]  # fmt: skip
# So do the whole ways of the documentation: what they import, answer and compute has tests of its own on both.
DOCUMENTED = ("test_docs.py", "test_readme.py", "metaeval/test_[!m]*.py", "metaeval/test_mt*.py")
# And so do properties: each is tried on dozens of examples, and what a use case does has examples of its own on both.
ON_EVERY_DATABASE = "not slow and not hypothesis"
REDIS_URL = os.environ.get("TEST_BROKER_URL", "redis://127.0.0.1:6379/9")


def main(arguments: list[str]) -> int:
    """Run every test; the last lines say what ran where. Arguments go to pytest.

    The suites meet nowhere, so they run side by side; what all but the first print comes when they have ended.
    """
    python_packages(dev=True)
    translations()
    pages()
    postgres, redis = reachable(POSTGRES_URL, 5432), reachable(REDIS_URL, 6379)
    suites = suites_of(arguments, postgres=postgres, redis=redis)
    with ThreadPoolExecutor(max_workers=len(suites) + 1) as pool:
        ended = {
            where: pool.submit(run_suite, where, chosen, env, quiet=place > 0)
            for place, (where, chosen, env) in enumerate(suites)
        }
        ended["the pages' unit tests"] = pool.submit(run_page_tests)
        results = [(where, one.result()) for where, one in ended.items()]
    if not postgres and os.environ.get("CI") == "true":
        say(f"In CI the suite must run on PostgreSQL too, and nothing answers at {POSTGRES_URL}.")
        results.append(("PostgreSQL", 1))
    say("\nWhat ran:")
    for where, code in results:
        say(f"  {'passed' if code == 0 else 'FAILED'}  {where}")
    if not postgres:
        say(f"  not run: PostgreSQL (nothing answers at {POSTGRES_URL}; set TEST_DATABASE_URL)")
    return max(code for _, code in results)


def suites_of(arguments: list[str], *, postgres: bool, redis: bool) -> list[tuple[str, list[str], dict[str, str]]]:
    """What runs side by side: where, with which arguments of pytest, and in which environment.

    On SQLite they are two of about the same length; those in the browser wait more than they compute.
    """
    first = "SQLite, embedded broker"
    if arguments:
        suites: list[tuple[str, list[str], dict[str, str]]] = [(first, arguments, {})]
    else:
        suites = [
            (first, [COLLECTING, JUDGING, *PACKAGES], {}),
            (f"{first}, pages and tools", ["tests", f"--ignore={COLLECTING}", f"--ignore={JUDGING}"], {}),
        ]
    if postgres:
        where = "PostgreSQL, Redis" if redis else "PostgreSQL, embedded broker (no Redis here)"
        env = {"DATABASE_URL": POSTGRES_URL, **({"CELERY_BROKER_URL": REDIS_URL} if redis else {})}
        suites.append(
            (where, arguments or ["tests", "-m", ON_EVERY_DATABASE, *(f"--ignore={path}" for path in once())], env)
        )
    return suites


def once() -> list[str]:
    """The paths that the suite on PostgreSQL leaves out."""
    kept = {ROOT / BROWSER / name for name in ON_BOTH}
    pages_only = (path for path in sorted((ROOT / BROWSER).glob("**/test_*.py")) if path not in kept)
    documented = (path for pattern in DOCUMENTED for path in sorted((ROOT / "tests").glob(pattern)))
    return [*ONCE, *(path.relative_to(ROOT).as_posix() for path in (*pages_only, *documented))]


def reachable(url: str, port: int) -> bool:
    parts = urlsplit(url)
    try:
        with socket.create_connection((parts.hostname or "127.0.0.1", parts.port or port), timeout=2):
            return True
    except OSError:
        return False


def run_suite(where: str, arguments: list[str], more: dict[str, str], *, quiet: bool = False) -> int:
    """Run pytest on one database. `quiet` keeps what it prints until it has ended."""
    started = time.monotonic()
    if not quiet:
        say(f"\n== Tests on {where}")
    # A folder of its own: two runs side by side must not meet in one test database or broker.
    with tempfile.TemporaryDirectory(prefix="hlvstudy-tests-") as state:
        kept = {key: value for key, value in environment().items() if key not in {"DATABASE_URL", "CELERY_BROKER_URL"}}
        env = {**kept, "HLV_STATE": state, "STATIC_ROOT": f"{state}/static", **more}
        command = [str(PYTHON), "-m", "pytest", "-q", "--durations=10", *arguments]
        done = subprocess.run(
            command,
            cwd=ROOT,
            env=env,
            check=False,
            text=True,
            stdout=subprocess.PIPE if quiet else None,
            stderr=subprocess.STDOUT if quiet else None,
        )
    if quiet:
        say(f"\n== Tests on {where}\n{done.stdout}")
    say(f"   {time.monotonic() - started:.0f} s on {where}")
    return done.returncode


def run_page_tests() -> int:
    """Vitest; what it prints comes in one piece."""
    command = ["npm", "test"]
    done = subprocess.run(
        command,
        cwd=ROOT / "frontend",
        env=environment(),
        check=False,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    say(f"\n== The pages' unit tests\n{done.stdout}")
    return done.returncode


def bench(arguments: list[str]) -> int:
    """`make bench`: every benchmark prints its table; see tests/benchmarks."""
    python_packages(dev=True)
    translations()
    pages()
    names = arguments or sorted(
        path.stem for path in (ROOT / "tests" / "benchmarks").glob("*.py") if not path.stem.startswith("_")
    )
    code = 0
    for name in names:
        say(f"\n== {name}")
        state = tempfile.mkdtemp(prefix="hlvstudy-bench-")
        try:
            env = environment(DJANGO_SETTINGS_MODULE="tests.settings", HLV_STATE=state)
            command = [str(PYTHON), "-m", f"tests.benchmarks.{name}"]
            code = max(code, subprocess.run(command, cwd=ROOT, env=env, check=False).returncode)
        finally:
            shutil.rmtree(state, ignore_errors=True)
    return code


def pictures(_: list[str]) -> int:
    """`make pictures`: every state of an expert's pages, as the documentation shows them (docs/images)."""
    python_packages(dev=True)
    translations()
    pages()
    return run_suite("the machine's Chromium", ["tests/browser/pictures.py", "-p", "no:cacheprovider"], {})
