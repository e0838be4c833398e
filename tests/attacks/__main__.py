"""Everything that attackers found is tried again: `python -m tests.attacks`.

    --only 1,4           some of the rows (tests/attacks/rows.py)
    --server ADDRESS     a PostgreSQL server where databases may be created; `sqlite` for a file
    --write              write the table into docs/security.md (all rows)

The tests are those that every run of the suite contains; here they say how much they tried. Nothing but this machine
is attacked. The exit code is 1 if a test failed or did not run.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.attacks.page import Outcome, outcomes, table, write
from tests.attacks.rows import ROWS
from tests.benchmarks._page import machine

SERVER = "postgres://postgres@127.0.0.1:5432/attacks"
"""Its tests make and drop the database `test_attacks`."""
ROOT = Path(__file__).resolve().parents[2]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.attacks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default=",".join(str(n) for n in range(1, len(ROWS) + 1)))
    parser.add_argument("--server", default=SERVER)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args(arguments)
    try:
        rows = [ROWS[int(number) - 1] for number in options.only.split(",")]
    except (ValueError, IndexError):
        parser.error(f"--only takes numbers from 1 to {len(ROWS)}")
    if options.write and len(rows) != len(ROWS):
        parser.error("--write needs all rows")
    found = run(
        [test for row in rows for test in row.tests], server="" if options.server == "sqlite" else options.server
    )
    told = [one for one in found if one.row in rows]
    section = table(
        told,
        database="PostgreSQL" if options.server != "sqlite" else "SQLite",
        machine=machine(),
        command="python -m tests.attacks --write",
    )
    sys.stdout.write(f"\n{section}")
    if options.write:
        write(section)
    return 0 if all(one.holds for one in told) else 1


def run(tests: list[str], *, server: str) -> list[Outcome]:
    """Run the tests in a process of their own; returns what they told."""
    environment = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    with tempfile.TemporaryDirectory() as folder:
        to = Path(folder, "tried.json")
        plugins = ["-p", "tests.attacks.counting", "-p", "no:randomly"]
        command = [sys.executable, "-m", "pytest", "-q", "-m", "", *plugins, "--attacks-to", str(to), *tests]
        subprocess.run(command, cwd=ROOT, env=environment | ({"DATABASE_URL": server} if server else {}), check=False)
        return outcomes(json.loads(to.read_text(encoding="utf-8")) if to.exists() else {})


if __name__ == "__main__":
    sys.exit(main())
