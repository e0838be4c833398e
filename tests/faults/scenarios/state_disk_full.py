"""The file system of HLV_STATE is full to the last byte: answers go on, exports say why they fail."""

import time

from tests.faults.installation import Installation, fill, until
from tests.faults.load import Notes
from tests.faults.scenario import Options, Scenario

ENDED_SECONDS = 90


class Fault(Scenario):
    title = "disk of HLV_STATE full (tmpfs; the database is elsewhere)"
    mounts = {"state": 48}

    def strike(self, there: Installation, options: Options, notes: Notes) -> list[str]:
        began = time.time()
        ballast = fill(there.folder / "state")
        there.start_job()
        last = there.jobs[-1]
        ended = until(
            lambda: there.client.get(f"export-files/{last}/")["state"] not in {"queued", "running"},
            seconds=ENDED_SECONDS,
        )
        state = there.client.get(f"export-files/{last}/")["state"]
        time.sleep(options.seconds)
        answered, failed = len(notes.answered(began)), notes.failed(began)
        ballast.unlink()
        return [
            *([] if ended and state == "failed" else [f"an export onto a full disk is {state}"]),
            *([] if answered else ["nobody could answer while HLV_STATE was full"]),
            *(f"{times} requests while HLV_STATE was full: {what}" for what, times in failed.items()),
        ]
