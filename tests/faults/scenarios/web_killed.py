"""The web server is killed with all of its processes."""

from tests.faults.installation import Installation
from tests.faults.load import Notes
from tests.faults.scenario import Options, Scenario


class Fault(Scenario):
    title = "web server: SIGKILL to all processes"

    def strike(self, there: Installation, options: Options, notes: Notes) -> list[str]:
        there.kill("web")
        there.start("web")
        return []
