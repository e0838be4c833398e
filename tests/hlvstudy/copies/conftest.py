"""An installation with what an earlier version stored, and the program run on it, each in a process of its own."""

import lzma
import os
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest

ROOT = Path(__file__).resolve().parents[3]
EARLIER = ROOT / "tests" / "fixtures" / "5dd240a" / "hlvstudy.sqlite3.xz"


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
            "HLV_STATE": str(self.folder),
            "PYTHONPATH": str(ROOT),
            "LOG_LEVEL": "WARNING",
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
            env={**self.environment(), "DJANGO_SETTINGS_MODULE": "hlvstudy.settings"},
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


def earlier_installation(folder: Path) -> Installation:
    """SQLite with the rows of commit 5dd240a, an upload, and a key."""
    made = Installation(folder)
    folder.mkdir(parents=True)
    made.database.write_bytes(lzma.decompress(EARLIER.read_bytes()))
    upload = folder / "uploads" / "imports" / "20260101"
    upload.mkdir(parents=True)
    (upload / "labels.csv").write_text("text,label\nÜber,1\n")
    (folder / "secret_key").write_text("k" * 60)
    return made


@pytest.fixture(scope="session")
def kept_backup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A backup of it."""
    folder = tmp_path_factory.mktemp("kept")
    earlier_installation(folder / "state").run("backup", "--to", str(folder / "kept.zip"))
    return folder / "kept.zip"


@pytest.fixture
def earlier(tmp_path: Path) -> Installation:
    return earlier_installation(tmp_path / "earlier")


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
