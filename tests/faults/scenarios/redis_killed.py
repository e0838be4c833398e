"""Redis is killed and comes back empty."""

from tests.faults.installation import Installation
from tests.faults.load import Notes
from tests.faults.scenario import Options, Scenario


class Fault(Scenario):
    title = "Redis: SIGKILL, back with an empty queue"

    def strike(self, there: Installation, options: Options, notes: Notes) -> list[str]:
        there.kill("redis")
        there.start_job()
        there.start("redis")
        return []
