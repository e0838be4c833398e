"""The doctor looks at real PostgreSQL databases with which something is wrong, and its remedies mend them."""

import os
import re
import subprocess
import uuid
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import environ
import psycopg
import pytest
from django.db import connections
from django.db.utils import ConnectionHandler

from hlvstudy.checks import database
from hlvstudy.checks.conditions import Condition, HealthPart

SERVER = urlsplit(os.environ.get("DATABASE_URL", ""))
pytestmark = pytest.mark.postgresql


class Server:
    """Makes databases and roles, which are gone after the test."""

    def __init__(self, link: psycopg.Connection[Any]) -> None:
        self.link, self.name = link, f"hlv_doctor_{uuid.uuid4().hex[:12]}"

    def make(self, how: str = "") -> str:
        self.run(f"CREATE ROLE {self.name} LOGIN PASSWORD 'secret'")
        self.run(f"CREATE DATABASE {self.name} {how}")
        self.run(f"GRANT ALL ON DATABASE {self.name} TO {self.name}")
        return self.name

    def run(self, statement: str) -> None:
        self.link.execute(statement.encode())

    def inside(self, statement: str) -> None:
        with psycopg.connect(address("postgresql", self.name), autocommit=True) as link:
            link.execute(statement.encode())

    def shell(self, command: str) -> None:
        """Run a remedy as its reader does, with their names."""
        host = {"PGHOST": SERVER.hostname or "", "PGPORT": str(SERVER.port or 5432), "PGUSER": SERVER.username or ""}
        env = {**os.environ, **host, "PGPASSWORD": SERVER.password or ""}
        named = re.sub(r"\b(NAME|ROLE|name|role)\b", self.name, command)
        done = subprocess.run(["bash", "-ec", named], env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


def address(scheme: str, database: str, *, role: str = "") -> str:
    parts = SERVER._replace(scheme=scheme, path=f"/{database}")
    if role:
        parts = parts._replace(netloc=f"{role}:secret@{SERVER.hostname}:{SERVER.port or 5432}")
    return urlunsplit(parts)


@pytest.fixture
def server() -> Iterator[Server]:
    with psycopg.connect(address("postgresql", "postgres"), autocommit=True) as link:
        server = Server(link)
        yield server
        server.run(f"DROP DATABASE IF EXISTS {server.name} WITH (FORCE)")
        server.run(f"DROP ROLE IF EXISTS {server.name}")


@pytest.fixture
def examined(server: Server, django_db_blocker: Any) -> Callable[[], list[HealthPart]]:
    """What the doctor finds with the new role in the new database."""

    def examine() -> list[HealthPart]:
        url = address("postgres", server.name, role=server.name)
        own = ConnectionHandler({"default": {**environ.Env.db_url_config(url), "TIME_ZONE": "UTC"}})["default"]
        usual = connections["default"]
        connections["default"] = own
        try:
            with django_db_blocker.unblock():
                return list(database.database())
        finally:
            connections["default"] = usual
            own.close()

    return examine


def wrong(found: list[HealthPart]) -> list[HealthPart]:
    """What is wrong, besides that nothing has been prepared."""
    assert all(one.remedy for one in found if one.condition != Condition.WELL)
    return [one for one in found if one.condition == Condition.BROKEN and "hlvstudy prepare" not in one.remedy]


def test_a_new_database_is_well_but_for_its_migrations(server, examined):
    server.make(f"ENCODING 'UTF8' TEMPLATE template0 OWNER {server.name}")
    found = examined()
    assert wrong(found) == []
    assert any("migrations have not been applied" in one.sentence for one in found)


@pytest.mark.parametrize("encoding", ["SQL_ASCII", "LATIN1"])
def test_an_encoding_that_cannot_hold_every_text(server, examined, encoding):
    server.make(f"ENCODING '{encoding}' LOCALE 'C' TEMPLATE template0 OWNER {server.name}")
    (one,) = wrong(examined())
    assert one.sentence == f"Its encoding is {encoding}, which cannot hold every text."
    server.run(f"DROP DATABASE {server.name}")
    server.shell(one.remedy.removeprefix("Create it again: "))
    assert wrong(examined()) == []


@pytest.mark.parametrize("turn", [0, 1])
def test_a_role_that_may_not_create_tables(server, examined, turn):
    server.make("TEMPLATE template0")
    server.inside("REVOKE CREATE ON SCHEMA public FROM PUBLIC")
    (one,) = wrong(examined())
    assert one.sentence == "The role of DATABASE_URL may not create tables."
    # Either way that it names is enough.
    remedies = re.findall(r"psql .*?-c '.*?'", one.remedy)
    server.shell(remedies[turn])
    assert wrong(examined()) == []


def test_a_role_that_may_not_connect(server, examined):
    server.make("TEMPLATE template0")
    server.run(f"REVOKE ALL ON DATABASE {server.name} FROM PUBLIC, {server.name}")
    (one,) = wrong(examined())
    assert one.sentence == "The role of DATABASE_URL may not connect to this database."
    server.shell(one.remedy.removeprefix("As the user postgres: "))
    assert "may not connect" not in " ".join(one.sentence for one in examined())


def test_tables_that_somebody_else_prepared(server, examined):
    server.make(f"TEMPLATE template0 OWNER {server.name}")
    server.inside("GRANT CREATE ON SCHEMA public TO PUBLIC")
    columns = "id bigint GENERATED BY DEFAULT AS IDENTITY, app text, name text, applied timestamptz"
    server.inside(f"CREATE TABLE django_migrations ({columns})")
    (one,) = wrong(examined())
    assert one.sentence.startswith(f"1 tables belong to the role {SERVER.username}, not to that of DATABASE_URL")
    server.shell(one.remedy.partition(": ")[2])
    assert "belong to" not in " ".join(one.sentence for one in examined())


def test_names_and_passwords_that_do_not_exist(server, examined, monkeypatch):
    server.make("TEMPLATE template0")
    server.run(f"DROP DATABASE {server.name}")
    assert [one.sentence for one in wrong(examined())] == ["There is no such database."]
    server.run(f"DROP ROLE {server.name}")
    assert "no such role" in wrong(examined())[0].sentence


def test_an_old_postgresql_and_few_connections(server, examined, monkeypatch):
    """Only what the server says of itself is replaced."""
    server.make(f"TEMPLATE template0 OWNER {server.name}")
    server.run(f"ALTER ROLE {server.name} SET work_mem = '4MB'")
    monkeypatch.setattr(database, "OLDEST_POSTGRESQL", server.link.info.server_version // 10000 + 1)
    (one,) = wrong(examined())
    assert "is too old" in one.sentence
    assert one.remedy == f"Use {database.OLDEST_POSTGRESQL} or newer."
    monkeypatch.setattr("hlvstudy.checks.database.PROCESSES", 10_000)
    assert any("accepts" in one.sentence and "max_connections" in one.remedy for one in examined())


def test_clocks_that_differ(server, examined, monkeypatch):
    server.make(f"TEMPLATE template0 OWNER {server.name}")
    late = SimpleNamespace(now=lambda zone: datetime.now(zone) + timedelta(seconds=90))
    monkeypatch.setattr(database, "datetime", late)
    (one,) = wrong(examined())
    assert re.fullmatch(r"This machine's clock and the database's differ by (89|9\d) seconds\.", one.sentence)
