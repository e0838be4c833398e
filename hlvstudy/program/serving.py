"""Start the web server and a worker, wait until they respond, and stop them together."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from hlvstudy.places import PROCESSES, THREADS
from hlvstudy.program.steps import Trouble, say
from metaeval.training.extra import QUEUE

DEFAULT_PORT = 8000
START_SECONDS = 60
STOP_SECONDS = 15

ENDINGS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
SUPERVISED = ("-m", "hlvstudy.program.supervisor")
BUFFERING = "hlvstudy.program.buffering.BufferingWorker"
WEB = (
    *("-m", "gunicorn", "hlvstudy.wsgi", "--worker-class", BUFFERING, "--workers", str(PROCESSES)),
    *("--threads", str(THREADS), "--no-control-socket"),
)
WORKER = ("-m", "celery", "-A", "hlvstudy", "worker", "--concurrency", "2")
TRAINING_WORKER = (
    *("-m", "celery", "-A", "hlvstudy", "worker", "--queues", QUEUE, "--hostname", f"{QUEUE}@%h"),
    *("--concurrency", "1"),
)
"""Beside the other, so that no short job waits for a long training, and with little claim to a core."""
LITTLE_CLAIM = ("nice", "-n", "10")
TRAINING = "training worker"


def free_port(text: str, *, another: Callable[[int], str]) -> int:
    """The requested port, if it can be used.

    Args:
        text: the port as written.
        another: makes the command with another port, for the sentence that suggests it.

    Raises:
        Trouble: it is not a port, or another program listens there.
    """
    port = port_number(text, another=another)
    refuse_busy(port, another=another)
    return port


def port_number(text: str, *, another: Callable[[int], str]) -> int:
    """The requested port; raises Trouble if it is none."""
    if not text.isdigit() or not 0 < int(text) < 65536:
        raise Trouble(f"The port is {text!r}, not a number from 1 to 65535. Try: {another(DEFAULT_PORT + 1)}")
    return int(text)


def refuse_busy(port: int, *, another: Callable[[int], str]) -> None:
    """Raise Trouble if another program listens there."""
    with socket.socket() as probe:
        # As the server will: a port that was just released is not busy.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            other = port + 1 if 1024 <= port < 65535 else DEFAULT_PORT  # below, only root may listen
            raise Trouble(
                f"Port {port} cannot be used ({error.strerror}). If another program listens there, "
                f"stop it, or choose another port: {another(other)}"
            ) from None


@dataclass(frozen=True)
class Process:
    """A program that runs beside this one, and the file for its output."""

    name: str
    running: subprocess.Popen[bytes]
    log: Path

    def check(self, happened: str) -> None:
        """Raise Trouble with the end of its output if it has ended."""
        if self.running.poll() is not None:
            raise Trouble(f"The {self.name} {happened}. The reason is at the end of {self.log}:\n{tail(self.log)}")


@dataclass
class Servers:
    """The programs that were started, and what others are started with."""

    env: Mapping[str, str]
    logs: Path
    cwd: Path
    running: list[Process] = field(default_factory=list)

    def start(self, name: str, command: Sequence[str], *, before: Sequence[str] = ()) -> None:
        """Start one; what it prints is in a file of its name."""
        log = self.logs / f"{name.split(maxsplit=1)[0]}.log"
        self.running.append(_start(name, [*command], env=self.env, log=log, cwd=self.cwd, before=before))

    def start_training(self) -> None:
        """Start the worker for trainings."""
        self.start(TRAINING, [*TRAINING_WORKER[1:], "--loglevel", "warning"], before=LITTLE_CLAIM)

    @property
    def trains(self) -> bool:
        """Whether the worker for trainings was started."""
        return any(process.name == TRAINING for process in self.running)


@contextmanager
def served(port: int, *, env: Mapping[str, str], logs: Path, cwd: Path) -> Iterator[Servers]:
    """A responding web server and worker; they, and what else was started meanwhile, are stopped at the end, whatever
    happens.

    Raises:
        Trouble: one of them did not start.
        KeyboardInterrupt: Ctrl-C was pressed, or the process was asked to end.
    """
    web = [*WEB[1:], "--bind", f"127.0.0.1:{port}", "--workers", "1", "--log-level", "warning", "--timeout", "120"]
    worker = [*WORKER[1:], "--loglevel", "warning"]
    servers = Servers(env, logs, cwd)
    try:
        servers.start("web server", web)
        servers.start("worker", worker)
        _wait_until_answering(port, servers.running)
        yield servers
    finally:
        # An impatient second Ctrl-C (make passes its own on as well) must not leave a process behind.
        for ending in ENDINGS:
            signal.signal(ending, signal.SIG_IGN)
        _tell("\nStopping ...")
        _stop(servers.running)
        _tell("Stopped.")


def wait(servers: Servers, *, parent: int | None = None, trains: Callable[[], bool] | None = None) -> None:
    """Wait until Ctrl-C, which raises KeyboardInterrupt, or until one of them ends by itself, which raises Trouble.

    Args:
        parent: the program that this one works for; when it has ended, waiting ends too.
        trains: whether somebody trains, which takes a worker of its own; None where nothing can be trained.
    """
    while parent is None or os.getppid() == parent:
        time.sleep(1)
        for process in servers.running:
            process.check("stopped by itself")
        if trains and not servers.trains and trains():
            servers.start_training()


def end_as_by_ctrl_c() -> None:
    """From now on, a request to end and a closed terminal act like Ctrl-C: they raise KeyboardInterrupt.

    A process told to outlive its terminal (nohup) still does.
    """
    for ending in ENDINGS:
        if signal.getsignal(ending) != signal.SIG_IGN:
            signal.signal(ending, _interrupt)


def _tell(text: str) -> None:
    """Print it if somebody can still read it, which is not so if the terminal was closed."""
    with suppress(OSError, ValueError):
        say(text)


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _start(
    name: str,
    command: list[str],
    *,
    env: Mapping[str, str],
    log: Path,
    cwd: Path,
    before: Sequence[str] = (),
) -> Process:
    # Its own session: Ctrl-C reaches only this program, which then stops both in order.
    with log.open("wb") as output:
        running = subprocess.Popen(
            [*before, sys.executable, *SUPERVISED, *command],
            cwd=cwd,
            env=env,
            stdin=subprocess.PIPE,  # never written to: it closes when this program ends (supervisor.py)
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    return Process(name, running, log)


def _wait_until_answering(port: int, processes: list[Process]) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        for process in processes:
            process.check("did not start")
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/health/ready", timeout=2) as answer:
                if b'"worker": true' in answer.read():
                    return
        except (urllib.error.URLError, OSError):
            pass
        time.sleep(0.2)
    logs = " and ".join(str(process.log) for process in processes)
    raise Trouble(f"The server did not answer within {START_SECONDS} seconds. Its output is in {logs}.")


def _stop(processes: list[Process]) -> None:
    for process in processes:
        if process.running.poll() is None:
            process.running.terminate()
    for process in processes:
        try:
            process.running.wait(timeout=STOP_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.running.pid, signal.SIGKILL)
            process.running.wait()
        if process.running.stdin:
            process.running.stdin.close()


def tail(log: Path) -> str:
    return "\n".join(log.read_text(errors="replace").splitlines()[-10:])
