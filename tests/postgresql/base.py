"""The backend that tests/settings.py names (Django looks for `base` in it)."""

from collections.abc import Iterable
from functools import cached_property
from typing import Any

from django.core.management.color import Style
from django.db.backends.postgresql import base, creation, operations

from tests.flushing import of_tests
from tests.templates import Copied


class DatabaseOperations(operations.DatabaseOperations):
    def sql_flush(
        self, style: Style, tables: Iterable[str], *, reset_sequences: bool = False, allow_cascade: bool = False
    ) -> list[str]:
        """Delete the rows that a test left. TRUNCATE makes the files of all tables anew, which takes a second of disk.

        Triggers rest meanwhile: rows go in any order, and also those that are never deleted otherwise.
        """
        tables = of_tests(tables)
        if reset_sequences or not self.may_rest_triggers:
            return super().sql_flush(style, tables, reset_sequences=reset_sequences, allow_cascade=allow_cascade)
        return [
            "SET LOCAL session_replication_role = replica;",
            *(f"DELETE FROM {self.quote_name(table)};" for table in tables),  # noqa: S608 (our tables' names)
        ]

    @cached_property
    def may_rest_triggers(self) -> bool:
        with self.connection.cursor() as cursor:
            cursor.execute("SELECT usesuper FROM pg_user WHERE usename = current_user")
            return bool(cursor.fetchone()[0])


class DatabaseCreation(Copied, creation.DatabaseCreation):
    """The test database is a copy."""


class DatabaseWrapper(base.DatabaseWrapper):
    creation_class: Any = DatabaseCreation
    ops_class: Any = DatabaseOperations
