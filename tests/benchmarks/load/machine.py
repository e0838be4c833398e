"""Servers as process groups, their processor time, and databases of their own on a server that others use too."""

import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from tests.benchmarks.load.connection import trusting

STOP_SECONDS = 10
RUN_SECONDS = 600
TICKS = os.sysconf("SC_CLK_TCK")


class NotMeasured(Exception):
    """Why a system could not be measured here, in a sentence."""


@dataclass
class Place:
    """What one system gets to itself: a folder, a database and what it started."""

    folder: Path
    database: str
    """Its address; empty: SQLite in the folder."""
    stack: ExitStack
    groups: list[int] = field(default_factory=list)

    @property
    def database_name(self) -> str:
        return urlsplit(self.database).path.strip("/")

    def start(self, name: str, command: Sequence[str], *, env: Mapping[str, str], cwd: Path) -> subprocess.Popen[bytes]:
        """Start a server in a process group of its own; it is ended with the place."""
        log = self.folder / f"{name}.log"
        with log.open("wb") as output:
            process = subprocess.Popen(
                list(command),
                cwd=cwd,
                env={**clean_environment(), **env},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.stack.callback(end_group, process)
        self.groups.append(process.pid)
        return process

    def run(self, command: Sequence[str], *, env: Mapping[str, str], cwd: Path, stdin: str = "") -> str:
        """Run something to its end.

        Raises:
            NotMeasured: it failed.
        """
        try:
            done = subprocess.run(
                list(command),
                cwd=cwd,
                env={**clean_environment(), **env},
                input=stdin,
                capture_output=True,
                text=True,
                check=False,
                timeout=RUN_SECONDS,
            )
        except subprocess.TimeoutExpired:
            raise NotMeasured(f"{Path(command[0]).name} took more than {RUN_SECONDS} seconds to prepare") from None
        if done.returncode:
            (self.folder / "failed.log").write_text(done.stdout + done.stderr)
            raise NotMeasured(f"{Path(command[0]).name} {' '.join(command[1:4])}: {last_line(done.stderr)}")
        return done.stdout

    def wait(self, process: subprocess.Popen[bytes], is_up: Callable[[], bool], *, name: str, seconds: float) -> None:
        """Wait until the server responds.

        Raises:
            NotMeasured: it ended, or does not respond in time.
        """
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if process.poll() is not None:
                raise NotMeasured(
                    f"{name} ended: {last_line((self.folder / f'{name}.log').read_text(errors='replace'))}"
                )
            if is_up():
                return
            time.sleep(0.25)
        raise NotMeasured(f"{name} did not respond within {seconds:g} seconds")

    def cpu(self) -> tuple[float, dict[str, float]]:
        """Seconds of processor time so far: of the servers, and of each PostgreSQL process of this place's database."""
        servers, database = 0.0, {}
        theirs = self.database_name.encode()
        for process in Path("/proc").glob("[0-9]*"):
            try:
                # The name, in brackets, may have spaces in it.
                fields = (process / "stat").read_text().rpartition(")")[2].split()
                used = (int(fields[11]) + int(fields[12])) / TICKS
                if int(fields[3]) in self.groups:  # the session
                    servers += used
                elif theirs and b"postgres: " in (said := (process / "cmdline").read_bytes()) and theirs in said:
                    database[process.name] = used
            except OSError:
                continue
        return servers, database


@contextmanager
def place_for(name: str, server: str, *, logs: Path | None = None, template: str = "") -> Iterator[Place]:
    """A folder and a database that exist as long as the block runs; what was started in it is ended.

    Args:
        server: the address of a database at a PostgreSQL server, where databases may be created; empty: SQLite.
        logs: where the servers' logs are kept.
        template: the name of a database at that server, of which it is a copy.
    """
    with ExitStack() as stack:
        folder = Path(tempfile.mkdtemp(prefix=f"hlv-load-{name}-"))
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        if logs:
            stack.callback(keep_logs, folder, logs / name)
        database = stack.enter_context(fresh_database(name, server, template=template)) if server else ""
        yield Place(folder, database, stack)


@contextmanager
def fresh_database(name: str, server: str, *, template: str = "") -> Iterator[str]:
    """The address of a new database at that server, with a name that nobody has; dropped at the end."""
    import psycopg
    from psycopg import sql

    made = f"hlv_load_{name}_{secrets.token_hex(4)}"
    address = server.replace("postgres://", "postgresql://", 1)
    try:
        with psycopg.connect(address, autocommit=True) as connection:
            copied = sql.Identifier(template or "template1")
            connection.execute(sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(sql.Identifier(made), copied))
    except psycopg.Error as error:
        raise NotMeasured(
            f"no database could be made at {urlsplit(server).hostname}: {last_line(str(error))}"
        ) from None
    try:
        yield urlunsplit(urlsplit(server)._replace(path=f"/{made}"))
    finally:
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(made)))


def clean_environment() -> dict[str, str]:
    """This process's environment without settings that would reach a server."""
    ours = ("DATABASE_URL", "CELERY_", "DJANGO_", "HLV_", "SECRET_KEY", "PUBLIC_URL", "DEBUG", "PYTEST", "STATIC_ROOT")
    return {name: value for name, value in os.environ.items() if not name.startswith(ours)}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def responds(address: str, *, saying: bytes = b"") -> bool:
    """Whether a server responds there, with any status."""
    try:
        with urllib.request.urlopen(
            address, timeout=5, context=trusting() if address.startswith("https") else None
        ) as reply:
            return saying in reply.read()
    except urllib.error.HTTPError:
        return not saying
    except OSError:
        return False


def end_group(process: subprocess.Popen[bytes]) -> None:
    """Ask a process group to end, and end it."""
    for how in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, how)
        except ProcessLookupError:
            break
        try:
            process.wait(timeout=STOP_SECONDS)
        except subprocess.TimeoutExpired:
            continue
    process.wait()


def keep_logs(folder: Path, kept: Path) -> None:
    kept.mkdir(parents=True, exist_ok=True)
    for log in folder.glob("*.log"):
        shutil.copy(log, kept)


def last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:200] if lines else "no output"
