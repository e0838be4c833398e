"""Triggers that refuse a row or change others, for migrations, on SQLite and PostgreSQL alike.

SQLite changes a table by making it anew: the triggers on it go with the old one, and those on other tables that read
it stop the change. `WithTriggersAside` takes all away first and puts them back.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from django.db.migrations import RunPython, SeparateDatabaseAndState
from django.db.migrations.operations.base import Operation

SHUT = {
    "sqlite": "NOT EXISTS (SELECT 1 FROM annotations_erasinggate)",
    "postgresql": "NOT EXISTS (SELECT 1 FROM annotations_erasinggate WHERE key = txid_current()::text)",
}
"""A condition: the running transaction is no erasure (annotations/erasing/gate.py)."""


def refuse_unless_erasing(schema_editor: Any, name: str, *, table: str, event: str, message: str) -> None:
    """Refuse all rows, before an UPDATE or DELETE, except in a transaction that erases."""
    shut = SHUT[schema_editor.connection.vendor]
    refuse(schema_editor, name, table=table, event=event, condition=shut, message=message)


def refuse(schema_editor: Any, name: str, *, table: str, event: str, condition: str | None, message: str) -> None:
    """Refuse rows of a table, before an INSERT, UPDATE or DELETE: all of them, or those that meet the condition."""
    if schema_editor.connection.vendor == "sqlite":
        when = f"WHEN {condition}" if condition else ""
        statements = [
            f"CREATE TRIGGER {name} BEFORE {event} ON {table} {when} BEGIN SELECT RAISE(ABORT, '{message}'); END"
        ]
    else:
        # ERRCODE 23514 makes Django raise IntegrityError, as it does for SQLite's RAISE(ABORT).
        raising = f"RAISE EXCEPTION '{message}' USING ERRCODE = '23514';"
        # Returning NEW, which is NULL in a DELETE, would silently keep the row.
        going_on = "OLD" if event == "DELETE" else "NEW"
        body = f"IF {condition} THEN {raising} END IF; RETURN {going_on};" if condition else raising
        statements = [
            f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {body} END $$",
            f"CREATE TRIGGER {name} BEFORE {event} ON {table} FOR EACH ROW EXECUTE FUNCTION {name}()",
        ]
    for statement in statements:
        schema_editor.execute(statement, params=None)


def drop_trigger(schema_editor: Any, name: str, *, table: str) -> None:
    """Take a trigger away, and on PostgreSQL its function."""
    if schema_editor.connection.vendor == "sqlite":
        schema_editor.execute(f"DROP TRIGGER {name}")
    else:
        schema_editor.execute(f"DROP TRIGGER {name} ON {table}")
        schema_editor.execute(f"DROP FUNCTION {name}()")


def refusing(refusals: Mapping[str, tuple[str, str, str | None, str]]) -> RunPython:
    """An operation that makes triggers of `refuse`: name -> (table, event, condition, message)."""

    def make(apps: Any, schema_editor: Any) -> None:
        for name, (table, event, condition, message) in refusals.items():
            refuse(schema_editor, name, table=table, event=event, condition=condition, message=message)

    def drop(apps: Any, schema_editor: Any) -> None:
        for name, (table, *_) in refusals.items():
            drop_trigger(schema_editor, name, table=table)

    return RunPython(make, drop)


def follow(
    schema_editor: Any,
    sqlite: Mapping[str, tuple[str, str, str | None, str]],
    postgresql: Mapping[str, tuple[str, str, str, str]],
) -> None:
    """Make triggers that change other rows, after an INSERT, UPDATE or DELETE.

    Name -> (table, event, condition, statements) for SQLite and (table, event, for which rows, statements) for
    PostgreSQL, which can see all rows of a statement at once.
    """
    if schema_editor.connection.vendor == "sqlite":
        for name, (table, event, condition, body) in sqlite.items():
            when = f"WHEN {condition}" if condition else ""
            schema_editor.execute(f"CREATE TRIGGER {name} AFTER {event} ON {table} {when} BEGIN {body} END", None)
        return
    for name, (table, event, rows, body) in postgresql.items():
        function = f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {body} RETURN NULL; END $$"
        schema_editor.execute(function, None)
        schema_editor.execute(f"CREATE TRIGGER {name} AFTER {event} ON {table} {rows} EXECUTE FUNCTION {name}()", None)


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
