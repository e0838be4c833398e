"""Which tables and columns a database has, by the migrations that it says were applied: also in an older one."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from hlvstudy.backups import NotCopied
from hlvstudy.backups.values import ColumnKind, kind_of

Applied = frozenset[tuple[str, str]]
"""The app and the name of each migration."""
GONE = "axes"
"""An app of earlier versions (django-axes): copies leave its tables out, which listed failed sign-ins."""
LAST_WITH_ALL = "27877e55"
"""The last commit with the migrations of before the first release, which three of ours replace."""


class PartlyUpgraded(NotCopied):
    """A database, or a backup of one, has some of the migrations of before the first release, and not all."""

    def __init__(self, lacking: str) -> None:
        self.sentence = f"The database is older than this program can upgrade: it lacks the migration {lacking}."
        self.remedy = (
            f"Install the program of commit {LAST_WITH_ALL}, restore a backup there first if it is one, run hlvstudy "
            "upgrade with it, then install this version again."
        )
        super().__init__(f"{self.sentence} {self.remedy}")


@dataclass(frozen=True)
class CopiedColumn:
    """A column, and how it is stored."""

    name: str
    kind: ColumnKind


@dataclass(frozen=True)
class CopiedTable:
    """A table: its columns, those that were declared first come first, and what its rows are ordered by."""

    name: str
    columns: tuple[CopiedColumn, ...]
    key: CopiedColumn
    counts: bool
    """Whether its keys are counted up by the database."""

    @cached_property
    def kinds(self) -> list[ColumnKind]:
        return [column.kind for column in self.columns]


@dataclass(frozen=True)
class Schema:
    """What a database looks like after some migrations."""

    applied: Applied
    tables: tuple[CopiedTable, ...]
    apps: Any

    @property
    def ends(self) -> list[tuple[str, str]]:
        """The newest of the applied migrations of each app: what has to be migrated to."""
        graph = MigrationLoader(None).graph
        return [
            node
            for node in sorted(self.applied)
            if not any(child.key[0] == node[0] and child.key in self.applied for child in graph.node_map[node].children)
        ]


def applied_in(connection: BaseDatabaseWrapper) -> Applied:
    """The migrations that a database says were applied, under today's names; none in an empty one.

    Raises:
        PartlyUpgraded: it has only some of those that one of ours replaces.
    """
    return named_now(MigrationRecorder(connection).applied_migrations())


def named_now(applied: Iterable[tuple[str, str]]) -> Applied:
    """Applied migrations, with one that replaces others in their place where all of them were applied.

    Raises:
        PartlyUpgraded: only some of them were, and this program does not have the others.
    """
    named = frozenset(key for key in applied if key[0] != GONE)
    migrations = MigrationLoader(None).disk_migrations
    for key, migration in migrations.items():
        replaced = frozenset(migration.replaces)
        if replaced and replaced <= named:
            named = named - replaced | {key}
        elif replaced & named and (lacking := sorted(replaced - named - migrations.keys())):
            raise PartlyUpgraded(".".join(lacking[0]))
    return named


def schema_after(applied: Iterable[tuple[str, str]]) -> Schema:
    """The tables and columns after these migrations.

    Raises:
        NotCopied: this program does not have one of them.
    """
    named = named_now(applied)
    loader = MigrationLoader(None)
    unknown = sorted(node for node in named if node not in loader.graph.nodes)
    if unknown:
        names = ", ".join(f"{app}.{name}" for app, name in unknown[:3])
        raise NotCopied(
            f"The database is newer than this program, or has tables of a package that is not installed here: it has "
            f"the migration{'s' if len(unknown) > 1 else ''} {names}{' ...' if len(unknown) > 3 else ''}. Install the "
            "version that it belongs to, or a newer one."
        )
    apps = loader.project_state(list(named)).apps if named else None
    models = apps.get_models(include_auto_created=True) if apps else []
    tables = [
        _table(model) for model in models if model._meta.managed and not model._meta.proxy and not _swapped(model)
    ]
    return Schema(named, tuple(sorted(tables, key=lambda table: table.name)), apps)


def _swapped(model: type[models.Model]) -> bool:
    """Whether the table belongs to a model that another one replaces, such as Django's own user."""
    owner: Any = model._meta.auto_created
    return bool(owner and owner._meta.swapped)


def _table(model: type[models.Model]) -> CopiedTable:
    fields: list[Any] = [*model._meta.local_concrete_fields]  # each has a column, which the stubs do not know
    columns = {field.column: CopiedColumn(field.column, kind_of(field)) for field in fields}
    key = model._meta.pk
    return CopiedTable(
        name=model._meta.db_table,
        columns=tuple(columns.values()),
        key=columns[key.column],
        counts=isinstance(key, models.AutoField | models.BigAutoField),
    )


def all_migrations() -> Applied:
    """All migrations that this program has."""
    return frozenset(MigrationLoader(None).graph.nodes)


def strangers(connection: BaseDatabaseWrapper, schema: Schema) -> list[str]:
    """Tables that no migration made: no copy holds them."""
    ours = {table.name for table in schema.tables} | {"django_migrations"}
    with connection.cursor() as cursor:
        others = set(connection.introspection.table_names(cursor)) - ours
    return sorted(name for name in others if not name.startswith(f"{GONE}_"))
