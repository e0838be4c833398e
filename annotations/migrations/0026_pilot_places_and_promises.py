"""Places of the pilot stand beside those of the main study; experts are told when it opens, and keep their total.

What was only claimed in a pilot, and is answered in the open study, has always counted as the open study's.
"""

import django.db.models.deletion
from django.db import migrations, models
from django.db.models import Q


def claimed_is_not_answered(apps, schema_editor):
    Assignment = apps.get_model("annotations", "Assignment")
    under_way = Assignment.objects.filter(is_pilot=True, completed_at=None, released_at=None)
    under_way.exclude(study__opened_at=None).update(is_pilot=False)


def place_once(*fields):
    return models.UniqueConstraint(fields=fields, condition=Q(released_at=None), name="assignment_place_once")


class Migration(migrations.Migration):
    dependencies = [("annotations", "0025_display_names_and_undoing")]

    operations = [
        migrations.RunPython(claimed_is_not_answered, migrations.RunPython.noop),
        migrations.RemoveConstraint("assignment", "assignment_place_once"),
        migrations.AddConstraint("assignment", place_once("comparison", "place", "is_pilot")),
        migrations.AlterField(
            "assignment",
            "is_pilot",
            models.BooleanField(
                default=False, help_text="Part of the pilot: kept, left out by default, and not a place of the main study."
            ),
        ),
        migrations.AddField(
            "study",
            "opens_at",
            models.DateTimeField(
                null=True, blank=True, help_text="When it is due to open; announced to experts who arrive earlier."
            ),
        ),
        migrations.AddField(
            "membership",
            "promised",
            models.PositiveIntegerField(
                null=True,
                blank=True,
                help_text="How many texts from the pool the expert was told to expect. Raised only if they ask for more.",
            ),
        ),
        migrations.CreateModel(
            "PlanFigures",
            [
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("basis", models.JSONField(help_text="The settings and comparisons; the figures are void if these change.")),
                ("figures", models.JSONField()),
                (
                    "study",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="plan_figures",
                        to="annotations.study",
                    ),
                ),
            ],
        ),
    ]
