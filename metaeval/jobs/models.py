"""Runs of analyses: question, subject, progress and result; their logs, their parts for workers, and plans."""

import uuid
from typing import TYPE_CHECKING, Any, Self
from uuid import UUID

from django.core.validators import MinValueValidator
from django.db import models, transaction
from django.db.models import F, Max, Q
from django.utils import timezone
from django.utils.translation import gettext_noop

from annotations.models import BackgroundJob, Dataset, JobState, Study

if TYPE_CHECKING:
    from annotations.models import User


class Subjects(models.TextChoices):
    """What a run is about. The same words as `metaeval.analyses.inputs.SubjectKind`."""

    STUDY = "study", "a study"
    DATASET = "dataset", "a dataset"
    VOTES = "votes", "the pairwise votes of a dataset"
    DATASETS = "datasets", "several datasets"
    NOTHING = "nothing", "nothing: a simulation"


class AnalysisRunQuerySet(models.QuerySet["AnalysisRun"]):
    def visible_to(self, user: "User") -> "AnalysisRunQuerySet":
        """Runs about what the user may see unblinded: studies as researcher or admin, datasets that they may see,
        several datasets if they may see every one; and their own simulations."""
        datasets = Dataset.objects.visible_to(user).unblinded_for(user)
        hidden = AnalysisRun.datasets.through.objects.exclude(dataset__in=datasets.values("pk"))
        mine = Q() if user.is_superuser else Q(owner=user)
        return self.filter(
            Q(study__in=Study.objects.unblinded_for(user).values("pk"))
            | Q(dataset__in=datasets.values("pk"))
            | (Q(subject=Subjects.DATASETS) & ~Q(pk__in=hidden.values("analysisrun_id")))
            | (Q(subject=Subjects.NOTHING) & mine)
        )

    def with_subject(self) -> "AnalysisRunQuerySet":
        """With what they are about, in a fixed number of queries."""
        return self.select_related("study", "dataset").prefetch_related("datasets")


class AnalysisRunManager(models.Manager.from_queryset(AnalysisRunQuerySet)):  # type: ignore[misc]  # made at run time
    """Leaves results, which may be long, in the database until one is read."""

    def get_queryset(self) -> AnalysisRunQuerySet:
        return super().get_queryset().defer("result", "error_detail")  # type: ignore[no-any-return]  # as above


class AnalysisRun(BackgroundJob):
    """A computation with everything that is needed to repeat it to the last digit."""

    tab = "results"
    failure_is_told = True
    counted = gettext_noop("{count, plural, one {# analysis} other {# analyses}}")
    is_limited = True

    subject = models.CharField(max_length=10, choices=Subjects.choices, default=Subjects.STUDY)
    study = models.ForeignKey(Study, null=True, blank=True, on_delete=models.CASCADE, related_name="analysis_runs")
    dataset = models.ForeignKey(Dataset, null=True, blank=True, on_delete=models.CASCADE, related_name="analysis_runs")
    datasets = models.ManyToManyField(
        Dataset, blank=True, related_name="+", help_text="Of a run on several; in the order of their slugs."
    )
    analysis = models.CharField(max_length=80, help_text="The analysis's name in the registry.")
    parameters = models.JSONField(default=dict, help_text="All of them, with defaults filled in.")
    seed = models.BigIntegerField(validators=[MinValueValidator(0)])
    number = models.PositiveIntegerField(
        null=True,
        blank=True,
        editable=False,
        help_text="Among the runs of this analysis in its study, from 1: a part of the address that people share.",
    )
    result = models.JSONField(null=True, blank=True)
    answer = models.CharField(
        max_length=1000,
        blank=True,
        help_text="The result in plain sentences; empty where it was stored before there were any.",
    )
    figures = models.JSONField(default=list, blank=True, help_text="Names of the figures that the result has.")
    fingerprint = models.CharField(max_length=64, blank=True, help_text="SHA-256 of the inputs that were used.")
    made_with = models.CharField(
        max_length=200, blank=True, help_text="Versions of the analysis and of the libraries that computed the result."
    )
    is_simulated = models.BooleanField(default=False)
    is_planned = models.BooleanField(
        null=True,
        blank=True,
        help_text="Whether the result was planned before the study opened; empty where there is no study or no result.",
    )
    answers_erased_at = models.DateTimeField(
        null=True,
        blank=True,
        editable=False,
        help_text="When answers or a text that the result counted were erased; it cannot be computed again.",
    )
    rerun = models.BooleanField(default=False, help_text="Computed although a result of the same question is stored.")
    answered_by = models.ForeignKey(
        "self",
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="+",
        help_text="The run that had answered the same question before; its result is this one's.",
    )

    objects = AnalysisRunManager()

    class Meta(BackgroundJob.Meta):
        verbose_name, verbose_name_plural = "analysis", "analyses"
        constraints = [
            *BackgroundJob.Meta.constraints,
            models.CheckConstraint(condition=Q(seed__gte=0), name="analysis_run_seed_not_negative"),
            models.CheckConstraint(
                condition=~Q(state="succeeded") | Q(result__isnull=False), name="analysis_run_success_has_result"
            ),
            models.CheckConstraint(
                condition=Q(subject="study", study__isnull=False, dataset=None)
                | Q(subject__in=["dataset", "votes"], study=None, dataset__isnull=False)
                | Q(subject__in=["datasets", "nothing"], study=None, dataset=None),
                name="analysis_run_of_its_subject",
            ),
            models.CheckConstraint(
                condition=Q(study=None, number=None) | Q(study__isnull=False, number__gte=1),
                name="analysis_run_number_of_studies",
            ),
            models.UniqueConstraint(fields=["study", "analysis", "number"], name="analysis_run_number_once"),
        ]
        indexes = [
            *BackgroundJob.Meta.indexes,
            models.Index(fields=["study", "-created_at"], name="analysis_run_of_study"),
            models.Index(fields=["dataset", "-created_at"], name="analysis_run_of_dataset"),
            models.Index(fields=["fingerprint", "analysis"], name="analysis_run_of_inputs"),
        ]

    def __str__(self) -> str:
        return f"{self.analysis} of {self.subject} {self.study_id or self.dataset_id or ''}".strip()

    def save(self, *args: Any, **kwargs: Any) -> None:
        """A new run of a study gets its number here, so that every run has an address."""
        if not self._state.adding or self.study_id is None or self.number is not None:
            super().save(*args, **kwargs)
            return
        with transaction.atomic():
            # One at a time; rows that only refer to the study, such as answers, are not blocked.
            Study.objects.select_for_update(no_key=True).only("pk").get(pk=self.study_id)
            of_same = AnalysisRun.objects.filter(study=self.study_id, analysis=self.analysis)
            self.number = 1 + (of_same.aggregate(last=Max("number"))["last"] or 0)
            super().save(*args, **kwargs)


