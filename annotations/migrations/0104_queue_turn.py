"""When each person was last served in each queue of jobs, so that people take turns (background/jobs.py)."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotations", "0103_looks"),
    ]

    operations = [
        migrations.CreateModel(
            name="QueueTurn",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("queue", models.CharField(max_length=100)),
                ("taken_at", models.DateTimeField()),
                (
                    "person",
                    models.ForeignKey(
                        help_text="Empty: of all jobs that nobody asked for.",
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=["queue", "person"], name="queue_turn_of_person_once"),
                    models.UniqueConstraint(
                        condition=models.Q(("person", None)), fields=["queue"], name="queue_turn_of_nobody_once"
                    ),
                ],
            },
        ),
    ]
