"""The database that is worked on: another one in place of the default, and a new one that takes the old one's place."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import environ
from django.apps import apps
from django.db import DatabaseError, OperationalError, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.utils import load_backend

from hlvstudy.backups import NotCopied
from hlvstudy.backups.rows import AS_WRITTEN, LOCK_SECONDS
from hlvstudy.backups.tables import GONE

NEW = ".new"
"""The end of the name of a file that is not the database yet."""
QUICK = "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF;"
"""For a file that is thrown away unless all of it was written."""
TRIES = 80
"""How often a locked SQLite file is asked for again, four times a second."""


def settings_of(url: str) -> dict[str, Any]:
    """Django's settings for the database at an address.

    Raises:
        NotCopied: it is not the address of a database that this program can use.
    """
    try:
        configuration: dict[str, Any] = environ.Env.db_url_config(url)
    except Exception:  # the library raises whatever it stumbles over
        configuration = {}
    if (
        configuration.get("ENGINE") not in {"django.db.backends.sqlite3", "django.db.backends.postgresql"}
        or not configuration["NAME"]
    ):
        raise NotCopied(
            "This is not the address of a database. Write it as in DATABASE_URL, for example "
            "postgres://hlv:password@127.0.0.1/hlv or sqlite:////srv/hlv-study/hlvstudy.sqlite3."
        )
    return configuration


@contextmanager
def in_place_of_the_default(wanted: dict[str, Any]) -> Iterator[BaseDatabaseWrapper]:
    """Another database in place of the default one: migrations and queries know no other."""
    made = connections.configure_settings({"default": dict(wanted)})["default"]
    connection = load_backend(made["ENGINE"]).DatabaseWrapper(made, "default")
    before = connections["default"]
    connections["default"] = connection
    try:
        yield connection
    finally:
        connections["default"] = before
        connection.close()


@contextmanager
def new_database(wanted: dict[str, Any]) -> Iterator[BaseDatabaseWrapper]:
    """A database without tables, in place of the default one. It is the database when the block ends, and not if the
    block raises.
    """
    if "sqlite" in wanted["ENGINE"]:
        with _new_file(Path(wanted["NAME"])) as file:
            options = {"init_command": QUICK, "transaction_mode": "IMMEDIATE"}
            with in_place_of_the_default({**wanted, "NAME": str(file), "OPTIONS": options}) as connection:
                yield connection
        return
    with in_place_of_the_default(wanted) as connection:
        with _one_transaction(connection):
            _without_tables(connection)
            yield connection
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")  # or the first queries would be planned for empty tables


@contextmanager
def changed_database(wanted: dict[str, Any]) -> Iterator[BaseDatabaseWrapper]:
    """The database itself or a copy of it, in place of the default one. What the block changes is changed when it ends,
    and nothing is if it raises.
    """
    if "sqlite" in wanted["ENGINE"]:
        target = Path(wanted["NAME"])
        with closing(sqlite3.connect(target, timeout=20)) as watching:
            before = watching.execute("PRAGMA data_version").fetchone()
            with _new_file(target, watching) as file:
                with closing(sqlite3.connect(file)) as copy:
                    watching.backup(copy)
                    copy.execute("PRAGMA journal_mode = DELETE")
                options = {"init_command": QUICK, "transaction_mode": "IMMEDIATE"}
                with in_place_of_the_default({**wanted, "NAME": str(file), "OPTIONS": options}) as connection:
                    yield connection
                if watching.execute("PRAGMA data_version").fetchone() != before:
                    raise NotCopied(
                        "Somebody wrote into the database meanwhile, so nothing was changed. Stop the servers and the "
                        "workers, and try again."
                    )
        return
    with in_place_of_the_default(wanted) as connection, _one_transaction(connection):
        yield connection


@contextmanager
def _one_transaction(connection: BaseDatabaseWrapper) -> Iterator[None]:
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            for setting in (*AS_WRITTEN, f"SET LOCAL lock_timeout = '{LOCK_SECONDS}s'"):
                cursor.execute(setting)
            # Rows that are not yet checked would forbid to change their tables in the same transaction.
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
            yield
    except OperationalError as error:
        message = getattr(getattr(error.__cause__, "diag", None), "message_primary", None)
        if message and "lock timeout" in message:
            raise NotCopied(
                f"Somebody else uses the database and did not let go within {LOCK_SECONDS} seconds, so nothing was "
                "changed. Stop the servers and the workers, and try again."
            ) from None
        raise NotCopied(f"The database does not answer: {message or error}") from None


def _without_tables(connection: BaseDatabaseWrapper) -> None:
    """Take away all tables of Django's apps, and what their triggers call."""
    prefixes = (*tuple(f"{app.label}_" for app in apps.get_app_configs()), "django_", "knox_", f"{GONE}_")
    quote = connection.ops.quote_name
    with connection.cursor() as cursor:
        names = [name for name in connection.introspection.table_names(cursor) if name.startswith(prefixes)]
        if not names:
            return
        cursor.execute(
            "SELECT DISTINCT t.tgfoid::regprocedure::text FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid "
            "WHERE NOT t.tgisinternal AND c.relname = ANY(%s) AND pg_table_is_visible(c.oid)",
            [names],
        )
        functions = [row[0] for row in cursor.fetchall()]
        cursor.execute(f"DROP TABLE {', '.join(quote(name) for name in names)} CASCADE")
        for function in functions:
            cursor.execute(f"DROP FUNCTION {function}")


@contextmanager
def _new_file(target: Path, watching: sqlite3.Connection | None = None) -> Iterator[Path]:
    """A new SQLite file, which takes the target's place when the block ends without an error."""
    file = target.with_name(target.name + NEW)
    target.parent.mkdir(parents=True, exist_ok=True)
    _forget(file)  # of a process that was killed
    os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    try:
        yield file
        with closing(sqlite3.connect(file)) as made:
            made.execute("PRAGMA journal_mode = DELETE")
            (verdict,) = made.execute("PRAGMA quick_check(1)").fetchone()
            if verdict != "ok":
                raise NotCopied(f"The new file is damaged ({verdict}), so nothing was changed.")
        with file.open("rb") as written:
            os.fsync(written.fileno())
        if not target.exists():
            file.replace(target)
            return
        with closing(sqlite3.connect(file)) as source, closing(sqlite3.connect(target, timeout=20)) as old:
            tries = iter(range(TRIES))

            def still(_status: int, remaining: int, _total: int) -> None:
                if remaining and next(tries, None) is None:
                    raise NotCopied(
                        "Somebody else uses the database and does not let go, so nothing was changed. Stop the "
                        "servers and the workers, and try again."
                    )

            source.backup(old, progress=still)  # one transaction: others see all of it or none
    except (OSError, sqlite3.Error, DatabaseError) as error:
        if isinstance(error, OSError) or "full" in str(error) or "disk I/O" in str(error):
            verdict = error.strerror if isinstance(error, OSError) else "the disk is full"
            raise NotCopied(f"The new file could not be written ({verdict}), so nothing was changed.") from None
        raise
    finally:
        _forget(file)


def _forget(file: Path) -> None:
    for end in ("", "-journal", "-wal", "-shm"):
        with suppress(FileNotFoundError):
            file.with_name(file.name + end).unlink()
