"""One consistent look at a database, while others write into it: its tables as lines, in the order of their keys."""

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any

from django.db import OperationalError
from django.db.backends.base.base import BaseDatabaseWrapper

from hlvstudy.copies import NotCopied
from hlvstudy.copies.tables import CopiedTable, Schema, applied_in, schema_after
from hlvstudy.copies.values import canonical_of, writer_of

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
        by = f'{key} COLLATE "C"' if table.key.is_text else key
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
    found: dict[str, int] = {}
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("SELECT name, seq FROM sqlite_sequence")
            known = dict(cursor.fetchall())
            return {table.name: known[table.name] for table in counted if known.get(table.name)}
        for table in counted:
            name = connection.ops.quote_name(table.name)
            cursor.execute("SELECT pg_get_serial_sequence(%s, %s)", [name, table.key.name])
            (sequence,) = cursor.fetchone()
            if sequence:
                cursor.execute(f"SELECT last_value, is_called FROM {sequence}")  # noqa: S608 - the database said it
                last, is_called = cursor.fetchone()
                if is_called:
                    found[table.name] = last
    return found
