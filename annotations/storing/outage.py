"""The database is away, locked, full or read-only: how that is told from our own mistakes, and said once a minute."""

import logging
import threading
import time

from django.db import Error, InterfaceError, InternalError, OperationalError

logger = logging.getLogger(__name__)

SAY_AGAIN_SECONDS = 60
RETRY_AFTER = "5"
"""Seconds, as the header has them."""
OF_SQLITE = ("locked", "busy", "full", "readonly", "disk I/O", "unable to open", "malformed")
"""SQLite has one class of errors for these and for tables that do not exist."""
READ_ONLY = "25006"


def is_away(error: BaseException | None) -> bool:
    """Whether the database, not the program, is the reason."""
    if isinstance(error, InterfaceError):
        return True
    if isinstance(error, InternalError):
        return getattr(error.__cause__, "sqlstate", None) == READ_ONLY
    if not isinstance(error, OperationalError):
        return False
    if type(error.__cause__).__module__ == "sqlite3":
        return any(phrase in str(error) for phrase in OF_SQLITE)
    return True


class Outages:
    """Says in the log that the database is away, once a minute and process: a traceback per request would fill it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._said_at = -float("inf")
        self._unsaid = 0

    def note(self, error: BaseException, *, who: str) -> None:
        """Say it, unless it was said within the last minute."""
        now = time.monotonic()
        with self._lock:
            if now - self._said_at < SAY_AGAIN_SECONDS:
                self._unsaid += 1
                return
            unsaid, self._unsaid, self._said_at = self._unsaid, 0, now
        more = f" ({unsaid} more since the last line)" if unsaid else ""
        logger.error("the database does not answer: %s: %s%s", who, reason(error), more)


def reason(error: BaseException) -> str:
    """The class of the error and the first line of what the database's library says, which never has a row in it."""
    cause = error.__cause__ if isinstance(error, Error) and error.__cause__ else error
    first = str(cause).strip().splitlines()[:1]
    return f"{type(cause).__name__}{f': {first[0][:200]}' if first else ''}"


outages = Outages()
