"""A connection that was checked a moment ago is used without asking; any other is asked."""

import subprocess
import sys
from typing import Any

import pytest
from django.db import connections

from hlvstudy.apps import FRESH_SECONDS, note_check, trust_fresh

pytestmark = pytest.mark.django_db


def the_connection() -> Any:
    """The one in use now: browser tests that ran before leave another context, with a connection of its own."""
    return connections["default"]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now, connection = [1000.0], the_connection()
    monkeypatch.setattr("hlvstudy.apps.time.monotonic", lambda: now[0])
    monkeypatch.setattr(connection, "hlv_checked_at", -FRESH_SECONDS, raising=False)
    monkeypatch.setattr(connection, "hlv_trusted", False, raising=False)
    monkeypatch.setattr(connection, "errors_occurred", False)
    monkeypatch.setattr(connection, "health_check_enabled", True)
    connection.ensure_connection()
    return now


def request(*, uses: bool = True) -> bool:
    """Begin and end one, as Django's handler does; whether the connection was trusted."""
    connection = the_connection()
    connection.health_check_done = False
    trust_fresh()
    was_trusted = bool(connection.health_check_done)
    if uses:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    note_check()
    return was_trusted


def test_one_that_was_not_checked_yet_is_asked(clock: list[float]) -> None:
    assert not request()


def test_one_that_was_checked_a_moment_ago_is_not(clock: list[float]) -> None:
    request()
    clock[0] += FRESH_SECONDS / 2
    assert request()
    clock[0] += FRESH_SECONDS / 2
    assert not request(), "being trusted is not being checked"


def test_requests_that_do_not_use_it_keep_nothing_fresh(clock: list[float]) -> None:
    request()
    clock[0] += FRESH_SECONDS / 2
    assert request(uses=False)
    clock[0] += FRESH_SECONDS / 2
    assert not request(uses=False)
    assert not request()


def test_one_that_failed_is_asked(clock: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(the_connection(), "errors_occurred", True)
    request()
    assert not request()


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
    assert "note_check" in end.split(), end
