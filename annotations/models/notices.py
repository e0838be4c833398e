"""Automatic notices about a study: that all answers are in, or that something failed."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_noop

from annotations.models.jobs import BackgroundJob
from annotations.models.studies import Membership, Study


class News(models.TextChoices):
    COMPLETED = "completed", "every place of the study is answered"
    FAILED = "failed", "a job of the study failed"
    IDENTITIES = "identities", "names of the study's experts will be erased"


class Notice(BackgroundJob):
    """One mail to a researcher or admin, or one call to the installation's webhook. Its text is not stored."""

    counted = gettext_noop("{count, plural, one {# notification} other {# notifications}}")

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="notices")
    news = models.CharField(max_length=10, choices=News.choices)
    key = models.CharField(
        max_length=200, help_text="What happened, and on which occasion, so that nobody is told twice."
    )
    kind = models.CharField(max_length=50, blank=True, help_text="What failed, in the pages' words; or the day.")
    tab = models.CharField(max_length=20, blank=True, help_text="The tab of the study's page that shows it.")
    counts = models.JSONField(default=dict, help_text="Counts of the study's places at the time.")
    member = models.ForeignKey(
        Membership,
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="notices",
        help_text="Who gets the mail. Empty: the webhook is called instead.",
    )
    tries = models.PositiveSmallIntegerField(default=0, help_text="How many attempts to deliver it have failed.")

    class Meta(BackgroundJob.Meta):
        verbose_name, verbose_name_plural = "notice", "notices"
        constraints = [
            *BackgroundJob.Meta.constraints,
            models.CheckConstraint(condition=Q(news__in=News.values), name="notice_news_known"),
            models.UniqueConstraint(fields=["key", "member"], name="notice_to_somebody_once"),
            models.UniqueConstraint(fields=["key"], condition=Q(member=None), name="notice_to_webhook_once"),
        ]

    def __str__(self) -> str:
        return f"notice {self.pk}"
