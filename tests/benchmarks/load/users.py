"""Users in a closed loop, or who arrive at random, in a process of their own: `python -m tests.benchmarks.load.users`.

Reads a plan and writes events. A plan names the class that plays one user, and who the users are. After the warm-up the
process says `begin`, and `end` when the time is over or enough answers are in; only what was answered in between is
counted. Then comes one last event with everything that was measured.
"""

import asyncio
import importlib
import json
import random
import resource
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any

from .connection import Connection, Reply, trusting
from .machine import NotMeasured

MOST_FAILURES = 20
MOST_WARM = 6
"""How many times longer the warm-up may get until as many answers are in as there are users."""


@dataclass
class Plan:
    """What the users do: `script` is `module:class`, `people` what that class takes."""

    script: str
    port: int
    people: list[dict[str, Any]]
    seconds: float
    warm: float
    most: int
    is_tls: bool = False
    arriving: float = 0.0
    """How many answers a second arrive, at random and each from a user who is not just answering; 0: each user begins
    the next answer when the last one is acknowledged."""


@dataclass
class Measured:
    """What the users saw between begin and end; acknowledged answers of the whole time."""

    users: int = 0
    seconds: float = 0.0
    answers: int = 0
    submits: list[float] = field(default_factory=list)
    """Milliseconds of each request that stores something."""
    whole: list[float] = field(default_factory=list)
    """Milliseconds of each complete answer, with all its requests."""
    requests: int = 0
    acknowledged: list[Any] = field(default_factory=list)
    failures: dict[str, int] = field(default_factory=dict)
    cpu: float = 0.0
    """Seconds of processor time of the users themselves."""


class Clock:
    """Whether it is being measured, and whether it is over."""

    def __init__(self, plan: Plan) -> None:
        self.measuring = self.over = False
        self.measured = Measured(users=len(plan.people))
        self.failures: Counter[str] = Counter()
        self._plan = plan
        self._answers = 0

    def answered(self, acknowledged: Any, seconds: float) -> None:
        self.measured.acknowledged.append(acknowledged)
        self._answers += 1
        if self.measuring:
            self.measured.answers += 1
            self.measured.whole.append(seconds * 1000)
        if self._answers >= self._plan.most:
            self.over = True

    async def run(self, users: Sequence["User"]) -> None:
        await asyncio.gather(*(user.start() for user in users))
        playing: asyncio.Future[Any]
        if self._plan.arriving:
            playing = asyncio.ensure_future(self._arrivals(users))
            await self._until(self._plan.warm, playing)
        else:
            playing = asyncio.gather(*(user.play() for user in users))
            await self._until(self._plan.warm, playing)
            # Users begin all at once, so that nothing would be complete for a while where a server is slow.
            await self._until(self._plan.warm * MOST_WARM, playing, enough=lambda: self._answers >= len(users))
        self.measuring = True
        say("begin")
        began, cpu, asked = time.perf_counter(), own_cpu(), sum(user.asked for user in users)
        await self._until(self._plan.seconds, playing)
        self.measuring = False
        self.measured.seconds = time.perf_counter() - began
        self.measured.cpu = own_cpu() - cpu
        self.measured.requests = sum(user.asked for user in users) - asked
        say("end")
        self.over = True
        await playing
        self.measured.failures = dict(self.failures)

    async def _arrivals(self, users: Sequence["User"]) -> None:
        """Answers begin after times that are drawn (exponentially), whatever becomes of those before."""
        idle, answering = list(users), set()
        draws = random.Random(len(users))
        begins = time.perf_counter()

        def done(task: "asyncio.Task[bool]", user: "User") -> None:
            answering.discard(task)
            if not task.cancelled() and task.exception() is None and task.result():
                idle.append(user)

        while not self.over:
            begins += draws.expovariate(self._plan.arriving)
            await asyncio.sleep(max(0.0, begins - time.perf_counter()))
            while not idle and not self.over and answering:  # it is late then, as all those before it are
                await asyncio.wait(answering, return_when=asyncio.FIRST_COMPLETED)
            if not idle:
                break
            user = idle.pop(draws.randrange(len(idle)))
            task = asyncio.ensure_future(user.once())
            answering.add(task)
            task.add_done_callback(partial(done, user=user))
        await asyncio.gather(*answering)

    async def _until(
        self, seconds: float, playing: "asyncio.Future[Any]", *, enough: Callable[[], bool] = lambda: False
    ) -> None:
        until = time.perf_counter() + seconds
        while (left := until - time.perf_counter()) > 0 and not (self.over or playing.done() or enough()):
            await asyncio.sleep(min(left, 0.05))


