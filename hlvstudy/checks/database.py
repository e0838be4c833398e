"""The database: whether it answers, what the app may do there, and whether its tables are those of this version."""

import re
import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime

from django.conf import settings
from django.db import OperationalError, connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.utils.translation import gettext as _

from annotations.models import LabelResponse, PreferenceResponse, User
from annotations.shown.plurals import filled
from hlvstudy.backups.tables import PartlyUpgraded, applied_in
from hlvstudy.checks.conditions import Gauge, HealthPart, broken, gauge, look, well
from hlvstudy.checks.machine import in_units
from hlvstudy.places import PROCESSES, THREADS

OLDEST_POSTGRESQL = 14
MOST_SKEW = 2.0
"""Seconds; sessions, leases of jobs and times of answers compare the clocks of several machines."""
CREATE = "createuser --pwprompt NAME && createdb --owner NAME NAME"
GIVE = (
    "psql NAME -Atc \"SELECT format('ALTER TABLE %I OWNER TO %I;', tablename, 'ROLE') FROM pg_tables WHERE "
    "schemaname = 'public'\" | psql NAME"
)
REFUSALS = (
    (
        "permission denied",
        "The role of DATABASE_URL may not connect to this database.",
        "As the user postgres: psql -c 'GRANT CONNECT ON DATABASE name TO role'",
    ),
    (
        r"pg_hba\.conf",
        "PostgreSQL lets nobody in from here (pg_hba.conf).",
        "Add a line to its pg_hba.conf, such as: host NAME ROLE 127.0.0.1/32 scram-sha-256; then reload it.",
    ),
    (
        "too many|connection slots",
        "All connections that PostgreSQL accepts are taken.",
        "Raise max_connections, or start fewer processes.",
    ),
    (
        "password|authentication",
        "The database refuses the password of DATABASE_URL.",
        "Correct it, with special characters as %40 etc.",
    ),
    (
        "role.*does not exist",
        "The database knows no such role.",
        f"Create both, as the user postgres: {CREATE}",
    ),
    (
        "does not exist",
        "There is no such database.",
        "Create it, as the user postgres: createdb --owner ROLE NAME",
    ),
    (
        "unable to open",
        "The SQLite file cannot be opened.",
        "Is its folder there, and may this user write to it?",
    ),
    (
        "",
        "Nothing answers at the host and port of DATABASE_URL.",
        "Start PostgreSQL, or correct DATABASE_URL.",
    ),
)
"""What an error holds; what it means; the remedy. The first that fits is told."""


def database() -> Iterator[HealthPart]:
    try:
        connection.ensure_connection()
    except OperationalError as error:
        yield broken(*unreachable(str(error)), name="DATABASE_URL")
        return
    if connection.vendor == "sqlite":
        yield well(f"SQLite {sqlite3.sqlite_version} at {settings.DATABASES['default']['NAME']}.")
    else:
        yield from _postgresql()
        with connection.cursor() as cursor:
            cursor.execute("SELECT coalesce(has_table_privilege(to_regclass('django_migrations'), 'SELECT'), true)")
            if not cursor.fetchone()[0]:  # whose tables these are was sentence
                return
    yield from _migrations()


def unreachable(error: str) -> tuple[str, str]:
    """Why a database does not answer, and the remedy. Never the address, which holds a password.

    >>> unreachable('FATAL: password authentication failed for user "hlv"')[0]
    'The database refuses the password of DATABASE_URL.'
    """
    return next((sentence, remedy) for words, sentence, remedy in REFUSALS if re.search(words, error, re.DOTALL))


