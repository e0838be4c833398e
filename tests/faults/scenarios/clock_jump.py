"""The clock of web server and worker jumps ; those of PostgreSQL, Redis, files and the kernel do not."""

import time

from tests.faults.installation import Installation
from tests.faults.load import Notes
from tests.faults.scenario import Options, Scenario

JUMPS = (3600, -3600, 0)
"""Seconds from the true time; one after the other."""


class Fault(Scenario):
    title = "clock of web and worker an hour forward, two back, right again"
    shifted = True

    def strike(self, there: Installation, options: Options, notes: Notes) -> list[str]:
        problems = []
        for seconds in JUMPS:
            began = time.time()
            there.jump(seconds)
            there.start_job()
            time.sleep(max(options.seconds, 2))
            if not notes.answered(began):
                problems.append(f"nobody could answer {seconds:+d} seconds from the true time")
        return problems
