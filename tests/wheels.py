"""Build the wheel, and install it as a stranger does: in an environment with nothing else, away from the checkout."""

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.conftest import missing
from tests.tooling.prepare import BIN, EXPLANATIONS, ROOT

UNREACHABLE = EXPLANATIONS[0][0]
UV = BIN / "uv"


@dataclass(frozen=True)
class Installed:
    """An environment with packages, and a home and a folder to run in, both empty at first."""

    folder: Path

    @property
    def bin(self) -> Path:
        return self.folder / "environment" / "bin"

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def here(self) -> Path:
        return self.folder / "here"

    @property
    def env(self) -> dict[str, str]:
        """No setting of this machine or of these tests."""
        kept = {name: value for name, value in os.environ.items() if name.startswith(("OPENBLAS_", "OMP_", "LC_"))}
        return {**kept, "PATH": os.pathsep.join([str(self.bin), "/usr/bin", "/bin"]), "HOME": str(self.home)}

    def run(self, *command: str, **settings: str) -> subprocess.CompletedProcess[str]:
        program = [str(self.bin / command[0]), *command[1:]]
        return subprocess.run(
            program, cwd=self.here, env=self.env | settings, capture_output=True, text=True, check=False
        )


def built(project: Path, folder: Path) -> Path:
    """The wheel of a project, built as `pip install` builds it."""
    fetched("build", "--wheel", "--out-dir", str(folder), str(project))
    (wheel,) = folder.glob("*.whl")
    return wheel


def installed(folder: Path, *packages: str | Path) -> Installed:
    """An environment with the packages and what they ask for, of the versions that are pinned here."""
    made = Installed(folder)
    made.home.mkdir(parents=True)
    made.here.mkdir()
    fetched("venv", "--python", sys.executable, str(made.bin.parent))
    pins = ["--constraint", str(ROOT / "constraints.txt")]
    fetched("pip", "install", "--python", str(made.bin / "python"), *pins, *map(str, packages))
    return made


def fetched(*command: str) -> str:
    """What uv printed; where no index answers, there is nothing to test here, and in CI that is a failure."""
    if not UV.exists():
        missing("the installer (.venv/bin/uv; run `make test` once)")
    done = subprocess.run([str(UV), *command], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode and re.search(UNREACHABLE, done.stderr):
        missing(f"the package index ({done.stderr[-500:]})")
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout
