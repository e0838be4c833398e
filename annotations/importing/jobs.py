"""Import jobs: files are uploaded, and a worker reads them and stores what they contain, or only reports."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from django.conf import settings
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.utils import translation
from django.utils.translation import gettext as _

from annotations.background import jobs
from annotations.background.executors import executes
from annotations.background.kept_files import local_copy
from annotations.background.waiting import refuse_too_many
from annotations.ground.errors import HLVError, NotAllowed
from annotations.ground.progress import Progress
from annotations.importing.formats import dataset_readers, prediction_readers
from annotations.importing.memory.options import dataset_options, label_names_in, options_from
from annotations.importing.reading.files import SourceFile
from annotations.models import Dataset, ImportFile, ImportJob, User
from annotations.shown.short_names import own_name

if TYPE_CHECKING:
    from annotations.importing.datasets import ImportReport

logger = logging.getLogger(__name__)
NAME_LENGTH = 255


class FilesGone(HLVError):
    """The uploaded files were removed."""


class TooLarge(HLVError):
    """The upload is larger than allowed."""

    status = 413


def refuse_too_large(size: int) -> None:
    most: int = settings.HLV_MAX_UPLOAD_BYTES
    if size > most:
        raise TooLarge(
            _(
                "This exceeds the limit for uploads ({most} MB). Import it from the command line, or "
                "remove what you do not need."
            ).format(most=format(most / 2**20, ",.0f")),
            bytes=size,
            most=most,
        )


def start_import(
    *,
    owner: User,
    kind: str,
    format_name: str,
    slug: str,
    title: str,
    options: dict[str, Any],
    dry_run: bool,
    replace: bool = False,
    uploads: Sequence[UploadedFile[Any]],
) -> ImportJob:
    """Store the files, create the job, and call a worker.

    Raises:
        TooLarge: together, the files are larger than HLV_MAX_UPLOAD_BYTES.
        TooManyJobs: as many as allowed wait or run already.
        UnknownName, BadOption: there is no such format or option.
    """
    refuse_too_large(sum(upload.size or 0 for upload in uploads))
    refuse_too_many(ImportJob, owner)
    if kind == ImportJob.Kind.DATASET:
        slug = own_name(slug, taken=Dataset.objects.all(), seen=Dataset.objects.visible_to(owner), user=owner)
        label_names_in(options)
    if format_name and kind == ImportJob.Kind.DATASET:
        dataset_options(dataset_readers.get(format_name).options, options)
    elif format_name:
        options_from(prediction_readers.get(format_name).options, options)
    # Outside the transaction: copying half a gigabyte must not hold the database's lock.
    uploaded: list[tuple[str, str]] = []
    try:
        for upload in uploads:
            name = clean_name(upload.name or "")
            uploaded.append((name, default_storage.save(f"imports/{uuid4().hex}", upload)))
        with transaction.atomic():
            refuse_too_many(ImportJob, owner)  # again: others may have come while the files were kept
            job = ImportJob.objects.create(
                owner=owner,
                kind=kind,
                format=format_name,
                dataset_slug=slug,
                title=title,
                options=options,
                dry_run=dry_run,
                replace=replace,
                language=translation.get_language() or "",
            )
            ImportFile.objects.bulk_create(ImportFile(job=job, name=name, content=path) for name, path in uploaded)
            jobs.enqueue(job)
    except BaseException:
        for _name, path in uploaded:
            default_storage.delete(path)
        raise
    return job


def clean_name(name: str) -> str:
    """A file's own name without any folder or unprintable character. It is only shown; files on disk have other names.

    >>> clean_name("../../etc/passwd"), clean_name("C:\\\\data\\\\votes.csv"), clean_name("..")
    ('passwd', 'votes.csv', 'file')
    """
    last = PureWindowsPath(PurePosixPath(name).name).name
    printable = "".join(character for character in last if character.isprintable()).strip()
    if len(printable) > NAME_LENGTH:
        printable = printable[-NAME_LENGTH:]
    return printable if printable.strip(".") else "file"


def remove_files_of_ended_jobs() -> int:
    """Delete the content of every ended job's files, keeping their names. Safe to repeat."""
    removed = 0
    for file in ImportFile.objects.filter(job__state__in=ImportJob.FINAL).exclude(content=""):
        try:
            default_storage.delete(str(file.content.name))
        except Exception as error:  # a storage's own error; the next round tries again
            logger.warning("an uploaded file could not be deleted (%s)", type(error).__name__)
            continue
        ImportFile.objects.filter(pk=file.pk).update(content="")
        removed += 1
    return removed


@executes(ImportJob, tidy_up=remove_files_of_ended_jobs)
def execute_import(job: ImportJob, progress: Progress) -> dict[str, Any]:
    """Read the job's files with the named or detected reader; return the fields to store on the job.

    Repeatable: if a worker died after writing, the next attempt finds that everything is already there.
    """
    from annotations.importing.datasets import RefusedWithReport  # loads pyarrow, which a worker at rest does not need

    owner = job.owner
    # The owner's permission is checked again here, because the job may have waited.
    if owner is None or not owner.can_import:
        raise NotAllowed(_("The person who started this import no longer has permission to import."))
    stored = [file for file in job.files.order_by("pk") if file.content]
    if not stored:
        raise FilesGone(_("The uploaded files no longer exist. Please upload them again."))
    try:
        with ExitStack() as copies:
            files = [SourceFile(copies.enter_context(local_copy(str(file.content.name))), file.name) for file in stored]
            # The report and its problems are in the language of the person who requested the import.
            with translation.override(job.language or settings.LANGUAGE_CODE):
                report = _import(job, owner, files, progress)
    except RefusedWithReport as refusal:
        # The job fails with the first problem as its reason; the page shows the rest from the report.
        mine = ImportJob.objects.filter(pk=job.pk, lease_owner=job.lease_owner)
        mine.update(report=refusal.report.as_data())
        raise
    return {"report": report.as_data()}


def _import(job: ImportJob, owner: User, files: list[SourceFile], progress: Progress) -> ImportReport:
    from annotations.importing.datasets import import_dataset, import_predictions

    common: dict[str, Any] = {
        "files": files,
        "format_name": job.format,
        "options": job.options,
        "dry_run": job.dry_run,
        "actor": owner,
        "replace": job.replace,
        "progress": progress,
    }
    if job.kind == ImportJob.Kind.DATASET:
        return import_dataset(slug=job.dataset_slug, title=job.title, **common)
    dataset = Dataset.objects.visible_to(owner).filter(slug=job.dataset_slug).first()
    if dataset is None:
        raise HLVError(_("There is no dataset {dataset_slug}.").format(dataset_slug=repr(job.dataset_slug)))
    return import_predictions(dataset=dataset, **common)