class Refused(Exception):
    """A response that is not a success."""


class User:
    """One user. `answer` gives one complete answer and returns what the server acknowledged; None: nothing is left."""

    def __init__(self, clock: Clock, connection: Connection, person: dict[str, Any]) -> None:
        self.clock, self.connection, self.person = clock, connection, person
        self.cookies: dict[str, str] = dict(person.get("cookies", {}))
        self.random = random.Random(str(person))
        self.asked = self.failed = 0
        self._lines = ""

    async def start(self) -> None:
        """Sign in, or take up the session, and load what comes first."""

    async def answer(self) -> Any:
        raise NotImplementedError

    def own_headers(self) -> dict[str, str]:
        """Headers of every request, besides cookies."""
        return {}

    async def play(self) -> None:
        """One answer after the other, until it is over or nothing is left."""
        while not self.clock.over and await self.once():
            pass

    async def once(self) -> bool:
        """One answer; whether there may be another one."""
        began = time.perf_counter()
        try:
            acknowledged = await self.answer()
        except (Refused, ConnectionError, TimeoutError) as error:
            self.clock.failures[str(error) or type(error).__name__] += 1
            self.failed += 1
            await asyncio.sleep(0.1)
            return self.failed < MOST_FAILURES
        if acknowledged is None:
            return False
        self.clock.answered(acknowledged, time.perf_counter() - began)
        return True

    async def submit(self, path: str, body: Any) -> Any:
        """Send something that is stored, as JSON; timed."""
        began = time.perf_counter()
        was_measuring = self.clock.measuring
        reply = await self.ask("POST", path, body)
        if was_measuring and self.clock.measuring:
            self.clock.measured.submits.append((time.perf_counter() - began) * 1000)
        return reply.data

    async def fetch(self, method: str, path: str, body: Any = None) -> Any:
        """Ask for something that a page needs; not timed as a submit."""
        return (await self.ask(method, path, body)).data

    async def ask(self, method: str, path: str, body: Any = None, *, form: bytes | None = None) -> Reply:
        if not self._lines:
            told = {"Accept": "application/json", "User-Agent": "Mozilla/5.0", **self.own_headers()}
            if self.cookies:
                told["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
            self._lines = "".join(f"{name}: {value}\r\n" for name, value in told.items())
        content, kind = b"", ""
        if form is not None:
            content, kind = form, "Content-Type: application/x-www-form-urlencoded\r\n"
        elif body is not None:
            content, kind = json.dumps(body).encode(), "Content-Type: application/json\r\n"
        reply = await self.connection.ask(method, path, self._lines + kind, content)
        self.asked += 1
        if reply.cookies:
            self.cookies.update(reply.cookies)
            self._lines = ""
        if reply.status >= 400:
            # An address without the ids in it, so that failures of one kind are counted together.
            place = "/".join("*" if any(sign.isdigit() for sign in part) else part for part in path.split("/"))
            raise Refused(f"{reply.status} {method} {place.partition('?')[0]}")
        return reply


def own_cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def say(event: str, **more: Any) -> None:
    sys.stdout.write(json.dumps({"event": event, **more}) + "\n")
    sys.stdout.flush()


async def main() -> None:
    plan = Plan(**json.loads(sys.stdin.readline()))
    module, _, name = plan.script.partition(":")
    script = getattr(importlib.import_module(module), name)
    clock = Clock(plan)
    tls = trusting() if plan.is_tls else None
    users = [script(clock, Connection(plan.port, tls=tls), person) for person in plan.people]
    try:
        await clock.run(users)
    except (Refused, NotMeasured, ConnectionError, TimeoutError) as error:
        say("failed", why=str(error) or type(error).__name__)
        return
    for user in users:
        user.connection.close()
    say("measured", **asdict(clock.measured))


if __name__ == "__main__":
    asyncio.run(main())
