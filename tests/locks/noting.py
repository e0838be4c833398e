"""Which rows are locked, read from the statements, on every database.

Where there is no such lock, the words for it are taken out before the statements are executed.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connection

FEATURES = ("", "_of", "_skip_locked")
LOCK = re.compile(
    r'SELECT "annotations_(\w+)".*( FOR (NO KEY )?UPDATE( OF "annotations_\1")?( SKIP LOCKED)?)', re.DOTALL
)


@contextmanager
def locks_noted() -> Iterator[list[str]]:
    """The tables whose rows are locked, one after the other; `alone` where no other table of the query is."""
    is_sqlite = connection.vendor == "sqlite"
    tables: list[str] = []

    def note(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if found := LOCK.fullmatch(sql):
            table, words, firmly, alone, passing = found.groups()
            how = {"firmly": firmly, "alone": alone, "if free": passing}
            tables.append(" ".join([table, *(word for word, is_so in how.items() if is_so)]))
            sql = sql.removesuffix(words) if is_sqlite else sql
        return execute(sql, params, many, context)

    with pytest.MonkeyPatch.context() as patch, connection.execute_wrapper(note):
        if is_sqlite:
            for feature in ("has_select_for_no_key_update", *(f"has_select_for_update{kind}" for kind in FEATURES)):
                patch.setattr(connection.features, feature, True)
        yield tables
