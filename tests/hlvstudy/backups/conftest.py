"""An installation with what an earlier version stored, and the program run on it, each in a process of its own.

The earlier version is today's, and the program is that of a later version (`later`), which has one migration more.
"""

import fcntl
import os
import shutil
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest

from tests.processes import BYTECODE

ROOT = Path(__file__).resolve().parents[3]
LATER = "tests.hlvstudy.backups.later.settings"


@dataclass(frozen=True)
class Installation:
    """A state folder and the address of its database."""

    folder: Path
    url: str = ""
    settings: dict[str, str] = field(default_factory=dict)

    def environment(self) -> dict[str, str]:
        kept = {key: os.environ[key] for key in ("PATH", "HOME", "LANG", "TMPDIR") if key in os.environ}
        url = {"DATABASE_URL": self.url} if self.url else {}
        return {
            **kept,
            **BYTECODE,
            "HLV_STATE": str(self.folder),
            "PYTHONPATH": str(ROOT),
            "LOG_LEVEL": "WARNING",
            "DJANGO_SETTINGS_MODULE": LATER,
            **url,
            **self.settings,
        }

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "hlvstudy", *arguments],
            cwd=ROOT,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )

    def run(self, *arguments: str, fails: bool = False) -> str:
        """What the program says; fails the test unless it ends as expected, and never with a traceback."""
        process = self.start(*arguments)
        said = process.communicate(timeout=300)[0].decode()
        assert process.returncode == (1 if fails else 0), said
        assert "Traceback" not in said, said
        return said

    def python(self, code: str) -> str:
        """What a script prints that has this installation's Django."""
        done = subprocess.run(
            [sys.executable, "-c", f"import django; django.setup()\n{code}"],
            cwd=ROOT,
            env=self.environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    @property
    def database(self) -> Path:
        return self.folder / "hlvstudy.sqlite3"

    def exports(self, out: Path) -> dict[str, bytes]:
        """The bytes of a study's responses in three formats."""
        for name in ("csv", "jsonl", "study_responses"):
            self.run("manage", "export_responses", "main", "--format", name, "--out", str(out / name))
        return {str(path.relative_to(out)): path.read_bytes() for path in sorted(out.rglob("*")) if path.is_file()}


def earlier_installation(folder: Path, rows: Path) -> Installation:
    """SQLite with the rows of an earlier version, an upload, and a key."""
    made = Installation(folder)
    folder.mkdir(parents=True)
    shutil.copyfile(rows, made.database)
    upload = folder / "uploads" / "imports" / "20260101"
    upload.mkdir(parents=True)
    (upload / "labels.csv").write_text("text,label\nÜber,1\n")
    (folder / "secret_key").write_text("k" * 60)
    return made


@pytest.fixture(scope="session")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What an earlier version stored, made once for all of pytest's processes."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER_COUNT" in os.environ else base
    with open(shared / "rows.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (shared / "rows.sqlite3").exists():
            part = shared / "rows.part.sqlite3"
            part.unlink(missing_ok=True)
            command = [sys.executable, "-m", "tests.fixtures.making", str(part)]
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
            Installation(shared / "pages").run("prepare")  # collects the pages, which all installations share
            part.rename(shared / "rows.sqlite3")
    return shared / "rows.sqlite3"


@pytest.fixture(scope="session")
def kept_backup(tmp_path_factory: pytest.TempPathFactory, rows: Path) -> Path:
    """A backup of it."""
    folder = tmp_path_factory.mktemp("kept")
    earlier_installation(folder / "state", rows).run("backup", "--to", str(folder / "kept.zip"))
    return folder / "kept.zip"


@pytest.fixture
def earlier(tmp_path: Path, rows: Path) -> Installation:
    return earlier_installation(tmp_path / "earlier", rows)


@pytest.fixture
def empty(tmp_path: Path) -> Installation:
    """Nothing yet, with SQLite."""
    return Installation(tmp_path / "empty")


@pytest.fixture
def new_postgresql(tmp_path: Path) -> Iterator[Callable[[], str]]:
    """A function that makes an empty PostgreSQL database and gives its address; they are dropped at the end."""
    parts = urlsplit(os.environ["DATABASE_URL"])
    made: list[str] = []
    with psycopg.connect(urlunsplit(parts._replace(scheme="postgresql", path="/postgres")), autocommit=True) as server:

        def make() -> str:
            made.append(f"hlv_copies_{uuid.uuid4().hex[:12]}")
            server.execute(f'CREATE DATABASE "{made[-1]}"')
            return urlunsplit(parts._replace(path=f"/{made[-1]}"))

        yield make
        for name in made:
            server.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
