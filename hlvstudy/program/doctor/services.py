"""What this server talks to: the database, the broker, workers, the storage, the webhook."""

import socket
import sqlite3
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings

from hlvstudy.program.doctor.findings import Diagnosis, look, well, wrong

OLDEST_POSTGRESQL = 14
MOST_SKEW = 2.0
"""Seconds; sessions, leases of jobs and times of answers compare the clocks of several machines."""
SECONDS = 5
CREATE = "createuser --pwprompt NAME && createdb --owner NAME NAME"
GIVE = (
    "psql NAME -Atc \"SELECT format('ALTER TABLE %I OWNER TO %I;', tablename, 'ROLE') FROM pg_tables WHERE "
    "schemaname = 'public'\" | psql NAME"
)
REFUSALS: tuple[tuple[tuple[str, ...], str, str], ...] = (
    (
        ("permission denied",),
        "The role of DATABASE_URL may not connect to this database.",
        "As the user postgres: psql -c 'GRANT CONNECT ON DATABASE name TO role'",
    ),
    (
        ("pg_hba.conf",),
        "PostgreSQL lets nobody in from here (pg_hba.conf).",
        "Add a line to its pg_hba.conf, such as: host NAME ROLE 127.0.0.1/32 scram-sha-256; then reload it.",
    ),
    (
        ("too many",),
        "All connections that PostgreSQL accepts are taken.",
        "Raise max_connections, or start fewer processes.",
    ),
    (
        ("connection slots",),
        "All connections that PostgreSQL accepts are taken.",
        "Raise max_connections, or start fewer processes.",
    ),
    (
        ("password",),
        "The database refuses the password of DATABASE_URL.",
        "Correct it, with special characters as %40 etc.",
    ),
    (
        ("authentication",),
        "The database refuses the password of DATABASE_URL.",
        "Correct it, with special characters as %40 etc.",
    ),
    (
        ("role", "does not exist"),
        "The database knows no such role.",
        f"Create both, as the user postgres: {CREATE}",
    ),
    (
        ("does not exist",),
        "There is no such database.",
        "Create it, as the user postgres: createdb --owner ROLE NAME",
    ),
    (
        ("unable to open",),
        "The SQLite file cannot be opened.",
        "Is its folder there, and may this user write to it?",
    ),
    (
        (),
        "Nothing answers at the host and port of DATABASE_URL.",
        "Start PostgreSQL, or correct DATABASE_URL.",
    ),
)
"""Words of an error, all of which it must have; what it means; the remedy. The first that fits is told."""


def database() -> Iterator[Diagnosis]:
    from django.db import connection
    from django.db.utils import OperationalError

    try:
        connection.ensure_connection()
    except OperationalError as error:
        yield wrong("DATABASE_URL", *unreachable(str(error)))
        return
    if connection.vendor == "sqlite":
        yield well("Database", f"SQLite {sqlite3.sqlite_version} at {settings.DATABASES['default']['NAME']}.")
    else:
        yield from _postgresql()
        if not _may_read():
            return
    yield from _migrations()


def _may_read() -> bool:
    """Whether this role may read which migrations were applied; `_ownership` has told if not."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT coalesce(has_table_privilege(to_regclass('django_migrations'), 'SELECT'), true)")
        return bool(cursor.fetchone()[0])


def unreachable(error: str) -> tuple[str, str]:
    """Why a database does not answer, and the remedy. Never the address, which holds a password.

    >>> unreachable('FATAL: password authentication failed for user "hlv"')[0]
    'The database refuses the password of DATABASE_URL.'
    """
    found = (one for one in REFUSALS if all(word in error for word in one[0]))
    return next(found, REFUSALS[-1])[1:]


def _postgresql() -> Iterator[Diagnosis]:
    from django.db import connection

    from hlvstudy.program.serving import PROCESSES, THREADS

    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT current_setting('server_version_num')::int / 10000, current_setting('server_encoding'),"
            " coalesce(has_schema_privilege(current_schema(), 'CREATE'), false), clock_timestamp(),"
            " current_setting('max_connections')::int"
        )
        version, encoding, may_create, there, most = cursor.fetchone()
    here = datetime.now(UTC)
    yield well("Database", f"PostgreSQL {version} answers.")
    if version < OLDEST_POSTGRESQL:
        yield wrong("Database", f"PostgreSQL {version} is too old.", f"Use {OLDEST_POSTGRESQL} or newer.")
    if encoding != "UTF8":
        yield wrong(
            "Database",
            f"Its encoding is {encoding}, which cannot hold every text.",
            "Create it again: createdb --encoding=UTF8 --template=template0 --owner ROLE NAME",
        )
    if not may_create:
        yield wrong(
            "Database",
            "The role of DATABASE_URL may not create tables.",
            "As the user postgres: psql -c 'ALTER DATABASE name OWNER TO role', or "
            "psql name -c 'GRANT CREATE ON SCHEMA public TO role'",
        )
    yield from _ownership()
    if (skew := abs((there - here).total_seconds())) > MOST_SKEW:
        yield wrong(
            "Clock",
            f"This machine's clock and the database's differ by {skew:.0f} seconds.",
            "Let both follow a time server: timedatectl set-ntp true",
        )
    if most < PROCESSES * THREADS + 10:
        yield look(
            "Database",
            f"It accepts {most} connections, and the web processes may want {PROCESSES * THREADS}.",
            "Raise max_connections, or start fewer: hlvstudy web --workers 4",
        )


def _ownership() -> Iterator[Diagnosis]:
    """Whether the tables are this role's: only then may an upgrade change them."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*), min(tableowner) FROM pg_tables WHERE schemaname = current_schema()"
            " AND NOT pg_has_role(tableowner, 'USAGE')"
        )
        foreign, owner = cursor.fetchone()
    if foreign:
        yield wrong(
            "Database",
            f"{foreign} tables belong to the role {owner}, not to that of DATABASE_URL: was hlvstudy prepare run with "
            "another address?",
            f"As the user postgres, with the names of your role and database: {GIVE}",
        )


