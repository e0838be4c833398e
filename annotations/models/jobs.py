"""Background jobs as rows: imports, exports, erasures, notices. The row is the truth; the broker only wakes workers."""

import uuid
from datetime import datetime, timedelta
from typing import Any, ClassVar

from django.conf import settings
from django.core.files.storage import default_storage
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_noop

from annotations.models.people import User
from annotations.models.studies import Membership, Study
from annotations.storing.constraints import always, once, one_of

DEFAULT_QUEUE = "celery"
"""Where jobs wait whose model names no other queue; Celery calls it so, and workers take jobs from it by default."""


def default_queues() -> list[str]:
    return [DEFAULT_QUEUE]


class JobState(models.TextChoices):
    QUEUED = "queued", "waiting"
    RUNNING = "running", "running"
    SUCCEEDED = "succeeded", "done"
    FAILED = "failed", "failed"
    CANCELLED = "cancelled", "cancelled"


class BackgroundJob(models.Model):
    """A piece of work for a worker: who requested it, its progress, how it ended.

    A worker *leases* the row and extends the lease while it is alive; a job whose lease has expired is started again.
    The code that does the work registers itself (annotations/background/executors.py).
    """

    FINAL = {JobState.SUCCEEDED, JobState.FAILED, JobState.CANCELLED}
    UNFINISHED = (JobState.QUEUED, JobState.RUNNING)
    tab: ClassVar[str] = ""
    """The tab of a study's page that lists its jobs of this kind."""
    queue: ClassVar[str] = DEFAULT_QUEUE
    """Where jobs of this kind wait. In another than the default one, for workers that were started for it."""
    failure_is_told: ClassVar[bool] = False
    """Whether its study's researchers and admins are notified when it fails (annotations/people/notifications.py)."""
    counted: ClassVar[str] = ""
    """So many of them, in words with `{count}`."""
    is_limited: ClassVar[bool] = False
    """Whether they count among the jobs of which one person has only so many at a time (background/waiting.py)."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey("annotations.User", null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    state = models.CharField(max_length=10, choices=JobState.choices, default=JobState.QUEUED)
    progress_done = models.BigIntegerField(default=0)
    progress_total = models.BigIntegerField(default=0)
    progress_message = models.CharField(max_length=300, blank=True)
    error = models.TextField(blank=True, help_text="Why it failed, in a sentence for its owner.")
    error_detail = models.TextField(blank=True, help_text="The traceback, for admins only.")
    cancel_requested = models.BooleanField(default=False)
    lease_owner = models.UUIDField(null=True, blank=True, editable=False)
    # Of a waiting job: it was given back, and nobody is to take it before then.
    lease_until = models.DateTimeField(null=True, blank=True, editable=False)
    attempts = models.PositiveIntegerField(default=0)
    rung_at = models.DateTimeField(null=True, blank=True, editable=False, help_text="When a worker was last called.")
    created_at = models.DateTimeField(default=timezone.now)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True
        ordering = ["-created_at"]
        constraints = [
            one_of("%(class)s_state_known", "state", JobState),
        ]
        indexes = [models.Index(fields=["state", "lease_until"], name="%(class)s_to_sweep")]

    @classmethod
    def next_for(cls, pk: uuid.UUID) -> uuid.UUID | None:
        """Another job that whoever did this one does next, for a while, although it may be somebody else's turn; None:
        there is none.
        """
        return None

    @classmethod
    def unfinished_of(cls, owner: int) -> models.QuerySet[Any]:
        """What of this kind a person has waiting and running."""
        return cls._default_manager.filter(owner=owner, state__in=cls.UNFINISHED)

    @property
    def is_final(self) -> bool:
        return self.state in self.FINAL


class ImportJobQuerySet(models.QuerySet["ImportJob"]):
    def visible_to(self, user: User) -> "ImportJobQuerySet":
        return self if user.is_superuser else self.filter(owner=user)


class ImportJob(BackgroundJob):
    """Read uploaded files into a dataset or a dataset's predictions, or only report what would happen."""

    counted = gettext_noop("{count, plural, one {# import} other {# imports}}")
    is_limited = True

    class Kind(models.TextChoices):
        DATASET = "dataset", "dataset"
        PREDICTIONS = "predictions", "predictions"

    kind = models.CharField(max_length=12, choices=Kind.choices)
    format = models.CharField(max_length=50, blank=True, help_text="Empty: detected.")
    dataset_slug = models.SlugField(max_length=80)
    title = models.CharField(max_length=200, blank=True)
    options = models.JSONField(default=dict, blank=True)
    dry_run = models.BooleanField(default=False)
    replace = models.BooleanField(default=False, help_text="Replace what has the same name and is not in use.")
    language = models.CharField(max_length=35, blank=True, default="", help_text="The report's language.")
    report = models.JSONField(null=True, blank=True)
    undone_at = models.DateTimeField(null=True, blank=True, help_text="When what it stored was deleted.")

    objects = ImportJobQuerySet.as_manager()

    def __str__(self) -> str:
        return f"import of {self.kind} {self.dataset_slug}"


