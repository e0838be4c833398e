"""A pytest plugin: which lines of the code under test each test runs, and how long it takes without a mutant.

    python -m pytest -p tests.mutation.reaching tests/...

Each test runs alone, in a fork of this process. One line of JSON a test is written as soon as it is known; the first
says which lines run while modules are imported.
"""

import json
import time
from pathlib import Path
from typing import Any

import pytest
from coverage import Coverage, CoverageData

from .forking import Pipe, forked, limit, run_items
from .session import WAITING, ReadyDatabase, same_examples, work

COVERAGE: list[Coverage] = []


def pytest_addoption() -> None:
    """Before anything of the project is imported: pytest calls this as soon as it has loaded the plugin."""
    COVERAGE.append(Coverage(data_file=None, include=[str(path) for path in work()["files"]], config_file=False))
    COVERAGE[0].start()


def pytest_configure(config: pytest.Config) -> None:
    same_examples()
    config.pluginmanager.register(ReadyDatabase(work()["template"]))
    config.pluginmanager.register(Reaching(COVERAGE[0], work()))


class Reaching:
    """The loop over tests, in place of pytest's: of so many processes, this one takes its share."""

    def __init__(self, coverage: Coverage, todo: dict[str, Any]) -> None:
        self.coverage, self.result = coverage, Path(todo["result"])
        self.mine, self.of = todo["share"]
        self.longest: float = todo["longest"]

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        with self.result.open("w") as result:
            result.write(json.dumps({"test": "", "lines": lines_of(self.coverage.get_data(), "")}) + "\n")
            for item in session.items[self.mine :: self.of]:
                result.write(json.dumps(self.of_test(item)) + "\n")
        return True

    def of_test(self, item: pytest.Item) -> dict[str, Any]:
        said = forked(lambda pipe: self.run(item, pipe))[-1]
        failed = {"outcome": "failed", "why": said.get("died", ""), "seconds": 0.0, "lines": {}}
        return {"test": item.nodeid, "empties": empties_database(item), **(failed if "died" in said else said)}

    def run(self, item: pytest.Item, pipe: Pipe) -> None:
        """In the child."""
        self.coverage.switch_context(item.nodeid)
        started = time.process_time(), time.monotonic()
        limit(computing=self.longest, lasting=10 * WAITING * self.longest)
        _, outcomes = run_items([item], lambda _: None)
        took = time.process_time() - started[0]
        self.coverage.stop()
        lines = lines_of(self.coverage.get_data(), item.nodeid)
        lasted = time.monotonic() - started[1]
        pipe.say(outcome=outcomes.outcome, why=outcomes.why, seconds=took, lasted=lasted, lines=lines)


def lines_of(data: CoverageData, context: str) -> dict[str, list[int]]:
    """The lines that ran in a context, by file."""
    data.set_query_context(context)
    found = {file: sorted(data.lines(file) or []) for file in data.measured_files()}
    return {file: lines for file, lines in found.items() if lines}


def empties_database(item: pytest.Item) -> bool:
    """Whether a test commits, so that the database is emptied after it."""
    marker = item.get_closest_marker("django_db")
    fixtures = getattr(item, "fixturenames", ())
    return "transactional_db" in fixtures or (marker is not None and bool(marker.kwargs.get("transaction")))
