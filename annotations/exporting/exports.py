"""Export a study's responses, at once or as background jobs: requested, written by a worker, downloaded."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from annotations.background import jobs
from annotations.background.executors import executes
from annotations.background.kept_files import keep
from annotations.background.waiting import refuse_too_many
from annotations.exporting.formats import ExportFile, formats, zipped
from annotations.exporting.rows import Filters, ResponseSource
from annotations.ground.errors import Conflict, NotAllowed
from annotations.ground.progress import Progress
from annotations.history import events
from annotations.models import EventKind, ExportJob, JobState, Study, User


class NotThere(Conflict):
    """The export has no file: not yet, no longer, or never."""


def export_responses(*, study: Study, format_name: str, actor: User | None = None) -> list[ExportFile]:
    """The files of an export, as streams that have not started.

    An export shows which side is which, so it is for the study's researchers and admins; until the study is closed, it
    is also recorded as a look at unblinded data. Without an actor it is the operator at the machine's shell, and logged
    as such.

    Raises:
        NotAllowed: the actor is an expert in the study, or not a member.
        UnknownName: there is no such format.
    """
    if actor is not None:
        _must_be_unblinded(study, actor)
    chosen = formats.get(format_name)
    source = ResponseSource(study)
    events.record(EventKind.EXPORTED, actor=actor, study=study, format=chosen.name, responses=source.count())
    events.unblinded_view(actor=actor, study=study, what=f"export as {chosen.name}")
    return chosen.files(source)


def archive_name(study: Study, format_name: str, *, identified: bool = False) -> str:
    """The file name of an export's archive, which says if it contains simulated data or people's names.

    >>> archive_name(Study(slug="tag", is_simulated=True), "csv")
    'tag-csv-SIMULATED.zip'
    """
    marks = [mark for mark, holds in (("WITH-NAMES", identified), ("SIMULATED", study.is_simulated)) if holds]
    return "-".join([study.slug, format_name.replace("_", "-"), *marks]) + ".zip"


@transaction.atomic
def ask(*, study: Study, format_name: str, filters: Filters, actor: User) -> ExportJob:
    """Store the request and call a worker. It records the same events as a download.

    Raises:
        NotAllowed: the actor is an expert in the study or not a member, or asks for names without being its admin.
        UnknownName: there is no such format.
        UnsupportedFilter: the format does not support a filter.
        TooManyJobs: as many as allowed wait or run already.
    """
    _must_be_unblinded(study, actor)
    chosen = formats.get(format_name)
    chosen.refuse(filters)
    if filters.identified:
        must_administer(study, actor)
    refuse_too_many(ExportJob, actor)
    job: ExportJob = ExportJob.objects.create(study=study, format=chosen.name, filters=filters.as_json(), owner=actor)
    events.record(
        EventKind.EXPORTED, actor=actor, study=study, format=chosen.name, filters=job.filters, export=str(job.pk)
    )
    events.unblinded_view(actor=actor, study=study, what=f"export as {chosen.name}")
    jobs.enqueue(job)
    return job


def _must_be_unblinded(study: Study, actor: User) -> None:
    if not Study.objects.unblinded_for(actor).filter(pk=study.pk).exists():
        raise NotAllowed(_("Only researchers and admins of a study can export its responses."), study=study.slug)


def must_administer(study: Study, actor: User) -> None:
    """Raises NotAllowed: names and e-mail addresses are for admins of the study."""
    if not Study.objects.administered_by(actor).filter(pk=study.pk).exists():
        raise NotAllowed(_("Only an admin of the study can export the names and e-mail addresses of its experts."))


def take(*, job: ExportJob, actor: User) -> ExportJob:
    """The export, ready for download.

    Raises:
        NotThere: there is no file.
        NotAllowed: it contains names, and the actor is not an admin of the study.
    """
    if Filters.read(job.filters).identified:
        must_administer(job.study, actor)
    if job.state != JobState.SUCCEEDED or not job.content:
        gone = job.state == JobState.SUCCEEDED
        raise NotThere(
            _("The file was deleted after a few days. Please export again.")
            if gone
            else _("The file is not ready yet.")
        )
    if Filters.read(job.filters).identified:
        events.record(
            EventKind.EXPORTED,
            actor=actor,
            study=job.study,
            format=job.format,
            filters=job.filters,
            export=str(job.pk),
            taken=True,
        )
    events.unblinded_view(actor=actor, study=job.study, what=f"export as {job.format}")
    return job


@executes(ExportJob, tidy_up=ExportJob.tidy_up)
def execute_export(job: ExportJob, progress: Progress) -> dict[str, Any]:
    """Write the archive; returns the fields to store with its success. Every attempt writes a new file."""
    study = Study.objects.select_related("dataset").get(pk=job.study_id)
    filters = Filters.read(job.filters)
    source = ResponseSource(study, filters)
    responses = source.count()
    name = f"exports/{job.pk}.{uuid.uuid4().hex}"

    def archive() -> Iterator[bytes]:
        size = 0
        for chunk in zipped(formats.get(job.format).files(source)):
            yield chunk
            size += len(chunk)
            # Some formats read the rows more than once.
            progress(min(source.rows_read, responses), responses, f"{size / 1e6:.1f} MB written")

    written = keep(name, archive())
    return {
        "content": name,
        "name": archive_name(study, job.format, identified=filters.identified),
        "size": written.size,
        "responses": responses,
        "sha256": written.sha256,
    }
