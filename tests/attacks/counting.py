"""A pytest plugin: what a run tried, and how it ended, as JSON. Tests say how much they try by the fixture `tried`.

Examples that Hypothesis made are counted from what it reports itself.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

PROPERTY = "tried"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--attacks-to", type=Path, help="the file for what was tried")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[Any]:
    if call.when == "call" and (told := getattr(item, "hypothesis_statistics", "")):
        made = sum(int(count) for count in re.findall(r"(\d+) passing, ", told))
        item.user_properties.append((PROPERTY, (made, "random examples")))
    return (yield)


class Counting:
    """Gathers the reports of a run."""

    def __init__(self, to: Path) -> None:
        self.to = to
        self.tests: dict[str, dict[str, Any]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        told = self.tests.setdefault(report.nodeid, {"outcome": "passed", "tried": [], "why": ""})
        if report.outcome != "passed":
            told["outcome"] = report.outcome
            told["why"] = report.longrepr[2] if isinstance(report.longrepr, tuple) else ""
        if report.when == "teardown":  # what fixtures counted is there by now, too
            told["tried"] = [list(value) for name, value in report.user_properties if name == PROPERTY]

    def pytest_sessionfinish(self) -> None:
        self.to.write_text(json.dumps(self.tests), encoding="utf-8")


def pytest_configure(config: pytest.Config) -> None:
    if to := config.getoption("--attacks-to"):
        config.pluginmanager.register(Counting(to))
