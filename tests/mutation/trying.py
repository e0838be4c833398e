"""Try mutants: the processes that do it, side by side, and what they need."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .choosing import Reach, module_name
from .session import GRACE_SECONDS, SLOWER, WORK
from .targets import ROOT, Target

Say = Callable[[str], None]
OPTIONS = ["-q", "-p", "no:cacheprovider", "-p", "no:randomly", "--no-header", "--tb=short"]
TEMPLATE = "template.sqlite3"
MAKE_TEMPLATE = """
import os
import pathlib
import django
django.setup()
from tests.templates import copy_sqlite
copy_sqlite(pathlib.Path(os.environ["HLV_STATE"], "test.sqlite3"))
"""


@dataclass(frozen=True)
class Trial:
    """One mutant with its text before and after, and the tests to ask in order."""

    id: int
    path: Path
    before: str
    after: str
    tests: list[str]
    at_import: bool


@contextmanager
def state() -> Iterator[Path]:
    """A folder for one process and its children: database, files, results."""
    with tempfile.TemporaryDirectory(prefix="hlvstudy-mutants-") as folder:
        yield Path(folder)


def environment(folder: Path) -> dict[str, str]:
    """SQLite and the embedded broker, compiled loops off, one thread a process, the same order of sets each time."""
    kept = {key: value for key, value in os.environ.items() if key not in {"DATABASE_URL", "CELERY_BROKER_URL", "CI"}}
    threads = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "NUMBA")}
    return {
        **kept,
        **threads,
        "DJANGO_SETTINGS_MODULE": "tests.settings",
        "HLV_STATE": str(folder),
        "NUMBA_DISABLE_JIT": "1",
        "PYTHONHASHSEED": "0",
        WORK: str(folder / "work.json"),
    }


def make_template(folder: Path) -> Path:
    """A migrated, empty test database, to be copied."""
    subprocess.run([sys.executable, "-c", MAKE_TEMPLATE], cwd=ROOT, env=environment(folder), check=True)
    return (folder / "test.sqlite3").rename(folder / TEMPLATE)


def session(
    folder: Path, plugin: str, work: dict[str, Any], arguments: Sequence[str], timeout: float | None = None
) -> int:
    """Run pytest with one of the plugins; its exit code. What it prints stays in the folder."""
    (folder / "work.json").write_text(json.dumps({**work, "template": str(folder / TEMPLATE)}))
    command = [sys.executable, "-m", "pytest", "-p", f"tests.mutation.{plugin}", *OPTIONS, *arguments]
    with (folder / f"{plugin}.log").open("w") as log:
        done = subprocess.run(
            command,
            cwd=ROOT,
            env=environment(folder),
            stdout=log,
            stderr=subprocess.STDOUT,
            check=False,
            timeout=timeout,
        )
    return done.returncode


def find_reach(template: Path, files: Sequence[Path], target: Target, tests: Sequence[str], jobs: int) -> Reach:
    """Run every one of these tests once, without a mutant, in so many processes."""
    with ThreadPoolExecutor(max_workers=jobs) as pool:
        shares = pool.map(lambda share: _reach(template, files, target, tests, (share, jobs)), range(jobs))
    first, *others = shares
    return Reach([*first, *(one for share in others for one in share if one["test"])])


def _reach(
    template: Path, files: Sequence[Path], target: Target, tests: Sequence[str], share: tuple[int, int]
) -> list[dict[str, Any]]:
    with state() as folder:
        shutil.copyfile(template, folder / TEMPLATE)
        result = folder / "reach.jsonl"
        listed = [str(ROOT / path) for path in files]
        work = {"files": listed, "share": share, "longest": target.longest, "result": str(result)}
        session(folder, "reaching", work, tests)
        found = [json.loads(line) for line in result.read_text().splitlines()] if result.is_file() else []
        if len(found) < 2:
            raise RuntimeError((folder / "reaching.log").read_text()[-3000:])
        return found


def try_swapped(
    template: Path, trials: Sequence[Trial], reach: Reach, tests: Sequence[str], jobs: int
) -> dict[int, dict[str, Any]]:
    """Those inside functions: in so many processes, each of which collects the tests once and then only forks."""
    shares = [share for share in (trials[start::jobs] for start in range(jobs)) if share]
    with ThreadPoolExecutor(max_workers=jobs) as pool:
        results = pool.map(lambda share: _swapped(template, share, reach, tests), shares)
    return {place: answer for share in results for place, answer in share.items()}


def _swapped(template: Path, trials: Sequence[Trial], reach: Reach, tests: Sequence[str]) -> dict[int, dict[str, Any]]:
    with state() as folder:
        shutil.copyfile(template, folder / TEMPLATE)
        result = folder / "result.jsonl"
        mutants = [
            {"id": one.id, "path": str(ROOT / one.path), "before": one.before, "after": one.after, "tests": one.tests}
            for one in trials
        ]
        code = session(
            folder, "swapped", {"mutants": mutants, "tests": reach.seconds, "result": str(result)}, tests
        )  # fmt: skip
        answers = [json.loads(line) for line in result.read_text().splitlines()] if result.is_file() else []
        if len(answers) != len(trials):
            raise RuntimeError(f"pytest ended with {code}: {(folder / 'swapped.log').read_text()[-3000:]}")
        return {one.pop("id"): one for one in answers}


def try_imported(template: Path, trials: Sequence[Trial], reach: Reach, jobs: int) -> dict[int, dict[str, Any]]:
    """Those that run at import: a process for each."""
    with ThreadPoolExecutor(max_workers=jobs) as pool:
        answers = pool.map(lambda trial: _imported(template, trial, reach), trials)
    return {trial.id: answer for trial, answer in zip(trials, answers, strict=True)}


def _imported(template: Path, trial: Trial, reach: Reach) -> dict[str, Any]:
    with state() as folder:
        shutil.copyfile(template, folder / TEMPLATE)
        result = folder / "result.json"
        seconds = {name: reach.seconds[name] for name in trial.tests}
        work = {
            "module": module_name(trial.path),
            "path": str(ROOT / trial.path),
            "after": trial.after,
            "tests": seconds,
            "result": str(result),
        }
        arguments = ["-x", *sorted({name.split("::")[0] for name in trial.tests})]
        most = 60 + 3 * (SLOWER * sum(seconds.values()) + GRACE_SECONDS)
        try:
            code = session(folder, "imported", work, arguments, timeout=most)
        except subprocess.TimeoutExpired:
            return {"outcome": "killed", "why": "took too long"}
        if code == 0:
            return {"outcome": "survived"}
        if result.is_file():
            return {"outcome": "killed", **json.loads(result.read_text())}
        return {"outcome": "killed", "why": "cannot be imported: " + (folder / "imported.log").read_text()[-300:]}
