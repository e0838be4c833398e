"""An S3 server for tests: rclone's, which keeps the objects of a bucket as files of a folder."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.conftest import wait_until
from tests.processes import free_port

RCLONE = [str(Path(sys.executable).parent / "rclone"), "serve", "s3", "--auth-key", "KEY,SECRETKEY"]
BUCKET = "hlv"


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of a storage (`STORAGE_URL`) whose files are in `folder / "hlv" / "study"`."""
    (folder / BUCKET).mkdir(parents=True, exist_ok=True)
    port = free_port()
    command = [*RCLONE, "--addr", f"127.0.0.1:{port}", str(folder)]
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: listens(port) or running.poll() is not None, seconds=60)
        assert running.poll() is None, "the S3 server ended"
        yield f"s3://KEY:SECRETKEY@127.0.0.1:{port}/{BUCKET}/study?tls=0"
    finally:
        running.terminate()
        running.wait()


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
