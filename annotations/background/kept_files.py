"""Files that one process writes and another reads, perhaps on another machine: through the storage, never by a path."""

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO

from django.core.files import File
from django.core.files.storage import FileSystemStorage, default_storage

COPIED_BYTES = 1024 * 1024


@dataclass(frozen=True)
class Written:
    """The size and checksum of what was written."""

    size: int
    sha256: str


@contextmanager
def local_copy(name: str) -> Iterator[Path]:
    """A path of this machine to read a kept file from: its own if it is here, else a copy that goes at the end."""
    if isinstance(default_storage, FileSystemStorage):
        yield Path(default_storage.path(name))
        return
    with NamedTemporaryFile() as copy, default_storage.open(name, "rb") as stored:
        while chunk := stored.read(COPIED_BYTES):
            copy.write(chunk)
        copy.flush()
        yield Path(copy.name)


def keep(name: str, chunks: Iterable[bytes]) -> Written:
    """Keep the chunks under a new name: all of them or nothing, whatever happens meanwhile."""
    if isinstance(default_storage, FileSystemStorage):
        path = Path(default_storage.path(name))
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        return write(path, chunks, mode=0o600)
    # What is sent to another machine in one piece is there completely or not at all.
    with NamedTemporaryFile() as copy:
        written = _write(copy, chunks)
        copy.seek(0)
        default_storage.save(name, File(copy))
    return written


def write(path: Path, chunks: Iterable[bytes], *, mode: int | None = None) -> Written:
    """Write to a temporary file and rename it, so that the file is either complete or absent."""
    unfinished = path.with_name(path.name + ".unfinished")
    try:
        with unfinished.open("wb") as out:
            if mode is not None:
                unfinished.chmod(mode)
            written = _write(out, chunks)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
    return written


def names_in(folder: str) -> list[str]:
    """The names of the files that are kept in a folder; none if nothing was ever kept there."""
    try:
        return default_storage.listdir(folder)[1]
    except FileNotFoundError:
        return []


def _write(out: IO[bytes], chunks: Iterable[bytes]) -> Written:
    digest, size = hashlib.sha256(), 0
    for chunk in chunks:
        digest.update(chunk)
        size += out.write(chunk)
    return Written(size, digest.hexdigest())
