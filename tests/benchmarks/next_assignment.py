"""What asking for the next assignment costs in a small, a middling and a large study.

    python -m tests.benchmarks.next_assignment [--rounds 30]

Each row is one study; its expert has answered some before, asks, and gets a place of the pool. Every statement
counts: those for session and user, and the two that frame the transaction. The test database is made for the run and
taken away again.
"""

import argparse
import os
import statistics
import sys
import time

import django
from django.test.utils import CaptureQueriesContext, setup_databases, setup_test_environment, teardown_databases

from ._timing import duration, machine

MOST_QUERIES = 8
STUDIES = [(12, 4, 12), (120, 26, 28), (1500, 26, 400)]  # instances, systems, instances per system


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=30)
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()
    setup_test_environment()
    databases = setup_databases(verbosity=0, interactive=False)
    try:
        rows = [measure(*sizes, rounds=options.rounds) for sizes in STUDIES]
    finally:
        teardown_databases(databases, verbosity=0)
    print(f"\nThe next assignment\n{machine()}\n")
    print("| places | queries | at most | median | slowest |\n|---:|---:|---:|---:|---:|")
    for places, queries, times in rows:
        missed = "" if queries <= MOST_QUERIES else " MISSED"
        print(f"| {places:,} | {queries} | {MOST_QUERIES}{missed} | ", end="")
        print(f"{duration(statistics.median(times))} | {duration(max(times))} |")
    return 0 if all(queries <= MOST_QUERIES for _, queries, _ in rows) else 1


def measure(instances: int, systems: int, per_system: int, *, rounds: int) -> tuple[int, int, list[float]]:
    """Places of the study, the most queries of one request, and the seconds of every request."""
    from django.db import connection

    from tests.worlds.answering import Page
    from tests.worlds.datasets import make_dataset
    from tests.worlds.studies import make_open_study

    dataset = make_dataset(instances=instances, systems=systems, slug=f"data-{instances}")
    study = make_open_study(
        dataset=dataset, slug=f"study-{instances}", experts=1, instances_per_system=per_system, experts_per_comparison=4
    )
    user = study.memberships.get().user
    page = Page(user, study.slug)
    queries, times = 0, []
    for _ in range(min(rounds, instances)):
        start = time.perf_counter()
        with CaptureQueriesContext(connection) as context:
            task = page.next().json()
        times.append(time.perf_counter() - start)
        queries = max(queries, len(context))
        token = task["assignment"]["token"]
        page.labels(token)
        page.preference(token)
    return study.assignments.count(), queries, times


if __name__ == "__main__":
    sys.exit(main())
