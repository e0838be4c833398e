"""While the database is away everybody is told so, in a sentence and a status that says: try again."""

import logging
import re
import sqlite3
from typing import Any

import psycopg
import pytest
from django.db import InterfaceError, OperationalError
from django.test import Client

from annotations.storing import outage
from annotations.storing.outage import Outages, is_away


def raised(cause: Exception, error: type[Exception] = OperationalError) -> Exception:
    made = error(str(cause))
    made.__cause__ = cause
    return made


@pytest.fixture
def client_without_database(monkeypatch: pytest.MonkeyPatch, db: None) -> Client:
    """Its session cannot be read: the database is away before any view."""

    def refuse(*_: Any, **__: Any) -> None:
        raise raised(psycopg.OperationalError("connection refused\nof somebody's secret"))

    monkeypatch.setattr("django.contrib.sessions.middleware.SessionMiddleware.process_request", refuse)
    monkeypatch.setattr(outage.outages, "_said_at", -float("inf"))
    return Client(raise_request_exception=False)


@pytest.mark.parametrize(
    "error",
    [
        raised(psycopg.OperationalError("server closed the connection")),
        raised(psycopg.errors.DiskFull("could not extend file")),
        raised(psycopg.errors.AdminShutdown("terminating connection")),
        raised(psycopg.errors.TooManyConnections("too many clients")),
        InterfaceError("connection already closed"),
        raised(sqlite3.OperationalError("database is locked")),
        raised(sqlite3.OperationalError("database or disk is full")),
        raised(sqlite3.OperationalError("attempt to write a readonly database")),
        raised(sqlite3.OperationalError("disk I/O error")),
    ],
)
def test_what_the_database_is_the_reason_of_is_told_from_our_mistakes(error: Exception) -> None:
    assert is_away(error)


def test_our_mistakes_are_not_taken_for_it() -> None:
    assert not is_away(raised(sqlite3.OperationalError("no such table: x")))
    assert not is_away(ValueError("x"))
    assert not is_away(None)


def test_the_api_says_it_as_its_other_errors(client_without_database: Client) -> None:
    answer = client_without_database.get("/api/v1/session/")
    assert (answer.status_code, answer.json()["code"], answer["Retry-After"]) == (503, "no_database", "5")
    assert set(answer.json()) == {"code", "detail", "data", "fields"}
    assert client_without_database.post("/api/v1/assignments/x/labels/").status_code == 503


@pytest.mark.parametrize(
    ("language", "says"), [("en", "No answers are lost"), ("de", "Keine Antwort"), ("ar", "لن تضيع")]
)
def test_a_page_says_it_in_the_reader_s_language_and_needs_nothing_else(
    client_without_database: Client, language: str, says: str
) -> None:
    answer = client_without_database.get("/studies/x", headers={"accept-language": language})
    page = answer.content.decode()
    assert (answer.status_code, answer["Retry-After"]) == (503, "5")
    assert answer["Content-Type"].startswith("text/html")
    assert says in page
    assert f'<html lang="{language}" dir="{"rtl" if language == "ar" else "ltr"}">' in page
    assert not re.search(r"(src|href)=|url\(|<script", page)
    nonce = re.search('<style nonce="([^"]+)">', page)
    assert nonce
    assert f"'nonce-{nonce[1]}'" in answer["Content-Security-Policy"]
    assert answer["Cache-Control"] == "no-store"


def test_the_log_has_one_line_a_minute_and_no_traceback(
    client_without_database: Client, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO):
        for _ in range(20):
            client_without_database.get("/api/v1/session/")
    (line,) = caplog.records
    assert line.getMessage() == "the database does not answer: request: OperationalError: connection refused"
    assert line.exc_info is None


def test_the_next_line_says_how_many_were_not_said(caplog: pytest.LogCaptureFixture, monkeypatch: Any) -> None:
    now = [1000.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    outages = Outages()
    for now[0] in (1000.0, 1001.0, 1059.0, 1061.0):
        outages.note(OperationalError("away"), who="x")
    assert [record.getMessage()[-31:] for record in caplog.records][1] == "away (2 more since the last line)"[-31:]
    assert len(caplog.records) == 2
