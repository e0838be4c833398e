"""The secret keys that sides are drawn with. Nothing shows them before the study is closed (docs/studies.md)."""

from django.db import models
from django.db.models import Q

from annotations.blinding.sides import EARLIER, KEY_BYTES, RULE
from annotations.models.studies import Study


class Phase(models.TextChoices):
    """In which part of a study step 2 was first shown: each has a key and turns of its own."""

    PILOT = "pilot", "pilot"
    MAIN = "main", "main study"


class SideRule(models.IntegerChoices):
    """Where a side comes from (annotations/blinding/sides.py)."""

    EARLIER = EARLIER, "from the seed in blocks of four, or collected elsewhere"
    KEYED = RULE, "by the study's key"


class SideKey(models.Model):
    """The key of one phase of a study. Made when the phase begins, never changed, and told when the study is closed.

    A table of its own, and no column of a study, so that nothing which reads or writes studies down can carry it along.
    """

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="side_keys")
    phase = models.CharField(max_length=5, choices=Phase.choices)
    key = models.BinaryField(max_length=KEY_BYTES)
    name = models.CharField(max_length=80, help_text="What the study was called then: it goes into every draw.")
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["study_id", "phase"]
        constraints = [
            models.UniqueConstraint(fields=["study", "phase"], name="side_key_once"),
            models.CheckConstraint(condition=Q(phase__in=Phase.values), name="side_key_phase_known"),
        ]

    def __str__(self) -> str:
        return f"side key of the {self.phase} phase of study {self.study_id}"
