"""A pytest plugin: which test runs which line of the code under test, and how long it takes without a mutant.

    python -m pytest -p tests.mutation.reaching tests/...

A fixture that several tests share counts for each of them. Lines that run while modules are imported have the
context "".
"""

import json
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from coverage import Coverage

from .session import ReadyDatabase, same_examples, work

# A test that computes for longer, with compiled loops switched off, is not asked: it would be for every mutant.
MOST_SECONDS = 5


class TooSlow(BaseException):
    """Not an `Exception`: neither the code nor Hypothesis may catch it."""


class Reaching:
    """Switches contexts, and keeps what each test took."""

    def __init__(self, coverage: Coverage) -> None:
        self.coverage = coverage
        self.tests: dict[str, dict[str, Any]] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        known = {"passed": True, "fixtures": shared_fixtures(item), "empties": empties_database(item)}
        self.tests[item.nodeid] = known
        self.coverage.switch_context(item.nodeid)
        started = time.process_time(), time.monotonic()
        signal.setitimer(signal.ITIMER_PROF, MOST_SECONDS)
        try:
            return (yield)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            computed, lasted = time.process_time() - started[0], time.monotonic() - started[1]
            self.tests[item.nodeid] |= {"seconds": computed, "lasted": lasted}
            self.coverage.switch_context("")

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest) -> Iterator[Any]:
        if fixturedef.scope == "function":
            return (yield)
        self.coverage.switch_context(fixture_context(fixturedef))
        try:
            return (yield)
        finally:
            self.coverage.switch_context(request.session.config.stash.get(CURRENT, ""))

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        item.config.stash[CURRENT] = item.nodeid

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if not report.passed:
            self.tests[report.nodeid]["passed"] = False
            self.tests[report.nodeid]["why"] = report.outcome if report.skipped else str(report.longrepr)[-500:]

    def pytest_sessionfinish(self) -> None:
        self.coverage.stop()
        data = self.coverage.get_data()
        lines = {file: data.contexts_by_lineno(file) for file in sorted(data.measured_files())}
        Path(work()["result"]).write_text(json.dumps({"tests": self.tests, "lines": lines}))


CURRENT = pytest.StashKey[str]()
COVERAGE: list[Coverage] = []


def shared_fixtures(item: pytest.Item) -> list[str]:
    """The contexts of the fixtures that a test shares with others."""
    info = getattr(item, "_fixtureinfo", None)
    definitions = [defs[-1] for defs in info.name2fixturedefs.values() if defs] if info else []
    return [fixture_context(one) for one in definitions if one.scope != "function"]


def empties_database(item: pytest.Item) -> bool:
    """Whether a test commits, so that the database is emptied after it."""
    marker = item.get_closest_marker("django_db")
    fixtures = getattr(item, "fixturenames", ())
    return "transactional_db" in fixtures or (marker is not None and bool(marker.kwargs.get("transaction")))


def fixture_context(definition: pytest.FixtureDef[Any]) -> str:
    return f"fixture {definition.baseid}::{definition.argname}"


def pytest_addoption() -> None:
    """Before anything of the project is imported: pytest calls this as soon as it has loaded the plugin."""
    COVERAGE.append(Coverage(data_file=None, include=[str(path) for path in work()["files"]], config_file=False))
    COVERAGE[0].start()


def pytest_configure(config: pytest.Config) -> None:
    same_examples()
    signal.signal(signal.SIGPROF, too_slow)
    config.pluginmanager.register(ReadyDatabase(work()["template"]))
    config.pluginmanager.register(Reaching(COVERAGE[0]))


def too_slow(_signal: int, _frame: object) -> None:
    raise TooSlow
