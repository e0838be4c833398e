"""A part of a run that any worker may compute: some blocks of one plan."""

import uuid
from typing import Self

from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext_noop

from annotations.models import BackgroundJob, JobState


class AnalysisShardQuerySet(models.QuerySet["AnalysisShard"]):
    def to_be_had(self) -> Self:
        """Shards that are waiting, and those that a dead worker left."""
        left = Q(state=JobState.RUNNING, lease_until__lt=timezone.now())
        return self.filter(Q(state=JobState.QUEUED) | left, cancel_requested=False)


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
        found: uuid.UUID | None = siblings.order_by("plan", "first").values_list("pk", flat=True).first()
        return found
