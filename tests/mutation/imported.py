"""A pytest plugin: run some tests with one module imported from a mutant's text. The file itself stays as it is.

python -m pytest -p tests.mutation.imported -x tests/...::test_...
"""

import importlib.util
import json
import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any

import pytest

from .forking import DIED, TOO_LONG, Outcomes
from .session import ReadyDatabase, limit_test, same_examples, work


class Loader(SourceFileLoader):
    """Loads a module from the text that it is given, whatever its file or a compiled copy says."""

    def __init__(self, name: str, path: str, text: str) -> None:
        super().__init__(name, path)
        self.text = text

    def get_code(self, fullname: str) -> CodeType:
        code: CodeType = compile(self.text, self.path, "exec", dont_inherit=True)
        return code


class Finder(MetaPathFinder):
    """Finds that one module before anybody else does."""

    def __init__(self, name: str, path: str, text: str) -> None:
        self.name, self.path, self.text = name, path, text

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> ModuleSpec | None:
        if fullname != self.name:
            return None
        return importlib.util.spec_from_file_location(
            fullname, self.path, loader=Loader(fullname, self.path, self.text),
            submodule_search_locations=[str(Path(self.path).parent)] if self.path.endswith("__init__.py") else None,
        )  # fmt: skip


class Watching:
    """Limits each test, in the order asked for, and writes what came of the last."""

    def __init__(self, todo: dict[str, Any]) -> None:
        self.tests: dict[str, float] = todo["tests"]
        self.result = Path(todo["result"])
        self.outcomes = Outcomes()

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        order = {name: place for place, name in enumerate(self.tests)}
        items[:] = sorted((item for item in items if item.nodeid in order), key=lambda item: order[item.nodeid])

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> None:
        self.result.write_text(json.dumps({"by": item.nodeid, "why": f"{TOO_LONG}, or {DIED}"}))
        limit_test(self.tests[item.nodeid])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.outcomes.pytest_runtest_logreport(report)
        if report.failed:
            self.result.write_text(json.dumps({"by": report.nodeid, "why": self.outcomes.why}))


def pytest_addoption() -> None:
    """Before anything of the project is imported: pytest calls this as soon as it has loaded the plugin."""
    sys.meta_path.insert(0, Finder(work()["module"], work()["path"], work()["after"]))


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    same_examples()
    config.pluginmanager.register(ReadyDatabase(work()["template"]))
    config.pluginmanager.register(Watching(work()))
