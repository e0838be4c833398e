"""The files that belong to a database: uploads, wherever Django keeps them, and the few others of the state folder."""

import os
import shutil
import uuid
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Any

from django.conf import settings
from django.core.files.base import ContentFile, File
from django.core.files.storage import default_storage
from django.db import connection

from hlvstudy.backups import NotCopied

NOT_KEPT = {"static", "tmp", "cache", "bytecode", "stamps", "backups", "metrics", "__pycache__"}
"""Folders with what can be made anew."""
NOT_KEPT_ENDS = (".log", ".lock", ".pid", ".new", ".tmp", ".part", "-wal", "-shm", "-journal", ".sqlite3", ".sock")
STAGED = "restoring"
"""The folder beside the state folder's files for those that are about to take their places."""


@dataclass(frozen=True)
class Kept:
    """A file in an archive, by its name there; opened, it is None if it is gone."""

    name: str
    opened: Callable[[], AbstractContextManager[IO[bytes] | None]]


def state_files() -> Iterator[Kept]:
    """The files of the state folder that are neither the database nor made anew: the key of the sessions, marks."""
    root = Path(settings.STATE_DIR).resolve()
    left_out = {Path(settings.STATIC_ROOT).resolve(), _uploads_folder()}
    # Whatever it is called: closing one of these files would drop the locks that SQLite holds on it in this process.
    database = _files_of_sqlite()
    for folder, folders, names in os.walk(root):
        here = Path(folder)
        folders[:] = sorted(
            name
            for name in folders
            if name not in NOT_KEPT | {STAGED}
            and (here / name).resolve() not in left_out
            and not (here / name / "hlvstudy.sqlite3").exists()  # a folder of another installation, such as a demo's
        )
        for name in sorted(names):
            path = here / name
            if path in database or name.endswith(NOT_KEPT_ENDS):
                continue
            if path.is_file() and not path.is_symlink():
                yield Kept(f"state/{path.relative_to(root).as_posix()}", partial(_opened, partial(path.open, "rb")))


def _files_of_sqlite() -> set[Path]:
    """The database's own files; none on PostgreSQL."""
    if connection.vendor != "sqlite":
        return set()
    path = Path(str(connection.settings_dict["NAME"])).resolve()
    return {path.with_name(path.name + end) for end in ("", "-wal", "-shm", "-journal")}


def uploaded_files(folder: str = "") -> Iterator[Kept]:
    """Uploads, exports and documents: in a folder, or wherever the storage keeps them."""
    try:
        with _storage_answers():
            folders, names = default_storage.listdir(folder)
    except (FileNotFoundError, NotADirectoryError):
        return
    for name in sorted(names):
        path = f"{folder}/{name}" if folder else name
        if name:
            yield Kept(f"uploads/{path}", partial(_opened, partial(default_storage.open, path, "rb")))
    for inner in sorted(folders):
        yield from uploaded_files(f"{folder}/{inner}" if folder else inner)


@contextmanager
def _opened(opens: Callable[[], Any]) -> Iterator[Any]:
    with _storage_answers():
        try:
            file = opens()
        except FileNotFoundError:
            yield None
            return
        with file:
            yield file


@contextmanager
def _storage_answers() -> Iterator[None]:
    """Turn what an S3 server refuses, or its silence, into a sentence.

    Raises:
        NotCopied: a file could not be listed, read, written or deleted there.
    """
    try:
        from boto3.exceptions import Boto3Error
        from botocore.exceptions import BotoCoreError, ClientError
    except ImportError:  # without them there is no such storage
        yield
        return
    try:
        yield
    except (Boto3Error, BotoCoreError, ClientError) as error:
        reason = getattr(error, "response", {}).get("Error", {}).get("Code", type(error).__name__)
        raise NotCopied(
            f"The storage of uploads and documents (STORAGE_URL) does not do what it was asked ({reason}). "
            "To see why, run: hlvstudy doctor"
        ) from None


def try_storage() -> None:
    """Keep a small file in the storage and delete it again.

    Raises:
        NotCopied: an S3 server does not do so.
        OSError: the folder may not be written.
    """
    with _storage_answers():
        default_storage.delete(default_storage.save(f"restoring/{uuid.uuid4().hex}", ContentFile(b"x")))


def _uploads_folder() -> Path | None:
    try:
        return Path(default_storage.path("")).resolve()
    except NotImplementedError:  # not a folder of this machine
        return None


def where_uploads_are() -> str:
    """In words, without an address that may hold a password."""
    folder = _uploads_folder()
    return str(folder) if folder else "a storage on another machine"


def staged(name: str) -> Path:
    """Where a file of the archive waits until the database is there."""
    return Path(settings.STATE_DIR) / STAGED / name


def stage(name: str, blocks: Iterator[bytes]) -> None:
    """Write a file of the archive to where it waits."""
    path = staged(name)
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600), "wb") as file:
        for block in blocks:
            file.write(block)


def put_staged_in_place(names: list[str]) -> None:
    """Move the files that wait to their places; repeating it after an interruption is safe."""
    for name in names:
        kind, _, rest = name.partition("/")
        waiting = staged(name)
        if not waiting.exists():
            continue
        if kind == "state":
            place = Path(settings.STATE_DIR).resolve() / rest
            if place in _files_of_sqlite():  # restored already, from its rows
                waiting.unlink()
                continue
            place.parent.mkdir(parents=True, exist_ok=True)
            waiting.replace(place)
        else:
            with _storage_answers():
                with suppress(FileNotFoundError):
                    default_storage.delete(rest)
                with waiting.open("rb") as file:
                    default_storage.save(rest, File(file))
            waiting.unlink()


def forget_staged() -> None:
    """Remove what waited."""
    shutil.rmtree(Path(settings.STATE_DIR) / STAGED, ignore_errors=True)
