"""The columns that an answer fills, without the rules about them."""

from django.db import models


class Place(models.Model):
    comparison = models.IntegerField()
    place = models.PositiveIntegerField()
    expert = models.IntegerField(null=True)
    position = models.PositiveIntegerField(null=True)
    side_order = models.CharField(max_length=20, default="")
    turn = models.PositiveIntegerField(null=True)
    claimed_at = models.DateTimeField(null=True)
    comparison_shown_at = models.DateTimeField(null=True)
    completed_at = models.DateTimeField(null=True)

    objects: "models.Manager[Place]" = models.Manager()

    class Meta:
        app_label = "bare"
        constraints = [models.UniqueConstraint(fields=["expert", "position"], name="bare_position_once")]

    def __str__(self) -> str:
        return f"place {self.place} of comparison {self.comparison}"


class Step(models.Model):
    place = models.ForeignKey(Place, on_delete=models.PROTECT, related_name="%(class)ss")
    revision = models.PositiveIntegerField(default=0)
    key = models.UUIDField(unique=True)
    active_ms = models.PositiveIntegerField(null=True)
    page_language = models.CharField(max_length=20, default="")
    created_at = models.DateTimeField()

    class Meta:
        app_label = "bare"
        abstract = True


class Step1(Step):  # noqa: DJ008 - nobody reads it
    labels = models.JSONField()


class Step2(Step):  # noqa: DJ008 - nobody prints one
    a_chosen = models.BooleanField()
    b_chosen = models.BooleanField()
    certainty = models.FloatField(null=True)
