"""Pieces of one computation in threads: compiled loops release the GIL, so all processors of a machine can work."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Part = TypeVar("Part")
Answer = TypeVar("Answer")

PARTS_PER_TASK = 8
"""A thread takes this many parts at a time, at most."""


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_threads(
    work: Callable[[Part], Answer], parts: Sequence[Part], threads: int | None = None
) -> Generator[Answer, None, None]:
    """`work` of every part, in order; in parallel if there are several parts and processors.

    `threads` defaults to the number of processors. Closing the generator starts nothing more.

    >>> list(in_threads(abs, [-1, 2, -3], threads=2))
    [1, 2, 3]
    """
    threads = min(threads or processors(), len(parts))
    if threads < 2:
        yield from map(work, parts)
        return
    size = max(1, min(PARTS_PER_TASK, len(parts) // threads))
    tasks = [parts[start : start + size] for start in range(0, len(parts), size)]
    pool = ThreadPoolExecutor(threads)
    try:
        for answers in pool.map(lambda task: [work(part) for part in task], tasks):
            yield from answers
    finally:
        pool.shutdown(cancel_futures=True)
