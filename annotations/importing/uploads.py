"""Put uploaded files into an import job, and remove them when it has ended, whatever the outcome."""

import logging
from collections.abc import Sequence
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.utils import translation
from django.utils.translation import gettext as _

from annotations.background import jobs
from annotations.background.waiting import refuse_too_many
from annotations.ground.errors import HLVError
from annotations.importing.formats import dataset_readers, prediction_readers
from annotations.importing.memory.options import dataset_options, label_names_in, options_from
from annotations.models import Dataset, ImportFile, ImportJob, User
from annotations.shown.short_names import own_name

logger = logging.getLogger(__name__)
NAME_LENGTH = 255


class TooLarge(HLVError):
    """The upload is larger than allowed."""

    code = "too_large"
    status = 413


def refuse_too_large(size: int) -> None:
    """Refuse uploads that are larger than allowed."""
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
    uploads: Sequence["UploadedFile[Any]"],
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
    kept: list[tuple[str, str]] = []
    try:
        for upload in uploads:
            name = clean_name(upload.name or "")
            kept.append((name, default_storage.save(f"imports/{uuid4().hex}", upload)))
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
            ImportFile.objects.bulk_create(ImportFile(job=job, name=name, content=path) for name, path in kept)
            jobs.enqueue(job)
    except BaseException:
        for _name, path in kept:
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
