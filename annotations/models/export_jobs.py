"""A study's responses as a file, written by a worker and kept for some days."""

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from django.conf import settings
from django.core.files.storage import default_storage
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_noop

from annotations.models.jobs import BackgroundJob
from annotations.models.studies import Study

if TYPE_CHECKING:
    from annotations.models.people import User


def kept() -> timedelta:
    """How long a file is kept; it can be made again at any time."""
    return timedelta(days=settings.HLV_FILES_KEPT_DAYS)


class ExportJobQuerySet(models.QuerySet["ExportJob"]):
    def visible_to(self, user: "User") -> "ExportJobQuerySet":
        """The exports of studies that the user may see unblinded, because they show which side is which."""
        return self.filter(study__in=Study.objects.unblinded_for(user))


class ExportJob(BackgroundJob):
    """An export in one format of the responses chosen by its filters."""

    tab = "export"
    failure_is_told = True
    counted = gettext_noop("{count, plural, one {# export} other {# exports}}")
    is_limited = True

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="export_jobs")
    format = models.CharField(max_length=50)
    filters = models.JSONField(default=dict, blank=True, help_text="Which responses, as requested.")
    content = models.FileField(upload_to="exports", blank=True)
    name = models.CharField(max_length=200, blank=True, help_text="The file's name when downloaded.")
    size = models.BigIntegerField(default=0, help_text="In bytes.")
    responses = models.BigIntegerField(default=0)
    sha256 = models.CharField(max_length=64, blank=True, default="", help_text="The file's checksum.")

    objects = ExportJobQuerySet.as_manager()

    class Meta(BackgroundJob.Meta):
        verbose_name, verbose_name_plural = "export", "exports"
        constraints = [
            *BackgroundJob.Meta.constraints,
            models.CheckConstraint(condition=~Q(state="succeeded") | ~Q(name=""), name="export_job_success_has_file"),
        ]

    def __str__(self) -> str:
        return f"export of study {self.study_id} as {self.format}"

    @property
    def expires_at(self) -> datetime | None:
        """When the file is deleted."""
        return self.finished_at + kept() if self.content and self.finished_at else None

    @classmethod
    def tidy_up(cls) -> None:
        """Delete files that are too old."""
        for job in cls.objects.filter(finished_at__lt=timezone.now() - kept()).exclude(content=""):
            default_storage.delete(str(job.content.name))
            cls.objects.filter(pk=job.pk).update(content="")
