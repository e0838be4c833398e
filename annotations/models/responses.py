"""What experts answered. Append-only: a correction is a new revision, and the newest counts (triggers enforce it)."""

from typing import Any

from django.db import models
from django.db.models import OuterRef, Q, Subquery, Value
from django.db.models.functions import Coalesce

from annotations.models.comparisons import Assignment, SideOrder
from annotations.models.people import User
from annotations.models.studies import InstrumentVersion, Study
from annotations.storing.constraints import always, once, one_of

CHOICES = {(True, False): "a", (False, True): "b", (True, True): "both", (False, False): "neither"}
"""Whether A and B were chosen, to what that is called."""


class Response(models.Model):
    """What step 1 and step 2 have in common."""

    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="%(class)ss")
    revision = models.PositiveIntegerField(default=0)
    key = models.UUIDField(unique=True, help_text="Generated in the browser; sending it twice stores one answer.")
    active_ms = models.PositiveIntegerField(
        null=True,
        blank=True,
        help_text="Milliseconds during which the page was visible and had been used within the last 30 s.",
    )
    instrument = models.ForeignKey(
        InstrumentVersion,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
        help_text="What the expert read; empty: unknown.",
    )
    page_language = models.CharField(
        max_length=20,
        blank=True,
        default="",
        db_default="",
        help_text="The page's language; empty: unknown.",
    )
    created_at = models.DateTimeField()

    class Meta:
        abstract = True
        ordering = ["assignment_id", "revision"]


class LabelResponse(Response):
    """Step 1: the labels that the expert chose."""

    labels = models.JSONField(help_text="Positions of the chosen labels, ascending.")

    class Meta(Response.Meta):
        constraints = [
            once("label_response_revision_once", "assignment", "revision"),
        ]

    def __str__(self) -> str:
        return f"step 1 of assignment {self.assignment_id}"


class PreferenceResponse(Response):
    """Step 2: which of the two distributions is more accurate, and how certain the expert is."""

    a_chosen = models.BooleanField()
    b_chosen = models.BooleanField()
    certainty = models.FloatField(null=True, blank=True, help_text="In [0, 1]; empty: not given.")

    class Meta(Response.Meta):
        constraints = [
            once("preference_response_revision_once", "assignment", "revision"),
            always("preference_certainty_in_range", Q(certainty=None) | Q(certainty__gte=0, certainty__lte=1)),
        ]

    def __str__(self) -> str:
        return f"step 2 of assignment {self.assignment_id}"

    @property
    def choice(self) -> str:
        """`a`, `b`, `both` or `neither`.

        >>> PreferenceResponse(a_chosen=True, b_chosen=True).choice
        'both'
        """
        return CHOICES[self.a_chosen, self.b_chosen]


class ReportReason(models.TextChoices):
    UNREADABLE = "unreadable", "I cannot read this text"
    DISTRESSING = "distressing", "This text is distressing"
    IDENTIFIES_A_PERSON = "identifies_person", "This text identifies a person"
    OTHER = "other", "Something else"


class ReportQuerySet(models.QuerySet["Report"]):
    def visible_to(self, user: User) -> "ReportQuerySet":
        """The reports of studies that the user researches or administers; experts do not see even their own again."""
        return self.filter(assignment__study__in=Study.objects.unblinded_for(user))

    def with_verdict(self) -> "models.QuerySet[Report, Any]":
        """Annotate `verdict`: the newest decision's, or empty while the report is open."""
        newest = ReportDecision.objects.filter(report=OuterRef("pk")).order_by("-revision")
        return self.annotate(verdict=Coalesce(Subquery(newest.values("verdict")[:1]), Value("")))


class Report(models.Model):
    """A problem that an expert saw, and whether they skipped the assignment because of it."""

    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="reports")
    key = models.UUIDField(unique=True)
    reason = models.CharField(max_length=20, choices=ReportReason.choices)
    text = models.TextField(blank=True, max_length=4000)
    skipped = models.BooleanField(default=False)
    created_at = models.DateTimeField()

    objects = ReportQuerySet.as_manager()

    class Meta:
        ordering = ["created_at", "pk"]
        constraints = [one_of("report_reason_known", "reason", ReportReason)]

    def __str__(self) -> str:
        return f"report on assignment {self.assignment_id}"


class Verdict(models.TextChoices):
    """What an admin decided about a report. A report without a decision is open."""

    CONFIRMED = "confirmed", "the text identifies a person and is withdrawn"
    DISMISSED = "dismissed", "looked at; the text stays"
    SHOWN_AGAIN = "shown_again", "the text was withdrawn and is shown again"


class ReportDecision(models.Model):
    """One decision about a report. Append-only: a new decision is a new row, and the newest counts."""

    report = models.ForeignKey(Report, on_delete=models.PROTECT, related_name="decisions")
    revision = models.PositiveIntegerField(default=0)
    verdict = models.CharField(max_length=11, choices=Verdict.choices)
    note = models.TextField(blank=True, max_length=2000)
    decided_by = models.ForeignKey(
        "annotations.User", null=True, blank=True, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+"
    )
    decided_at = models.DateTimeField()

    class Meta:
        ordering = ["report_id", "revision"]
        constraints = [
            once("report_decision_revision_once", "report", "revision"),
            one_of("report_decision_verdict_known", "verdict", Verdict),
        ]

    def __str__(self) -> str:
        return f"{self.verdict}: report {self.report_id}"


class GuessedSide(models.TextChoices):
    A = "a", "A was people's"
    B = "b", "B was people's"
    UNKNOWN = "unknown", "cannot say"


class Guess(models.Model):
    """One expert's guess about one answered comparison. Never changed; experts are never told the truth."""

    assignment = models.OneToOneField(Assignment, on_delete=models.PROTECT, related_name="guess")
    key = models.UUIDField(unique=True, help_text="Generated in the browser; sending it twice stores one guess.")
    side = models.CharField(max_length=7, choices=GuessedSide.choices)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["assignment_id"]
        constraints = [one_of("guess_side_known", "side", GuessedSide)]

    def __str__(self) -> str:
        return f"guess about assignment {self.assignment_id}"


def human_side(side_order: str) -> GuessedSide:
    """The human side in a human-vs-system study, where people are always the first source.

    >>> human_side(SideOrder.FIRST_IS_A)
    GuessedSide.A
    """
    return GuessedSide.A if side_order == SideOrder.FIRST_IS_A else GuessedSide.B
