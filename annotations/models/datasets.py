"""What is judged: datasets, their labels and instances; what people, systems and judges said about them."""

from typing import Any

import numpy as np
from django.db import models
from django.db.models import F, Q

from annotations.ground.system_names import system_name
from annotations.models.looks import TextSet
from annotations.models.people import User
from annotations.storing.constraints import always, once, one_of
from annotations.storing.fields import MatrixField


class Task(models.TextChoices):
    """The kind of a label set."""

    MULTICLASS = "multiclass", "one label"
    MULTILABEL = "multilabel", "any labels"
    ORDINAL = "ordinal", "one point of a scale"


class DatasetQuerySet(models.QuerySet["Dataset"]):
    def visible_to(self, user: User) -> "DatasetQuerySet":
        """Datasets of studies in which the user is a researcher or admin, and those they imported."""
        if user.is_superuser:
            return self
        return self.filter(Q(created_by=user) | Q(studies__memberships__in=user.memberships.unblinded())).distinct()

    def unblinded_for(self, user: User) -> "DatasetQuerySet":
        """Without those that have a text of an unclosed study in which the user answers: P and Q tell which side is
        whose.
        """
        return self.exclude(text_set__in=TextSet.objects.answered_by(user))


class DatasetManager(models.Manager.from_queryset(DatasetQuerySet)):  # type: ignore[misc]  # made at run time
    """Leaves the gold matrix in the database until somebody reads it."""

    def get_queryset(self) -> DatasetQuerySet:
        return super().get_queryset().defer("gold")  # type: ignore[no-any-return]  # as above


class Dataset(models.Model):
    """Instances, a label set, and the human judgements of them. Never changed once imported.

    A dataset of only pairwise votes (`PairwiseVote`) has no labels, and P has no columns.
    Withdrawing a text (`Instance.withdrawn_at`) changes who may see it, not what was imported.
    """

    slug = models.SlugField(max_length=80, unique=True)
    title = models.CharField(max_length=200)
    description = models.TextField(blank=True)
    source = models.TextField(blank=True, help_text="Where the data come from: a citation, an address.")
    licence = models.CharField(max_length=200, blank=True)
    task = models.CharField(max_length=10, choices=Task.choices)
    gold = MatrixField(
        editable=False, help_text="P, the judgement distributions: instances x labels, ordered by position."
    )
    fingerprint = models.CharField(max_length=64, editable=False, help_text="SHA-256 of everything that was imported.")
    text_set = models.ForeignKey(TextSet, on_delete=models.PROTECT, related_name="datasets", editable=False)
    renamed_labels = models.JSONField(
        default=dict,
        blank=True,
        editable=False,
        help_text="The labels in the imported files, each with its name here; empty if they kept theirs.",
    )
    is_simulated = models.BooleanField(default=False)
    created_by = models.ForeignKey(
        "annotations.User", null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    objects = DatasetManager()

    class Meta:
        ordering = ["slug"]
        constraints = [one_of("dataset_task_known", "task", Task)]

    def __str__(self) -> str:
        return self.slug


class Label(models.Model):
    """One label of a dataset's label set, with its position. An ordinal label also has a value on the scale."""

    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="labels")
    position = models.PositiveIntegerField()
    name = models.CharField(max_length=200)
    exclusive = models.BooleanField(default=False, help_text="Cannot be chosen together with any other label.")
    value = models.FloatField(null=True, blank=True, help_text="Its point on the scale, for ordinal tasks.")
    display_name = models.CharField(
        max_length=200, blank=True, default="", help_text="The name experts read; empty: the label's own."
    )
    search_words = models.JSONField(
        default=list, blank=True, help_text="Other words by which experts can find it. They are never shown as labels."
    )

    class Meta:
        ordering = ["dataset_id", "position"]
        constraints = [
            once("label_position_once", "dataset", "position"),
            once("label_name_once", "dataset", "name"),
            once("label_one_exclusive", "dataset", where=Q(exclusive=True)),
            always("label_has_name", ~Q(name="")),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def shown(self) -> str:
        """What experts read."""
        return self.display_name or self.name


class Instance(models.Model):
    """One text, or a few named text segments, to be judged."""

    class Direction(models.TextChoices):
        LTR = "ltr", "left to right"
        RTL = "rtl", "right to left"

    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="instances")
    position = models.PositiveIntegerField()
    external_id = models.CharField(max_length=200)
    segments = models.JSONField(help_text='[{"name": "premise", "text": "..."}, ...]; one unnamed segment for a text.')
    language = models.CharField(max_length=20, default="en")
    direction = models.CharField(max_length=3, choices=Direction.choices, default=Direction.LTR)
    parts = models.PositiveIntegerField(
        default=100,
        help_text="Its human shares are multiples of 1/parts: how many people judged it, or might have.",
    )
    split = models.CharField(
        max_length=20,
        blank=True,
        default="",
        db_default="",
        help_text="The part of the data to which its file says it belongs, such as train, dev or test.",
    )
    text_digest = models.BigIntegerField(
        null=True, editable=False, help_text="By which the same text is known in other datasets; null: it has no words."
    )
    withdrawn_at = models.DateTimeField(
        null=True, blank=True, help_text="When the text was withdrawn because it identifies a person (moderating.py)."
    )
    erased_at = models.DateTimeField(
        null=True,
        blank=True,
        editable=False,
        help_text="When the text was erased. Its row stays, so that the others keep their places.",
    )

    class Meta:
        ordering = ["dataset_id", "position"]
        constraints = [
            once("instance_position_once", "dataset", "position"),
            once("instance_external_id_once", "dataset", "external_id"),
            always("instance_direction_known", Q(direction__in=["ltr", "rtl"])),
            always("instance_has_parts", Q(parts__gte=1)),
        ]
        indexes = [
            models.Index(fields=["dataset"], condition=Q(withdrawn_at__isnull=False), name="instance_withdrawn"),
            models.Index(fields=["text_digest"], name="instance_text_digest"),
        ]

    def __str__(self) -> str:
        return self.external_id


