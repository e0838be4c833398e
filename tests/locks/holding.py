"""Rows that somebody else holds: what a use case must wait for, told by the statement at which it waits.

Nothing is raced: one connection holds a row so gently that to read, to write and to refer to it goes on, and only a
`SELECT ... FOR UPDATE` of it must wait; the use case runs with a lock timeout on another connection.
"""

import ast
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
from django.db import OperationalError, connection
from django.db.models import Model

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = "150ms"


@contextmanager
def held(rows: Sequence[Model], *, firmly: bool = False) -> Iterator[None]:
    """Hold these rows of one table. `firmly` also against writing: for locks that leave the key alone (`no_key`)."""
    table = rows[0]._meta.db_table
    other = connection.copy()
    try:
        other.set_autocommit(False)
        with other.cursor() as cursor:
            mode = "SHARE" if firmly else "KEY SHARE"
            keys = [row.pk for row in rows]
            cursor.execute(f'SELECT 1 FROM "{table}" WHERE {rows[0]._meta.pk.column} = ANY(%s) FOR {mode}', [keys])  # noqa: S608 - our tables' names
            assert cursor.rowcount == len(rows)
            yield
    finally:
        other.close()


def waits_at(act: Callable[[], object]) -> str:
    """The statement at which the act had to wait for a lock; empty when it did not have to."""
    refused: list[str] = []

    def note(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        try:
            return execute(sql, params, many, context)
        except OperationalError as error:
            if isinstance(error.__cause__, psycopg.errors.LockNotAvailable):
                refused.append(sql)
            raise

    with connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL lock_timeout = '{PATIENCE}'")
    with connection.execute_wrapper(note):
        try:
            act()
        except OperationalError:
            if not refused:
                raise
    return "".join(refused)


def locks_in_the_code() -> Counter[str]:
    """Function -> how many locks it takes, of all functions of both packages."""
    found: Counter[str] = Counter()
    for package in ("annotations", "metaeval"):
        for path in sorted((ROOT / package).rglob("*.py")):
            module = ".".join(path.relative_to(ROOT / package).with_suffix("").parts)
            for name, function in _functions(ast.parse(path.read_text(encoding="utf-8"))):
                calls = (one.func for one in ast.walk(function) if isinstance(one, ast.Call))
                found[f"{module}.{name}"] += sum(
                    isinstance(one, ast.Attribute) and one.attr == "select_for_update" for one in calls
                )
    return +found


def _functions(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef]]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from ((f"{node.name}.{one.name}", one) for one in node.body if isinstance(one, ast.FunctionDef))
