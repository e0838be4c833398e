"""A worker's pool that survives the death of any of its processes.

Celery's pool for brokers without an event loop (such as the embedded one) hands out tasks through one pipe. An idle
process waits on it while holding a semaphore, and a semaphore outlives its holder: kill that process, and no other
ever gets a task again. Here the lock is the kernel's, which releases it when a process dies.
"""

import fcntl
import tempfile
from types import TracebackType
from typing import Any

from billiard.pool import Pool


class KernelLock:
    """A lock between processes forked after it was created; the kernel releases it when its holder dies.

    It does not lock threads of one process, which is fine because each end of a pool's pipe is used by one thread.
    """

    def __init__(self) -> None:
        # Held open as long as the lock lives: closing it anywhere in a process would free the lock there.
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - as said above

    def acquire(self) -> bool:
        """Wait until nobody holds it, then hold it."""
        fcntl.lockf(self._file, fcntl.LOCK_EX)
        return True

    def release(self) -> None:
        fcntl.lockf(self._file, fcntl.LOCK_UN)

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.release()


BlockingPool: Any = Pool  # billiard's types lack what is changed here


class SturdyPool(BlockingPool):  # type: ignore[misc]  # as above
    """Celery's pool with locks that do not outlive their holders."""

    _inqueue: Any
    _outqueue: Any

    def _setup_queues(self) -> None:
        super()._setup_queues()
        self._inqueue._rlock = KernelLock()  # taking a task
        self._outqueue._wlock = KernelLock()  # telling its end


def use_sturdy_pools() -> None:
    """To be called in a worker before it creates its pool."""
    from celery.concurrency.prefork import TaskPool

    pool: Any = TaskPool
    pool.BlockingPool = SturdyPool
