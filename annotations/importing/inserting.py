"""Insert very many rows: COPY on PostgreSQL, many rows a statement on SQLite.

`bulk_create` builds an object and an expression for every value; for a million annotations that takes a
minute. These rows come from one place, are complete, and have no signals.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Any

from django.db import connection, models

ROWS_A_STATEMENT = 500  # SQLite takes 32,766 parameters; beyond some hundreds of rows nothing is gained


def insert_rows(model: type[models.Model], columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Insert rows of plain values (JSON as text) for these fields; the table itself makes what is not named: keys."""
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
        places = f"({', '.join(['%s'] * len(columns))})"
        for part in _parts(rows):
            values = ", ".join([places] * len(part))
            # Names of tables and columns come from the models, values go as parameters.
            cursor.execute(f"INSERT INTO {table} ({names}) VALUES {values}", list(chain.from_iterable(part)))  # noqa: S608


def _parts(rows: Iterable[Sequence[Any]]) -> Iterator[list[Sequence[Any]]]:
    remaining = iter(rows)
    while part := list(islice(remaining, ROWS_A_STATEMENT)):
        yield part