def _migrations() -> Iterator[Diagnosis]:
    from django.contrib.auth import get_user_model
    from django.db import connection
    from django.db.migrations.executor import MigrationExecutor

    from hlvstudy.copies.tables import PartlyUpgraded, applied_in

    try:
        applied = applied_in(connection)
    except PartlyUpgraded as error:
        yield wrong("Database", error.sentence, error.remedy)
        return
    executor = MigrationExecutor(connection)
    loader = executor.loader
    newer = sorted(key for key in applied if key[0] in loader.migrated_apps and key not in loader.disk_migrations)
    if newer:
        yield wrong(
            "Database",
            f"It was brought up to date by a newer version ({newer[0][0]}.{newer[0][1]}).",
            "Install that version again, or restore the backup from before the upgrade.",
        )
        return
    waiting = len(executor.migration_plan(loader.graph.leaf_nodes()))
    if waiting:
        yield wrong("Database", f"{waiting} migrations have not been applied.", "Run: hlvstudy prepare")
        return
    yield well("Database", "Its tables are those of this version.")
    if not get_user_model().objects.filter(is_superuser=True, is_active=True).exists():
        yield look("People", "Nobody may look after this server.", "Run: hlvstudy manage createsuperuser")


def broker() -> Iterator[Diagnosis]:
    from hlvstudy.celery import app

    kind = settings.CELERY_BROKER_URL.partition(":")[0]
    try:
        with app.connection_for_write(connect_timeout=SECONDS) as link:
            link.ensure_connection(max_retries=1, interval_start=0, timeout=SECONDS)
            if kind.startswith("redis"):
                channel: Any = link.default_channel
                channel.client.ping()
    except Exception as error:  # whatever the broker's client raises
        yield wrong(
            "CELERY_BROKER_URL",
            f"The broker cannot be reached ({type(error).__name__}).",
            "Start it, or correct CELERY_BROKER_URL.",
        )
        return
    embedded = kind.startswith("sqla+sqlite")
    yield well("Broker", "Jobs are announced in a file beside the database." if embedded else f"{kind} answers.")


def workers() -> Iterator[Diagnosis]:
    from django.db import DatabaseError

    from annotations.background.jobs import worker_alive

    try:
        alive = worker_alive()
    except DatabaseError:  # of which the database's finding tells
        return
    if alive:
        yield well("Worker", "One was seen in the last 20 seconds.")
    else:
        yield look("Worker", "None was seen, so imports, exports and mails wait.", "Start one: hlvstudy worker")


def storage() -> Iterator[Diagnosis]:
    from django.core.files.base import ContentFile
    from django.core.files.storage import default_storage

    name, content = f"doctor/{uuid.uuid4().hex}", uuid.uuid4().hex.encode()
    kind = "S3" if settings.STORAGES["default"]["BACKEND"].startswith("storages.") else "folder"
    try:
        default_storage.save(name, ContentFile(content))
        with default_storage.open(name, "rb") as kept:
            same = kept.read() == content
        default_storage.delete(name)
    except Exception as error:  # the storage's own errors
        reason = getattr(error, "response", {}).get("Error", {}).get("Code", type(error).__name__)
        yield wrong(
            "STORAGE_URL",
            f"No file can be kept there ({reason}).",
            "Check host, bucket, key and its rights to read, write, list and delete; or the folder's owner.",
        )
        return
    yield (
        well("Storage", f"A file was kept, read and deleted ({kind}).")
        if same
        else wrong("STORAGE_URL", "It gives back another file than was kept.", "Check the storage server.")
    )


def webhook() -> Iterator[Diagnosis]:
    if not settings.NOTIFY_WEBHOOK_URL:
        return
    parts = urlsplit(settings.NOTIFY_WEBHOOK_URL)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        socket.create_connection((parts.hostname or "", port), timeout=SECONDS).close()
    except OSError as error:
        yield wrong(
            "NOTIFY_WEBHOOK_URL",
            f"Nothing answers at {parts.hostname} ({error.strerror or type(error).__name__}).",
            "Correct it, or allow this machine to reach it.",
        )
    else:
        yield well("Webhook", f"{parts.hostname} can be reached.")


def provider() -> Iterator[Diagnosis]:
    """Whether the sign-in provider answers, and is the one of the settings."""
    from annotations.ground.errors import HLVError
    from annotations.people.sign_in import provider as sign_in

    if not sign_in.is_on():
        return
    try:
        sign_in.endpoints()
    except HLVError as error:
        yield wrong("OIDC_ISSUER", error.message, "Set OIDC_ISSUER exactly as the provider names itself.")
        return
    yield well("Sign-in provider", f"{settings.OIDC_NAME} answers; it must know {sign_in.redirect_address()}.")
