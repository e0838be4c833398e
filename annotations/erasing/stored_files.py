"""Files that the server keeps: exports, documents and uploads that may quote what is erased.

They all can be made again, so an erasure removes them whole. The rows forget their files in the transaction; the files
themselves follow when it is committed, and are found again from the erasure's own row if the worker dies in between.
"""

from __future__ import annotations

from typing import Any

from django.apps import apps
from django.core.files.storage import default_storage
from django.db.models import FileField, Model, QuerySet

from annotations.background import jobs
from annotations.erasing.counting import Counts
from annotations.models import BackgroundJob, ImportJob, Study


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
        found = rows.exclude(**{name: ""})
        files = list(found.values_list(name, flat=True))
        counts.files += files
        counts.add(model._meta.label, found.update(**{name: ""}) if files else 0)


def forget_imports(dataset_slug: str, counts: Counts) -> None:
    """Delete the imports of a dataset: their reports and errors may quote texts, as may files that still wait."""
    rows = ImportJob.objects.filter(dataset_slug=dataset_slug)
    files = [str(name) for name in rows.values_list("files__content", flat=True) if name]
    counts.files += files
    counts.delete(rows)


def delete_files(names: list[str]) -> list[str]:
    """Delete files; returns those that could not be deleted now."""
    left = []
    for name in names:
        try:
            default_storage.delete(name)
        except OSError:
            left.append(name)
    return left
