"""Which tests run where: this is the one place that says so. There are two tiers, and a file belongs to one.

- `make test` runs what has no mark `long`, on SQLite; and of it what SQL can change (`sql`) on PostgreSQL, too.
- `make test-long` runs what bears the mark `long`; and on PostgreSQL whatever reads or writes rows (`database`).

Files bear the mark `long` themselves. What uses a database is found out; what SQL can change is named here, by its
place below this folder, and so is what cannot tell databases apart: it only reads files, arrays or words once the data
are loaded.
"""

import re
from functools import cache
from pathlib import Path

import pytest

HERE = Path(__file__).parent
SQL = (
    "locks",
    "annotations/answering",
    "annotations/background",
    "annotations/api/test_lists.py",
    "annotations/designing/test_adding.py",
    "annotations/designing/test_applying.py",
    "annotations/designing/test_consequences.py",
    "annotations/designing/test_giving_away.py",
    "annotations/designing/test_lifecycle.py",
    "annotations/designing/test_neighbours.py",
    "annotations/designing/test_overview.py",
    "annotations/designing/test_pausing.py",
    "annotations/designing/test_pilot_places.py",
    "annotations/designing/test_reassigning.py",
    "annotations/designing/test_starting.py",
    "annotations/erasing",
    "annotations/importing/test_restoring.py",
    "annotations/importing/test_writing.py",
    "annotations/exporting/test_exports.py",
    "annotations/exporting/test_study_responses.py",
    "annotations/models",
    "annotations/test_constraints.py",
    "annotations/test_migrations.py",
    "annotations/shown/test_place_counts.py",
    "browser/faults/test_connection.py",  # requests are cut off, the server dies
    "browser/faults/test_server.py",
    "hlvstudy/backups/test_backing_up.py",
    "hlvstudy/backups/test_moving.py",
    "hlvstudy/backups/test_restoring.py",
    "hlvstudy/backups/test_upgrading.py",
    "hlvstudy/backups/test_values.py",
    "hlvstudy/program/test_doctor_databases.py",
    "hlvstudy/test_connections.py",
    "hlvstudy/test_health.py",
    "hlvstudy/test_pool.py",
    "metaeval/jobs/test_queues_of_workers.py",
    "metaeval/jobs/test_runs.py",
    "metaeval/jobs/test_sharding.py",
    "metaeval/jobs/test_stored_answers.py",
    "metaeval/jobs/test_workers.py",
    "metaeval/training_jobs/test_advancing.py",
)
"""Locks, constraints, triggers, JSON, search, copies, claims: where the two databases may differ."""
ONE_DATABASE = (
    "browser",  # how pages look and read
    "deploy",  # they start installations of their own, with databases of their own
    "hlvstudy/program",
    "hlvstudy/tooling",
    "lab/test_reproductions.py",
    "metaeval/analyses",  # they read arrays
    "metaeval/figures",
    "metaeval/bundles",  # files, verified without a database
    # What readers of formats make of a file. One writer stores it (importing/test_writing.py and the files of
    # importing that are not listed here).
    "annotations/importing/test_annotation_tools.py",
    "annotations/importing/test_chaosnli_models.py",
    "annotations/importing/test_documentation.py",
    "annotations/importing/test_formats.py",
    "annotations/importing/test_grids.py",
    "annotations/importing/test_judge_bench.py",
    "annotations/importing/test_label_hints.py",
    "annotations/importing/test_lewidi2023.py",
    "annotations/importing/test_lewidi2025.py",
    "annotations/importing/test_lewidi2025_submissions.py",
    "annotations/importing/test_matrices.py",
    "annotations/importing/test_official_submissions.py",
    "annotations/importing/test_recognising.py",
    "annotations/importing/test_topical_chat.py",
    # Words, and what is computed once the data are loaded.
    "annotations/designing/test_averaging.py",
    "annotations/designing/test_concealing.py",
    "annotations/designing/test_distorting.py",
    "annotations/designing/test_plans.py",
    "annotations/designing/test_setup_workload.py",
    "annotations/designing/test_side_order.py",
    "annotations/exporting/test_documentation.py",
    "annotations/management/test_plan_study.py",
    "annotations/simulating/demo/test_real_files.py",
    "annotations/simulating/test_responses.py",  # test_storing.py writes them
    "annotations/shown/test_event_sentences.py",
    "annotations/shown/test_languages.py",
    "hlvstudy/test_api_docs.py",
    "hlvstudy/test_languages.py",
    "hlvstudy/test_middleware.py",
    "hlvstudy/test_scripting_page.py",
    "metaeval/api/test_languages.py",
    "metaeval/api/test_power.py",
    "metaeval/api/test_power_figure.py",
    "metaeval/documents/test_languages.py",
    "metaeval/documents/test_latex.py",
    "metaeval/documents/test_report_worlds.py",  # test_report.py reads one from rows
    "metaeval/jobs/test_plan_sentences.py",
    "metaeval/management/test_analyse.py",  # test_analyse_stores.py writes its rows
    "metaeval/management/test_comparing_methods.py",
    "metaeval/test_docs.py",
    "metaeval/test_mtbench_page.py",
    "metaeval/test_notebook_page.py",
    "metaeval/training_jobs/test_progress.py",
    "metaeval/training_jobs/test_training.py",  # minutes of computing; their rows have tests of their own
    "test_acts.py",  # of the code
    "test_docs.py",
    "test_docs_run.py",
    "test_load_harness.py",  # of the harness
    "test_methods_compared.py",
    "test_readme.py",
)
"""One database is enough for them, also in the long tier, unless they are named above."""
HEAVIEST = (
    "mutation/test_mutation.py",
    "test_docs_run.py",
    "test_contributing.py",
    "metaeval/stats/correlating/test_bootstrap_coverage.py",
    "test_readme.py",
    "hlvstudy/test_schema_holds.py",
    "metaeval/training_jobs/test_training.py",
)
"""What begins, the heaviest first: at the end, nothing else would be left to run beside it."""
TRANSACTIONAL = {"transactional_db", "live_server"}
WHOLLY_LONG = re.compile(r"^pytestmark = .*\bpytest\.mark\.long\b", re.MULTILINE)
SQL_MARK = re.compile(r"\bpytest\.mark\.(sql|postgresql)\b")


