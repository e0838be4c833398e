"""The work of an import job: read the uploaded files, and store them or only report."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.utils import translation
from django.utils.translation import gettext as _

from annotations.background.executors import executes
from annotations.background.kept_files import local_copy
from annotations.ground.errors import HLVError, NotAllowed
from annotations.ground.progress import Progress
from annotations.importing.reading.files import SourceFile
from annotations.importing.uploads import remove_files_of_ended_jobs
from annotations.models import Dataset, ImportJob, User

if TYPE_CHECKING:
    from annotations.importing.datasets import ImportReport


class FilesGone(HLVError):
    """The uploaded files were removed."""

    code = "files_gone"


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
    kept = [file for file in job.files.order_by("pk") if file.content]
    if not kept:
        raise FilesGone(_("The uploaded files no longer exist. Please upload them again."))
    try:
        with ExitStack() as copies:
            files = [SourceFile(copies.enter_context(local_copy(str(file.content.name))), file.name) for file in kept]
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

    if job.kind == ImportJob.Kind.DATASET:
        return import_dataset(
            files=files,
            slug=job.dataset_slug,
            title=job.title,
            format_name=job.format,
            options=job.options,
            dry_run=job.dry_run,
            actor=owner,
            replace=job.replace,
            progress=progress,
        )
    dataset = Dataset.objects.visible_to(owner).filter(slug=job.dataset_slug).first()
    if dataset is None:
        raise HLVError(_("There is no dataset {dataset_slug}.").format(dataset_slug=repr(job.dataset_slug)))
    return import_predictions(
        files=files,
        dataset=dataset,
        format_name=job.format,
        options=job.options,
        dry_run=job.dry_run,
        actor=owner,
        replace=job.replace,
        progress=progress,
    )
