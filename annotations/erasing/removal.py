"""How erasures remove things: through the gate of the append-only tables, counted, and with the server's stored files.

Exports, documents and uploads may quote what is erased and can all be made again, so they are removed whole. The rows
forget their files in the transaction; the files themselves follow when it is committed, and are found again from the
erasure's own row if the worker dies in between.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.apps import apps
from django.core.files.storage import default_storage
from django.db import connection
from django.db.models import FileField, Model, QuerySet
from django.db.transaction import TransactionManagementError

from annotations.background import jobs
from annotations.models import BackgroundJob, ErasingGate, ImportJob, Study


class Counts:
    """Rows by model, and names of stored files."""

    def __init__(self) -> None:
        self.rows: dict[str, int] = {}
        self.files: list[str] = []

    def add(self, model: str, number: int) -> None:
        """Count rows that were deleted or emptied."""
        if number:
            self.rows[model] = self.rows.get(model, 0) + number

    def delete(self, rows: Any) -> None:
        """Delete rows and count them, with those that go along."""
        _, deleted = rows.delete()
        for model, number in deleted.items():
            self.add(model, number)


@contextmanager
def open_gate() -> Iterator[None]:
    """Allow the running transaction to change and delete what nothing else may. Only this package does it (a test holds
    that).

    The triggers (annotations/migrations/0101_triggers.py) look for a row that only this transaction can see: it is
    deleted before the transaction ends, and on PostgreSQL it also carries the transaction's own number.
    """
    if not connection.in_atomic_block:
        raise TransactionManagementError
    gate = ErasingGate.objects.create(key=_transaction())
    yield
    # Not `finally`: after an error the transaction is rolled back, and the row with it.
    gate.delete()


def _transaction() -> str:
    if connection.vendor == "sqlite":
        return "open"  # SQLite has one writer at a time
    with connection.cursor() as cursor:
        cursor.execute("SELECT txid_current()::text")
        return str(cursor.fetchone()[0])


def models_with_files() -> list[tuple[type[Model], str]]:
    """Every model whose rows have a stored file, and that field's name."""
    return [
        (model, one.name)
        for model in apps.get_models()
        for one in model._meta.local_fields
        if isinstance(one, FileField)
    ]


def forget_files(studies: QuerySet[Study], counts: Counts) -> None:
    """Take the files of studies from their rows, and stop jobs that are just writing one."""
    for model, name in models_with_files():
        if not any(one.name == "study" for one in model._meta.local_fields):
            continue
        rows: Any = model._default_manager.filter(study__in=studies.values("pk"))
        if issubclass(model, BackgroundJob):
            for job in rows.exclude(state__in=BackgroundJob.FINAL):
                jobs.ask_to_stop(job)
        with_file = rows.exclude(**{name: ""})
        files = list(with_file.values_list(name, flat=True))
        counts.files += files
        counts.add(model._meta.label, with_file.update(**{name: ""}) if files else 0)


def forget_imports(dataset_slug: str, counts: Counts) -> None:
    """Delete the imports of a dataset: their reports and errors may quote texts, as may files that still wait."""
    rows = ImportJob.objects.filter(dataset_slug=dataset_slug)
    files = [str(name) for name in rows.values_list("files__content", flat=True) if name]
    counts.files += files
    counts.delete(rows)


def delete_files(names: list[str]) -> list[str]:
    """Delete files; returns those that could not be deleted now."""
    undeleted = []
    for name in names:
        try:
            default_storage.delete(name)
        except OSError:
            undeleted.append(name)
    return undeleted
