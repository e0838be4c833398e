"""Programs that these tests start, as somebody at a terminal does, and what is left of them.

`python -m tests.processes NUMBER` ends what the tests of a process have started, when that process has ended, however
it did: it waits until nobody holds the other end of its standard input. Every program bears the tests' mark in its
environment, which it hands on to whatever it starts, also in sessions of their own.
"""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MARK = "HLV_TESTS"
"""The variable with the number of the process whose tests started a program."""
BYTECODE = {name: os.environ[name] for name in ("PYTHONPYCACHEPREFIX",) if name in os.environ}
"""For the environments of programs that know no setting of ours: what Python has compiled once is not compiled again,
which takes half a minute, and is not kept beside the code."""


def guard() -> subprocess.Popen[bytes]:
    """Mark what this process starts from now on; the guardian ends what is left of it when this process has ended."""
    os.environ[MARK] = str(os.getpid())
    command = [sys.executable, "-m", "tests.processes", os.environ[MARK]]
    unmarked = {name: value for name, value in os.environ.items() if name != MARK}
    return subprocess.Popen(command, cwd=ROOT, env=unmarked, stdin=subprocess.PIPE, start_new_session=True)


def marked(number: str) -> Iterator[int]:
    """The running programs that the tests of a process started, and those that they started."""
    mark = f"{MARK}={number}".encode()
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended meanwhile, or is somebody else's
            is_other = int(process.name) not in {int(number), os.getpid()}
            if is_other and mark in (process / "environ").read_bytes().split(b"\0"):
                yield int(process.name)


def end_marked(number: str, *, since: float = 0.0) -> None:
    """End them; or only those that began since a time, in seconds since 1970, unless they belong to older ones."""
    there = list(marked(number))
    older = {pid for pid in there if began(pid) < since}
    for pid in there:
        if not older & {pid, *ancestors(pid)}:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def began(pid: int) -> float:
    """When a process began, in seconds since 1970."""
    try:
        ticks = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19])
    except OSError:
        return 0.0
    booted = time.time() - time.clock_gettime(time.CLOCK_BOOTTIME)
    return booted + ticks / os.sysconf("SC_CLK_TCK")


def ancestors(pid: int) -> Iterator[int]:
    """What started a process, what started that, and so on."""
    while pid > 1:
        try:
            pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            return
        yield pid


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def hear_everything() -> None:
    """As a terminal starts it: a job in the background inherits that Ctrl-C is ignored, and one of nohup's SIGHUP."""
    for heard in (signal.SIGINT, signal.SIGHUP):
        signal.signal(heard, signal.SIG_DFL)


class AtTerminal:
    """A running program in a terminal's process group of its own, and the file that gets what it says."""

    def __init__(self, command: Sequence[str | Path], *, cwd: Path, env: Mapping[str, str], log: Path) -> None:
        self.log = log
        with log.open("wb") as output:
            self.process = subprocess.Popen(
                [str(part) for part in command],
                cwd=cwd,
                env={**env, MARK: os.environ.get(MARK, "")},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=hear_everything,  # noqa: PLW1509 (no other thread)
            )

    @property
    def has_ended(self) -> bool:
        return self.process.poll() is not None

    @property
    def said(self) -> str:
        return self.log.read_text()

    def wait_until_it_says(self, words: str) -> None:
        from tests.conftest import wait_until  # which starts this file's guardian, and would be started by it

        wait_until(lambda: words in self.said or self.has_ended, seconds=240, every=0.2)
        assert not self.has_ended, self.said

    def interrupt(self) -> int:
        """Ctrl-C: the terminal sends it to the whole foreground group. Nothing happens to what has ended."""
        return self._end(signal.SIGINT)

    def terminate(self) -> int:
        """What a service manager sends."""
        return self._end(signal.SIGTERM)

    def hang_up(self) -> int:
        """The terminal is closed."""
        return self._end(signal.SIGHUP)

    def _end(self, how: signal.Signals) -> int:
        if not self.has_ended:
            os.killpg(self.process.pid, how)
        return self.process.wait(timeout=60)


def with_files_open_in(folder: Path) -> list[str]:
    """Processes that still have a file of the folder open."""
    if not Path("/proc/self/fd").exists():  # macOS
        done = subprocess.run(["lsof", "-t", "+D", str(folder)], capture_output=True, text=True, check=False)
        return done.stdout.split()
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if any(str(folder) in os.readlink(file) for file in (process / "fd").iterdir()):
                found.append(process.name)
        except OSError:
            continue
    return found


if __name__ == "__main__":
    sys.stdin.read()
    end_marked(sys.argv[1])
