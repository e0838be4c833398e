"""The command says what it can do, and what is in the way in a sentence."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from hlvstudy import __version__
from hlvstudy.program import demo, main, managing, serving
from hlvstudy.program.steps import Trouble
from tests.processes import BYTECODE

ROOT = Path(__file__).resolve().parents[3]


def run(*arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own, with no settings but those that are given."""
    env = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "LANG": "C.UTF-8", **BYTECODE, **settings}
    program = [sys.executable, "-m", "hlvstudy", *arguments]
    return subprocess.run(program, cwd=ROOT, env=env, capture_output=True, text=True, check=False)


def test_it_says_its_commands_and_its_version_without_any_setting_and_without_django():
    code = (
        "import sys; from hlvstudy.program.main import main; main([]); "
        "assert not {'django', 'celery', 'numpy'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env={}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for name in ("demo", "prepare", "web", "worker", "doctor", "manage"):
        assert f"\n    {name} " in done.stdout
    assert run("--version").stdout == f"hlvstudy {__version__}\n"


def test_what_it_does_not_know_is_refused_and_named():
    done = run("demo", "--prot", "8001")
    assert (done.returncode, done.stdout) == (2, "")
    assert "unknown: --prot 8001" in done.stderr


def test_a_busy_port_is_a_plain_sentence(tmp_path):
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()
        port = busy.getsockname()[1]
        done = run("demo", "--port", str(port), "--folder", str(tmp_path))
    assert done.returncode == 1
    assert f"Port {port} cannot be used" in done.stderr
    assert f"hlvstudy demo --port {port + 1}" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_port_that_is_no_number_is_a_plain_sentence():
    with pytest.raises(Trouble, match=r"not a number from 1 to 65535\. Try: take 8001"):
        serving.free_port("http", another=lambda other: f"take {other}")


def test_the_demo_ignores_the_settings_of_the_machine(tmp_path, monkeypatch):
    monkeypatch.setenv("DATABASE_URL", "postgres://production/db")
    monkeypatch.setenv("SECRET_KEY", "of the production server")
    monkeypatch.setenv("EMAIL_URL", "smtp://mail.example.org")
    env = demo.demo_environment(tmp_path, 8123)
    assert env["DATABASE_URL"].startswith(f"sqlite:///{tmp_path}")
    assert env["PUBLIC_URL"] == "http://127.0.0.1:8123"
    assert env["HLV_STATE"] == str(tmp_path)
    assert env["SECRET_KEY"] == "", "the demo keeps a key of its own"
    assert env["EMAIL_URL"] == "consolemail://", "invented people get no mail"


def test_the_demo_does_not_touch_the_database_of_a_real_study(tmp_path):
    (tmp_path / "hlvstudy.sqlite3").touch()
    done = run("demo", "--folder", str(tmp_path))
    assert done.returncode == 1
    assert "holds a database that is not the demo's" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["hlvstudy.sqlite3"]


def test_a_demo_that_was_interrupted_before_it_was_ready_goes_on_in_its_folder(tmp_path):
    folder = demo.demo_folder(str(tmp_path / "demo"))
    (folder / "hlvstudy.sqlite3").touch()
    assert demo.demo_folder(str(folder)) == folder


def test_a_folder_that_cannot_be_made_is_a_plain_sentence(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(Trouble, match="cannot be used"):
        demo.demo_folder(str(tmp_path / "file" / "demo"))


def test_a_server_that_was_not_prepared_says_what_to_run(tmp_path):
    for name in ("web", "worker"):
        done = run(name, "--folder", str(tmp_path))
        assert done.returncode == 1
        assert "Run first: hlvstudy prepare" in done.stderr


def test_an_unsafe_setting_is_a_sentence_and_no_traceback(tmp_path):
    for command in (["web"], ["prepare"], ["manage", "check"]):
        done = run("--folder", str(tmp_path), *command, PUBLIC_URL="http://study.example.org")
        assert done.returncode == 1
        assert "its settings are not safe" in done.stderr
        assert "Traceback" not in done.stderr


def test_manage_passes_everything_on(monkeypatch):
    said: list[list[str]] = []
    monkeypatch.setattr(main, "manage", lambda arguments, program: said.append([program, *arguments]))
    main.main(["manage", "bundle", "study", "--folder", "out", "--help", "--", "x"])
    assert said == [["hlvstudy manage", "bundle", "study", "--folder", "out", "--help", "--", "x"]]
    assert os.environ.get("HLV_STATE") != "out"


def test_root_is_warned_of_on_a_server_for_others_only(monkeypatch, capsys):
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    managing.warn_of_root("http://127.0.0.1:8000")
    assert capsys.readouterr().err == ""
    managing.warn_of_root("https://study.example.org")
    assert capsys.readouterr().err.startswith("Warning: This runs as root")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    managing.warn_of_root("https://study.example.org")
    assert capsys.readouterr().err == ""


def test_web_and_worker_become_the_servers_with_what_else_was_asked_for(monkeypatch):
    became: list[list[str]] = []
    monkeypatch.setattr(main, "refuse_unprepared", lambda: None)
    monkeypatch.setattr(main, "forget_old_figures", lambda: None)
    monkeypatch.setattr(os, "execv", lambda _python, command: became.append(command[1:]))
    main.main(["web", "--bind", "127.0.0.1:9000", "--workers", "4"])
    main.main(["worker", "--concurrency", "3", "-l", "info"])
    web, worker = became
    assert web[:3] == ["-m", "gunicorn", "hlvstudy.wsgi"]
    assert web[-4:] == ["--bind", "127.0.0.1:9000", "--workers", "4"]
    assert worker[:5] == ["-m", "celery", "-A", "hlvstudy", "worker"]
    assert worker[-4:] == ["--concurrency", "3", "-l", "info"], "the last one counts"
