"""Numba, where a loop deserves it, without letting its disk cache break anything.

The machine code is cached beside the source, or in the user's cache folder, or in NUMBA_CACHE_DIR. Where
none of these can be written (a read-only image), Numba refuses to decorate a cached function at all; then
the function is compiled without a cache, once in each process.

Numba asks only whether a function's own file has changed. A loop holds the code of those that it calls, from
other files too, so that an upgrade of one could leave the old one running inside the other; here the cache is
valid for one state of all files with compiled loops.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

import numba

PACKAGE = Path(__file__).parents[1]


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` as machine code that releases the GIL, so that a thread beside it can keep a job's lease."""
    try:
        dispatcher = numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:  # "cannot cache function ...: no locator available"
        return cast(Callable[..., Any], numba.njit(nogil=True)(function))
    cast(Any, dispatcher)._cache._cache_file._source_stamp = source_stamp(PACKAGE)
    return cast(Callable[..., Any], dispatcher)


@lru_cache
def source_stamp(folder: Path) -> str:
    """A fingerprint of all files below the folder that have compiled loops."""
    fingerprint = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        source = path.read_bytes()
        if b"import compiled" in source:
            fingerprint.update(path.name.encode() + b"\0" + source)
    return fingerprint.hexdigest()
