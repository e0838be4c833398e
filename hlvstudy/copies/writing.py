"""A database made from tables as lines: all of it or nothing.

PostgreSQL: one transaction, in which also its tables are made. SQLite: a new file, which takes the old one's place in
one transaction of SQLite's own. A process that is killed leaves the old database.
"""

import sqlite3
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any

import psycopg
from django.core.management.color import no_style
from django.db import DatabaseError
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.executor import MigrationExecutor

from hlvstudy.copies import NotCopied
from hlvstudy.copies.reading import Tally, plain_connection, single_lines, tallied, tally_of
from hlvstudy.copies.tables import CopiedTable, Schema
from hlvstudy.copies.values import reader_of

Lines = Callable[[CopiedTable], Iterable[bytes]]
ROWS_AT_ONCE = 2000


def make_tables(connection: BaseDatabaseWrapper, schema: Schema) -> None:
    """The tables as they are after the schema's migrations, in an empty database."""
    MigrationExecutor(connection).migrate(schema.ends)


def fill(
    connection: BaseDatabaseWrapper, schema: Schema, lines: Lines, *, counted: dict[str, int], from_postgresql: bool
) -> dict[str, Tally]:
    """Put all rows into the tables just made, then read them again and compare.

    Triggers rest meanwhile: they guard what people do, and rows come in any order. References, uniqueness and checks
    are enforced.

    Args:
        lines: gives a table's rows as lines.
        counted: the last key that each table has counted.
        from_postgresql: whether the lines come from PostgreSQL.

    Raises:
        NotCopied: a row does not fit, or what was written is not what was read.
    """
    written: dict[str, Tally] = {}
    if connection.vendor == "postgresql":
        _fill_postgresql(connection, schema, lines, written)
    else:
        _fill_sqlite(connection, schema, lines, written, json_as_django=from_postgresql)
    _continue_counting(connection, schema, counted)
    for table in schema.tables:
        found = tally_of(connection, table)
        if found != written[table.name]:
            raise NotCopied(
                f"The table {table.name} was not copied as it was: {written[table.name].rows} rows were read, "
                f"{found.rows} are there{' with other contents' if found.rows == written[table.name].rows else ''}."
            )
    return written


def _fill_postgresql(connection: BaseDatabaseWrapper, schema: Schema, lines: Lines, written: dict[str, Tally]) -> None:
    quote = connection.ops.quote_name
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        for table in schema.tables:
            cursor.execute(f"ALTER TABLE {quote(table.name)} DISABLE TRIGGER USER")
        cursor.execute(f"TRUNCATE {', '.join(quote(table.name) for table in schema.tables)}")
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")
        for table in schema.tables:
            tally = written[table.name] = Tally()
            columns = ", ".join(quote(column.name) for column in table.columns)
            with _Explained(table.name), cursor.copy(f"COPY {quote(table.name)} ({columns}) FROM STDIN") as copy:
                for block in tallied(table, lines(table), tally):
                    copy.write(block)
        with _Explained():
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        for table in schema.tables:
            cursor.execute(f"ALTER TABLE {quote(table.name)} ENABLE TRIGGER USER")


def _fill_sqlite(
    connection: BaseDatabaseWrapper,
    schema: Schema,
    lines: Lines,
    written: dict[str, Tally],
    *,
    json_as_django: bool,
) -> None:
    quote = connection.ops.quote_name
    plain: Any = plain_connection(connection)
    plain.execute("PRAGMA foreign_keys = OFF")
    plain.execute("BEGIN IMMEDIATE")
    triggers = plain.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
    for name, _ in triggers:
        plain.execute(f"DROP TRIGGER {quote(name)}")
    for table in schema.tables:
        plain.execute(f"DELETE FROM {quote(table.name)}")  # noqa: S608 - our tables' names
    for table in schema.tables:
        tally = written[table.name] = Tally()
        row_of = reader_of(table.kinds, json_as_django=json_as_django)
        columns = ", ".join(quote(column.name) for column in table.columns)
        holes = ", ".join("?" * len(table.columns))
        insert = f"INSERT INTO {quote(table.name)} ({columns}) VALUES ({holes})"  # noqa: S608 - our tables' names
        rows = (row_of(line.decode()) for line in single_lines(tallied(table, lines(table), tally)))
        with _Explained(table.name):
            while some := list(islice(rows, ROWS_AT_ONCE)):
                plain.executemany(insert, some)
    lacking = plain.execute("PRAGMA foreign_key_check").fetchone()
    if lacking:
        raise NotCopied(f"A row of the table {lacking[0]} belongs to a row of {lacking[2]} that does not exist.")
    for _, statement in triggers:
        plain.execute(statement)
    plain.execute("COMMIT")


class _Explained:
    """Turn the database's refusal into a sentence that has no values in it, as the database's own often has."""

    def __init__(self, table: str = "") -> None:
        self.table = table

    def __enter__(self) -> None:
        return None

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, DatabaseError | psycopg.Error | sqlite3.Error):
            if getattr(error, "sqlite_errorname", "") in {"SQLITE_FULL", "SQLITE_IOERR_WRITE"}:
                raise NotCopied("The disk is full. Nothing was changed.") from None
            cause: Any = error.__cause__ if isinstance(error, DatabaseError) else error
            said = getattr(getattr(cause, "diag", None), "message_primary", None)
            said = said or (str(cause) if isinstance(cause, sqlite3.Error) else type(error).__name__)
            table = getattr(getattr(cause, "diag", None), "table_name", None) or self.table
            raise NotCopied(f"A row of the table {table} does not fit: {said}.") from None


def _continue_counting(connection: BaseDatabaseWrapper, schema: Schema, counted: dict[str, int]) -> None:
    """Set what the database counts to where it was, or to the highest key that is there."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("SELECT name, seq FROM sqlite_sequence")
            now = dict(cursor.fetchall())
            for table in schema.tables:
                if counted.get(table.name, 0) > now.get(table.name, 0):
                    cursor.execute("DELETE FROM sqlite_sequence WHERE name = %s", [table.name])
                    cursor.execute(
                        "INSERT INTO sqlite_sequence (name, seq) VALUES (%s, %s)", [table.name, counted[table.name]]
                    )
            return
        models = list(schema.apps.get_models(include_auto_created=True)) if schema.apps else []
        for statement in connection.ops.sequence_reset_sql(no_style(), models):
            cursor.execute(statement)
        for table in schema.tables:
            if table.counts and table.name in counted:
                quoted = connection.ops.quote_name(table.name)
                cursor.execute("SELECT pg_get_serial_sequence(%s, %s)", [quoted, table.key.name])
                (sequence,) = cursor.fetchone()
                if sequence:
                    cursor.execute(
                        f"SELECT setval(%s, GREATEST(%s, (SELECT last_value FROM {sequence})))",  # noqa: S608 - the database said it
                        [sequence, counted[table.name]],
                    )
