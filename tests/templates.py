"""Migrated databases, made once for each state of the migrations and copied by whatever process of the tests needs one.

That of SQLite is a file in `.state`, that of PostgreSQL a database to which nobody can connect. Each is made under
another name first, so what has a template's name is whole; and one process at a time makes or copies one.
"""

import fcntl
import hashlib
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import django
import psycopg
from django.apps import apps
from django.conf import settings
from psycopg import sql

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / ".state" / "templates"
PREFIX = "hlv_template_"
KEPT = 4
"""So many of PostgreSQL's stay: other checkouts on this machine may have other migrations."""
LOCK = 0x684C76
"""The number of PostgreSQL's lock, which is that of the server's database `postgres`."""


@cache
def fingerprint() -> str:
    """Of the migrations of all apps, and of the Django that runs them."""
    digest = hashlib.sha256(django.__version__.encode())
    for app in apps.get_app_configs():
        for path in sorted(Path(app.path, "migrations").glob("*.py")):
            digest.update(f"\n{app.label} {path.name}\n".encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def copy_sqlite(target: Path) -> Path:
    """Put a migrated database there, in place of what is there."""
    with _alone():
        template = FOLDER / f"migrated-{fingerprint()}.sqlite3"
        if not template.exists():
            for left in FOLDER.glob("*.sqlite3*"):
                left.unlink()
            part = FOLDER / "part.sqlite3"
            migrate(f"sqlite:///{part}")
            with closing(sqlite3.connect(part)) as made:
                made.execute("PRAGMA journal_mode = DELETE")
            with part.open("rb") as written:
                os.fsync(written.fileno())
            part.rename(template)
        for left in target.parent.glob(f"{target.name}*"):
            left.unlink()
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(template, target)
    return target


def copy_postgresql(url: str, name: str) -> None:
    """Make a migrated database of that name on the server of the URL, in place of one of that name."""
    template, part = f"{PREFIX}{fingerprint()}", f"{PREFIX}part"
    with psycopg.connect(urlunsplit(urlsplit(url)._replace(path="/postgres")), autocommit=True) as server:
        server.execute("SELECT pg_advisory_lock(%s)", [LOCK])
        there = _templates(server)
        if template not in there:
            if part in there:
                _drop(server, part)
            server.execute(_named("CREATE DATABASE {}", part))
            migrate(urlunsplit(urlsplit(url)._replace(path=f"/{part}")))
            server.execute(_named("ALTER DATABASE {} WITH IS_TEMPLATE true ALLOW_CONNECTIONS false", part))
            server.execute(_named("ALTER DATABASE {} RENAME TO {}", part, template))
            for old in _templates(server)[KEPT:]:
                _drop(server, old)
        server.execute(_named("DROP DATABASE IF EXISTS {}", name))
        server.execute(_named("CREATE DATABASE {} TEMPLATE {}", name, template))
        # No test asks what outlives a power cut. Waiting for the disk took most of a test that commits.
        server.execute(_named("ALTER DATABASE {} SET synchronous_commit TO off", name))


def migrate(url: str) -> None:
    """Migrate the database of that address, in a process of its own."""
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "hlvstudy.settings", "DATABASE_URL": url}
    command = [sys.executable, str(ROOT / "manage.py"), "migrate", "--skip-checks", "--verbosity", "0"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        message = f"The template database could not be migrated:\n{done.stdout}{done.stderr}"
        raise RuntimeError(message)


class Copied:
    """For the `DatabaseCreation` of a test backend: the test database is a copy of the template."""

    connection: Any

    def create_test_db(self, verbosity: int = 1, autoclobber: bool = False, **options: Any) -> str:
        parent: Any = super()
        if options.get("keepdb") or "annotations" in settings.MIGRATION_MODULES:  # with --no-migrations, for one
            return str(parent.create_test_db(verbosity, autoclobber, **options))
        name = str(parent._get_test_db_name())
        self.connection.close()
        if self.connection.vendor == "sqlite":
            copy_sqlite(Path(name))
        else:
            copy_postgresql(os.environ["DATABASE_URL"], name)
        settings.DATABASES[self.connection.alias]["NAME"] = self.connection.settings_dict["NAME"] = name
        self.connection.ensure_connection()
        return name


@contextmanager
def _alone() -> Iterator[None]:
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (FOLDER / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _templates(server: psycopg.Connection[Any]) -> list[str]:
    """The newest first."""
    rows = server.execute("SELECT datname FROM pg_database WHERE starts_with(datname, %s) ORDER BY oid DESC", [PREFIX])
    return [name for (name,) in rows]


def _drop(server: psycopg.Connection[Any], name: str) -> None:
    server.execute(_named("ALTER DATABASE {} WITH IS_TEMPLATE false", name))
    server.execute(_named("DROP DATABASE {} WITH (FORCE)", name))


def _named(statement: str, *names: str) -> sql.Composed:
    return sql.SQL(statement).format(*map(sql.Identifier, names))  # type: ignore[arg-type]
