"""The rows of a database as lines, read at one moment while others write, and written into another: all or nothing.

PostgreSQL is filled in one transaction, in which also its tables are made; SQLite is a new file, which takes the old
one's place in one transaction of SQLite's own. A process that is killed leaves the old database.
"""

import hashlib
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any

import psycopg
from django.core.management.color import no_style
from django.db import DatabaseError, OperationalError
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.executor import MigrationExecutor

from hlvstudy.backups import NotCopied
from hlvstudy.backups.tables import CopiedTable, Schema, applied_in, schema_after
from hlvstudy.backups.values import ColumnKind, canonical_of, reader_of, writer_of

BLOCK = 256 * 1024
AS_WRITTEN = (
    "SET LOCAL timezone = 'UTC'",
    "SET LOCAL datestyle = 'ISO, YMD'",
    "SET LOCAL bytea_output = 'hex'",
    "SET LOCAL extra_float_digits = 1",
    "SET LOCAL client_encoding = 'UTF8'",
    "SET LOCAL statement_timeout = 0",
)
LOCK_SECONDS = 20
ROWS_AT_ONCE = 2000
Lines = Callable[[CopiedTable], Iterable[bytes]]


@dataclass
class Tally:
    """How many rows passed, and a digest of them that is the same for both kinds of databases."""

    rows: int = 0
    digest: str = ""


@contextmanager
def snapshot(connection: BaseDatabaseWrapper, *, nobody_writes: bool = False) -> Iterator[Schema]:
    """Everything read inside is of one moment.

    Args:
        nobody_writes: let those who write wait until the end; otherwise they do not notice.

    Raises:
        NotCopied: the database is newer than this program, or those who write did not let go.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
            try:
                for setting in AS_WRITTEN:
                    cursor.execute(setting)
                if nobody_writes:
                    _keep_writers_out(connection, cursor)
                cursor.execute("SELECT 1 FROM pg_class LIMIT 1")  # from now on, this is the moment
                yield schema_after(applied_in(connection))
            finally:
                cursor.execute("ROLLBACK")
        return
    with connection.cursor() as cursor:
        try:
            cursor.execute("BEGIN IMMEDIATE" if nobody_writes else "BEGIN DEFERRED")
        except OperationalError as error:
            raise NotCopied(f"Somebody else writes into the database and does not let go ({error}).") from None
        try:
            cursor.execute("SELECT COUNT(*) FROM sqlite_master")  # from now on, this is the moment
            yield schema_after(applied_in(connection))
        finally:
            cursor.execute("ROLLBACK")


def _keep_writers_out(connection: BaseDatabaseWrapper, cursor: Any) -> None:
    names = [connection.ops.quote_name(name) for name in connection.introspection.table_names()]
    if not names:
        return
    try:
        cursor.execute("COMMIT")  # the names were read in a moment of their own
        cursor.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
        for setting in (*AS_WRITTEN, f"SET LOCAL lock_timeout = '{LOCK_SECONDS}s'"):
            cursor.execute(setting)
        cursor.execute(f"LOCK TABLE {', '.join(names)} IN SHARE MODE")
    except OperationalError:
        raise NotCopied(
            f"Somebody else writes into the database and did not let go within {LOCK_SECONDS} seconds. Stop the "
            "servers and the workers, and try again."
        ) from None


def lines_of(connection: BaseDatabaseWrapper, table: CopiedTable) -> Iterator[bytes]:
    """A table as blocks of whole lines; to be read within `snapshot`, or in a transaction that writes it."""
    quote = connection.ops.quote_name
    columns = ", ".join(quote(column.name) for column in table.columns)
    key = quote(table.key.name)
    if connection.vendor == "postgresql":
        by = f'{key} COLLATE "C"' if table.key.kind is ColumnKind.TEXT else key
        with connection.cursor() as cursor:
            query = f"COPY (SELECT {columns} FROM {quote(table.name)} ORDER BY {by}) TO STDOUT"  # noqa: S608 - our names
            with cursor.copy(query) as copy:
                yield from _in_blocks(bytes(line) for line in copy)
        return
    line_of = writer_of(table.kinds)
    # The plus changes nothing, but hides the column's type, by which Django makes objects of dates and flags.
    columns = ", ".join(f"+{quote(column.name)}" for column in table.columns)
    with closing(plain_connection(connection).cursor()) as plain:
        plain.execute(f"SELECT {columns} FROM {quote(table.name)} ORDER BY {key}")  # noqa: S608 - our tables' names
        yield from _in_blocks(f"{line_of(row)}\n".encode() for row in plain)


def _in_blocks(lines: Iterable[bytes]) -> Iterator[bytes]:
    held: list[bytes] = []
    size = 0
    for line in lines:
        held.append(line)
        size += len(line)
        if size >= BLOCK:
            yield b"".join(held)
            held, size = [], 0
    if held:
        yield b"".join(held)


def plain_connection(connection: BaseDatabaseWrapper) -> Any:
    """The connection of the database's own library."""
    connection.ensure_connection()
    return connection.connection


def single_lines(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Blocks as single lines without their end, wherever the blocks are cut."""
    rest = b""
    for block in blocks:
        lines = (rest + block).split(b"\n")
        rest = lines.pop()
        yield from lines
    if rest:
        raise NotCopied("A table ends in the middle of a row.")


def tallied(table: CopiedTable, blocks: Iterable[bytes], tally: Tally) -> Iterator[bytes]:
    """The same blocks; the tally is right when all have passed."""
    total = hashlib.sha256()
    canonical = canonical_of(table.kinds)
    rest = b""
    for block in blocks:
        tally.rows += block.count(b"\n")
        if canonical is None:
            total.update(block)
        else:
            lines = (rest + block).split(b"\n")
            rest = lines.pop()
            for line in lines:
                total.update(canonical(line) + b"\n")
        yield block
    tally.digest = total.hexdigest()


def tally_of(connection: BaseDatabaseWrapper, table: CopiedTable) -> Tally:
    """Count and digest what a table holds now."""
    tally = Tally()
    for _ in tallied(table, lines_of(connection, table), tally):
        pass
    return tally


def counters(connection: BaseDatabaseWrapper, schema: Schema) -> dict[str, int]:
    """The last key that each table counted, which may be higher than the highest that is there."""
    counted = [table for table in schema.tables if table.counts]
    last_numbers: dict[str, int] = {}
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("SELECT name, seq FROM sqlite_sequence")
            last_of = dict(cursor.fetchall())
            return {table.name: last_of[table.name] for table in counted if last_of.get(table.name)}
        for table in counted:
            name = connection.ops.quote_name(table.name)
            cursor.execute("SELECT pg_get_serial_sequence(%s, %s)", [name, table.key.name])
            (sequence,) = cursor.fetchone()
            if sequence:
                cursor.execute(f"SELECT last_value, is_called FROM {sequence}")  # noqa: S608 - the database said it
                last, is_called = cursor.fetchone()
                if is_called:
                    last_numbers[table.name] = last
    return last_numbers


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
        tally = tally_of(connection, table)
        if tally != written[table.name]:
            raise NotCopied(
                f"The table {table.name} was not copied as it was: {written[table.name].rows} rows were read, "
                f"{tally.rows} are there{' with other contents' if tally.rows == written[table.name].rows else ''}."
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
            message = getattr(getattr(cause, "diag", None), "message_primary", None)
            message = message or (str(cause) if isinstance(cause, sqlite3.Error) else type(error).__name__)
            table = getattr(getattr(cause, "diag", None), "table_name", None) or self.table
            raise NotCopied(f"A row of the table {table} does not fit: {message}.") from None


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
