"""A study says whether it compares means of runs or single runs; means are rows of systems, with the runs they average.

Studies that are there compare single runs, as they did: `averaged` is what new ones do.
"""

import django.db.models.deletion
from django.db import migrations, models
from django.db.models import Q

CHOICES = [
    ("averaged", "the mean of the predictions of all runs of one model and method"),
    ("single", "each run as a system of its own"),
]
HELP = "Whether runs of one model and method are averaged or are separate systems."


def field(default):
    return models.CharField(max_length=10, choices=CHOICES, default=default, help_text=HELP)


class Migration(migrations.Migration):
    dependencies = [("annotations", "0021_importing_again")]

    operations = [
        migrations.AddField("study", "runs", field("single")),
        migrations.AlterField("study", "runs", field("averaged")),
        migrations.AddConstraint(
            "study", models.CheckConstraint(condition=Q(runs__in=["averaged", "single"]), name="study_runs_known")
        ),
        migrations.AddField(
            "system",
            "averaged_for",
            models.ForeignKey(
                null=True,
                blank=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="annotations.study",
                help_text="The study that compares this mean of runs. Empty: imported.",
            ),
        ),
        migrations.CreateModel(
            "AveragedRun",
            [
                (
                    "id",
                    models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID"),
                ),
                (
                    "mean",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="averaged_runs",
                        to="annotations.system",
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.RESTRICT, related_name="+", to="annotations.system"
                    ),
                ),
            ],
            options={"ordering": ["mean_id", "pk"]},
        ),
        migrations.AddConstraint(
            "averagedrun", models.UniqueConstraint(fields=["mean", "run"], name="averaged_run_once")
        ),
        migrations.RemoveConstraint("system", "system_once"),
        migrations.AddConstraint(
            "system",
            models.UniqueConstraint(
                fields=["dataset", "model", "method", "run"], condition=Q(averaged_for=None), name="system_once"
            ),
        ),
        migrations.AddConstraint(
            "system",
            models.UniqueConstraint(fields=["averaged_for", "model", "method"], name="system_mean_once"),
        ),
        migrations.AddConstraint(
            "system",
            models.CheckConstraint(condition=Q(averaged_for=None) | Q(run=""), name="system_mean_has_no_run"),
        ),
    ]
