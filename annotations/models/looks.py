"""Who has seen the distributions of which texts: blinding is a property of a person and a dataset, not of a study."""

import numpy as np
from django.db import models
from django.utils import timezone

from annotations.models.people import User
from annotations.storing.constraints import once

DIGESTS = np.dtype("<i8")


class TextSetQuerySet(models.QuerySet["TextSet"]):
    def answered_by(self, user: User) -> "TextSetQuerySet":
        """Those with a text of an unclosed study in which the person answers: they must not see distributions of them.

        Whoever has looked at these texts already answers no more (annotations/history/looks.py), so nothing is kept
        from them.
        """
        answered = user.memberships.experts().filter(is_active=True).exclude(study__state="closed")
        theirs = self.model.objects.filter(datasets__studies__memberships__in=answered)
        return self.filter(overlaps__in=theirs.exclude(overlaps__looks__user=user))


class TextSet(models.Model):
    """The texts of a dataset, whoever imported them under whatever name; it stays when the dataset is deleted."""

    fingerprint = models.CharField(max_length=64, unique=True, editable=False, help_text="SHA-256 of the digests.")
    digests = models.BinaryField(
        editable=False, help_text="The texts' digests (annotations/ground/fingerprints.py), ascending: 8 bytes each."
    )
    overlaps = models.ManyToManyField("self", help_text="Those with a text in common, itself included.")

    objects = TextSetQuerySet.as_manager()

    def __str__(self) -> str:
        return f"texts {self.fingerprint[:12]}"

    @property
    def numbers(self) -> np.ndarray:
        """The digests: int64, ascending."""
        return np.frombuffer(bytes(self.digests), dtype=DIGESTS)


class Look(models.Model):
    """A person has seen, or was given, what people said or systems predicted about texts. One row, for the first time.

    Such a person cannot answer in a study of any of these texts: they could tell which side is whose.
    """

    user = models.ForeignKey("annotations.User", on_delete=models.CASCADE, related_name="looks")
    text_set = models.ForeignKey(TextSet, on_delete=models.PROTECT, related_name="looks")
    at = models.DateTimeField(default=timezone.now)
    what = models.CharField(max_length=100, help_text="What was given out, such as 'comparisons' or 'import'.")

    class Meta:
        constraints = [once("look_once", "user", "text_set")]

    def __str__(self) -> str:
        return f"look of user {self.user_id} at texts {self.text_set_id}"
