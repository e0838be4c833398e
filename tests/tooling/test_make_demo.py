"""`make demo`, as a newcomer runs it: it answers, signs in each role, stops however it is ended, and
starts again as it was."""

import json
import os
import re
import urllib.error
import urllib.request
from http.cookiejar import CookieJar
from pathlib import Path

import pytest

from tests.conftest import missing, wait_until
from tests.processes import AtTerminal, free_port, with_files_open_in
from tests.tooling.prepare import ROOT, VENV

pytestmark = pytest.mark.long


class Demo(AtTerminal):
    """A running `make demo`."""

    def __init__(self, home: Path) -> None:
        self.port = free_port()
        env = {k: v for k, v in os.environ.items() if k not in {"DJANGO_SETTINGS_MODULE", "DATABASE_URL", "SECRET_KEY"}}
        env["HLV_STATE"] = str(home / "state")
        super().__init__(["make", "demo", f"PORT={self.port}"], cwd=ROOT, env=env, log=home / "make.log")

    def logins(self) -> dict[str, tuple[str, str]]:
        found = re.findall(r"^\s+(expert|researcher|admin)\s+(\S+@\S+)\s+(\S+)$", self.said, re.MULTILINE)
        return {role: (email, password) for role, email, password in found}

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
        missing("the environment of this checkout (`make test`)")
    return tmp_path


def test_the_demo_answers_stops_cleanly_and_starts_again_as_it_was(home: Path) -> None:
    first = Demo(home)
    try:
        first.wait_until_it_says("Press Ctrl-C")
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
    assert with_files_open_in(home / "state") == [], "no process is left behind"

    again = Demo(home)
    try:
        again.wait_until_it_says("Press Ctrl-C")
        assert again.logins() == logins, "running it again reuses what is there"
    finally:
        # Killed without a word, as when the memory is full: the program and its servers end by themselves.
        again.process.kill()
    wait_until(lambda: not with_files_open_in(home / "state"), seconds=60, every=0.2)
