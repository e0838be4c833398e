"""What is shown to whom: comparisons, the places that experts take in them, and the secret keys of sides."""

import uuid

from django.db import models
from django.db.models import F, Q

from annotations.ground.sides import EARLIER, KEY_BYTES, RULE
from annotations.models.datasets import Instance, System
from annotations.models.people import User
from annotations.models.studies import Membership, Study
from annotations.storing.constraints import always, once, one_of
from annotations.storing.fields import RowField


class Phase(models.TextChoices):
    """The part of a study in which step 2 was first shown; each has its own key and turns."""

    PILOT = "pilot", "pilot"
    MAIN = "main", "main study"


class SideRule(models.IntegerChoices):
    """How a side is drawn (annotations/ground/sides.py)."""

    EARLIER = EARLIER, "from the seed in blocks of four, or collected elsewhere"
    KEYED = RULE, "by the study's key"


class SideKey(models.Model):
    """The key of one phase of a study. Made when the phase begins, never changed, and published when the study is
    closed.

    A separate table, not a column of a study, so that nothing that reads or copies studies can take it along.
    """

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="side_keys")
    phase = models.CharField(max_length=5, choices=Phase.choices)
    key = models.BinaryField(max_length=KEY_BYTES)
    name = models.CharField(max_length=80, help_text="The study's name at that time, which goes into every draw.")
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["study_id", "phase"]
        constraints = [
            once("side_key_once", "study", "phase"),
            one_of("side_key_phase_known", "phase", Phase),
        ]

    def __str__(self) -> str:
        return f"side key of the {self.phase} phase of study {self.study_id}"


class ComparisonManager(models.Manager["Comparison"]):
    """Leaves both rows in the database until somebody reads them."""

    def get_queryset(self) -> models.QuerySet["Comparison"]:
        return super().get_queryset().defer("first_row", "second_row")


class Comparison(models.Model):
    """One instance and two distributions of it. An empty `first_system` means what people said.

    In a `system_vs_system` study the two systems are stored in order of their ids, so no pair can exist twice.
    """

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="comparisons")
    instance = models.ForeignKey(Instance, on_delete=models.PROTECT, related_name="+")
    first_system = models.ForeignKey(
        System,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
        help_text="Empty: the human side.",
    )
    second_system = models.ForeignKey(System, on_delete=models.PROTECT, related_name="comparisons")
    position = models.PositiveIntegerField(help_text="Its place in the study's shuffled order.")
    identical = models.BooleanField(
        null=True,
        blank=True,
        help_text="Both sides look the same, so they are shown as one chart, and the answer is both or neither.  "
        "Empty: the study began before this was recorded, and its experts had all four answers.",
    )
    is_paused = models.BooleanField(
        default=False, db_default=False, help_text="One of its systems is paused, so its free places are not assigned."
    )
    first_row = RowField(
        null=True,
        blank=True,
        editable=False,
        help_text="The first distribution of the instance, copied from its matrix, which is large where there are many "
        "instances. Empty: to be read there; triggers empty it when the matrix changes.",
    )
    second_row = RowField(null=True, blank=True, editable=False, help_text="The same of the second.")

    objects = ComparisonManager()

    class Meta:
        ordering = ["study_id", "position"]
        constraints = [
            once("comparison_position_once", "study", "position"),
            once("comparison_with_human_once", "study", "instance", "second_system", where=Q(first_system=None)),
            once("comparison_of_systems_once", "study", "instance", "first_system", "second_system"),
            always("comparison_systems_ordered", Q(first_system=None) | Q(first_system__lt=F("second_system"))),
        ]

    def __str__(self) -> str:
        return f"comparison {self.position} of study {self.study_id}"


class SideOrder(models.TextChoices):
    """Which of a comparison's two distributions the expert sees as A."""

    FIRST_IS_A = "first_is_a", "the first (in human-vs-system studies: people) is A"
    SECOND_IS_A = "second_is_a", "the second is A"


def in_plan() -> Q:
    """Places that count in a plan: not given up and, if the text was withdrawn, answered before that."""
    return Q(released_at=None) & (Q(instance__withdrawn_at=None) | Q(completed_at__isnull=False))


def of_main() -> Q:
    """Places that the study itself needs: no deliberate repeats, which only measure experts; and, once it has opened,
    none of its pilot's, because each of those has a fresh one.

    Before that they are the same places: pilot answers count until the study opens.
    """
    return Q(repeat_of=None) & (Q(is_pilot=False) | Q(study__opened_at=None))


def not_taken_along(prefix: str = "") -> Q:
    """Places whose answers were not withdrawn when their expert left the study.

    The one rule by which such answers are left out: everything that reads a study's answers applies it, to the expert's
    places or, with a prefix, to objects that refer to them.
    """
    return Q(**{f"{prefix}expert__answers_left_out": False})


class AssignmentQuerySet(models.QuerySet["Assignment"]):
    def visible_to(self, user: User) -> "AssignmentQuerySet":
        """An expert's own assignments. Nobody else answers them, so nobody else sees them here."""
        return self.filter(expert__user=user, expert__is_active=True, released_at=None)

    def free(self) -> "AssignmentQuerySet":
        """Places that an expert may take: not taken, the text not withdrawn, and none of its systems paused."""
        return self.filter(expert=None, released_at=None, instance__withdrawn_at=None, comparison__is_paused=False)

    def waiting(self) -> "AssignmentQuerySet":
        """Free places that are not assigned while a system is paused."""
        return self.filter(expert=None, released_at=None, instance__withdrawn_at=None, comparison__is_paused=True)

    def taken(self) -> "AssignmentQuerySet":
        """Places that an expert has taken, and has answered or can still answer."""
        return self.filter(in_plan(), expert__isnull=False)

    def completed(self) -> "AssignmentQuerySet":
        return self.filter(completed_at__isnull=False, released_at=None)

    def answered(self) -> "AssignmentQuerySet":
        """Completed places, and those that an expert who left took along: their answers are stored and left out."""
        taken_along = Q(released_at=F("expert__left_at"))
        return self.filter(Q(released_at=None) | taken_along, completed_at__isnull=False)


