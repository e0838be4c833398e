"""How many texts each expert answers a second time; a deliberate repeat is no place of its comparison."""

from django.db import migrations, models
from django.db.models import Q

from annotations.migrations._triggers import WithTriggersAside


class Migration(migrations.Migration):
    dependencies = [("annotations", "0034_consent_owed")]

    operations = [
        WithTriggersAside(
            [
                migrations.AddField(
                    "study",
                    "repeats_per_expert",
                    models.PositiveSmallIntegerField(
                        db_default=0,
                        default=0,
                        help_text="How many texts each expert answers a second time at the end, to see how consistent answers are.",
                    ),
                ),
                migrations.RemoveConstraint("assignment", "assignment_place_once"),
                migrations.AddConstraint(
                    "assignment",
                    models.UniqueConstraint(
                        fields=["comparison", "place", "is_pilot"],
                        condition=Q(released_at=None, repeat_of=None),
                        name="assignment_place_once",
                    ),
                ),
                migrations.RemoveIndex("assignment", "assignment_watched"),
                migrations.AddIndex(
                    "assignment",
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
                ),
            ]
        ),
    ]
