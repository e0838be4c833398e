"""`make demo`, as a newcomer runs it: it answers, signs in each role, stops however it is ended, and
starts again as it was."""

import json
import os
import re
import signal
import socket
import subprocess
import urllib.error
import urllib.request
from http.cookiejar import CookieJar
from pathlib import Path

import pytest

from hlvstudy.tooling.prepare import ROOT, VENV
from tests.conftest import IN_CI, wait_until

pytestmark = pytest.mark.long


class Demo:
    """A running `make demo` in a terminal's process group of its own."""

    def __init__(self, home: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.log = home / "make.log"
        env = {k: v for k, v in os.environ.items() if k not in {"DJANGO_SETTINGS_MODULE", "DATABASE_URL", "SECRET_KEY"}}
        with self.log.open("wb") as output:
            self.process = subprocess.Popen(
                ["make", "demo", f"PORT={self.port}"],
                cwd=ROOT,
                env={**env, "HLV_STATE": str(home / "state")},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                # As a terminal starts it: a job in the background would inherit that Ctrl-C is ignored.
                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 (this test has one thread)
            )

    @property
    def said(self) -> str:
        return self.log.read_text()

    def wait_until_ready(self) -> None:
        wait_until(lambda: "Press Ctrl-C" in self.said or self.process.poll() is not None, seconds=240, every=0.2)
        assert self.process.poll() is None, self.said

    def logins(self) -> dict[str, tuple[str, str]]:
        found = re.findall(r"^\s+(expert|researcher|admin)\s+(\S+@\S+)\s+(\S+)$", self.said, re.MULTILINE)
        return {role: (email, password) for role, email, password in found}

    def interrupt(self) -> int:
        """Ctrl-C: the terminal sends it to the whole foreground group."""
        os.killpg(self.process.pid, signal.SIGINT)
        return self.process.wait(timeout=60)

    def sign_in(self, email: str, password: str) -> dict[str, object]:
        base = f"http://127.0.0.1:{self.port}"
        jar = CookieJar()
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar))
        opener.open(f"{base}/api/session/", timeout=20).read()
        token = next(cookie.value for cookie in jar if cookie.name == "csrftoken") or ""
        body = json.dumps({"email": email, "password": password}).encode()
        headers = {"Content-Type": "application/json", "X-CSRFToken": token, "Referer": base}
        answer = opener.open(urllib.request.Request(f"{base}/api/session/", body, headers), timeout=20)
        session: dict[str, object] = json.loads(answer.read())
        return session

    def page(self) -> str:
        text: str = urllib.request.urlopen(f"http://127.0.0.1:{self.port}/", timeout=20).read().decode()
        return text

    def answers(self) -> bool:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{self.port}/health/live", timeout=2)
        except (urllib.error.URLError, OSError):
            return False
        return True


@pytest.fixture
def home(tmp_path: Path) -> Path:
    if not VENV.is_dir():
        (pytest.fail if IN_CI else pytest.skip)("make has not prepared this checkout (no .venv): run `make test`")
    return tmp_path


def test_the_demo_answers_stops_cleanly_and_starts_again_as_it_was(home: Path) -> None:
    first = Demo(home)
    try:
        first.wait_until_ready()
        assert '<div id="root">' in first.page()
        logins = first.logins()
        assert set(logins) == {"expert", "researcher", "admin"}
        for email, password in logins.values():
            assert first.sign_in(email, password)["user"]["email"] == email
    finally:
        first.interrupt()
    assert "Stopped." in first.said
    assert "Traceback" not in first.said
    assert not first.answers()
    assert not left_behind(home), "no process is left behind"

    again = Demo(home)
    try:
        again.wait_until_ready()
        assert again.logins() == logins, "running it again reuses what is there"
    finally:
        # Killed without a word, as when the memory is full: the program and its servers end by themselves.
        again.process.kill()
    wait_until(lambda: not left_behind(home), seconds=60, every=0.2)


def left_behind(home: Path) -> list[str]:
    """Processes that still have a file of the demo's folder open."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if any(str(home / "state") in os.readlink(file) for file in (process / "fd").iterdir()):
                found.append(process.name)
        except OSError:
            continue
    return found
