"""A report or a bundle of a study, as a background job and, for some days, as a file."""

import uuid
from datetime import timedelta
from typing import TYPE_CHECKING

from django.conf import settings
from django.core.files.storage import default_storage
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_noop

from annotations.background.kept_files import names_in
from annotations.models import BackgroundJob, Study

if TYPE_CHECKING:
    from annotations.models import User

FOLDER = "documents"


def kept() -> timedelta:
    """How long a file is kept; it can be made again at any time."""
    return timedelta(days=settings.HLV_FILES_KEPT_DAYS)


class DocumentKind(models.TextChoices):
    REPORT_HTML = "report_html", "report (HTML)"
    REPORT_PDF = "report_pdf", "report (PDF)"
    REPORT_LATEX = "report_latex", "report (LaTeX)"
    REPORT_DOCX = "report_docx", "report (Word)"
    BUNDLE = "bundle", "bundle (ZIP)"


class StudyDocumentQuerySet(models.QuerySet["StudyDocument"]):
    def visible_to(self, user: "User") -> "StudyDocumentQuerySet":
        """Documents of studies that the user may see unblinded, since they show which side is which."""
        return self.filter(study__in=Study.objects.unblinded_for(user))


class StudyDocument(BackgroundJob):
    """A file about a study that a worker makes. `content` is empty before that, and after `kept()`."""

    failure_is_told = True
    counted = gettext_noop("{count, plural, one {# report or bundle} other {# reports or bundles}}")
    is_limited = True

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="documents")
    kind = models.CharField(max_length=12, choices=DocumentKind.choices)
    with_texts = models.BooleanField(default=False, help_text="Of a bundle: whether it holds the instances' texts.")
    content = models.FileField(upload_to=FOLDER, blank=True)
    name = models.CharField(max_length=200, blank=True, help_text="What the file is called when it is downloaded.")
    size = models.BigIntegerField(default=0, help_text="Bytes.")
    sha256 = models.CharField(max_length=64, blank=True)

    objects = StudyDocumentQuerySet.as_manager()

    class Meta(BackgroundJob.Meta):
        constraints = [
            *BackgroundJob.Meta.constraints,
            models.CheckConstraint(condition=Q(kind__in=DocumentKind.values), name="study_document_kind_known"),
            models.CheckConstraint(
                condition=Q(with_texts=False) | Q(kind=DocumentKind.BUNDLE), name="study_document_texts_in_bundles"
            ),
            models.CheckConstraint(
                condition=~Q(state="succeeded") | ~Q(sha256=""), name="study_document_success_has_file"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} of study {self.study_id}"

    @classmethod
    def tidy_up(cls) -> None:
        """Delete files that are too old or no longer belong to a document."""
        old = cls.objects.filter(finished_at__lt=timezone.now() - kept()).exclude(content="")
        for document in old:
            default_storage.delete(str(document.content.name))
            cls.objects.filter(pk=document.pk).update(content="")
        # In this order, so that a document that finishes meanwhile still counts as unfinished.
        names = names_in(FOLDER)
        unfinished = {f"{FOLDER}/{pk}" for pk in cls.objects.exclude(state__in=cls.FINAL).values_list("pk", flat=True)}
        paths = set(cls.objects.exclude(content="").values_list("content", flat=True))
        for name in names:
            path = f"{FOLDER}/{name}"
            if path not in paths and path.partition(".")[0] not in unfinished:
                default_storage.delete(path)


def path_of(pk: uuid.UUID, attempt: uuid.UUID) -> str:
    """Where a worker writes: a separate path for every attempt, so that two never write the same file."""
    return f"{FOLDER}/{pk}.{attempt.hex}"
