"""A template is what the migrations make, whole, and made once."""

import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest
from django.core.management import call_command
from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper

from hlvstudy.backups.places import in_place_of_the_default
from tests import templates
from tests.conftest import database_url
from tests.flushing import permissions_made

OF_SQLITE = "SELECT name, tbl_name, sql FROM sqlite_master"
OF_POSTGRESQL = """
    SELECT table_name, column_name, data_type || is_nullable || coalesce(column_default, '')
    FROM information_schema.columns WHERE table_schema = 'public'
    UNION ALL SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'
    UNION ALL SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint
    WHERE connamespace = 'public'::regnamespace
    UNION ALL SELECT tgrelid::regclass::text, tgname, pg_get_triggerdef(oid) || pg_get_functiondef(tgfoid)
    FROM pg_trigger WHERE NOT tgisinternal
"""
ROWS = (
    "SELECT app, name FROM django_migrations",
    "SELECT app_label, model FROM django_content_type",
    "SELECT codename, name FROM auth_permission",
)


def contents(database: BaseDatabaseWrapper) -> list[list[Any]]:
    """The schema, and the rows that are there from the beginning."""
    with database.cursor() as cursor:
        found = []
        for query in (OF_SQLITE if database.vendor == "sqlite" else OF_POSTGRESQL, *ROWS):
            cursor.execute(query)
            found.append(sorted(cursor.fetchall()))
    return found


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Templates of SQLite that nobody else uses."""
    monkeypatch.setattr(templates, "FOLDER", tmp_path / "templates")
    return tmp_path / "templates"


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[dict[str, Any]]:
    """The settings of an empty database beside the test database."""
    if connection.vendor == "sqlite":
        yield {**connection.settings_dict, "NAME": str(tmp_path / "new.sqlite3")}
        return
    name = f"{connection.settings_dict['NAME']}_new"
    with psycopg.connect(urlunsplit(urlsplit(database_url())._replace(path="/postgres")), autocommit=True) as server:
        server.execute(f'DROP DATABASE IF EXISTS "{name}"')
        server.execute(f'CREATE DATABASE "{name}"')
        yield {**connection.settings_dict, "NAME": name}
        server.execute(f'DROP DATABASE "{name}"')


@pytest.mark.sql
@pytest.mark.django_db
def test_the_test_database_is_what_migrating_makes(elsewhere: dict[str, Any]) -> None:
    copied = contents(connection)
    with in_place_of_the_default(elsewhere) as new, permissions_made():
        call_command("migrate", interactive=False, verbosity=0)
        migrated = contents(new)
    for rows, same in zip(migrated, copied, strict=True):
        assert set(rows) ^ set(same) == set()
        assert len(rows) > 20


def writes(text: str, *, fails: bool = False) -> Callable[[str], None]:
    def migrate(url: str) -> None:
        with sqlite3.connect(url.removeprefix("sqlite:///")) as made:
            made.execute(f"CREATE TABLE {text} (id)")
        if fails:
            raise KeyboardInterrupt

    return migrate


def tables_in(database: Path) -> set[str]:
    with sqlite3.connect(database) as opened:
        return {name for (name,) in opened.execute("SELECT name FROM sqlite_master")}


def test_an_interrupted_making_leaves_no_template(own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(templates, "migrate", writes("half", fails=True))
    with pytest.raises(KeyboardInterrupt):
        templates.copy_sqlite(tmp_path / "one.sqlite3")
    assert not (tmp_path / "one.sqlite3").exists()
    monkeypatch.setattr(templates, "migrate", writes("whole"))
    assert tables_in(templates.copy_sqlite(tmp_path / "one.sqlite3")) == {"whole"}
    assert len(list(own.glob("*.sqlite3*"))) == 1


def test_it_is_made_once_by_whoever_is_first_and_an_older_one_goes(
    own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own.mkdir()
    (own / "migrated-older.sqlite3").touch()
    made = []

    def migrate(url: str) -> None:
        made.append(url)
        writes("whole")(url)

    monkeypatch.setattr(templates, "migrate", migrate)
    with ThreadPoolExecutor(4) as several:
        copies = list(several.map(templates.copy_sqlite, (tmp_path / f"{turn}.sqlite3" for turn in range(4))))
    assert [tables_in(copy) for copy in copies] == [{"whole"}] * 4
    assert len(made) == 1
    assert not (own / "migrated-older.sqlite3").exists()


def test_a_changed_migration_is_another_template(monkeypatch: pytest.MonkeyPatch) -> None:
    before = templates.fingerprint()
    read = Path.read_bytes
    monkeypatch.setattr(
        Path, "read_bytes", lambda path: read(path) + (b"\n" if path.name == "0101_triggers.py" else b"")
    )
    templates.fingerprint.cache_clear()
    try:
        assert templates.fingerprint() != before
    finally:
        templates.fingerprint.cache_clear()


@pytest.mark.postgresql
def test_on_postgresql_a_half_made_one_is_made_anew_nobody_connects_to_a_whole_one_and_old_ones_go(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(templates, "PREFIX", prefix := f"{connection.settings_dict['NAME']}_template_")
    monkeypatch.setattr(templates, "KEPT", 1)
    url, copy = database_url(), f"{connection.settings_dict['NAME']}_copied"
    of_ours = "SELECT datname FROM pg_database WHERE starts_with(datname, %s) ORDER BY datname"
    made: list[str] = []

    def migrate(address: str) -> None:
        with psycopg.connect(address.replace("postgres://", "postgresql://")) as database:
            database.execute("CREATE TABLE whole (id int)")
        made.append(address)
        if len(made) == 1:
            raise KeyboardInterrupt

    monkeypatch.setattr(templates, "migrate", migrate)
    address = urlunsplit(urlsplit(url)._replace(path="/postgres"))
    with psycopg.connect(address, autocommit=True) as server:
        try:
            with pytest.raises(KeyboardInterrupt):
                templates.copy_postgresql(url, copy)
            for _ in range(2):
                templates.copy_postgresql(url, copy)
            assert len(made) == 2
            with psycopg.connect(urlunsplit(urlsplit(url)._replace(path=f"/{copy}"))) as copied:
                assert copied.execute("SELECT count(*) FROM whole").fetchone() == (0,)
            with pytest.raises(psycopg.OperationalError):
                psycopg.connect(urlunsplit(urlsplit(url)._replace(path=f"/{prefix}{templates.fingerprint()}")))
            monkeypatch.setattr(templates, "fingerprint", lambda: "changed")
            templates.copy_postgresql(url, copy)
            found = [name for (name,) in server.execute(of_ours, [prefix])]
            assert found == [f"{prefix}changed"]
        finally:
            server.execute(f'DROP DATABASE IF EXISTS "{copy}"')
            for name in [name for (name,) in server.execute(of_ours, [prefix])]:
                server.execute(f'ALTER DATABASE "{name}" WITH IS_TEMPLATE false')
                server.execute(f'DROP DATABASE "{name}"')
