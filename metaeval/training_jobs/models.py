"""A training of several methods on a dataset, and its jobs: one for each method, run and fold."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_noop

from annotations.models import BackgroundJob, Dataset
from annotations.storing.fields import MatrixField
from metaeval.training.extra import QUEUE

if TYPE_CHECKING:
    from annotations.models import User


class StoredSplitManager(models.Manager["StoredSplit"]):
    """Leaves the parts in the database until somebody reads them."""

    def get_queryset(self) -> models.QuerySet[StoredSplit]:
        return super().get_queryset().defer("parts")


class StoredSplit(models.Model):
    """Which texts of a dataset are learnt from, developed on and predicted, in each fold. Never changed: trainings of
    different encoders can be compared because they share one.
    """

    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="splits")
    kind = models.CharField(max_length=10)
    folds = models.PositiveIntegerField()
    seed = models.BigIntegerField(validators=[MinValueValidator(0)])
    is_stratified = models.BooleanField(default=False)
    twins = models.PositiveIntegerField(default=0, help_text="Texts left out as copies of texts in another part.")
    parts = MatrixField(editable=False, help_text="Folds x instances, ordered by position (metaeval/training/splits).")
    fingerprint = models.CharField(max_length=64, editable=False, help_text="SHA-256 of the ids and parts.")
    created_at = models.DateTimeField(default=timezone.now)

    objects = StoredSplitManager()

    class Meta:
        ordering = ["dataset_id", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["dataset", "kind", "fingerprint"], name="split_once"),
            models.CheckConstraint(condition=Q(seed__gte=0), name="split_seed_not_negative"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} split of dataset {self.dataset_id}"


class TrainingState(models.TextChoices):
    """How far a training is. What it waits for is in its jobs."""

    CHECKING = "checking", "being checked and measured"
    READY = "ready", "ready to start"
    TRAINING = "training", "training"
    FINISHED = "finished", "finished"
    STOPPED = "stopped", "stopped"
    FAILED = "failed", "failed"


class TrainingQuerySet(models.QuerySet["Training"]):
    def visible_to(self, user: User) -> TrainingQuerySet:
        """Trainings on datasets whose predictions the user may see."""
        return self.filter(dataset__in=Dataset.objects.visible_to(user))


class Training(models.Model):
    """What a researcher asked to have trained, with everything that is needed to repeat it."""

    ENDED = frozenset({TrainingState.FINISHED, TrainingState.STOPPED, TrainingState.FAILED})
    UNDER_WAY = frozenset({TrainingState.CHECKING, TrainingState.TRAINING})

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="trainings")
    split = models.ForeignKey(StoredSplit, on_delete=models.CASCADE, related_name="trainings")
    owner = models.ForeignKey("annotations.User", null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    model = models.CharField(max_length=100, help_text="The model of the systems that it makes.")
    methods = models.JSONField(help_text="Names in the registry, in its order.")
    parameters = models.JSONField(help_text="All of them, with defaults filled in.")
    seed = models.BigIntegerField(validators=[MinValueValidator(0)])
    state = models.CharField(max_length=10, choices=TrainingState.choices, default=TrainingState.CHECKING)
    starts_itself = models.BooleanField(default=False, help_text="Whether it starts as soon as it has been checked.")
    notes = models.JSONField(
        default=list, blank=True, help_text="What is worth knowing before it starts, in sentences."
    )
    forecast = models.JSONField(null=True, blank=True, help_text="Time and memory, measured before the start.")
    error = models.TextField(blank=True, help_text="Why it failed, in a sentence for its owner.")
    created_at = models.DateTimeField(default=timezone.now)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = TrainingQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.CheckConstraint(condition=Q(state__in=TrainingState.values), name="training_state_known"),
            models.CheckConstraint(condition=Q(seed__gte=0), name="training_seed_not_negative"),
            models.CheckConstraint(condition=~Q(model=""), name="training_has_model"),
        ]
        indexes = [models.Index(fields=["state"], name="training_under_way")]

    def __str__(self) -> str:
        return f"training of {self.model} on dataset {self.dataset_id}"


class TrainingJobManager(models.Manager["TrainingJob"]):
    """Leaves results and predictions, which may be long, in the database until one is read."""

    def get_queryset(self) -> models.QuerySet[TrainingJob]:
        return super().get_queryset().defer("result", "outputs", "error_detail")


class TrainingJob(BackgroundJob):
    """A piece of a training: its check, the search for one method's settings, or one fit."""

    class Piece(models.TextChoices):
        CHECK = "check", "check and forecast"
        SEARCH = "search", "search for settings"
        FIT = "fit", "training"

    queue = QUEUE
    counted = gettext_noop("{count, plural, one {# training} other {# trainings}}")
    is_limited = True
    CALLED = 8
    """For how many waiting jobs workers are called at once."""

    training = models.ForeignKey(Training, on_delete=models.CASCADE, related_name="jobs")
    kind = models.CharField(max_length=6, choices=Piece.choices)
    method = models.CharField(max_length=100, blank=True, help_text="Empty for the check.")
    run = models.PositiveIntegerField(default=0, help_text="From 1; 0 for what all runs share.")
    fold = models.PositiveIntegerField(default=0)
    result = models.JSONField(null=True, blank=True, help_text="Loss curve, settings, search, time and memory.")
    outputs = MatrixField(
        null=True, editable=False, help_text="Of a fit: the logits of the texts to be predicted x (heads x labels)."
    )
    checkpoint = models.CharField(
        max_length=200, blank=True, editable=False, help_text="The file from which an interrupted job goes on."
    )

    objects = TrainingJobManager()

    class Meta(BackgroundJob.Meta):
        verbose_name = "training job"
        ordering = ["training_id", "kind", "fold", "run", "method"]
        constraints = [
            *BackgroundJob.Meta.constraints,
            models.UniqueConstraint(fields=["training", "kind", "method", "run", "fold"], name="training_job_once"),
            models.CheckConstraint(condition=Q(kind__in=["check", "search", "fit"]), name="training_job_kind_known"),
            models.CheckConstraint(
                condition=~Q(state="succeeded") | ~Q(kind="fit") | Q(outputs__isnull=False),
                name="training_job_fit_has_outputs",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @classmethod
    def unfinished_of(cls, owner: int) -> models.QuerySet[Any]:
        """Trainings: how many jobs each has is no choice of its owner's."""
        return Training.objects.filter(owner=owner, state__in=Training.UNDER_WAY)

    @property
    def name(self) -> str:
        """For people to read, such as "SL, run 2, fold 3"."""
        parts = [self.method or str(self.get_kind_display())]
        parts += [f"run {self.run}"] * (self.run > 0) + [f"fold {self.fold + 1}"] * (self.kind != "check")
        return ", ".join(parts)

    def found(self) -> dict[str, Any]:
        """Its result; an empty one before it has ended."""
        return self.result if isinstance(self.result, dict) else {}
