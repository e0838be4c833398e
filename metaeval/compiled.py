"""Numba for heavy loops, without letting its disk cache break anything.

Numba only checks whether a function's own file has changed. But a loop contains the code of those that it calls, even
from other files, so an upgrade of one could leave its old code running inside another. Here, every state of the files
with compiled loops has its own cache folder: below NUMBA_CACHE_DIR if that is set, else beside the source, else in the
user's cache folder. Folders that have not been used for a while are removed. If nothing can be written (a read-only
image), a function is compiled without a cache, once in each process.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, cast

PACKAGE = Path(__file__).parent
MENTION = b"metaeval.compiled"
"""The import in every file with compiled loops, always by its full name, so that it is found; a file whose functions
are compiled by another one mentions it."""

FOLDER = "hlvstudy-loops-"
"""The beginning of a cache folder's name; a part of the fingerprint follows."""

UNUSED_DAYS = 7

Loop = Callable[..., Any]

_FUSED: dict[str, Any] = {
    "error_model": "numpy",  # a division that may raise keeps a loop from becoming vector instructions
    "fastmath": {"contract"},  # multiply-add in one instruction; sums keep their order
}
_configuring = threading.Lock()


def compiled(function: Loop) -> Loop:
    """`function` as machine code that releases the GIL, so that other threads can run."""
    return _compiled(function, {})


def fused(function: Loop) -> Loop:
    """`compiled`, for sums: a multiplication and an addition become one instruction, and x / 0 is as in NumPy."""
    return _compiled(function, _FUSED)


def inlined(function: Loop) -> Loop:
    """`function` inlined into its callers, which are `compiled` or `fused`."""
    import numba

    return cast(Loop, numba.njit(inline="always", nogil=True, **_FUSED)(function))


def _compiled(function: Loop, options: dict[str, Any]) -> Loop:
    import numba

    folder = cache_folder()
    if folder is None:
        return cast(Loop, numba.njit(nogil=True, **options)(function))
    with _caching_in(folder):
        return cast(Loop, numba.njit(cache=True, nogil=True, **options)(function))


@contextmanager
def _caching_in(folder: Path) -> Iterator[None]:
    """Functions that are decorated meanwhile have their cache in this folder; others keep theirs."""
    import numba

    settings: Any = numba.config  # its attributes are created at runtime, so type checkers do not know them
    with _configuring:
        before = settings.CACHE_DIR, settings.CACHE_LOCATOR_CLASSES
        settings.CACHE_DIR, settings.CACHE_LOCATOR_CLASSES = str(folder), "metaeval.kept_loops.ByPackage"
        try:
            yield
        finally:
            settings.CACHE_DIR, settings.CACHE_LOCATOR_CLASSES = before


@cache
def cache_folder() -> Path | None:
    """The cache folder for the current loops' machine code; None if nothing can be written."""
    stamp = source_stamp(PACKAGE)
    return next((folder for parent in _parents() if (folder := folder_in(parent, stamp))), None)


def folder_in(parent: Path, stamp: str) -> Path | None:
    """The folder for a fingerprint, created and marked as used; None if it cannot be written.

    Folders of other fingerprints are removed if they were not used for `UNUSED_DAYS`.
    """
    folder = parent / f"{FOLDER}{stamp[:16]}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
        os.utime(folder)
    except OSError:
        return None
    for other in parent.glob(f"{FOLDER}*"):
        with suppress(OSError):  # another process may be removing it, too
            if time.time() - other.stat().st_mtime > UNUSED_DAYS * 24 * 60 * 60:
                shutil.rmtree(other)
    return folder


def _parents() -> Iterator[Path]:
    if folder := os.environ.get("NUMBA_CACHE_DIR"):
        yield Path(folder)
    yield PACKAGE / "__pycache__"
    with suppress(RuntimeError):  # there is no home directory
        yield Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "hlvstudy"


def source_stamp(folder: Path) -> str:
    """A fingerprint of all files below the folder that have compiled loops."""
    fingerprint = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        source = path.read_bytes()
        if MENTION in source:
            fingerprint.update(path.name.encode() + b"\0" + source)
    return fingerprint.hexdigest()
