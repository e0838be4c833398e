"""Which tests one database is enough for: this is the one place that says so.

On SQLite every test runs; on PostgreSQL those that a database can change. The others bear the mark `once`: whatever
touches no database (that is found out), and what is named here, by its place below this folder.
"""

from functools import cache
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ENOUGH = (
    "browser",  # how pages look and read
    "metaeval/metrics",  # a library without a database
    "metaeval/stats",
    "metaeval/training",  # a library too; what a database keeps of it is tested with the jobs
    "metaeval/analyses",  # they read arrays
    "metaeval/figures",
    "metaeval/bundles",  # files that are read without a database
    "metaeval/documents/test_report.py",
    "metaeval/training_jobs/test_training.py",  # minutes of computing; their rows have tests of their own
    "annotations/importing",  # readers of formats: what they bring is written by one writer
    "annotations/exporting",  # formats: what they write is read by one query
    "deploy",
    "hlvstudy/program",
    "hlvstudy/tooling",
    "annotations/api/test_every_permission.py",  # who may do what is said in Python
    # The whole ways of the documentation: what they import, answer and compute has tests of its own.
    "hlvstudy/test_scripting_page.py",
    "test_docs.py",
    "test_readme.py",
    "test_earlier_versions.py",
    "metaeval/test_docs.py",
    "metaeval/test_mtbench_page.py",
    "metaeval/test_notebook_page.py",
    "metaeval/test_reproductions_page.py",
)
BUT_ON_BOTH = (
    "browser/faults/test_connection.py",  # requests are cut off, the server dies
    "browser/faults/test_server.py",
    "hlvstudy/program/test_doctor.py",
    "hlvstudy/program/test_doctor_databases.py",
    "annotations/importing/test_bare_files.py",
    "annotations/importing/test_commands.py",
    "annotations/importing/test_restoring.py",
    "annotations/importing/test_writing.py",
    "annotations/exporting/test_exports.py",
    "annotations/exporting/test_study_responses.py",
)
TRANSACTIONAL = {"transactional_db", "live_server"}


def mark(items: list[pytest.Item]) -> None:
    """Mark the tests that need to run on one database only."""
    for item in items:
        if is_named(item.path) or not needs_a_database(item):
            item.add_marker(pytest.mark.once)


@cache
def is_named(path: Path) -> bool:
    """Whether one database is enough for the tests of a file."""
    places = {path, *path.parents}
    return not places & below(BUT_ON_BOTH) and bool(places & below(ENOUGH))


@cache
def below(names: tuple[str, ...]) -> frozenset[Path]:
    return frozenset(HERE / name for name in names)


def needs_a_database(item: pytest.Item) -> bool:
    return item.get_closest_marker("django_db") is not None or bool({"db", "django_db_setup"} & fixtures(item))


def is_transactional(item: pytest.Item) -> bool:
    """Whether its data are seen by others, whom it mostly waits for: a browser, a worker, threads."""
    marker = item.get_closest_marker("django_db")
    return bool(marker and marker.kwargs.get("transaction")) or bool(TRANSACTIONAL & fixtures(item))


def turns(items: list[pytest.Item]) -> dict[Path, tuple[int, float]]:
    """When each file has its turn. Those with a long test begin. Of the others, files that wait for a browser or a
    worker are spread evenly among those that compute, so that a process that waits leaves its core to one that does
    not, from the first test to the last."""
    long = {item.path for item in items if item.get_closest_marker("long")}
    waiting = {item.path for item in items if is_transactional(item)} - long
    others = [path for path in dict.fromkeys(item.path for item in items) if path not in long]
    found = dict.fromkeys(long, (0, 0.0))
    for group in ([path for path in others if path in waiting], [path for path in others if path not in waiting]):
        found |= {path: (1, (place + 0.5) / len(group)) for place, path in enumerate(group)}
    return found


def fixtures(item: pytest.Item) -> set[str]:
    return set(getattr(item, "fixturenames", ()))
