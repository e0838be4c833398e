"""What Celery's workers need of us: the embedded broker must be told to forget, and a worker must survive the loss of
Redis and the death of any of its processes.
"""

import fcntl
import tempfile
from types import TracebackType
from typing import Any

import sqlalchemy
from billiard.pool import Pool

EMBEDDED = "sqla+"


def forget_delivered_messages(broker_url: str) -> int:
    """Delete the messages that a worker has taken; return how many. Does nothing for other brokers.

    The truth about a job is its row, so a taken message is no longer needed.
    """
    if not broker_url.startswith(EMBEDDED):
        return 0
    engine = sqlalchemy.create_engine(broker_url.removeprefix(EMBEDDED))
    try:
        if not sqlalchemy.inspect(engine).has_table("kombu_message"):
            return 0
        with engine.begin() as connection:
            return connection.execute(sqlalchemy.text("DELETE FROM kombu_message WHERE visible = 0")).rowcount
    finally:
        engine.dispose()


def survive_the_loss_of_redis() -> None:
    """To be called in a worker before it connects.

    When Redis goes away, Celery closes its channels, and kombu gives back the messages that were not acknowledged.
    Where the connection is closed already, that ends in an AttributeError, which nobody expects, and the worker stops
    for good. As an error of the connection, it is one that Celery survives by connecting again.
    """
    from kombu.transport.redis import Channel
    from redis.exceptions import ConnectionError as RedisConnectionError

    channel: Any = Channel
    if hasattr(channel, "_known_parameters"):
        return
    channel._known_parameters = channel._connparams

    def parameters(self: Any, *arguments: Any, **options: Any) -> Any:
        if self.connection is None or self.connection.client is None:
            raise RedisConnectionError("the connection of this channel is closed")
        return channel._known_parameters(self, *arguments, **options)

    channel._connparams = parameters


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
    """Celery's pool with locks that do not outlive their holders.

    Its pool for brokers without an event loop (such as the embedded one) hands out tasks through one pipe. An idle
    process waits on it while holding a semaphore, and a semaphore outlives its holder: kill that process, and no other
    ever gets a task again. Here the lock is the kernel's, which releases it when a process dies.
    """

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
