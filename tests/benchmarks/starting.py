"""How long it takes until the library and the command are there.

    python -m tests.benchmarks.starting [--rounds 15]

Each time is that of a whole process, from its start to its end, with the bytecode already compiled. An empty Python
process is part of it, and stands in the first row.
"""

import argparse
import os
import statistics
import subprocess
import sys

from ._document import ROOT
from ._timing import duration, machine, seconds

MOST_SECONDS = 0.5
WORK = {
    "an empty process": (["-c", ""], None),
    "`from metaeval.metrics import soft_micro_f1`": (
        ["-c", "from metaeval.metrics import soft_micro_f1"],
        MOST_SECONDS,
    ),
    "`import metaeval.stats`": (["-c", "import metaeval.stats"], None),
    "`hlvstudy --help`": (["-m", "hlvstudy", "--help"], MOST_SECONDS),
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    found = {what: times(arguments, rounds) for what, (arguments, _) in WORK.items()}
    print(f"\nStarting the library and the command\n{machine()}\n")
    print("| what is started | at most | median | fastest | slowest |\n|---|---:|---:|---:|---:|")
    missed = False
    for what, (_, most) in WORK.items():
        median = statistics.median(found[what])
        too_slow = most is not None and median > most
        missed |= too_slow
        limit = f"{most:g} s{' MISSED' if too_slow else ''}" if most else ""
        spread = f"{duration(min(found[what]))} | {duration(max(found[what]))}"
        print(f"| {what} | {limit} | {duration(median)} | {spread} |")
    return 1 if missed else 0


def times(arguments: list[str], rounds: int) -> list[float]:
    """Seconds of each round; one more round before them fills the caches."""
    command = [sys.executable, *arguments]
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}

    def run() -> None:
        subprocess.run(command, cwd=ROOT, env=env, check=True, stdout=subprocess.DEVNULL)

    run()
    return [seconds(run) for _ in range(rounds)]


if __name__ == "__main__":
    sys.exit(main())
