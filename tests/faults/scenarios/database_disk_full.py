"""The file system of the database is full to the last byte, and has room again."""

import time

from tests.faults.installation import Installation, fill, until
from tests.faults.load import Notes
from tests.faults.scenario import Options, Scenario

NOTICED_SECONDS = 120


class Fault(Scenario):
    title = "disk of the database full (tmpfs)"
    mounts = {"pg": 320}

    def strike(self, there: Installation, options: Options, notes: Notes) -> list[str]:
        began = time.time()
        ballast = fill(there.cluster.folder)
        noticed = until(lambda: bool(notes.failed(began)), seconds=NOTICED_SECONDS)
        time.sleep(options.seconds)
        ballast.unlink()
        if not there.cluster.is_running:
            there.cluster.start()
        return [] if noticed else ["the disk was full, and no request was refused"]
