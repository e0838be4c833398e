"""What experts guess at the end: which of the two sides was the human one. It shows whether the blinding held."""

from django.db import models
from django.db.models import Q

from annotations.models.comparisons import Assignment, SideOrder


class GuessedSide(models.TextChoices):
    A = "a", "A was people's"
    B = "b", "B was people's"
    UNKNOWN = "unknown", "cannot say"


class Guess(models.Model):
    """One expert's guess about one answered comparison. Never changed; experts are never told the truth."""

    assignment = models.OneToOneField(Assignment, on_delete=models.PROTECT, related_name="guess")
    key = models.UUIDField(unique=True, help_text="Generated in the browser; sending it twice stores one guess.")
    side = models.CharField(max_length=7, choices=GuessedSide.choices)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["assignment_id"]
        constraints = [models.CheckConstraint(condition=Q(side__in=GuessedSide.values), name="guess_side_known")]

    def __str__(self) -> str:
        return f"guess about assignment {self.assignment_id}"


def human_side(side_order: str) -> GuessedSide:
    """The human side in a human-vs-system study, where people are always the first source.

    >>> human_side(SideOrder.FIRST_IS_A)
    GuessedSide.A
    """
    return GuessedSide.A if side_order == SideOrder.FIRST_IS_A else GuessedSide.B
