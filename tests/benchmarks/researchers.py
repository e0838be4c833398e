"""What a researcher's pages ask of a large study that is under way: how long each answer takes, and how big it is.

    python -m tests.benchmarks.researchers [--rounds 9] [--only overview] [--queries]

2,000 comparisons, 60 experts, 50,000 answers of 52,000 places, 26 systems. Every address that a page of the study or of
its dataset reads is asked in turn, as a browser asks: signed in, through the whole application. With `--queries` each
statement of one request is printed with its time. The test database is made for the run and taken away again.
"""

import argparse
import os
import statistics
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import django
from django.test.utils import CaptureQueriesContext, setup_databases, setup_test_environment, teardown_databases

from ._timing import duration, machine

SECONDS, BYTES = 0.2, 1_000_000
STUDY, DATASET = "/api/v1/studies/large/", "/api/v1/datasets/large-data/"
ADDRESSES = [
    "/api/v1/studies/",
    STUDY,
    f"{STUDY}overview/",
    f"{STUDY}assignments/",
    f"{STUDY}assignments/?limit=500",
    f"{STUDY}assignments/?expert=7&state=answered",
    f"{STUDY}assignments/summary/",
    f"{STUDY}assignments/share/",
    f"{STUDY}assignments/grid/",
    f"{STUDY}assignments/grid/?limit=500",
    f"{STUDY}assignments/grid/?state=full",
    f"{STUDY}setup/",
    f"{STUDY}plan/",
    f"{STUDY}comparisons/?limit=500",
    f"{STUDY}responses/",
    f"{STUDY}responses/?limit=500",
    f"{STUDY}responses/?page=90&limit=500",
    f"{STUDY}responses/?expert=7&limit=500",
    f"{STUDY}responses/?ordering=-completed_at&limit=500",
    f"{STUDY}events/",
    f"{STUDY}events/summary/",
    f"{STUDY}reports/",
    f"{STUDY}invitations/",
    f"{STUDY}export-files/",
    f"{STUDY}analyses/",
    f"{STUDY}analysis-plan/",
    f"{STUDY}runs/",
    f"{STUDY}documents/",
    "/api/v1/datasets/",
    DATASET,
    f"{DATASET}instances/?limit=500",
    f"{DATASET}instances/?order=-disagreement&limit=500",
    f"{DATASET}instances/?order=worst&limit=500",
    f"{DATASET}instances/?search=number%2077&limit=500",
    f"{DATASET}instances/100/",
    f"{DATASET}distributions/?limit=500",
    f"{DATASET}systems/",
    f"{DATASET}glance/",
    f"{DATASET}uses/",
]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--only", default="", help="addresses with this in them")
    parser.add_argument("--queries", action="store_true", help="print the statements of a request with their times")
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()
    setup_test_environment()
    databases = setup_databases(verbosity=0, interactive=False)
    try:
        rows = measure([one for one in ADDRESSES if options.only in one], options.rounds, show=options.queries)
    finally:
        teardown_databases(databases, verbosity=0)
    return 0 if report(rows) else 1


def measure(addresses: Iterable[str], rounds: int, *, show: bool) -> list[dict[str, Any]]:
    """Seconds of every round, and bytes, of each address."""
    from django.db import connection
    from django.test import Client

    from annotations.models import Role
    from tests.worlds.large import make_large_study
    from tests.worlds.studies import make_member

    study = make_large_study()
    with connection.cursor() as cursor:
        # As the database does by itself in time.
        cursor.execute("VACUUM ANALYZE" if connection.vendor == "postgresql" else "ANALYZE")
    client = Client()
    client.force_login(make_member(study, Role.ADMIN, "admin@example.org").user)
    rows = []
    for address in addresses:
        answer = client.get(address)  # compiles, imports, fills caches
        times, before = [], _processor(connection)
        for _ in range(rounds):
            start = time.perf_counter()
            answer = client.get(address)
            times.append(time.perf_counter() - start)
        processor = (_processor(connection) - before) / rounds
        with CaptureQueriesContext(connection) as context:
            client.get(address)
        if show:
            print(f"\n{address}")
            for query in sorted(context.captured_queries, key=lambda one: -float(one["time"]))[:8]:
                print(f"  {query['time']} s  {query['sql'][:400]}")
        rows.append(
            {
                "address": address.removeprefix("/api/v1/"),
                "status": answer.status_code,
                "times": times,
                "processor": processor,
                "queries": len(context),
                "bytes": len(answer.content),
            }
        )
    return rows


def _processor(connection: Any) -> float:
    """Seconds of the processor so far, of this process and of the database's that works for it."""
    seconds = time.process_time()
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_backend_pid()")
            (pid,) = cursor.fetchone()
        words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        seconds += (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
    return seconds


def report(rows: list[dict[str, Any]]) -> bool:
    """Print the table; False when a limit is missed."""
    from django.db import connection

    print("\nWhat a researcher's pages ask of a large study")
    print(f"{machine()}\n")
    print(f"2,000 comparisons, 60 experts, 50,000 answers; {connection.vendor}.\n")
    print("| address | queries | processor | median | slowest | at most | kB | at most |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    good = True
    for row in rows:
        median = statistics.median(row["times"])
        fast, small = median <= SECONDS, row["bytes"] <= BYTES
        good = good and fast and small and row["status"] == 200
        status = "" if row["status"] == 200 else f" {row['status']}"
        times = [duration(one) for one in (row["processor"], median, max(row["times"]))]
        print(
            f"| `{row['address']}`{status} | {row['queries']} | {' | '.join(times)} "
            f"| {SECONDS * 1000:.0f} ms{'' if fast else ' MISSED'} | {row['bytes'] / 1000:,.0f} "
            f"| {BYTES // 1000:,}{'' if small else ' MISSED'} |"
        )
    return good


if __name__ == "__main__":
    sys.exit(main())
