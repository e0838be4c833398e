"""The studies that are compared, made for one run, and the processes that answer them."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tests.benchmarks.load.machine import Place, clean_environment, end_group, place_for
from tests.benchmarks.load.systems.system import ROOT
from tests.worlds.sizes import CopiedWorld

SMALL = "small"
EXPERTS = 5
WORLDS = {
    SMALL: CopiedWorld(texts=250, experts=EXPERTS),
    "places": CopiedWorld(texts=25_000, experts=EXPERTS),
    "answers": CopiedWorld(texts=2_000, experts=EXPERTS, answered=1_000, covered=True),
    "systems": CopiedWorld(texts=250, systems=26, experts=EXPERTS),
    "foreign": CopiedWorld(texts=250, experts=EXPERTS, foreign_texts=100_000),
}
SAYS = {
    "places": "1,000 → 100,000 places",
    "answers": "0 → 1,000 answers of the expert",
    "systems": "1 → 26 systems",
    "foreign": "0 → 100,000 texts of another dataset",
}
FILE = "hlvstudy.sqlite3"
INSIDE = [sys.executable, "-m", "tests.benchmarks.answering.inside"]
SECRET = "for-benchmarks-only-" + "x" * 50


class Server:
    """A process that takes answers in one world."""

    def __init__(self, env: Mapping[str, str], sessions: list[str]) -> None:
        self.process = subprocess.Popen(
            [*INSIDE, "serve"],
            cwd=ROOT,
            env={**clean_environment(), **env},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self._say(json.dumps(sessions))

    def ask(self, what: str, expert: int) -> dict[str, float]:
        """Seconds of one act of an expert, by the clock (`wall`) and of the processors (`cpu`)."""
        self._say(f"{what} {expert}")
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            sys.exit("a study's process has ended: see above")
        told: dict[str, float] = json.loads(line)
        return told

    def _say(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()


@contextmanager
def made(server: str) -> Iterator[dict[str, Any]]:
    """Every world, filled: its place, settings and sessions. Databases go when the block is left, whatever happens."""
    with ExitStack() as stack:
        first = stack.enter_context(place_for("template", server))
        first.run([sys.executable, "-m", "hlvstudy", "prepare"], env=settings_of(first), cwd=ROOT)
        yield {name: filled(stack, name, sizes, first, server) for name, sizes in WORLDS.items()}


def filled(stack: ExitStack, name: str, sizes: CopiedWorld, first: Place, server: str) -> dict[str, Any]:
    """One world in a copy of the first database."""
    place = stack.enter_context(place_for(name, server, template=first.database_name))
    env = settings_of(place)
    if not server:
        state(place).mkdir()
        shutil.copy(state(first) / FILE, state(place) / FILE)
    print(f"{'PostgreSQL' if server else 'SQLite'}: {name} ...", file=sys.stderr, flush=True)
    said = place.run([*INSIDE, "fill"], env=env, cwd=ROOT, stdin=json.dumps(asdict(sizes)))
    return {"place": place, "env": env, "sessions": json.loads(said.splitlines()[-1])}


@contextmanager
def served(worlds: Mapping[str, Any]) -> Iterator[dict[str, Server]]:
    """A process for each world."""
    with ExitStack() as stack:
        servers = {}
        for name, world in worlds.items():
            servers[name] = Server(world["env"], world["sessions"])
            stack.callback(end_group, servers[name].process)
        yield servers


def settings_of(place: Place) -> dict[str, str]:
    found = {"HLV_STATE": str(state(place)), "SECRET_KEY": SECRET, "LOG_LEVEL": "WARNING"}
    return {**found, "DATABASE_URL": place.database} if place.database else found


def state(place: Place) -> Path:
    return place.folder / "state"
