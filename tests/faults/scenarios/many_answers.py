"""A long run without any fault."""

from tests.faults.installation import Installation
from tests.faults.load import Notes
from tests.faults.scenario import Options, Scenario


class Fault(Scenario):
    title = "a long run, nothing harmed"
    is_long = True

    def strike(self, there: Installation, options: Options, notes: Notes) -> list[str]:
        return []
