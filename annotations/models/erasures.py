"""What was erased, and the gate in the triggers that lets an erasure change what is otherwise never changed."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_noop

from annotations.models.jobs import BackgroundJob


class ErasingGate(models.Model):
    """A row of the running transaction opens the append-only tables to it (annotations/erasing/removal.py).

    It is deleted before the transaction ends, so no other transaction ever sees it. On PostgreSQL the triggers also
    compare the key with the transaction's own number.
    """

    key = models.CharField(max_length=40, primary_key=True)

    def __str__(self) -> str:
        return self.key


class Erased(models.TextChoices):
    PERSON = "person", "a person"
    TEXT = "text", "a text"
    STUDY = "study", "a study"
    DATASET = "dataset", "a dataset"


class Erasure(BackgroundJob):
    """One erasure: asked for by its owner, done by a worker. It never holds a name, an address or a text.

    Everything in the database goes in one transaction, after which `erased_at` is set; the files of the server and
    what the database itself has left behind follow, and are taken up again if the worker dies.
    """

    counted = gettext_noop("{count, plural, one {# erasure} other {# erasures}}")

    what = models.CharField(max_length=7, choices=Erased.choices)
    target = models.BigIntegerField(help_text="The id of the person, text, study or dataset.")
    with_answers = models.BooleanField(default=False, help_text="Whether answers go too.")
    reason = models.CharField(max_length=300, blank=True, help_text="Why, without names.")
    mark = models.CharField(
        max_length=64, blank=True, help_text="HMAC of what identified it, to erase it again after a restore."
    )
    counts = models.JSONField(default=dict, help_text="How many rows of each kind went.")
    files = models.JSONField(default=list, help_text="Files of the server that still have to be deleted.")
    erased_at = models.DateTimeField(null=True, blank=True, help_text="When it was gone from the database.")

    class Meta(BackgroundJob.Meta):
        verbose_name, verbose_name_plural = "erasure", "erasures"
        constraints = [
            *BackgroundJob.Meta.constraints,
            models.CheckConstraint(condition=Q(what__in=Erased.values), name="erasure_kind_known"),
        ]

    def __str__(self) -> str:
        return f"erasure of {self.what} {self.target}"
