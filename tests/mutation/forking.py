"""Run tests in a child of this process, in which everything is imported and collected, and hear what came of it."""

import contextlib
import json
import os
import signal
from collections.abc import Callable, Sequence
from typing import Any

import pytest

# Why a child that did not say how it ended has ended.
TOO_LONG, DIED = "took too long", "the process ended"


def forked(body: Callable[["Pipe"], None]) -> list[dict[str, Any]]:
    """What the child said, in order; last, if it ended by itself, why. Nothing that it started outlives it."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        os.setsid()
        pipe = Pipe(writing)
        with contextlib.suppress(BaseException):
            body(pipe)
            pipe.say(ended=True)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as lines:
        said = [json.loads(line) for line in lines]
    _, status = os.waitpid(child, 0)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    if said and said[-1] == {"ended": True}:
        return said[:-1]
    timed_out = os.WIFSIGNALED(status) and os.WTERMSIG(status) in {signal.SIGPROF, signal.SIGALRM}
    return [*said, {"died": TOO_LONG if timed_out else DIED}]


class Pipe:
    """The way from a child to its parent."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def say(self, **what: Any) -> None:
        text = json.dumps(what).encode() + b"\n"
        while text:
            text = text[os.write(self._descriptor, text) :]


def limit(computing: float, lasting: float) -> None:
    """End this process when it has computed, or lasted, for so many seconds from now.

    The kernel does it: a mutant's loop in C would never come back to a handler in Python.
    """
    for timer, sign, seconds in (
        (signal.ITIMER_PROF, signal.SIGPROF, computing),
        (signal.ITIMER_REAL, signal.SIGALRM, lasting),
    ):
        signal.signal(sign, signal.SIG_DFL)
        signal.setitimer(timer, seconds)


class Outcomes:
    """A pytest plugin: whether the test that ran last failed or was skipped, and why."""

    def __init__(self) -> None:
        self.outcome, self.why = "passed", ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.passed or self.outcome == "failed":
            return
        crash = getattr(report.longrepr, "reprcrash", None)
        self.outcome, self.why = report.outcome, str(crash.message if crash else report.longrepr)[:300]


def run_items(items: Sequence[pytest.Item], before: Callable[[pytest.Item], None]) -> tuple[pytest.Item, Outcomes]:
    """Run tests until one fails: the last that ran, and what came of it."""
    outcomes = Outcomes()
    items[0].config.pluginmanager.register(outcomes)
    for item, following in zip(items, [*items[1:], None], strict=True):
        before(item)
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if outcomes.outcome == "failed":
            break
    return item, outcomes
