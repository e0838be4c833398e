"""Insert very many rows: COPY on PostgreSQL, executemany on SQLite.

`bulk_create` builds an object and an expression for every value; for a million annotations that takes a
minute. These rows come from one place, are complete, and have no signals.
"""

from collections.abc import Iterable, Sequence
from typing import Any, cast

from django.db import connection, models


def insert_rows(model: type[models.Model], columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Insert rows of plain values (JSON as text). `columns` are attribute names; the rest takes no default."""
    quote = connection.ops.quote_name
    table = quote(model._meta.db_table)
    fields = {field.name: field.column or field.name for field in model._meta.concrete_fields}
    names = ", ".join(quote(fields[column]) for column in columns)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with cursor.copy(f"COPY {table} ({names}) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
        else:
            places = ", ".join(["%s"] * len(columns))
            # Names of tables and columns come from the models, values go as parameters.
            statement = f"INSERT INTO {table} ({names}) VALUES ({places})"  # noqa: S608
            cursor.executemany(statement, cast("list[Sequence[Any]]", rows))
