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

PACKAGE = Path(__file__).parent
IMPORT = b"from metaeval.compiled import"
"""What a file with compiled loops says, always in these words, so that it is found."""

Loop = Callable[..., Any]

_FUSED: dict[str, Any] = {
    "error_model": "numpy",  # a division that may raise keeps a loop from becoming vector instructions
    "fastmath": {"contract"},  # multiply-add in one instruction; sums keep their order
}


def compiled(function: Loop) -> Loop:
    """`function` as machine code that releases the GIL, so that threads may work beside it."""
    return _compiled(function, {})


def fused(function: Loop) -> Loop:
    """`compiled`, for sums: a multiplication and an addition become one instruction, and x / 0 is as in NumPy."""
    return _compiled(function, _FUSED)


def inlined(function: Loop) -> Loop:
    """`function` put into its callers, which are `fused`."""
    return cast(Loop, numba.njit(inline="always", nogil=True, **_FUSED)(function))


def _compiled(function: Loop, options: dict[str, Any]) -> Loop:
    if cast(Any, numba.config).DISABLE_JIT:  # NUMBA_DISABLE_JIT=1: to see inside the loops
        return function
    try:
        dispatcher = numba.njit(cache=True, nogil=True, **options)(function)
    except RuntimeError:  # "cannot cache function ...: no locator available"
        return cast(Loop, numba.njit(nogil=True, **options)(function))
    cast(Any, dispatcher)._cache._cache_file._source_stamp = source_stamp(PACKAGE)
    return cast(Loop, dispatcher)


@lru_cache
def source_stamp(folder: Path) -> str:
    """A fingerprint of all files below the folder that have compiled loops."""
    fingerprint = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        source = path.read_bytes()
        if IMPORT in source:
            fingerprint.update(path.name.encode() + b"\0" + source)
    return fingerprint.hexdigest()
