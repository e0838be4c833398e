"""Individual annotators, what systems predict each of them would say, and pairwise votes of judges."""

from django.db import models
from django.db.models import Q

from annotations.ground.system_names import system_name
from annotations.models.datasets import Dataset, Instance
from annotations.models.people import User
from annotations.storing.fields import MatrixField


class Annotator(models.Model):
    """What the files say about one annotator, such as age and education. The person is identified by a code only.

    A row exists only if something is known: `HumanAnnotation.annotator` does not need one.
    """

    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="annotators")
    code = models.CharField(max_length=200)
    about = models.JSONField(help_text='Texts by name, as imported: {"Age": "26"}.')

    class Meta:
        ordering = ["dataset_id", "code"]
        constraints = [
            models.UniqueConstraint(fields=["dataset", "code"], name="annotator_code_once"),
            models.CheckConstraint(condition=~Q(code=""), name="annotator_has_code"),
        ]

    def __str__(self) -> str:
        return self.code


class PredictedAnnotationsQuerySet(models.QuerySet["PredictedAnnotations"]):
    def visible_to(self, user: User) -> "PredictedAnnotationsQuerySet":
        return self.filter(dataset__in=Dataset.objects.visible_to(user))


class PredictedAnnotationsManager(
    models.Manager.from_queryset(PredictedAnnotationsQuerySet)  # type: ignore[misc]  # made at run time
):
    """Leaves the matrix in the database until somebody reads it."""

    def get_queryset(self) -> PredictedAnnotationsQuerySet:
        return super().get_queryset().defer("answers")  # type: ignore[no-any-return]  # as above


class PredictedAnnotations(models.Model):
    """A system's prediction of every single human annotation (the perspectivist task).

    A `System` predicts distributions; a source may have either, or both under the same model, method and run. A row of
    NaN means that it did not predict this annotation.
    """

    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="predicted_annotations")
    model = models.CharField(max_length=100)
    method = models.CharField(max_length=100, blank=True)
    run = models.CharField(max_length=100, blank=True)
    answers = MatrixField(
        editable=False,
        rows_may_lack=True,
        help_text="0 or 1; one row per human annotation, ordered by instance and position; one column per label.",
    )
    fingerprint = models.CharField(max_length=64, editable=False, help_text="SHA-256 of the matrix.")
    options = models.JSONField(default=dict, blank=True, help_text="How it was read, such as the alignment.")
    is_simulated = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = PredictedAnnotationsManager()

    class Meta:
        ordering = ["dataset_id", "model", "method", "run"]
        constraints = [
            models.UniqueConstraint(fields=["dataset", "model", "method", "run"], name="predicted_annotations_once"),
            models.CheckConstraint(condition=~Q(model=""), name="predicted_annotations_have_model"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def name(self) -> str:
        """For people to read: model, method and run, leaving out empty ones."""
        return system_name(self.model, self.method, self.run)


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
    def visible_to(self, user: User) -> "PairwiseVoteQuerySet":
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
