"""Imported pairwise votes: which of two systems a judge preferred for an instance.

A vote needs no predictions of the systems: it names them as the file did. A dataset that contains only votes has no
labels, and its P has no columns.
"""

from typing import TYPE_CHECKING

from django.db import models
from django.db.models import Q

from annotations.models.datasets import Dataset, Instance

if TYPE_CHECKING:
    from annotations.models.people import User


class Judge(models.Model):
    """A voter: a person or a machine, identified by a code."""

    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="judges")
    code = models.CharField(max_length=200, help_text="A code, never a name.")
    is_machine = models.BooleanField(default=False)

    class Meta:
        ordering = ["dataset_id", "code"]
        constraints = [
            models.UniqueConstraint(fields=["dataset", "code"], name="judge_code_once"),
            models.CheckConstraint(condition=~Q(code=""), name="judge_has_code"),
        ]

    def __str__(self) -> str:
        return self.code


class Outcome(models.TextChoices):
    """What a vote says. A tie that resulted from asking in both orders is kept apart, as recorded."""

    FIRST = "first", "the first is better"
    SECOND = "second", "the second is better"
    TIE = "tie", "tie"
    TIE_INCONSISTENT = "tie_inconsistent", "tie, because the judge contradicted itself"


class PairwiseVoteQuerySet(models.QuerySet["PairwiseVote"]):
    def visible_to(self, user: "User") -> "PairwiseVoteQuerySet":
        """The votes of the datasets that the user may see."""
        return self.filter(dataset__in=Dataset.objects.visible_to(user))


class PairwiseVote(models.Model):
    """One vote, at its place in the files. The systems' order is as recorded and may be the order in which they were
    shown.

    One judge may vote on one item more than once; every vote is kept. Votes are never changed, and a vote's
    instance and judge are its dataset's (triggers enforce both).
    """

    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="votes")
    position = models.PositiveIntegerField(help_text="Its place among the dataset's votes, as imported.")
    instance = models.ForeignKey(Instance, on_delete=models.CASCADE, related_name="votes")
    judge = models.ForeignKey(Judge, on_delete=models.CASCADE, related_name="votes")
    first = models.CharField(max_length=200, help_text="The first system's name.")
    second = models.CharField(max_length=200, help_text="The second system's name.")
    outcome = models.CharField(max_length=20, choices=Outcome.choices)
    certainty = models.FloatField(null=True, blank=True, help_text="In [0, 1]; empty: not given.")

    objects = PairwiseVoteQuerySet.as_manager()

    class Meta:
        ordering = ["dataset_id", "position"]
        constraints = [
            models.UniqueConstraint(fields=["dataset", "position"], name="vote_position_once"),
            models.CheckConstraint(condition=Q(outcome__in=Outcome.values), name="vote_outcome_known"),
            models.CheckConstraint(condition=~Q(first="") & ~Q(second=""), name="vote_systems_named"),
            models.CheckConstraint(condition=~Q(first=models.F("second")), name="vote_of_two_systems"),
            models.CheckConstraint(
                condition=Q(certainty=None) | Q(certainty__gte=0, certainty__lte=1), name="vote_certainty_in_range"
            ),
        ]

    def __str__(self) -> str:
        return f"vote {self.position} of dataset {self.dataset_id}"
