"""A pytest plugin: collect once, then try every mutant in a fork of this process, with its code swapped in.

    python -m pytest -p tests.mutation.swapped tests/...

One line of JSON a mutant is written as soon as it is known.
"""

import gc
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from .forking import Pipe, forked, run_items
from .session import ReadyDatabase, limit_test, same_examples, work
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
        self.result = Path(todo["result"])
        self.sound: dict[str, bool] = {}
        self.functions: Functions = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        items = {item.nodeid: item for item in session.items}
        self.functions = loaded_functions({Path(one["path"]) for one in self.mutants})
        gc.collect()
        gc.freeze()
        with self.result.open("a") as result:
            for mutant in self.mutants:
                result.write(json.dumps({"id": mutant["id"], **self.tried(mutant, items)}) + "\n")
                result.flush()
        return True

    def tried(self, mutant: dict[str, Any], items: dict[str, pytest.Item]) -> dict[str, Any]:
        """What becomes of a mutant. A test that now fails alone without it, too, is not asked again."""
        started = time.monotonic()
        while True:
            chosen = [items[name] for name in mutant["tests"] if name in items and self.sound.get(name, True)]
            answer = self.ask(chosen, mutant)
            name = answer.get("by")
            if name is None or self.is_sound(items[name]):
                return {**answer, "seconds": round(time.monotonic() - started, 2)}

    def is_sound(self, item: pytest.Item) -> bool:
        if item.nodeid not in self.sound:
            self.sound[item.nodeid] = self.ask([item], None)["outcome"] == "survived"
        return self.sound[item.nodeid]

    def ask(self, items: Sequence[pytest.Item], mutant: dict[str, Any] | None) -> dict[str, Any]:
        """Run tests in a child until one fails."""
        if not items:
            return {"outcome": "survived", "why": "no test reaches it"}
        said = forked(lambda pipe: self.run(items, mutant, pipe))
        last: dict[str, Any] = said[-1]
        if "died" not in last:
            return last
        begun = said[-2]["begun"] if len(said) > 1 else items[0].nodeid
        return {"outcome": "killed", "by": begun, "why": last["died"]}

    def run(self, items: Sequence[pytest.Item], mutant: dict[str, Any] | None, pipe: Pipe) -> None:
        """In the child."""
        if mutant is not None:
            try:
                swap(self.functions, Path(mutant["path"]), mutant["before"], mutant["after"])
            except NotSwappable:
                pipe.say(outcome="import")
                return

        def begin(item: pytest.Item) -> None:
            pipe.say(begun=item.nodeid)
            limit_test(self.tests[item.nodeid])

        last, outcomes = run_items(items, begin)
        if outcomes.outcome == "failed":
            pipe.say(outcome="killed", by=last.nodeid, why=outcomes.why)
        else:
            pipe.say(outcome="survived")
