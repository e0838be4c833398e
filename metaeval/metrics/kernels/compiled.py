"""Numba without letting its disk cache break anything.

The machine code is cached beside the source, or in the user's cache folder, or in NUMBA_CACHE_DIR. Where
none of these can be written (a read-only image), Numba refuses to decorate a cached function at all; then
the function is compiled without a cache, once in each process.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numba

_OPTIONS: dict[str, Any] = {
    "nogil": True,  # threads work on blocks of rows side by side
    "error_model": "numpy",  # a division that may raise keeps a loop from becoming vector instructions
    "fastmath": {"contract"},  # multiply-add in one instruction; sums keep their order
}


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` as machine code that releases the GIL."""
    try:
        return cast(Callable[..., Any], numba.njit(cache=True, **_OPTIONS)(function))
    except RuntimeError:  # "cannot cache function ...: no locator available"
        return cast(Callable[..., Any], numba.njit(**_OPTIONS)(function))


def inlined(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` put into its callers.

    Numba's cache watches the caller's file alone: after a change to one that another file inlines, touch that too.
    """
    return cast(Callable[..., Any], numba.njit(inline="always", **_OPTIONS)(function))
