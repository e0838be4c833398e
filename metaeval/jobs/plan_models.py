"""The analysis plan of a study: what will be computed, stated before there are answers."""

from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils import timezone

from annotations.models import Study


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