class HumanAnnotation(models.Model):
    """One person's labels for one instance; the person is known by a code or not at all.

    If there are only counts and no codes (ChaosNLI: 91 of 100 people said entailment), people who said the
    same share one row with their `count`.
    """

    instance = models.ForeignKey(Instance, on_delete=models.CASCADE, related_name="annotations")
    position = models.PositiveIntegerField(help_text="Its place among the instance's annotations, as imported.")
    annotator = models.CharField(max_length=200, blank=True, help_text="A code, never a name; empty: unknown.")
    labels = models.JSONField(help_text="Positions of the chosen labels, ascending.")
    count = models.PositiveIntegerField(default=1, help_text="How many unidentified people gave exactly these labels.")

    class Meta:
        ordering = ["instance_id", "position"]
        constraints = [
            once("annotation_position_once", "instance", "position"),
            always("annotation_count_positive", Q(count__gte=1)),
            always("annotation_known_person_counts_once", Q(annotator="") | Q(count=1)),
        ]

    def __str__(self) -> str:
        return f"{self.annotator or 'somebody'} on instance {self.instance_id}"


BELOW = "below_scale"
"""Key in a system's options: the share that each instance's prediction gave to a point below the scale's first."""


MISSING = "missing"
"""Key in a system's options: how many instances it predicts nothing for. Their rows are NaN."""


class SystemQuerySet(models.QuerySet["System"]):
    def visible_to(self, user: User) -> "SystemQuerySet":
        return self.filter(dataset__in=Dataset.objects.visible_to(user))


class EverySystemManager(models.Manager.from_queryset(SystemQuerySet)):  # type: ignore[misc]  # made at run time
    """Leaves the predictions in the database until somebody reads them."""

    def get_queryset(self) -> SystemQuerySet:
        return super().get_queryset().defer("predictions")  # type: ignore[no-any-return]  # as above


