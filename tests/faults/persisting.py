"""Experts whose pages do what the real one does: what was not acknowledged is sent again, with the same key."""

import asyncio
import time
import uuid
from pathlib import Path
from typing import Any

from tests.benchmarks.load.connection import Connection, Reply
from tests.benchmarks.load.systems.here import Expert
from tests.benchmarks.load.users import Refused

GIVE_UP_SECONDS = 240
LAST_SECONDS = 20
"""How long an answer is sent again when all is over."""
AGAIN_SECONDS = 0.2
TRY_AGAIN = ("5", "408", "429")
"""Statuses, or how they begin, after which the page tries again."""


class Persisting(Expert):
    """Notes each acknowledged answer and each failed request in a file, and stops when another file is there."""

    async def answer(self) -> Any:
        if Path(self.person["stop"]).exists():
            return None
        told = await super().answer()
        self.note("none left" if told is None else "answered")
        await asyncio.sleep(self.person["pause"])
        return told

    async def ask(self, method: str, path: str, body: Any = None, *, form: bytes | None = None) -> Reply:
        until = time.monotonic() + GIVE_UP_SECONDS
        while True:
            try:
                return await super().ask(method, path, body, form=form)
            except (Refused, OSError, TimeoutError) as error:
                self.note(f"failed {error or type(error).__name__}")
                if Path(self.person["stop"]).exists():
                    until = min(until, time.monotonic() + LAST_SECONDS)
                if time.monotonic() > until or (isinstance(error, Refused) and not str(error).startswith(TRY_AGAIN)):
                    raise
                if isinstance(error, TimeoutError):
                    # A response that comes later belongs to no request.
                    self.connection.close()
                    self.connection = Connection(self.person["port"])
                await asyncio.sleep(AGAIN_SECONDS)

    def note(self, what: str) -> None:
        with Path(self.person["log"]).open("a") as log:
            log.write(f"{time.time():.3f} {what}\n")


class Repeating(Persisting):
    """Sends every answer three times at once, the one before it once more, and step 2 before step 1."""

    before: tuple[str, Any] | None = None

    async def submit(self, path: str, body: Any) -> Any:
        if path.endswith("/labels/"):
            await self._too_early(path.replace("/labels/", "/preference/"), body["instrument_version"])
        others = [Connection(self.person["port"]) for _ in range(3)]
        copies = [self._copy(other, path, body) for other in others[:2]]
        if self.before:
            copies.append(self._copy(others[2], *self.before))
        reply, *repeated = await asyncio.gather(super().submit(path, body), *copies)
        for other in others:
            other.close()
        for status in repeated:
            self.note(f"repeated {status}")
            if status >= 500:
                raise Refused(f"{status} when an answer was sent again")
        self.before = (path, body)
        return reply

    async def _too_early(self, path: str, version: Any) -> None:
        early = {"key": str(uuid.uuid4()), "a_chosen": True, "b_chosen": True, "certainty": 0.5, "active_ms": 1}
        other = Connection(self.person["port"])
        status = await self._copy(other, path, {**early, "instrument_version": version, "page_language": "en"})
        other.close()
        self.note(f"early {status}")
        if not 400 <= status < 500:
            raise Refused(f"{status} when step 2 came before step 1")

    async def _copy(self, connection: Connection, path: str, body: Any) -> int:
        """The status of one more request for the same, on a connection of its own."""
        again = Expert(self.clock, connection, self.person)
        again.cookies = dict(self.cookies)
        try:
            return (await again.ask("POST", path, body)).status
        except Refused as error:
            return int(str(error).split()[0])
