"""Servers are harmed while experts answer, and nothing acknowledged may be lost: `python -m tests.faults`.

    --only web_killed,...   some of the scenarios (the modules of tests/faults/scenarios)
    --rounds 3              how often each fault strikes
    --seconds 2             time between two faults, and how long a fault lasts that can last
    --answers 1000          answers of the long run
    --longest 1800          seconds that the long run may take
    --users 8               experts who answer at the same time
    --minutes 60            when everything is ended, whatever is still to do
    --logs FOLDER           keep what the servers logged
    --write                 write the table into docs/reliability.md

Experts' pages send what was not acknowledged again, with the same key, and so do these experts. After each scenario
every acknowledged answer must be in the database once and as it was sent; no comparison may have more experts than
planned, no expert the same text twice or sides out of balance; events must be there, jobs must have ended, and one
asked for after the fault must succeed.

Everything is started for it and ended with it: PostgreSQL, Redis, web server and worker, on ports of their own, with
files in a temporary folder. Full disks need root (they are small file systems in memory), the clock needs a C compiler;
without, the table says so. The exit code is 1 if something was lost, doubled, wrong or not run.
"""

import argparse
import signal
import sys
import time
from collections.abc import Generator, Sequence
from contextlib import closing
from pathlib import Path
from typing import NoReturn

from tests.benchmarks.load.machine import NotMeasured, place_for
from tests.faults.load import Outcome, outcome_of, sizes_for
from tests.faults.prepared import Prepared
from tests.faults.reliability_page import row_of, write
from tests.faults.scenario import Options, Scenario, found

MOST = {"rounds": 100, "seconds": 60, "answers": 100_000, "longest": 7_200, "users": 100, "minutes": 300}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.faults", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    known, usual = found(), Options()
    parser.add_argument("--only", default=",".join(known))
    parser.add_argument("--rounds", type=int, default=usual.rounds)
    parser.add_argument("--seconds", type=float, default=usual.seconds)
    parser.add_argument("--answers", type=int, default=usual.answers)
    parser.add_argument("--longest", type=float, default=usual.longest)
    parser.add_argument("--users", type=int, default=usual.users)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--logs", type=Path)
    parser.add_argument("--write", action="store_true")
    told = parser.parse_args(arguments)
    names = told.only.split(",")
    if unknown := [name for name in names if name not in known]:
        parser.error(f"unknown: {', '.join(unknown)}; there are: {', '.join(known)}")
    if over := [name for name, most in MOST.items() if not 0 < getattr(told, name) <= most]:
        parser.error(", ".join(f"--{name}: more than 0, at most {MOST[name]}" for name in over))
    options = Options(told.rounds, told.seconds, told.answers, told.longest, told.users)
    began = time.monotonic()
    for ending in (signal.SIGTERM, signal.SIGALRM):
        signal.signal(ending, end)
    signal.setitimer(signal.ITIMER_REAL, told.minutes * 60)
    say(f"ends within {told.minutes:g} minutes; preparing a study ...")
    holds = True
    with closing(outcomes([known[name] for name in names], options, logs=told.logs)) as found_out:
        for outcome in found_out:
            say(row_of(outcome), *(f"  {problem}" for problem in outcome.problems))
            holds &= outcome.holds
            if told.write:
                write(outcome, order=list(known))
    say(f"{(time.monotonic() - began) / 60:.1f} minutes")
    return 0 if holds else 1


def outcomes(scenarios: Sequence[Scenario], options: Options, *, logs: Path | None) -> Generator[Outcome]:
    """What each did, one after the other."""
    try:
        with place_for("faults", "", logs=logs and logs / "prepared") as place:
            prepared = Prepared(place, sizes_for(scenarios, options))
            for scenario in scenarios:
                say(f"{scenario.name} ...")
                yield outcome_of(scenario, options, prepared, logs=logs)
    except NotMeasured as why:
        for scenario in scenarios:
            yield Outcome(scenario.name, scenario.title, missing=str(why))


def end(*_: object) -> NoReturn:
    """What was started is ended on the way out."""
    sys.exit("ended before the end: asked to, or the time was over")


def say(*lines: str) -> None:
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
