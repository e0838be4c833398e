"""A bare Django view that inserts the rows of both steps and takes the place, in one request and one transaction.

Nobody signs in, nothing is checked, nothing is shown: what Django, the same gunicorn and the same database server cost
by themselves. A complete answer is one request.
"""

import json
import secrets
import sys
import uuid
from collections.abc import Sequence
from typing import Any

from tests.benchmarks.load.machine import Place, free_port, responds
from tests.benchmarks.load.systems.system import ROOT, Ready, Sizes, System
from tests.benchmarks.load.users import User

PLACES_PER_USER = 4_000


class Bare(System):
    name = "bare"
    title = "a bare Django view"
    script = f"{__name__}:Sender"

    def start(self, place: Place, sizes: Sizes) -> Ready:
        from django import __version__

        from hlvstudy.program.serving import WEB

        port = free_port()
        env = {
            "SECRET_KEY": secrets.token_urlsafe(50),
            "DATABASE_URL": place.database or f"sqlite:///{place.folder / 'bare.sqlite3'}",
            "DJANGO_SETTINGS_MODULE": "tests.benchmarks.load.bare.settings",
        }
        each = 400 if sizes.is_small else PLACES_PER_USER
        tables = [sys.executable, "-m", "tests.benchmarks.load.bare.tables"]
        told = place.run([*tables, "make"], env=env, cwd=ROOT, stdin=str(each * sizes.users))
        (first,) = json.loads(told)
        # The options of `hlvstudy web`, whatever they are.
        command = ["tests.benchmarks.load.bare.wsgi" if part == "hlvstudy.wsgi" else part for part in WEB]
        web = place.start("web", [sys.executable, *command, "--bind", f"127.0.0.1:{port}"], env=env, cwd=ROOT)
        place.wait(web, lambda: responds(f"http://127.0.0.1:{port}/alive/"), name="web", seconds=120)
        people = [{"expert": k, "first": first + k * each, "most": each} for k in range(sizes.users)]
        return Ready(port, people, __version__, {"env": env})

    def problems(self, place: Place, ready: Ready, acknowledged: Sequence[Any]) -> list[str]:
        tables = [sys.executable, "-m", "tests.benchmarks.load.bare.tables", "keys"]
        stored = json.loads(place.run(tables, env=ready.checked["env"], cwd=ROOT))
        lost = [len({one[step] for one in acknowledged} - set(stored[step])) for step in (0, 1)]
        return [f"{max(lost)} acknowledged answers are lost"] if any(lost) else []


class Sender(User):
    """Sends answers to places of its own, one after the other."""

    async def start(self) -> None:
        # Every stage has places of its own.
        part = self.person["most"] // self.person["stages"]
        self.position = part * self.person["stage"]
        self.end = self.position + part

    async def answer(self) -> Any:
        if self.position >= self.end:
            return None
        keys = str(uuid.uuid4()), str(uuid.uuid4())
        place = self.person["first"] + self.position
        a, b = self.random.choice(((True, False), (False, True), (True, True), (False, False)))
        body = {
            "place": place,
            "expert": self.person["expert"],
            "position": self.position,
            "labels_key": keys[0],
            "preference_key": keys[1],
            "labels": sorted(self.random.sample(range(32), 2)),
            "a_chosen": a,
            "b_chosen": b,
            "certainty": round(self.random.random(), 2),
            "active_ms": 2400,
        }
        await self.submit("/answer/", body)
        self.position += 1
        return keys
