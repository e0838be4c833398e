"""A pytest plugin: collect once, then try every mutant in a fork of this process, with its code swapped in.

    python -m pytest -p tests.mutation.swapped tests/...

One line of JSON a mutant is written as soon as it is known.
"""

import contextlib
import gc
import json
import os
import signal
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from .session import ReadyDatabase, limit, remove_database, same_examples, work
from .swapping import Functions, NotSwappable, loaded_functions, swap


def pytest_configure(config: pytest.Config) -> None:
    same_examples()
    config.pluginmanager.register(ReadyDatabase(work()["template"]))
    config.pluginmanager.register(Trying(work()))


class Trying:
    """The loop over mutants, in place of pytest's over tests."""

    def __init__(self, todo: dict[str, Any]) -> None:
        self.mutants: list[dict[str, Any]] = todo["mutants"]
        self.tests: dict[str, float] = todo["tests"]
        self.template, self.result = Path(todo["template"]), Path(todo["result"])
        self.sound: dict[str, bool] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        items = {item.nodeid: item for item in session.items}
        functions = loaded_functions({Path(one["path"]) for one in self.mutants})
        gc.collect()
        gc.freeze()
        with self.result.open("a") as result:
            for mutant in self.mutants:
                answer = self.tried(mutant, items, functions)
                result.write(json.dumps({"id": mutant["id"], **answer}) + "\n")
                result.flush()
        return True

    def tried(self, mutant: dict[str, Any], items: dict[str, pytest.Item], functions: Functions) -> dict[str, Any]:
        """What becomes of a mutant. A test that fails alone without it, too, is not asked again."""
        started = time.monotonic()
        while True:
            chosen = [items[name] for name in mutant["tests"] if name in items and self.sound.get(name, True)]
            answer = self.forked(chosen, functions, mutant)
            name = answer.get("by")
            if name is None or self.is_sound(items[name], functions):
                return {**answer, "seconds": round(time.monotonic() - started, 2)}

    def is_sound(self, item: pytest.Item, functions: Functions) -> bool:
        if item.nodeid not in self.sound:
            self.sound[item.nodeid] = self.forked([item], functions, None)["outcome"] == "survived"
        return self.sound[item.nodeid]

    def forked(
        self, items: Sequence[pytest.Item], functions: Functions, mutant: dict[str, Any] | None
    ) -> dict[str, Any]:
        """Run tests in a child until one fails, and hear of it through a pipe."""
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            os.setsid()
            with contextlib.suppress(BaseException):
                self.run(items, functions, mutant, writing)
            os._exit(0)
        os.close(writing)
        with os.fdopen(reading) as pipe:
            said = [json.loads(line) for line in pipe]
        _, status = os.waitpid(child, 0)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
        remove_database(self.template, child)
        last = said[-1] if said else {"outcome": "killed", "why": "the process ended"}
        if "outcome" in last:
            return last
        timed_out = os.WIFSIGNALED(status) and os.WTERMSIG(status) in {signal.SIGPROF, signal.SIGALRM}
        return {"outcome": "killed", "by": last["begun"], "why": "took too long" if timed_out else "the process ended"}

    def run(self, items: Sequence[pytest.Item], functions: Functions, mutant: dict[str, Any] | None, pipe: int) -> None:
        """In the child: each test in turn; the first that fails ends it."""
        if mutant is not None:
            try:
                swap(functions, Path(mutant["path"]), mutant["before"], mutant["after"])
            except NotSwappable:
                say(pipe, outcome="import")
                return
        failures = Failures()
        items[0].config.pluginmanager.register(failures)
        for item, following in zip(items, [*items[1:], None], strict=True):
            say(pipe, begun=item.nodeid)
            limit(self.tests[item.nodeid])
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if failures.why is not None:
                say(pipe, outcome="killed", by=item.nodeid, why=failures.why)
                return
        say(pipe, outcome="survived")


class Failures:
    """Keeps why the first failing test failed."""

    def __init__(self) -> None:
        self.why: str | None = None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and self.why is None:
            crash = getattr(report.longrepr, "reprcrash", None)
            self.why = str(crash.message if crash else report.longrepr)[:300]


def say(pipe: int, **what: str) -> None:
    os.write(pipe, json.dumps(what).encode() + b"\n")
