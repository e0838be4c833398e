"""Whatever ends the program, its servers end too; and a browser opens only where somebody looks."""

import os
import signal
import subprocess
import sys
import textwrap
import time
import webbrowser
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from hlvstudy.program import demo, serving
from tests import processes
from tests.conftest import ROOT, missing, wait_until
from tests.processes import hear_everything

Start = Callable[..., tuple[subprocess.Popen[str], list[int]]]

LOGS = ("web.log", "worker.log", "training.log")
SERVER = """
import os, signal, subprocess, sys, time
def end(*_):
    open(sys.argv[1], "w").write("ended in order")
    sys.exit(0)
signal.signal(signal.SIGTERM, end)
print(os.getpid(), flush=True)
while True:
    signal.pause()
"""
PARENT = """
import os, sys, time
from contextlib import nullcontext
from pathlib import Path
from hlvstudy.program import serving
serving.WEB = serving.WORKER = serving.TRAINING_WORKER = ("-m", "server", sys.argv[1])
serving._wait_until_answering = lambda port, processes: None
serving.end_as_by_ctrl_c()
folder = Path(sys.argv[1]).parent
try:
    with serving.served(1, env={**os.environ, "PYTHONPATH": str(folder)}, logs=folder, cwd=os.getcwd()) as servers:
        servers.start_training()
        print(*(process.running.pid for process in servers.running), flush=True)
        serving.wait(servers, parent=int(sys.argv[2]) or None)
except KeyboardInterrupt:
    pass
"""
"""Starts three servers as the demo does when somebody trains, only that they are quick to start."""


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split(")")[-1].split()[0] != "Z"
    except OSError:
        return False


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    if not Path("/proc/self/stat").exists():
        missing("/proc, where processes are looked at,")
    (tmp_path / "server.py").write_text(textwrap.dedent(SERVER))

    programs: list[subprocess.Popen[str]] = []

    def begin(parent: int = 0, **options: object) -> tuple[subprocess.Popen[str], list[int]]:
        program = subprocess.Popen(
            [sys.executable, "-c", PARENT, str(tmp_path / "ended"), str(parent)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            **{"preexec_fn": hear_everything, **options},  # type: ignore[call-overload]  # whatever a test adds
        )
        programs.append(program)
        assert program.stdout is not None
        pids = [int(pid) for pid in program.stdout.readline().split()]
        wait_until(lambda: parent > 0 or all((tmp_path / name).read_text() for name in LOGS))
        return program, pids

    yield begin
    for program in programs:
        program.kill()  # its servers end with it
        program.wait()


@pytest.mark.parametrize("asked", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL], ids=str)
def test_no_server_is_left_behind(start: Start, asked: int, tmp_path: Path) -> None:
    program, pids = start()
    assert len(pids) == 3
    assert all(map(is_running, pids))
    program.send_signal(asked)
    code = program.wait(timeout=30)
    assert code == (-signal.SIGKILL if asked == signal.SIGKILL else 0)
    wait_until(lambda: not any(map(is_running, pids)))
    assert (tmp_path / "ended").read_text() == "ended in order", "they were asked, not killed"


def test_a_training_gets_what_the_others_leave_of_the_cores(start: Start) -> None:
    program, pids = start()
    own = os.getpriority(os.PRIO_PROCESS, 0)  # these tests may run under nice
    assert [os.getpriority(os.PRIO_PROCESS, pid) for pid in pids] == [own, own, min(own + 10, 19)]
    program.terminate()
    program.wait(timeout=30)


def test_the_worker_for_trainings_starts_when_somebody_trains_and_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    servers, looks = serving.Servers({}, tmp_path, tmp_path), iter([False, True, True, True])
    started: list[str] = []

    def begin(name: str, *_: object, **_options: object) -> object:
        started.append(name)
        return SimpleNamespace(name=name, check=lambda _: None)

    def look() -> bool:
        return next(looks)

    pauses = iter(range(3))

    def pause(_seconds: float) -> None:
        if next(pauses, None) is None:
            raise KeyboardInterrupt

    monkeypatch.setattr(serving, "_start", begin)
    monkeypatch.setattr(serving, "time", SimpleNamespace(sleep=pause))
    with pytest.raises(KeyboardInterrupt):
        serving.wait(servers, trains=look)
    assert started == [serving.TRAINING]


