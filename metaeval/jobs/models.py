"""One run of an analysis: what was asked, how far it is, and the result."""

from typing import TYPE_CHECKING, Any

from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import Q

from annotations.models import BackgroundJob, Study

if TYPE_CHECKING:
    from annotations.jobs import Progress
    from annotations.models import User


class AnalysisRunQuerySet(models.QuerySet["AnalysisRun"]):
    def visible_to(self, user: "User") -> "AnalysisRunQuerySet":
        """Runs on the studies in which the user is researcher or admin: results are unblinded."""
        return self.filter(study__in=Study.objects.unblinded_for(user))


class AnalysisRunManager(models.Manager.from_queryset(AnalysisRunQuerySet)):  # type: ignore[misc]
    """Leaves results, which may be long, in the database until somebody reads one."""

    def get_queryset(self) -> AnalysisRunQuerySet:
        return super().get_queryset().defer("result", "error_detail")  # type: ignore[no-any-return]


class AnalysisRun(BackgroundJob):
    """A computation over a study, with all that is needed to repeat it to the last digit."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="analysis_runs")
    analysis = models.CharField(max_length=80, help_text="The analysis's name in the registry.")
    parameters = models.JSONField(default=dict, help_text="All of them, with defaults filled in.")
    seed = models.BigIntegerField(validators=[MinValueValidator(0)])
    result = models.JSONField(null=True, blank=True)
    figures = models.JSONField(default=list, blank=True, help_text="Names of the figures that the result has.")
    fingerprint = models.CharField(max_length=64, blank=True, help_text="SHA-256 of the inputs that were used.")
    is_simulated = models.BooleanField(default=False)

    objects = AnalysisRunManager()

    class Meta(BackgroundJob.Meta):
        constraints = [
            *BackgroundJob.Meta.constraints,
            models.CheckConstraint(condition=Q(seed__gte=0), name="analysis_run_seed_not_negative"),
            models.CheckConstraint(
                condition=~Q(state="succeeded") | Q(result__isnull=False), name="analysis_run_success_has_result"
            ),
        ]
        indexes = [
            *BackgroundJob.Meta.indexes,
            models.Index(fields=["study", "-created_at"], name="analysis_run_of_study"),
        ]

    def __str__(self) -> str:
        return f"{self.analysis} of study {self.study_id}"

    def execute(self, progress: "Progress") -> dict[str, Any]:
        from metaeval.jobs.running import execute_run  # the model must not import the numerics

        return execute_run(run=self, progress=progress)