class Assignment(models.Model):
    """One place in a comparison, for one expert.

    The plan creates every comparison's places beforehand (`place` 0 .. experts_per_comparison - 1), so taking
    one means filling an existing row: no comparison can get more experts than places, whatever runs in
    parallel. The next least-covered comparison is the one with the lowest free place.

    A skipped place is `released`: the row stays, because it records what was shown, and a fresh one replaces it. Pilot
    places stay too, and fresh ones are made when the study opens (designing/lifecycle.py).

    A deliberate repeat is not a place: it has the number of the place it repeats, and is made when it is assigned.
    """

    token = models.UUIDField(default=uuid.uuid4, unique=True, editable=False, help_text="The only id that experts see.")
    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="assignments")
    comparison = models.ForeignKey(Comparison, on_delete=models.CASCADE, related_name="assignments")
    instance = models.ForeignKey(Instance, on_delete=models.PROTECT, related_name="+", help_text="The comparison's.")
    place = models.PositiveIntegerField()
    places = models.PositiveIntegerField(help_text="How many places the comparison has.")
    expert = models.ForeignKey(Membership, null=True, blank=True, on_delete=models.PROTECT, related_name="assignments")
    position = models.PositiveIntegerField(null=True, blank=True, help_text="Its place in the expert's order.")
    side_order = models.CharField(
        max_length=12, choices=SideOrder.choices, blank=True, help_text="Drawn when step 2 is first shown."
    )
    turn = models.PositiveIntegerField(
        null=True, blank=True, help_text="Which of the expert's comparisons it was, in the order shown, from 0."
    )
    phase = models.CharField(
        max_length=5, choices=Phase.choices, blank=True, help_text="The study's phase when step 2 was first shown."
    )
    side_rule = models.PositiveSmallIntegerField(
        null=True, blank=True, choices=SideRule.choices, help_text="How the side was drawn."
    )
    repeat_of = models.ForeignKey(
        "self",
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="repeats",
        help_text="A deliberate repeat.",
    )
    seen_before = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Restored from another installation, where the expert had judged this text in another comparison.  "
        "Never true of answers collected here, which triggers enforce.",
    )
    is_pilot = models.BooleanField(
        default=False, help_text="Part of the pilot: kept, left out by default, and not a place of the main study."
    )
    claimed_at = models.DateTimeField(null=True, blank=True)
    comparison_shown_at = models.DateTimeField(
        null=True, blank=True, help_text="When step 2 first left the server; step 1 has been locked since."
    )
    completed_at = models.DateTimeField(null=True, blank=True)
    released_at = models.DateTimeField(null=True, blank=True, help_text="When the expert skipped it, or left.")

    objects = AssignmentQuerySet.as_manager()

    class Meta:
        ordering = ["study_id", "comparison_id", "place"]
        constraints = [
            once("assignment_place_once", "comparison", "place", "is_pilot", where=Q(released_at=None, repeat_of=None)),
            always("assignment_place_exists", Q(place__lt=F("places"))),
            once("assignment_comparison_once", "comparison", "expert", where=Q(repeat_of=None)),
            once("assignment_instance_once", "expert", "instance", where=Q(repeat_of=None, seen_before=False)),
            once("assignment_position_once", "expert", "position"),
            always(
                "assignment_taken_whole",
                Q(expert=None, position=None, comparison_shown_at=None)
                | Q(expert__isnull=False, position__isnull=False),
            ),
            # A side exists from the moment step 2 is shown, and not before: assignments fetched ahead have none.
            always(
                "assignment_side_when_shown",
                Q(comparison_shown_at=None, side_order="")
                | Q(comparison_shown_at__isnull=False, side_order__in=SideOrder.values),
            ),
            always(
                "assignment_turn_whole",
                Q(turn=None, phase="", side_rule=None)
                | Q(
                    turn__isnull=False,
                    comparison_shown_at__isnull=False,
                    phase__in=Phase.values,
                    side_rule__in=SideRule.values,
                ),
            ),
            once("assignment_turn_once", "expert", "phase", "turn"),
            always("assignment_completed_after_shown", Q(completed_at=None) | Q(comparison_shown_at__isnull=False)),
        ]
        indexes = [
            models.Index(
                fields=["study", "place", "comparison"],
                condition=Q(expert=None, released_at=None),
                name="assignment_free_places",
            ),
            models.Index(
                fields=["study", "instance"],
                condition=Q(expert=None, released_at=None),
                name="assignment_free_texts",
            ),
            models.Index(
                fields=["expert", "position"],
                condition=Q(expert__isnull=False, completed_at=None, released_at=None),
                name="assignment_unfinished",
            ),
            models.Index(fields=["study", "completed_at"], name="assignment_progress"),
            # It contains everything that overviews count, so they need not read the rows.
            models.Index(
                fields=[
                    "study",
                    "expert",
                    "completed_at",
                    "comparison",
                    "is_pilot",
                    "released_at",
                    "claimed_at",
                    "repeat_of",
                ],
                condition=Q(released_at=None),
                name="assignment_watched",
            ),
            models.Index(
                fields=["study", "expert"], condition=Q(released_at__isnull=False), name="assignment_skipped_places"
            ),
        ]

    def __str__(self) -> str:
        return f"place {self.place} of comparison {self.comparison_id}"