def mark(items: list[pytest.Item]) -> None:
    """Mark the tests that use a database, and those that SQL can change."""
    for item in items:
        about_postgresql = item.get_closest_marker("postgresql")
        if not about_postgresql and not needs_a_database(item):
            continue
        if about_postgresql or is_below(item.path, SQL):
            item.add_marker(pytest.mark.sql)
        if item.get_closest_marker("sql") or not is_below(item.path, ONE_DATABASE):
            item.add_marker(pytest.mark.database)


def is_left_out(path: Path, chosen: str) -> bool:
    """Whether an expression of marks leaves out the whole file, which then need not be read."""
    text = path.read_text(encoding="utf-8")
    if "not long" in chosen and WHOLLY_LONG.search(text):
        return True
    return "sql and" in chosen and not is_below(path, SQL) and not SQL_MARK.search(text)


@cache
def is_below(path: Path, names: tuple[str, ...]) -> bool:
    return not {path, *path.parents}.isdisjoint(HERE / name for name in names)


def needs_a_database(item: pytest.Item) -> bool:
    return item.get_closest_marker("django_db") is not None or bool({"db", "django_db_setup"} & fixtures(item))


def is_transactional(item: pytest.Item) -> bool:
    """Whether its data are seen by others, whom it mostly waits for: a browser, a worker, threads."""
    marker = item.get_closest_marker("django_db")
    return bool(marker and marker.kwargs.get("transaction")) or bool(TRANSACTIONAL & fixtures(item))


def turns(items: list[pytest.Item]) -> dict[Path, tuple[int, float]]:
    """When each file has its turn. The heaviest begin. Of the others, files that wait for a browser or a worker are
    spread evenly among those that compute, so that a process that waits leaves its core to one that does not, from the
    first test to the last."""
    paths = list(dict.fromkeys(item.path for item in items))
    heaviest = [HERE / name for name in HEAVIEST]
    turn = {path: (0, float(heaviest.index(path))) for path in paths if path in heaviest}
    waiting = {item.path for item in items if is_transactional(item)} - set(turn)
    others = [path for path in paths if path not in turn]
    for group in ([path for path in others if path in waiting], [path for path in others if path not in waiting]):
        turn |= {path: (1, (place + 0.5) / len(group)) for place, path in enumerate(group)}
    return turn


def fixtures(item: pytest.Item) -> set[str]:
    return set(getattr(item, "fixturenames", ()))
