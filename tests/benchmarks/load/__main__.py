"""Complete answers per second, here and elsewhere: `python -m tests.benchmarks.load`.

    --only here,bare      some of: here, here-nginx, bare, potato, doccano, label-studio
    --users 20,100        numbers of users, one after the other, each as fast as they are answered
    --sessions 200        from so many sessions ...
    --arriving 20         ... so many answers a second arrive at random
    --seconds 15          how long each is measured, after a warm-up
    --server ADDRESS      a database at a PostgreSQL server where databases may be created; `sqlite` for files
    --logs FOLDER         keep what the servers logged
    --write               write the table into docs/performance.md

The exit code is 1 if a limit is missed or not measured.
"""

import argparse
import os
import signal
import sys
from pathlib import Path

from tests.benchmarks import _page
from tests.benchmarks.load.measuring import outcome_of
from tests.benchmarks.load.systems import systems
from tests.benchmarks.load.systems.system import Sizes
from tests.benchmarks.load.table import ARRIVING, SESSIONS, TITLE, limits, written

SERVER = "postgres://postgres@127.0.0.1:5432/postgres"
MOST_SECONDS, MOST_USERS = 120, 500


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.load",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    known = systems()
    parser.add_argument("--only", default=",".join(known))
    parser.add_argument("--users", default="20,100")
    parser.add_argument("--sessions", type=int, default=SESSIONS)
    parser.add_argument("--arriving", type=float, default=ARRIVING)
    parser.add_argument("--seconds", type=float, default=15)
    parser.add_argument("--warm", type=float, default=4)
    parser.add_argument("--texts", type=int, default=5_200)
    parser.add_argument("--server", default=os.environ.get("HLV_LOAD_SERVER", SERVER))
    parser.add_argument("--logs", type=Path, help="a folder for what the servers logged")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args(arguments)
    users = [int(count) for count in options.users.split(",")]
    if not 0 < options.seconds <= MOST_SECONDS or not 0 < min(users) <= max(users) <= options.sessions <= MOST_USERS:
        parser.error(f"at most {MOST_SECONDS} seconds and {MOST_USERS} sessions, and no more users than sessions")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that what was started is ended, too
    sizes = Sizes(users=options.sessions, texts=options.texts)
    server = "" if options.server == "sqlite" else options.server
    outcomes = [
        outcome_of(
            known[name],
            users=users,
            seconds=options.seconds,
            warm=options.warm,
            sizes=sizes,
            server=server,
            logs=options.logs,
            arriving=options.arriving,
        )
        for name in options.only.split(",")
    ]
    told = limits(outcomes, users=users)
    body = written(outcomes, told, seconds=options.seconds, database="PostgreSQL" if server else "SQLite")
    print(f"\n{body}")
    if options.write:
        _page.write("load", TITLE, body, command="python -m tests.benchmarks.load --write")
    return 0 if all(limit.holds for limit in told) else 1


if __name__ == "__main__":
    sys.exit(main())
