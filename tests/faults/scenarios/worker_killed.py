"""The worker is killed with all of its processes while it has a job."""

from tests.faults.installation import Installation
from tests.faults.load import Notes
from tests.faults.scenario import Options, Scenario


class Fault(Scenario):
    title = "worker: SIGKILL to all processes, a job waiting or running"

    def strike(self, there: Installation, options: Options, notes: Notes) -> list[str]:
        there.kill("worker")
        there.start_job()
        there.start("worker")
        return []
