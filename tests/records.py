"""What a run of pytest notes down for `make test`: what each file costs, which have begun, and which failed.

A plugin: `pytest -p tests.records --records FILE`. Each process adds lines of JSON to the file.
"""

import json
import resource
from collections.abc import Iterator
from pathlib import Path

import pytest

COLLECTING = "(collecting)"
ENDING = "(ending, with the browser)"
"""What belongs to all tests of a process ends after its last one, and what it cost is only known then."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--records", type=Path, help="add lines of JSON to this file: costs, and what failed")


def pytest_configure(config: pytest.Config) -> None:
    if file := config.getoption("records"):
        config.pluginmanager.register(Records(file, is_handed_tests=hasattr(config, "workerinput")))


class Records:
    """The plugin. Costs are processor seconds of a test's process and of all that it started and waited for."""

    def __init__(self, file: Path, *, is_handed_tests: bool) -> None:
        self.file = file
        self.is_handed_tests = is_handed_tests
        self.before = 0.0  # with the imports
        self.costs: dict[str, float] = {}

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.add(COLLECTING)
        self.write(files=list(dict.fromkeys(file_of(item.nodeid) for item in session.items)))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        file = file_of(item.nodeid)
        if file not in self.costs:
            self.write(begun=file)
        try:
            return (yield)
        finally:
            self.add(file)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self, item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
        if nextitem is None:
            self.add(file_of(item.nodeid))
        yield
        if nextitem is None:
            self.add(ENDING)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.note(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self.note(report)

    def note(self, report: pytest.TestReport | pytest.CollectReport) -> None:
        """A failure, once: a process that is handed tests reports it to the one that hands them, which sees more."""
        if report.failed and not self.is_handed_tests:
            self.write(failed=file_of(report.nodeid), test=report.nodeid, why=report.longreprtext)

    def pytest_sessionfinish(self) -> None:
        self.write(costs=self.costs)

    def add(self, file: str) -> None:
        now = processor_seconds()
        self.costs[file] = self.costs.get(file, 0) + now - self.before
        self.before = now

    def write(self, **line: object) -> None:
        with self.file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


def file_of(nodeid: str) -> str:
    return nodeid.partition("::")[0]


def processor_seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)