class AnalysisRunLine(models.Model):
    """One line of a run's log: never a text, an answer or a traceback."""

    run = models.ForeignKey("metaeval.AnalysisRun", on_delete=models.CASCADE, related_name="lines")
    at = models.DateTimeField(default=timezone.now)
    text = models.CharField(max_length=300)

    class Meta:
        ordering = ["run_id", "pk"]

    def __str__(self) -> str:
        return self.text


def note(run: UUID, text: str) -> None:
    """Add a line to the log of a run, given by its primary key."""
    AnalysisRunLine.objects.create(run_id=run, text=text[:300])


class AnalysisShardQuerySet(models.QuerySet["AnalysisShard"]):
    def to_be_had(self) -> Self:
        """Shards that are waiting, and those that a dead worker left."""
        abandoned = Q(state=JobState.RUNNING, lease_until__lt=timezone.now())
        return self.filter(Q(state=JobState.QUEUED) | abandoned, cancel_requested=False)


class AnalysisShardManager(models.Manager.from_queryset(AnalysisShardQuerySet)):  # type: ignore[misc]  # made at run time
    """Leaves the values in the database until they are read."""

    def get_queryset(self) -> AnalysisShardQuerySet:
        return super().get_queryset().defer("values", "error_detail")  # type: ignore[no-any-return]  # as above


class AnalysisShard(BackgroundJob):
    """Blocks `first` to `stop` (exclusive) of a run's plan and, when done, their values.

    Created by the run's worker, computed by any free worker, and deleted when the run has ended. The values depend only
    on the blocks, so it does not matter who computes them, when, or how often.
    """

    counted = gettext_noop("{count, plural, one {# part of an analysis} other {# parts of analyses}}")

    run = models.ForeignKey("metaeval.AnalysisRun", on_delete=models.CASCADE, related_name="shards")
    plan = models.CharField(max_length=80)
    first = models.PositiveIntegerField()
    stop = models.PositiveIntegerField()
    values = models.BinaryField(null=True, help_text="The arrays of the blocks, one after the other (NumPy's format).")

    objects = AnalysisShardManager()

    class Meta(BackgroundJob.Meta):
        ordering = ["run_id", "plan", "first"]
        constraints = [
            *BackgroundJob.Meta.constraints,
            models.UniqueConstraint(fields=["run", "plan", "first"], name="analysis_shard_once"),
            models.CheckConstraint(condition=Q(first__lt=F("stop")), name="analysis_shard_has_blocks"),
            models.CheckConstraint(
                condition=~Q(state="succeeded") | Q(values__isnull=False), name="analysis_shard_success_has_values"
            ),
        ]

    def __str__(self) -> str:
        return f"blocks {self.first} to {self.stop} of {self.plan} of run {self.run_id}"

    @classmethod
    def next_for(cls, pk: uuid.UUID) -> uuid.UUID | None:
        """Another shard of the same run, since this worker has already built its plan."""
        siblings = cls.objects.to_be_had().filter(run__shards=pk, run__state=JobState.RUNNING)
        siblings = siblings.filter(Q(lease_until=None) | Q(lease_until__lt=timezone.now()))
        shard: uuid.UUID | None = siblings.order_by("plan", "first").values_list("pk", flat=True).first()
        return shard


class PlannedAnalysis(models.Model):
    """One planned analysis of a study, at its position. Fixed once the plan is stamped (triggers enforce it)."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="planned_analyses")
    position = models.PositiveIntegerField()
    analysis = models.CharField(max_length=80, help_text="The analysis's name in the registry.")
    parameters = models.JSONField(default=dict, help_text="All of them, with defaults filled in.")
    seed = models.BigIntegerField(validators=[MinValueValidator(0)])
    note = models.CharField(max_length=500, blank=True, help_text="What is expected, and why.")

    class Meta:
        ordering = ["study_id", "position"]
        constraints = [
            models.UniqueConstraint(fields=["study", "position"], name="planned_analysis_position_once"),
            models.CheckConstraint(condition=Q(seed__gte=0), name="planned_analysis_seed_not_negative"),
        ]

    def __str__(self) -> str:
        return f"{self.analysis} planned for study {self.study_id}"


class StampedPlan(models.Model):
    """The plan as it was when the study opened. Never changed; one per study."""

    study = models.OneToOneField(Study, on_delete=models.CASCADE, related_name="stamped_plan")
    at = models.DateTimeField(default=timezone.now)
    content = models.JSONField(help_text="The planned analyses in order, as they were hashed.")
    sha256 = models.CharField(max_length=64, help_text="Of the content as canonical JSON.")

    def __str__(self) -> str:
        return self.sha256
