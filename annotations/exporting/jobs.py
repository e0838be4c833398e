"""Exports as background jobs: asked for, written by a worker, taken."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from django.core.files.storage import default_storage
from django.db import transaction
from django.db.models import Q

from annotations import events
from annotations.background import jobs
from annotations.background.executors import executes
from annotations.errors import Conflict, NotAllowed
from annotations.exporting.exports import archive_name
from annotations.exporting.formats import formats
from annotations.exporting.rows import ResponseSource
from annotations.exporting.sinks import zipped
from annotations.models import EventKind, ExportJob, JobState, Study, User
from annotations.progress import Progress


class NotThere(Conflict):
    """The export has no file: not yet, not any more, or never."""

    code = "not_there"


@transaction.atomic
def ask(*, study: Study, format_name: str, filters: Mapping[str, Any], actor: User) -> ExportJob:
    """Store the wish and call a worker. It leaves the same events as a download.

    Raises:
        NotAllowed: the actor is an expert of the study, or a stranger.
        UnknownName: there is no such format.
    """
    if not Study.objects.unblinded_for(actor).filter(pk=study.pk).exists():
        raise NotAllowed("Only researchers and admins of a study may export its responses.", study=study.slug)
    chosen = formats.get(format_name)
    job: ExportJob = ExportJob.objects.create(study=study, format=chosen.name, filters=dict(filters), owner=actor)
    events.record(
        EventKind.EXPORTED, actor=actor, study=study, format=chosen.name, filters=job.filters, export=str(job.pk)
    )
    events.unblinded_view(actor=actor, study=study, what=f"export as {chosen.name}")
    jobs.enqueue(job)
    return job


def take(*, job: ExportJob, actor: User) -> ExportJob:
    """The export, to be handed over now. Raises `NotThere` where there is no file."""
    if job.state != JobState.SUCCEEDED or not job.content:
        gone = job.state == JobState.SUCCEEDED
        raise NotThere("The file was removed after some days. Export again." if gone else "It is not written yet.")
    events.unblinded_view(actor=actor, study=job.study, what=f"export as {job.format}")
    return job


def chosen_by(filters: Mapping[str, Any]) -> Q:
    """The responses that filters choose: `pilot` and `simulated` (include, exclude, only), `since`, `until`."""
    found = Q()
    fields = {"pilot": "assignment__is_pilot", "simulated": "assignment__expert__is_simulated"}
    for name, field in fields.items():
        if filters.get(name, "include") != "include":
            found &= Q(**{field: filters[name] == "only"})
    for name, lookup in {"since": "gte", "until": "lt"}.items():
        if filters.get(name):
            found &= Q(**{f"assignment__completed_at__{lookup}": datetime.fromisoformat(filters[name])})
    return found


@executes(ExportJob, tidy_up=ExportJob.tidy_up)
def execute_export(job: ExportJob, progress: Progress) -> dict[str, Any]:
    """Write the archive; returns the fields to store with its success. Every attempt writes a file of its own."""
    study = Study.objects.select_related("dataset").get(pk=job.study_id)
    source = ResponseSource(study, chosen_by(job.filters))
    responses = source.count()
    name = f"exports/{job.pk}.{uuid.uuid4().hex}"
    path = Path(default_storage.path(name))
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    size = 0
    try:
        with path.open("wb") as out:
            path.chmod(0o600)
            for chunk in zipped(formats.get(job.format).files(source)):
                size += out.write(chunk)
                progress(0, 0, f"Writing, {size / 1e6:.1f} MB so far")
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return {"content": name, "name": archive_name(study, job.format), "size": size, "responses": responses}
