"""A connection that worked a moment ago is used without asking; one that did not work is asked."""

import subprocess
import sys
from typing import Any

import pytest
from django.db import connections

from hlvstudy.connections import FRESH_SECONDS, note_use, trust_fresh

pytestmark = pytest.mark.django_db


def the_connection() -> Any:
    """The one in use now: browser tests that ran before leave another context, with a connection of its own."""
    return connections["default"]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now, connection = [1000.0], the_connection()
    monkeypatch.setattr("hlvstudy.connections.time.monotonic", lambda: now[0])
    monkeypatch.setattr(connection, "hlv_worked_at", -FRESH_SECONDS, raising=False)
    monkeypatch.setattr(connection, "errors_occurred", False)
    connection.ensure_connection()
    return now


def is_trusted() -> bool:
    connection = the_connection()
    connection.health_check_done = False
    trust_fresh()
    return bool(connection.health_check_done)


def test_one_that_has_not_worked_yet_is_asked(clock: list[float]) -> None:
    assert not is_trusted()


def test_one_that_worked_a_moment_ago_is_not(clock: list[float]) -> None:
    note_use()
    clock[0] += FRESH_SECONDS / 2
    assert is_trusted()
    clock[0] += FRESH_SECONDS
    assert not is_trusted()


def test_one_that_failed_is_asked(clock: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(the_connection(), "errors_occurred", True)
    note_use()
    assert not is_trusted()


RECEIVERS = """
import django
django.setup()
from django.core.signals import request_finished, request_started
for signal in (request_started, request_finished):
    print(*(receiver[1]().__name__ for receiver in signal.receivers))
"""


def test_requests_begin_and_end_with_it() -> None:
    """Asked of a new process, as a server is one: Django's test client puts its own receiver last in this one."""
    command = [sys.executable, "-c", RECEIVERS]
    begin, end = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout.splitlines()
    assert "close_old_connections" in begin.split()[: begin.split().index("trust_fresh")], begin
    assert "note_use" in end.split(), end
