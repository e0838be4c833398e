"""A fit's state in a file, for scripts. Needs no torch."""

from __future__ import annotations

import os
from pathlib import Path


class FileCheckpoints:
    """Keeps the newest state in one file (`metaeval.training.lessons.Checkpoints`)."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def latest(self) -> bytes | None:
        try:
            return self._path.read_bytes()
        except FileNotFoundError:
            return None

    def keep(self, state: bytes) -> None:
        # On the disk before it takes the old one's place: a crash leaves one or the other.
        written = self._path.with_name(self._path.name + ".part")
        with written.open("wb") as file:
            file.write(state)
            file.flush()
            os.fsync(file.fileno())
        written.replace(self._path)
