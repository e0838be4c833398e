"""The backend that tests/settings.py names (Django looks for `base` in it)."""

from collections.abc import Iterable
from typing import Any

from django.core.management.color import Style
from django.db.backends.sqlite3 import base, creation, operations

from tests.flushing import of_tests
from tests.templates import Copied


class DatabaseOperations(operations.DatabaseOperations):
    def sql_flush(
        self, style: Style, tables: Iterable[str], *, reset_sequences: bool = False, allow_cascade: bool = False
    ) -> list[str]:
        """Delete the rows that a test left."""
        deleting = super().sql_flush(
            style, of_tests(tables), reset_sequences=reset_sequences, allow_cascade=allow_cascade
        )
        gate = "annotations_erasinggate"
        if not any(f'"{gate}"' in one for one in deleting):
            return deleting
        # Some rows are deleted by nothing but an erasure.
        return [
            f"INSERT INTO {gate} (key) VALUES ('tests');",  # noqa: S608 (our table)
            *(one for one in deleting if f'"{gate}"' not in one),
            f"DELETE FROM {gate};",  # noqa: S608 (our table)
        ]


class DatabaseCreation(Copied, creation.DatabaseCreation):
    """The test database is a copy."""


class DatabaseWrapper(base.DatabaseWrapper):
    creation_class: Any = DatabaseCreation
    ops_class: Any = DatabaseOperations
