"""`hlvstudy demo` from the first line to the last: a role with one click, real files, and nothing left elsewhere."""

import json
import os
import re
import sqlite3
import sys
import urllib.error
import urllib.request
from contextlib import closing
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from annotations.models import JobState
from hlvstudy.program import demo
from hlvstudy.program.steps import Trouble
from tests.annotations.simulating.demo.test_real_files import PREDICTIONS, animals
from tests.conftest import ROOT
from tests.processes import AtTerminal, free_port

FOLDERS = ("home", "tmp", "here")


class Running(AtTerminal):
    """The program, with a home, a place for temporary files and a current folder that can be looked through."""

    def __init__(self, place: Path, *options: str) -> None:
        for name in FOLDERS:
            (place / name).mkdir(exist_ok=True)
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        kept = {"PATH", "LANG", "LD_LIBRARY_PATH"}
        env = {name: value for name, value in os.environ.items() if name in kept}
        env |= {"HOME": str(place / "home"), "TMPDIR": str(place / "tmp"), "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-m", "hlvstudy", "demo", "--port", str(port), *options]
        super().__init__(command, cwd=place / "here", env=env, log=place / "said.log")
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar := CookieJar()))
        self.jar = jar

    def wait_until_ready(self) -> None:
        self.wait_until_it_says("Press Ctrl-C")

    def ask(self, address: str, sent: dict[str, Any] | None = None) -> dict[str, Any]:
        headers = {"Origin": self.url, "Content-Type": "application/json"}
        token = next((cookie.value for cookie in self.jar if cookie.name == "csrftoken"), None)
        headers["X-CSRFToken"] = token or ""
        body = None if sent is None else json.dumps(sent).encode()
        request = urllib.request.Request(f"{self.url}/api/v1/{address}", body, headers)
        answer: dict[str, Any] = json.loads(self.opener.open(request, timeout=30).read())
        return answer


def files_in(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


@pytest.mark.long
def test_each_role_is_one_click_away_and_nothing_is_left_outside_the_folder(tmp_path: Path) -> None:
    program = Running(tmp_path, "--folder", str(tmp_path / "demo"))
    try:
        program.wait_until_ready()
        assert "It opens in your browser" not in program.said, "nobody looks"
        assert program.ask("session/")["is_demo"] is True
        for role in program.ask("demo/")["roles"]:
            session = program.ask("demo/step-into/", {"role": role})
            assert session["user"]["email"] == f"{role}@example.org"
            assert session["user"]["is_admin"] is (role == "admin")
        assert program.ask("system/health/"), "its admin looks after the server too"
        logins = re.findall(r"^\s+(expert|researcher|admin)\s+(\S+@\S+)\s+(\S+)$", program.said, re.MULTILINE)
        assert len(logins) == 3
    finally:
        code = program.hang_up()
    assert code == 0, program.said
    assert "Stopped." in program.said
    assert "Traceback" not in program.said
    with pytest.raises(urllib.error.URLError):
        program.ask("session/")
    assert [path for name in FOLDERS for path in files_in(tmp_path / name)] == []


@pytest.mark.long
def test_it_starts_from_real_files_too_and_keeps_them_as_they_are(tmp_path: Path) -> None:
    data = animals(tmp_path / "data").parent
    (data / "cautious.csv").write_text(PREDICTIONS)
    (data / "notes.txt").write_text("Where they are from.")
    before = {name: (data / name).read_bytes() for name in files_in(data)}
    program = Running(tmp_path, "--real", str(data), "--folder", str(tmp_path / "demo"))
    try:
        program.wait_until_ready()
        assert "animals.csv: 6 texts, 2 labels" in program.said
        assert "Left out: notes.txt" in program.said
        assert program.ask("demo/")["study"] == "animals"
        program.ask("demo/step-into/", {"role": "researcher"})
        overview = program.ask("studies/animals/overview/")
        assert overview
        program.ask("demo/step-into/", {"role": "expert"})
        assert program.ask("studies/animals/next/", {})["assignment"]["step"] == 1
    finally:
        code = program.terminate()
    assert code == 0, program.said
    assert {name: (data / name).read_bytes() for name in files_in(data)} == before
    assert [path for name in FOLDERS for path in files_in(tmp_path / name)] == []


def test_a_folder_without_data_is_refused_before_anything_is_begun(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "notes.txt").write_text("Only words.")
    program = Running(tmp_path, "--real", str(tmp_path / "data"), "--folder", str(tmp_path / "demo"))
    assert program.process.wait(timeout=120) == 1
    assert "Nothing in" in program.said
    assert "Left out: notes.txt" in program.said
    assert "Traceback" not in program.said
    assert not (tmp_path / "demo").exists()
    assert [path for name in FOLDERS for path in files_in(tmp_path / name)] == []


def test_a_folder_that_is_not_there_is_a_plain_sentence(tmp_path: Path) -> None:
    with pytest.raises(Trouble, match="There is no folder"):
        demo.real_folder(str(tmp_path / "nowhere"))


def test_the_demos_of_different_data_are_kept_apart(tmp_path: Path) -> None:
    one, two = tmp_path / "one" / "data", tmp_path / "two" / "data"
    folder = str(tmp_path / "demo")
    assert demo.demo_folder(folder, real=one) == demo.demo_folder(folder, real=one)
    (tmp_path / "demo" / demo.DATABASE).touch()
    for other in (two, None):
        with pytest.raises(Trouble, match=r"holds the demo of files of .*one/data\. Choose another folder"):
            demo.demo_folder(folder, real=other)
    assert len({demo._own_name(real) for real in (None, one, two)}) == 3


def test_a_training_that_waits_is_seen_in_the_demos_own_file(tmp_path: Path) -> None:
    assert demo.somebody_trains(tmp_path) is False, "there is no file yet"
    with closing(sqlite3.connect(tmp_path / demo.DATABASE)) as database:
        database.execute("CREATE TABLE metaeval_trainingjob (state TEXT)")
        for state, trains in (("succeeded", False), ("queued", True)):
            database.execute("INSERT INTO metaeval_trainingjob VALUES (?)", [state])
            database.commit()
            assert demo.somebody_trains(tmp_path) is trains


@pytest.mark.django_db
def test_what_is_asked_of_that_file_is_what_the_models_store() -> None:
    assert set(re.findall(r"'(\w+)'", demo.TRAINS)) == {JobState.QUEUED, JobState.RUNNING}
    with connection.cursor() as cursor:
        cursor.execute(demo.TRAINS)
        assert cursor.fetchone() is None


def test_the_demo_of_an_earlier_version_is_one_of_invented_data(tmp_path: Path) -> None:
    for name in (demo.DATABASE, "demo-logins.json"):
        (tmp_path / name).touch()
    with pytest.raises(Trouble, match="holds the demo of invented data"):
        demo.demo_folder(str(tmp_path), real=tmp_path / "data")
    assert demo.demo_folder(str(tmp_path)) == tmp_path


def test_a_second_demo_in_the_same_folder_is_told_where_the_first_one_runs(tmp_path: Path) -> None:
    with demo._only_one(tmp_path, "http://127.0.0.1:8123"):
        refused = pytest.raises(Trouble, match=r"is already running at http://127\.0\.0\.1:8123\. Open it there")
        with refused, demo._only_one(tmp_path, "http://127.0.0.1:8124"):
            pass
    with demo._only_one(tmp_path, "http://127.0.0.1:8124"):
        assert (tmp_path / demo.LOCK).read_text() == "http://127.0.0.1:8124"
