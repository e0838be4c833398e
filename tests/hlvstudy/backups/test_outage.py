"""PostgreSQL stops and starts again: everybody is told meanwhile, and every process goes on by itself."""

import json
import os
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from hlvstudy.apps import FRESH_SECONDS
from tests.clusters import Cluster, NoPostgreSQL
from tests.conftest import missing
from tests.hlvstudy.backups.conftest import Installation
from tests.processes import free_port

pytestmark = [pytest.mark.long, pytest.mark.postgresql]


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    folder = Path("/tmp", f"hlv-outage-{os.getpid()}-{time.monotonic_ns()}")  # noqa: S108 - its user has no way into pytest's
    try:
        made = Cluster(folder, free_port())
    except NoPostgreSQL as why:
        missing(f"a PostgreSQL of its own ({why})")
    made.make()
    try:
        yield made
    finally:
        with suppress(subprocess.CalledProcessError):
            made.stop()
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def running(installation: Installation, *commands: list[str]) -> Iterator[list[Path]]:
    """The programs, and the files with what they log."""
    logs, processes = [], []
    try:
        for command in commands:
            logs.append(installation.folder / f"{command[0]}.out")
            with logs[-1].open("wb") as out:
                processes.append(
                    subprocess.Popen(
                        [sys.executable, "-m", "hlvstudy", *command],
                        cwd=Path(__file__).resolve().parents[3],
                        env=installation.environment(),
                        stdout=out,
                        stderr=subprocess.STDOUT,
                    )
                )
        yield logs
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            try:
                process.wait(timeout=30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def asked(url: str) -> tuple[int, Any, dict[str, str]]:
    try:
        with urllib.request.urlopen(url, timeout=20) as answer:
            return answer.status, answer.read().decode(), dict(answer.headers)
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode(), dict(error.headers)
    except OSError:
        return 0, "", {}


def until(condition: Callable[[], bool], *, seconds: float = 90) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.3)


def test_everybody_is_told_and_goes_on_when_it_is_back(cluster: Cluster, tmp_path: Path) -> None:
    port = free_port()
    installation = Installation(
        tmp_path / "state",
        url=f"postgres://postgres@127.0.0.1:{cluster.port}/postgres",
        settings={"PUBLIC_URL": f"http://127.0.0.1:{port}", "JOB_SWEEP_SECONDS": "1"},
    )
    installation.run("prepare")
    address = f"http://127.0.0.1:{port}"

    def ready() -> dict[str, Any]:
        status, said, _ = asked(f"{address}/health/ready")
        return dict(json.loads(said)) if status in {200, 503} else {}

    web = ["web", "--bind", f"127.0.0.1:{port}", "--workers", "2"]
    with running(installation, web, ["worker", "--concurrency", "1"]) as logs:
        until(lambda: ready().get("worker") is True)
        assert asked(f"{address}/api/v1/session/")[0] == 200
        stopped = time.monotonic()
        cluster.stop()
        until(lambda: ready().get("status") == "no database")
        for _ in range(10):
            status, said, headers = asked(f"{address}/api/v1/studies/?x=1")
            status_signed_in, _, _ = with_session(f"{address}/api/v1/session/")
            assert status in {401, 503}, said
            assert status_signed_in == 503
        status, said, headers = with_session(f"{address}/api/v1/session/")
        assert (json.loads(said)["code"], headers["Retry-After"]) == ("no_database", "5")
        status, said, headers = with_session(f"{address}/studies/x")
        assert status in {200, 503}  # the page itself may need no database
        assert headers["Content-Type"].startswith("text/html")
        until(lambda: time.monotonic() - stopped > FRESH_SECONDS)  # a connection that was just checked is not asked
        cluster.start()
        until(lambda: ready().get("status") in {"ok", "look"})
        for _ in range(10):  # every process, whoever answers
            assert with_session(f"{address}/api/v1/session/")[0] == 200
        until(lambda: ready().get("worker") is True)
    for log in logs:
        said = log.read_text()
        assert "Traceback" not in said, said
        assert said.count("the database does not answer") <= 4, said


def with_session(url: str) -> tuple[int, str, dict[str, str]]:
    """As a browser that was signed in asks: its session is looked for in the database."""
    request = urllib.request.Request(url, headers={"Cookie": f"sessionid={'s' * 32}"})
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, answer.read().decode(), dict(answer.headers)
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode(), dict(error.headers)
