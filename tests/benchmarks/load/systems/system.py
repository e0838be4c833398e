"""What a measured system has to offer."""

import os
import subprocess
import sys
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.benchmarks.load.machine import NotMeasured, Place, last_line

ROOT = Path(__file__).resolve().parents[4]
LABELS = 33
TEXT = (
    "The claimant was employed as a driver and was dismissed without notice after the vehicle had been damaged. "
    "The respondent says that the damage was caused by gross negligence; the claimant says that the brakes had been "
    "reported as faulty twice, and that nothing was done. Wages for the last month have not been paid."
)


@dataclass(frozen=True)
class Sizes:
    """How much there is to answer."""

    users: int
    texts: int
    systems: int = 26
    experts_per_comparison: int = 4
    is_small: bool = False
    """For a test of the harness itself: no worker beside the server."""


@dataclass(frozen=True)
class Ready:
    """A server that responds."""

    port: int
    people: list[dict[str, Any]]
    version: str
    checked: dict[str, Any] = field(default_factory=dict)
    """What `problems` needs later."""
    is_tls: bool = False


class System(ABC):
    """One system. `script` names the class that plays its users."""

    name: str
    title: str
    script: str
    most: int = 40_000
    """The most answers of one stage."""

    @abstractmethod
    def start(self, place: Place, sizes: Sizes) -> Ready:
        """Prepare and start it.

        Raises:
            NotMeasured: it cannot run here.
        """

    def problems(self, place: Place, ready: Ready, acknowledged: Sequence[Any]) -> list[str]:
        """What is wrong with what is stored, after everything was answered; systems of others are not checked."""
        return []


class Peer(System):
    """A tool of others, from its package, in an environment of its own that stays for the next time."""

    packages: tuple[str, ...]

    @property
    def environment(self) -> Path:
        folder = os.environ.get("HLV_PEERS")
        return (Path(folder) if folder else ROOT / ".state" / "peers") / self.name

    def installed(self) -> Path:
        """Its Python.

        Raises:
            NotMeasured: it could not be installed.
        """
        python = self.environment / "bin" / "python"
        stamp = self.environment / "installed"
        wanted = "\n".join(self.packages)
        if stamp.exists() and stamp.read_text() == wanted:
            return python
        print(f"{self.title}: installing {self.packages[0]} into {self.environment} ...", flush=True)
        uv = Path(sys.executable).parent / "uv"
        made: list[list[str | Path]] = [[sys.executable, "-m", "venv", "--clear", self.environment]]
        install: list[str | Path] = [python, "-m", "pip", "install", "-q", *self.packages]
        if uv.exists():
            made = [[uv, "venv", "-q", "--clear", "--python", sys.executable, self.environment]]
            install = [uv, "pip", "install", "-q", "--python", python, *self.packages]
        for command in [*made, install]:
            done = subprocess.run(
                [str(part) for part in command], capture_output=True, text=True, check=False, timeout=900
            )
            if done.returncode:
                raise NotMeasured(f"{self.packages[0]} could not be installed: {last_line(done.stderr)}")
        stamp.write_text(wanted)
        return python
