"""The broker is away for a minute, later for some seconds: experts notice nothing, and jobs end when it is back."""

import time

from tests.faults.installation import Installation
from tests.faults.load import Notes
from tests.faults.scenario import Options, Scenario

AWAY_SECONDS = 60


class Fault(Scenario):
    title = f"broker (Redis) away, the first time for {AWAY_SECONDS} s"

    def strike(self, there: Installation, options: Options, notes: Notes) -> list[str]:
        began = time.time()
        is_first = there.starts["redis"] == 1
        there.kill("redis")
        there.start_job()
        time.sleep(AWAY_SECONDS if is_first else options.seconds)
        answered, failed = len(notes.answered(began)), notes.failed(began)
        there.start("redis")
        return [
            *([] if answered else ["nobody could answer while the broker was away"]),
            *(f"{times} requests while the broker was away: {what}" for what, times in failed.items()),
        ]

    def lasts(self, options: Options) -> float:
        return AWAY_SECONDS
