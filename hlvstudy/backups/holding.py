"""Whether servers or workers of this machine use the state folder, and keeping them out meanwhile.

Each holds a share of a lock as long as it lives; whoever replaces the database takes all of it.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hlvstudy.backups import NotCopied

LOCK = "running.lock"

_held: list[int] = []


def hold(folder: Path) -> None:
    """From now on and until it ends, this process and its children use the folder; waits while it is being replaced."""
    try:
        file = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.flock(file, fcntl.LOCK_SH)
    except OSError:  # a file system without locks, or a folder that may only be read
        return
    _held.append(file)


@contextmanager
def nobody_else(folder: Path) -> Iterator[None]:
    """Keep servers and workers of this machine out of the folder.

    Raises:
        NotCopied: one of them is running.
    """
    folder.mkdir(parents=True, exist_ok=True)
    file = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise NotCopied(
                f"A server or a worker is running with the folder {folder}. Stop all of them, and try again."
            ) from None
        except OSError:  # a file system without locks
            pass
        yield
    finally:
        os.close(file)