def _postgresql() -> Iterator[HealthPart]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT current_setting('server_version_num')::int / 10000, current_setting('server_encoding'),"
            " coalesce(has_schema_privilege(current_schema(), 'CREATE'), false), clock_timestamp(),"
            " current_setting('max_connections')::int"
        )
        version, encoding, may_create, server_time, most = cursor.fetchone()
        here = datetime.now(UTC)
        # Only tables of this role's own may be changed by an upgrade.
        cursor.execute(
            "SELECT count(*), min(tableowner) FROM pg_tables WHERE schemaname = current_schema()"
            " AND NOT pg_has_role(tableowner, 'USAGE')"
        )
        foreign, owner = cursor.fetchone()
    yield well(f"PostgreSQL {version} answers.")
    if version < OLDEST_POSTGRESQL:
        yield broken(f"PostgreSQL {version} is too old.", f"Use {OLDEST_POSTGRESQL} or newer.")
    if encoding != "UTF8":
        yield broken(
            f"Its encoding is {encoding}, which cannot hold every text.",
            "Create it again: createdb --encoding=UTF8 --template=template0 --owner ROLE NAME",
        )
    if not may_create:
        yield broken(
            "The role of DATABASE_URL may not create tables.",
            "As the user postgres: psql -c 'ALTER DATABASE name OWNER TO role', or "
            "psql name -c 'GRANT CREATE ON SCHEMA public TO role'",
        )
    if foreign:
        yield broken(
            f"{foreign} tables belong to the role {owner}, not to that of DATABASE_URL: was hlvstudy prepare run with "
            "another address?",
            f"As the user postgres, with the names of your role and database: {GIVE}",
        )
    if (skew := abs((server_time - here).total_seconds())) > MOST_SKEW:
        yield broken(
            f"This machine's clock and the database's differ by {skew:.0f} seconds.",
            "Let both follow a time server: timedatectl set-ntp true",
            name="Clock",
        )
    if most < PROCESSES * THREADS + 10:
        yield look(
            f"It accepts {most} connections, and the web processes may want {PROCESSES * THREADS}.",
            "Raise max_connections, or start fewer: hlvstudy web --workers 4",
        )


def _migrations() -> Iterator[HealthPart]:
    try:
        applied = applied_in(connection)
    except PartlyUpgraded as error:
        yield broken(error.sentence, error.remedy)
        return
    loader = MigrationLoader(None)
    if newer := sorted(key for key in applied if key[0] in loader.migrated_apps and key not in loader.disk_migrations):
        yield broken(
            f"It was brought up to date by a newer version ({newer[0][0]}.{newer[0][1]}).",
            "Install that version again, or restore the backup from before the upgrade.",
        )
    elif waiting := migrations_waiting():
        yield broken(f"{waiting} migrations have not been applied.", "Run: hlvstudy prepare")
    else:
        yield well("Its tables are those of this version.")
        if not User.objects.filter(is_superuser=True, is_active=True).exists():
            yield look("Nobody may look after this server.", "Run: hlvstudy manage createsuperuser", name="People")


def migrations_waiting() -> int:
    """How many migrations have not been applied."""
    executor = MigrationExecutor(connection)
    graph = executor.loader.graph
    # Django leaves one out that replaces others of which only some were applied.
    left_out = executor.loader.replacements.keys() - graph.nodes.keys()
    return len(executor.migration_plan(graph.leaf_nodes())) + len(left_out)


def database_size() -> int:
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()")
        else:
            cursor.execute("SELECT pg_database_size(current_database())")
        return int(cursor.fetchone()[0])


def database_version() -> str:
    if connection.vendor == "sqlite":
        return f"SQLite {sqlite3.sqlite_version}"
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version")
        return f"PostgreSQL {str(cursor.fetchone()[0]).split()[0]}"


def database_on_page() -> HealthPart:
    if waiting := migrations_waiting():
        sentence = filled(
            _("{waiting, plural, one {# migration has} other {# migrations have}} not been applied."), waiting=waiting
        )
        return broken(sentence, _("Run `python manage.py migrate`."))
    return well(
        filled(_("{database} is running and uses {size}."), database=database_version(), size=in_units(database_size()))
    )


def responds() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return True


def figures_of_database() -> list[Gauge]:
    answers: dict[tuple[str, ...], float] = {
        ("labels",): LabelResponse.objects.count(),
        ("preference",): PreferenceResponse.objects.count(),
    }
    return [
        Gauge("hlv_answers_stored", "Answers in the database, with corrections", answers, ("step",)),
        gauge("hlv_database_bytes", "Size of the database", database_size()),
    ]
