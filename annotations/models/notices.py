"""What people are told of a study by itself: that all answers are there, or that something failed."""

from django.db import models
from django.db.models import Q

from annotations.models.jobs import BackgroundJob
from annotations.models.studies import Membership, Study


class News(models.TextChoices):
    COMPLETED = "completed", "every place of the study is answered"
    FAILED = "failed", "a job of the study failed"


class Notice(BackgroundJob):
    """One mail to a researcher or admin, or one call of the installation's webhook. No word of it is stored."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="notices")
    news = models.CharField(max_length=10, choices=News.choices)
    key = models.CharField(max_length=200, help_text="What happened, and which time: nobody is told of it twice.")
    kind = models.CharField(max_length=50, blank=True, help_text="What failed, as pages call it.")
    tab = models.CharField(max_length=20, blank=True, help_text="Of the study's page, where to look.")
    counts = models.JSONField(default=dict, help_text="Of the study's places, when it happened.")
    member = models.ForeignKey(
        Membership,
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="notices",
        help_text="Who gets a mail. Empty: the webhook is called.",
    )
    tries = models.PositiveSmallIntegerField(default=0, help_text="How often it could not be handed over.")

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
