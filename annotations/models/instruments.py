"""What experts read beside the texts: a study's own words, how step 2 is drawn, and the words of the pages.

They are the instrument of a study, and each answer says which version of it the expert had before them. Append-only.
"""

from django.db import models
from django.db.models import Q

from annotations.models.studies import Study


class InstrumentVersion(models.Model):
    """One version. The study's first is 1; a new one is made only where something differs from all before."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="instrument_versions")
    number = models.PositiveIntegerField()
    app = models.PositiveIntegerField(help_text="The version of the words of the pages (designing/instrument.py).")
    sha256 = models.CharField(max_length=64, help_text="Of the content and the version of the pages' words.")
    content = models.JSONField(help_text="Questions, instructions, labels, layout and language, as experts read them.")
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["study_id", "number"]
        constraints = [
            models.UniqueConstraint(fields=["study", "number"], name="instrument_version_once"),
            models.UniqueConstraint(fields=["study", "sha256"], name="instrument_content_once"),
            models.CheckConstraint(condition=Q(number__gte=1), name="instrument_version_from_1"),
        ]

    def __str__(self) -> str:
        return f"version {self.number} of what experts of study {self.study_id} read"
