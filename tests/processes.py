"""Programs that these tests start, as somebody at a terminal does, and what is left of them."""

import os
import signal
import socket
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.conftest import wait_until


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
                env=env,
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
