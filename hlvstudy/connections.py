"""Connections to the database that were in use a moment ago are not asked again whether they live.

Django asks before the first statement of every request (CONN_HEALTH_CHECKS), which costs an answer as much as a
statement that does something. A connection that a database's restart has cut is noticed by its first use instead: that
request gets 503 with Retry-After, as while the database is away, and pages send it again.
"""

import time
from typing import Any

from django.core.signals import request_finished, request_started
from django.db import connections

FRESH_SECONDS = 2


def note_use(**_: Any) -> None:
    """A request has ended: its connections worked until now."""
    for connection in connections.all(initialized_only=True):
        if connection.connection is not None and not connection.errors_occurred:
            connection.hlv_worked_at = time.monotonic()  # type: ignore[attr-defined]  # kept where it belongs


def trust_fresh(**_: Any) -> None:
    """A request begins, and Django has said that its connections are to be checked."""
    for connection in connections.all(initialized_only=True):
        if time.monotonic() - getattr(connection, "hlv_worked_at", -FRESH_SECONDS) < FRESH_SECONDS:
            connection.health_check_done = True  # type: ignore[attr-defined]  # not in the stubs


def watch() -> None:
    """Called once, after Django's own receivers are in place."""
    request_started.connect(trust_fresh)
    request_finished.connect(note_use)