class SystemManager(EverySystemManager):
    """The systems that were imported with a dataset, excluding studies' means of runs."""

    def get_queryset(self) -> SystemQuerySet:
        return super().get_queryset().filter(averaged_for=None)


class System(models.Model):
    """One source of predictions: a model, a method, a run.

    Its Q matrix has a row for every instance of the dataset; a row of NaN means that it predicted nothing there.

    Runs of one model and method are not independent: unless a study asks for single runs, its plan uses their mean
    instead (annotations/designing/averaging.py). A mean is a row too. It is `averaged_for` that study and lives as
    long as its plan; it has no run, and its `averaged_runs` say what it averages. Runs imported later change
    nothing.
    """

    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="systems")
    model = models.CharField(max_length=100)
    method = models.CharField(max_length=100, blank=True)
    run = models.CharField(max_length=100, blank=True)
    predictions = MatrixField(
        editable=False, rows_may_lack=True, help_text="Q: instances x labels, ordered by position."
    )
    fingerprint = models.CharField(max_length=64, editable=False, help_text="SHA-256 of the matrix.")
    options = models.JSONField(default=dict, blank=True, help_text="How it was read, such as the temperature.")
    is_simulated = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)
    averaged_for = models.ForeignKey(
        "annotations.Study",
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="+",
        help_text="The study that compares this mean of runs. Empty: imported.",
    )

    objects = SystemManager()
    compared = EverySystemManager()
    """Everything studies compare: imported systems, and means of their runs."""

    class Meta:
        ordering = ["dataset_id", "model", "method", "run"]
        constraints = [
            once("system_once", "dataset", "model", "method", "run", where=Q(averaged_for=None)),
            once("system_mean_once", "averaged_for", "model", "method"),
            always("system_mean_has_no_run", Q(averaged_for=None) | Q(run="")),
            always("system_has_model", ~Q(model="")),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def name(self) -> str:
        """For people to read: model, method and run, leaving out empty ones.

        >>> System(model="RoBERTa", method="ReL", run="0").name
        'RoBERTa / ReL / 0'
        """
        return system_name(self.model, self.method, self.run)

    @property
    def missing(self) -> int:
        """How many instances it predicts nothing for."""
        return int(self.options.get(MISSING, 0))


class AveragedRun(models.Model):
    """One of the runs in a mean. A run that a study uses in this way cannot be deleted."""

    mean = models.ForeignKey(System, on_delete=models.CASCADE, related_name="averaged_runs")
    run = models.ForeignKey(System, on_delete=models.RESTRICT, related_name="+")

    class Meta:
        ordering = ["mean_id", "pk"]
        constraints = [once("averaged_run_once", "mean", "run")]

    def __str__(self) -> str:
        return f"{self.run} in the mean {self.mean_id}"


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
            once("annotator_code_once", "dataset", "code"),
            always("annotator_has_code", ~Q(code="")),
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
            once("predicted_annotations_once", "dataset", "model", "method", "run"),
            always("predicted_annotations_have_model", ~Q(model="")),
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
            once("judge_code_once", "dataset", "code"),
            always("judge_has_code", ~Q(code="")),
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
            once("vote_position_once", "dataset", "position"),
            one_of("vote_outcome_known", "outcome", Outcome),
            always("vote_systems_named", ~Q(first="") & ~Q(second="")),
            always("vote_of_two_systems", ~Q(first=F("second"))),
            always("vote_certainty_in_range", Q(certainty=None) | Q(certainty__gte=0, certainty__lte=1)),
        ]

    def __str__(self) -> str:
        return f"vote {self.position} of dataset {self.dataset_id}"


def matrix_or_error(value: Any) -> np.ndarray:
    """The matrix of a field that was just loaded (a loaded matrix is never None, which type checkers cannot know)."""
    if not isinstance(value, np.ndarray):
        raise TypeError(f"expected a matrix, got {type(value).__name__}")
    return value
