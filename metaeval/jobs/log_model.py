"""What happened to a run, line by line. Lines are only ever added (a trigger enforces it)."""

from uuid import UUID

from django.db import models
from django.utils import timezone


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
