"""Numba, where a loop deserves it, without letting its disk cache break anything.

The machine code is cached beside the source, or in the user's cache folder, or in NUMBA_CACHE_DIR. Where
none of these can be written (a read-only image), Numba refuses to decorate a cached function at all; then
the function is compiled without a cache, once in each process.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numba


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` as machine code that releases the GIL, so that a thread beside it can keep a job's lease."""
    try:
        return cast(Callable[..., Any], numba.njit(cache=True, nogil=True)(function))
    except RuntimeError:  # "cannot cache function ...: no locator available"
        return cast(Callable[..., Any], numba.njit(nogil=True)(function))
