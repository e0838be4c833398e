"""One run of an analysis: the question and its subject, its progress, and the result."""

from typing import TYPE_CHECKING, Any

from django.core.validators import MinValueValidator
from django.db import models, transaction
from django.db.models import Max, Q
from django.utils.translation import gettext_noop

from annotations.models import BackgroundJob, Dataset, Study

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
