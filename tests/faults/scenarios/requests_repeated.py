"""Requests come more than once, late and in the wrong order."""

import time

from tests.faults.installation import Installation
from tests.faults.load import Notes
from tests.faults.scenario import Options, Scenario


class Fault(Scenario):
    title = "each answer sent three times at once and once more later; step 2 also before step 1"
    script = "tests.faults.persisting:Repeating"

    def strike(self, there: Installation, options: Options, notes: Notes) -> list[str]:
        time.sleep(options.seconds)
        return []

    def problems(self, notes: Notes) -> list[str]:
        return [
            f"no request was sent {what}"
            for what, noted in (("twice", "repeated 200"), ("too early", "early 4"))
            if not notes.counted(noted)
        ]
