"""`python -m tests.benchmarks`: every benchmark, each in a process of its own, prints its table."""

import subprocess
import sys

from tests.benchmarks._document import ROOT, available


def main() -> int:
    code = 0
    for name in available():
        print(f"\n== {name}", flush=True)
        command = [sys.executable, "-m", f"tests.benchmarks.{name}"]
        code = max(code, subprocess.run(command, cwd=ROOT, check=False).returncode)
    return code


if __name__ == "__main__":
    sys.exit(main())
