"""Individual annotators: what is known about them, and what systems predict each of them would say."""

from typing import TYPE_CHECKING

from django.db import models
from django.db.models import Q

from annotations.ground.system_names import system_name
from annotations.models.datasets import Dataset
from annotations.storing.fields import MatrixField

if TYPE_CHECKING:
    from annotations.models.people import User


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
    def visible_to(self, user: "User") -> "PredictedAnnotationsQuerySet":
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
