"""Triggers in migrations, on SQLite and PostgreSQL alike.

SQLite changes a table by making it anew: the triggers on it go with the old one, and those on other tables that read
it stop the change. `WithTriggersAside` takes all away first and puts them back.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from django.db.migrations import SeparateDatabaseAndState
from django.db.migrations.operations.base import Operation


class Trigger(NamedTuple):
    """A trigger as both databases are told of it, word for word.

    A refusal has ERRCODE 23514 on PostgreSQL, which makes Django raise IntegrityError as it does for SQLite's
    RAISE(ABORT). A trigger before a DELETE returns OLD there: NEW is NULL and would silently keep the row.
    """

    table: str
    sqlite: str
    postgresql: str
    """The function, which has the trigger's name, and the trigger."""


class MakeTriggers(Operation):
    """Make triggers, each under its name."""

    def __init__(self, triggers: Mapping[str, Trigger]) -> None:
        self.triggers = triggers

    def state_forwards(self, app_label: str, state: Any) -> None:
        """A trigger is no part of a model."""

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        for trigger in self.triggers.values():
            schema_editor.execute(getattr(trigger, schema_editor.connection.vendor).strip(), params=None)

    def database_backwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        drop = DropTriggers({name: trigger.table for name, trigger in self.triggers.items()})
        drop.database_forwards(app_label, schema_editor, from_state, to_state)

    def describe(self) -> str:
        return f"Make the triggers {', '.join(self.triggers)}"


class DropTriggers(Operation):
    """Take triggers away, each by its name and its table; to make one anew with another text, `MakeTriggers` follows."""

    reversible = False

    def __init__(self, tables: Mapping[str, str]) -> None:
        self.tables = tables

    def state_forwards(self, app_label: str, state: Any) -> None:
        """A trigger is no part of a model."""

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        for name, table in self.tables.items():
            if schema_editor.connection.vendor == "sqlite":
                schema_editor.execute(f"DROP TRIGGER {name}")
            else:
                schema_editor.execute(f"DROP TRIGGER {name} ON {table}")
                schema_editor.execute(f"DROP FUNCTION {name}()")

    def describe(self) -> str:
        return f"Drop the triggers {', '.join(self.tables)}"


class WithTriggersAside(SeparateDatabaseAndState):
    """Operations that change tables which triggers stand on, or read."""

    def __init__(self, operations: list[Operation]) -> None:
        super().__init__(database_operations=operations, state_operations=operations)

    def deconstruct(self) -> tuple[str, list[Any], dict[str, Any]]:
        return (type(self).__name__, [self.database_operations], {})

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        with _aside(schema_editor):
            super().database_forwards(app_label, schema_editor, from_state, to_state)

    def database_backwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        with _aside(schema_editor):
            super().database_backwards(app_label, schema_editor, from_state, to_state)


@contextmanager
def _aside(schema_editor: Any) -> Iterator[None]:
    if schema_editor.connection.vendor != "sqlite":
        yield
        return
    with schema_editor.connection.cursor() as cursor:
        cursor.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
        triggers = cursor.fetchall()
    for name, _ in triggers:
        schema_editor.execute(f"DROP TRIGGER {name}")
    yield
    for _, statement in triggers:
        schema_editor.execute(statement, params=None)
