"""Mails sent or to be sent, each by a worker's job. Neither their links nor their text is stored."""

from typing import TYPE_CHECKING

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_noop

from annotations.models.invitations import Invitation
from annotations.models.jobs import BackgroundJob
from annotations.models.studies import Membership, Study

if TYPE_CHECKING:
    from annotations.models.people import User


class LetterQuerySet(models.QuerySet["Letter"]):
    def visible_to(self, user: "User") -> "LetterQuerySet":
        """The mails of studies that the user administers; and, for the installation's admins, its own."""
        return self.filter(invitation__in=Invitation.objects.visible_to(user)) | self.filter(
            member__isnull=False, study__in=Study.objects.administered_by(user)
        )


class Letter(BackgroundJob):
    """A mail to an invited person or an expert. It is written when it is sent, with its own link."""

    tab = "people"
    counted = gettext_noop("{count, plural, one {# e-mail} other {# e-mails}}")

    study = models.ForeignKey(Study, null=True, blank=True, on_delete=models.CASCADE, related_name="letters")
    invitation = models.ForeignKey(Invitation, null=True, blank=True, on_delete=models.CASCADE, related_name="letters")
    member = models.ForeignKey(Membership, null=True, blank=True, on_delete=models.CASCADE, related_name="letters")
    is_reminder = models.BooleanField(default=False)

    objects = LetterQuerySet.as_manager()

    class Meta(BackgroundJob.Meta):
        constraints = [
            *BackgroundJob.Meta.constraints,
            models.CheckConstraint(
                condition=Q(invitation__isnull=False, member=None) | Q(invitation=None, member__isnull=False),
                name="letter_has_one_reader",
            ),
        ]

    def __str__(self) -> str:
        return f"letter {self.pk}"
