"""What experts read besides the texts: a study's own words, how step 2 is drawn, and the pages' words.

Together they are a study's instrument, and each answer says which version the expert was shown. Append-only.
"""

from django.db import models
from django.db.models import Q

from annotations.models.studies import Study


class InstrumentVersion(models.Model):
    """One version. A study's first is 1; a new one is made only if something differs from all earlier ones."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="instrument_versions")
    number = models.PositiveIntegerField()
    app = models.PositiveIntegerField(help_text="The version of the pages' words (designing/instrument.py).")
    sha256 = models.CharField(max_length=64, help_text="Checksum of the content and the version of the pages' words.")
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
