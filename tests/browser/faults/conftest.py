"""A real server process that can be killed and started again on the same port."""

import os
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.study import BrowserStudy
from tests.conftest import ROOT, wait_until, worker_environment


class Server:
    """gunicorn as `make demo` runs it, on the test database."""

    def __init__(self, folder: Path) -> None:
        self.log = folder / "server.log"
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start it, unless it runs."""
        if self.process is not None:
            return
        command = [sys.executable, "-m", "gunicorn", "hlvstudy.wsgi", "--bind", f"127.0.0.1:{self.port}"]
        options = ["--workers", "1", "--threads", "4", "--no-control-socket", "--log-level", "warning"]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [*command, *options],
                cwd=ROOT,
                env={**worker_environment(), "DJANGO_SETTINGS_MODULE": "tests.browser.settings"},
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        wait_until(self._answers, seconds=60)

    def hang(self) -> None:
        """Take connections, and do nothing with them."""
        self._signal(signal.SIGSTOP)

    def kill(self) -> None:
        """SIGKILL, master and workers: nothing is finished, nothing is said."""
        if self.process is None:
            return
        self._signal(signal.SIGKILL)
        self.process.wait()
        self.process = None

    def _signal(self, which: signal.Signals) -> None:
        assert self.process is not None
        os.killpg(self.process.pid, which)

    def _answers(self) -> bool:
        assert self.process is not None
        assert self.process.poll() is None, f"the server did not start: {self.log.read_text()}"
        try:
            with urllib.request.urlopen(f"{self.url}/api/session/", timeout=5) as answer:
                return bool(answer.status == 200)
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            return False


@pytest.fixture(scope="module")
def server_process(django_db_setup: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for a file of tests; whoever kills it starts it again."""
    made = Server(tmp_path_factory.mktemp("server"))
    try:
        yield made
    finally:
        made.kill()


@pytest.fixture
def server(study: BrowserStudy, server_process: Server) -> Server:
    """The server, started, with the study in its database."""
    server_process.start()
    return server_process
