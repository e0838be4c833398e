"""The secret keys that sides are drawn with. Nothing shows them before the study is closed (docs/studies.md)."""

from django.db import models
from django.db.models import Q

from annotations.ground.sides import EARLIER, KEY_BYTES, RULE
from annotations.models.studies import Study


class Phase(models.TextChoices):
    """The part of a study in which step 2 was first shown; each has its own key and turns."""

    PILOT = "pilot", "pilot"
    MAIN = "main", "main study"


class SideRule(models.IntegerChoices):
    """How a side is drawn (annotations/ground/sides.py)."""

    EARLIER = EARLIER, "from the seed in blocks of four, or collected elsewhere"
    KEYED = RULE, "by the study's key"


class SideKey(models.Model):
    """The key of one phase of a study. Made when the phase begins, never changed, and published when the study is
    closed.

    A separate table, not a column of a study, so that nothing that reads or copies studies can take it along.
    """

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="side_keys")
    phase = models.CharField(max_length=5, choices=Phase.choices)
    key = models.BinaryField(max_length=KEY_BYTES)
    name = models.CharField(max_length=80, help_text="The study's name at that time, which goes into every draw.")
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["study_id", "phase"]
        constraints = [
            models.UniqueConstraint(fields=["study", "phase"], name="side_key_once"),
            models.CheckConstraint(condition=Q(phase__in=Phase.values), name="side_key_phase_known"),
        ]

    def __str__(self) -> str:
        return f"side key of the {self.phase} phase of study {self.study_id}"
