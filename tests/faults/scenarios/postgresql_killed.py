"""PostgreSQL stops without shutting down, as in a crash, and recovers."""

from tests.faults.installation import Installation
from tests.faults.load import Notes
from tests.faults.scenario import Options, Scenario


class Fault(Scenario):
    title = "PostgreSQL: immediate stop, recovery at its start"

    def strike(self, there: Installation, options: Options, notes: Notes) -> list[str]:
        there.cluster.stop()
        there.cluster.start()
        return []