class ImportFile(models.Model):
    """One uploaded file of an import. Its content is deleted when the job has ended."""

    job = models.ForeignKey(ImportJob, on_delete=models.CASCADE, related_name="files")
    name = models.CharField(max_length=255, help_text="The file's name when it was uploaded.")
    content = models.FileField(upload_to="imports/%Y%m%d")

    def __str__(self) -> str:
        return self.name


class QueueTurn(models.Model):
    """When a job of a person was last started in a queue: the next one is of whoever was served longest ago
    (annotations/background/waiting.py).
    """

    queue = models.CharField(max_length=100)
    person = models.ForeignKey(
        "annotations.User",
        null=True,
        on_delete=models.CASCADE,
        related_name="+",
        help_text="Empty: of all jobs that nobody asked for.",
    )
    taken_at = models.DateTimeField()

    class Meta:
        constraints = [
            once("queue_turn_of_person_once", "queue", "person"),
            once("queue_turn_of_nobody_once", "queue", where=Q(person=None)),
        ]

    def __str__(self) -> str:
        return f"turn of {self.person_id or 'nobody'} in {self.queue}"


class WorkerHeartbeat(models.Model):
    """When a worker was last seen and what it does, so that a page can say if none is running."""

    name = models.CharField(max_length=200, primary_key=True)
    seen_at = models.DateTimeField()
    queues = models.JSONField(default=default_queues, help_text="From which it takes jobs.")

    def __str__(self) -> str:
        return self.name


def kept() -> timedelta:
    """How long a file is kept; it can be made again at any time."""
    return timedelta(days=settings.HLV_FILES_KEPT_DAYS)


class ExportJobQuerySet(models.QuerySet["ExportJob"]):
    def visible_to(self, user: User) -> "ExportJobQuerySet":
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
            always("export_job_success_has_file", ~Q(state="succeeded") | ~Q(name="")),
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


class ErasingGate(models.Model):
    """A row of the running transaction opens the append-only tables to it (annotations/erasing/subjects.py).

    It is deleted before the transaction ends, so no other transaction ever sees it. On PostgreSQL the triggers also
    compare the key with the transaction's own number.
    """

    key = models.CharField(max_length=40, primary_key=True)

    def __str__(self) -> str:
        return self.key


class Erased(models.TextChoices):
    PERSON = "person", "a person"
    TEXT = "text", "a text"
    STUDY = "study", "a study"
    DATASET = "dataset", "a dataset"


class Erasure(BackgroundJob):
    """One erasure: asked for by its owner, done by a worker. It never holds a name, an address or a text.

    Everything in the database goes in one transaction, after which `erased_at` is set; the files of the server and
    what the database itself has left behind follow, and are taken up again if the worker dies.
    """

    counted = gettext_noop("{count, plural, one {# erasure} other {# erasures}}")

    what = models.CharField(max_length=7, choices=Erased.choices)
    target = models.BigIntegerField(help_text="The id of the person, text, study or dataset.")
    with_answers = models.BooleanField(default=False, help_text="Whether answers go too.")
    reason = models.CharField(max_length=300, blank=True, help_text="Why, without names.")
    mark = models.CharField(
        max_length=64, blank=True, help_text="HMAC of what identified it, to erase it again after a restore."
    )
    counts = models.JSONField(default=dict, help_text="How many rows of each kind went.")
    files = models.JSONField(default=list, help_text="Files of the server that still have to be deleted.")
    erased_at = models.DateTimeField(null=True, blank=True, help_text="When it was gone from the database.")

    class Meta(BackgroundJob.Meta):
        verbose_name, verbose_name_plural = "erasure", "erasures"
        constraints = [
            *BackgroundJob.Meta.constraints,
            one_of("erasure_kind_known", "what", Erased),
        ]

    def __str__(self) -> str:
        return f"erasure of {self.what} {self.target}"


class News(models.TextChoices):
    COMPLETED = "completed", "every place of the study is answered"
    FAILED = "failed", "a job of the study failed"
    IDENTITIES = "identities", "names of the study's experts will be erased"


class Notice(BackgroundJob):
    """One mail to a researcher or admin, or one call to the installation's webhook. Its text is not stored."""

    counted = gettext_noop("{count, plural, one {# notification} other {# notifications}}")

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="notices")
    news = models.CharField(max_length=10, choices=News.choices)
    key = models.CharField(
        max_length=200, help_text="What happened, and on which occasion, so that nobody is told twice."
    )
    kind = models.CharField(max_length=50, blank=True, help_text="What failed, in the pages' words; or the day.")
    tab = models.CharField(max_length=20, blank=True, help_text="The tab of the study's page that shows it.")
    counts = models.JSONField(default=dict, help_text="Counts of the study's places at the time.")
    member = models.ForeignKey(
        Membership,
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="notices",
        help_text="Who gets the mail. Empty: the webhook is called instead.",
    )
    tries = models.PositiveSmallIntegerField(default=0, help_text="How many attempts to deliver it have failed.")

    class Meta(BackgroundJob.Meta):
        verbose_name, verbose_name_plural = "notice", "notices"
        constraints = [
            *BackgroundJob.Meta.constraints,
            one_of("notice_news_known", "news", News),
            once("notice_to_somebody_once", "key", "member"),
            once("notice_to_webhook_once", "key", where=Q(member=None)),
        ]

    def __str__(self) -> str:
        return f"notice {self.pk}"
