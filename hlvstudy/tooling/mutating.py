"""`make mutants`: makes small faults in the code and checks that a test notices each (tests/mutation/README.md)."""

import os
import subprocess

from .prepare import PYTHON, ROOT, environment, python_packages, translations


def main(_: list[str]) -> int:
    """TARGET, SAMPLE, SEED and JOBS come from the command line of `make`."""
    python_packages(dev=True)
    translations()
    chosen = [f"--{name.lower()}={os.environ[name]}" for name in ("SAMPLE", "SEED", "JOBS") if os.environ.get(name)]
    command = [str(PYTHON), "-m", "tests.mutation", *os.environ.get("TARGET", "").split(), *chosen]
    return subprocess.run(command, cwd=ROOT, env=environment(), check=False).returncode