def test_a_closed_terminal_ends_it_although_nobody_reads_what_it_says(
    start: Start,
) -> None:
    program, pids = start()
    assert program.stdout is not None
    program.stdout.close()
    program.send_signal(signal.SIGHUP)
    program.wait(timeout=30)
    wait_until(lambda: not any(map(is_running, pids)))


def test_what_was_told_to_outlive_its_terminal_does(
    start: Start,
) -> None:
    program, pids = start(preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    program.send_signal(signal.SIGHUP)
    with pytest.raises(subprocess.TimeoutExpired):
        program.wait(timeout=1.5)
    assert all(map(is_running, pids))
    program.terminate()
    program.wait(timeout=30)


def test_it_ends_with_the_program_for_which_it_works(
    start: Start,
) -> None:
    """As when `make` is killed: this one is told a parent that it never had."""
    program, pids = start(parent=os.getppid())
    program.wait(timeout=30)
    wait_until(lambda: not any(map(is_running, pids)))


TESTS = """
import subprocess, sys, time
from tests import processes
processes.guard()
long = [sys.executable, "-c", "import time; time.sleep(600)"]
print(*(subprocess.Popen(long, start_new_session=True).pid for _ in range(2)), flush=True)
time.sleep(600)
"""
"""A process with tests that start servers of their own sessions, and is interrupted before it ends them."""


def test_what_interrupted_tests_have_started_ends_with_them() -> None:
    tests = subprocess.Popen([sys.executable, "-c", TESTS], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert tests.stdout is not None
    pids = [int(pid) for pid in tests.stdout.readline().split()]
    assert len(pids) == 2
    assert all(map(is_running, pids))
    tests.kill()
    tests.wait()
    wait_until(lambda: not any(map(is_running, pids)))


def test_what_a_failed_test_has_started_ends_with_it_and_what_was_there_before_stays() -> None:
    long = [sys.executable, "-c", "import time; time.sleep(600)"]
    before = subprocess.Popen(long)
    wait_until(lambda: time.time() - processes.began(before.pid) > 0.1)
    since = time.time()
    after = subprocess.Popen(long, start_new_session=True)
    try:
        processes.end_marked(os.environ[processes.MARK], since=since - 0.02)  # a tick of the clock of processes
        assert after.wait(timeout=30) == -signal.SIGKILL
        assert before.poll() is None
    finally:
        before.kill()
        before.wait()


@pytest.mark.parametrize(
    ("platform", "terminal", "settings", "opens"),
    [
        ("linux", True, {"DISPLAY": ":0"}, True),
        ("linux", True, {"WAYLAND_DISPLAY": "wayland-0"}, True),
        ("linux", True, {}, False),
        ("linux", False, {"DISPLAY": ":0"}, False),
        ("linux", True, {"DISPLAY": ":0", "CI": "true"}, False),
        ("darwin", True, {}, True),
        ("darwin", True, {"SSH_CONNECTION": "10.0.0.1 1 10.0.0.2 22"}, False),
    ],
)
def test_a_browser_opens_only_where_somebody_looks(
    monkeypatch: pytest.MonkeyPatch, platform: str, terminal: bool, settings: dict[str, str], opens: bool
) -> None:
    opened: list[str] = []
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "CI", "SSH_CONNECTION"):
        monkeypatch.delenv(name, raising=False)
    for name, value in settings.items():
        monkeypatch.setenv(name, value)

    def show(address: str) -> bool:
        opened.append(address)
        return True

    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal, raising=False)
    monkeypatch.setattr(webbrowser, "open", show)
    assert demo.open_browser("http://127.0.0.1:8000") is opens
    assert opened == ["http://127.0.0.1:8000"] * opens
