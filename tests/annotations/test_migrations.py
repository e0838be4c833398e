"""Models, migrations and the triggers of both databases agree."""

import re
from collections import Counter
from collections.abc import Iterator

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation

from annotations.migrations._triggers import DropTriggers, MakeTriggers, Trigger

SQLITE = re.compile(r"CREATE TRIGGER (?P<name>\w+) (?P<when>(BEFORE|AFTER) \w+( OF \w+)?) ON (?P<table>\w+)")
POSTGRESQL = re.compile(
    r"CREATE FUNCTION (?P<function>\w+)\(\) RETURNS trigger LANGUAGE plpgsql AS \$\$(?P<body>.*)\$\$;\s*"
    r"CREATE TRIGGER (?P<name>\w+)\s+(?P<when>(BEFORE|AFTER) \w+( OF \w+)?) ON\s+(?P<table>\w+)\s.*"
    r"EXECUTE FUNCTION (?P<called>\w+)\(\)",
    re.DOTALL,
)
REFUSAL = re.compile(r"(?:RAISE\(ABORT,|RAISE EXCEPTION)\s+'([^']*)'")


def operations() -> Iterator[Operation]:
    """Of our apps, in the order in which they are applied."""
    graph = MigrationLoader(None).graph
    for leaf in sorted(graph.leaf_nodes()):
        for key in graph.forwards_plan(leaf):
            yield from graph.nodes.pop(key).operations if key in graph.nodes and key[0] in OURS else ()


OURS = {"annotations", "metaeval"}


def triggers() -> dict[str, Trigger]:
    """Those that stand when all migrations were applied."""
    standing: dict[str, Trigger] = {}
    for operation in operations():
        if isinstance(operation, DropTriggers):
            assert operation.tables == {name: standing.pop(name).table for name in operation.tables}
        elif isinstance(operation, MakeTriggers):
            assert not standing.keys() & operation.triggers.keys()
            standing |= operation.triggers
    return standing


def plain(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.django_db
def test_the_migrations_make_the_models_of_today() -> None:
    call_command("makemigrations", check_changes=True, dry_run=True, verbosity=0)


@pytest.mark.django_db
def test_a_database_has_the_triggers_of_its_migrations_word_for_word_and_no_others() -> None:
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'trigger'")
            expected = {name: (one.table, plain(one.sqlite)) for name, one in triggers().items()}
        else:
            cursor.execute(
                "SELECT t.tgname, c.relname, p.prosrc FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid"
                " JOIN pg_proc p ON p.oid = t.tgfoid"
                " WHERE NOT t.tgisinternal AND t.tgenabled = 'O' AND p.proname = t.tgname"
            )
            expected = {
                name: (one.table, plain(POSTGRESQL.search(one.postgresql)["body"]))  # type: ignore[index]
                for name, one in triggers().items()
            }
        found = {name: (table, plain(text)) for name, table, text in cursor.fetchall()}
    assert found == expected
    assert len(found) > 30


def test_both_databases_are_told_of_the_same_triggers() -> None:
    for name, trigger in triggers().items():
        lite, full = SQLITE.search(plain(trigger.sqlite)), POSTGRESQL.search(trigger.postgresql)
        assert lite, name
        assert full, name
        assert lite["name"] == full["name"] == full["function"] == full["called"] == name
        assert lite["table"] == full["table"] == trigger.table
        assert lite["when"] == full["when"], name
        refusal = REFUSAL.findall(plain(trigger.sqlite))
        assert refusal == REFUSAL.findall(plain(trigger.postgresql)), name
        assert bool(refusal) == lite["when"].startswith("BEFORE"), name
        assert trigger.postgresql.count("ERRCODE = '23514'") == len(refusal), name


def test_each_migration_of_before_the_first_release_is_replaced_by_one_and_no_name_is_used_again() -> None:
    known = {key: value for key, value in MigrationLoader(None).disk_migrations.items() if key[0] in OURS}
    replaced = Counter(old for migration in known.values() for old in migration.replaces)
    assert Counter(app for app, _ in replaced) == {"annotations": 56, "metaeval": 15}
    assert set(replaced.values()) == {1}
    assert not replaced.keys() & known.keys()
