"""Insert very many rows: COPY on PostgreSQL, many rows per statement on SQLite.

`bulk_create` builds an object and an expression for every value; for a million annotations that takes a
minute. These rows come from one place, are complete, and need no signals.
"""

import gc
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import chain, islice
from typing import Any

from django.db import connection, models

ROWS_A_STATEMENT = 500  # SQLite takes 32,766 parameters; beyond a few hundred rows nothing is gained


def insert_rows(model: type[models.Model], columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Insert rows of plain values (JSON as text) for these fields; the table itself supplies what is not named, the
    keys.
    """
    quote = connection.ops.quote_name
    table = quote(model._meta.db_table)
    fields = {field.name: field.column or field.name for field in model._meta.concrete_fields}
    names = ", ".join(quote(fields[column]) for column in columns)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with cursor.copy(f"COPY {table} ({names}) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
            return
        places = f"({', '.join(['?'] * len(columns))})"
        # The driver's own cursor, because Django's would search every statement's thousands of placeholders for its
        # own.
        with closing(connection.connection.cursor()) as plain, _without_garbage_collection():
            for part in _parts(rows):
                values = ", ".join([places] * len(part))
                # Safe: the names of tables and columns come from the models, and values go as parameters.
                plain.execute(f"INSERT INTO {table} ({names}) VALUES {values}", list(chain.from_iterable(part)))  # noqa: S608


def insert_with_matrix(row: models.Model) -> None:
    """Save a new row that has a matrix, which goes to PostgreSQL as the bytes it is.

    Django's cursors put values into the statement, where bytes are hexadecimal text: five copies of a matrix.
    """
    if connection.vendor != "postgresql":
        row.save(force_insert=True)
        return
    from django.db.backends.postgresql.base import ServerBindingCursor

    connection.ensure_connection()
    driver = connection.connection
    before, driver.cursor_factory = driver.cursor_factory, ServerBindingCursor
    try:
        row.save(force_insert=True)
    finally:
        driver.cursor_factory = before


@contextmanager
def _without_garbage_collection() -> Iterator[None]:
    """Many small rows would make the collector scan the whole heap repeatedly and find nothing."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _parts(rows: Iterable[Sequence[Any]]) -> Iterator[list[Sequence[Any]]]:
    remaining = iter(rows)
    while part := list(islice(remaining, ROWS_A_STATEMENT)):
        yield part
