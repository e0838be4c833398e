"""Results of a study are numbered, so that their address can be read, told and shared; lists say what was planned."""

from collections import Counter

from django.db import migrations, models
from django.db.models import Q

PLAN = {"planned": True, "exploratory": False}


def number_runs(apps, _schema_editor):
    runs = apps.get_model("metaeval", "AnalysisRun").objects
    counts = Counter()
    of_studies = runs.filter(study__isnull=False).order_by("created_at", "pk")
    for pk, study, analysis in of_studies.values_list("pk", "study_id", "analysis"):
        counts[study, analysis] += 1
        runs.filter(pk=pk).update(number=counts[study, analysis])
    finished = of_studies.filter(result__isnull=False)
    for pk, plan in finished.values_list("pk", "result__plan").iterator():
        if isinstance(plan, dict):
            runs.filter(pk=pk).update(is_planned=PLAN.get(plan.get("status")))


class Migration(migrations.Migration):
    dependencies = [("metaeval", "0011_longer_answers")]

    operations = [
        migrations.AddField(
            model_name="analysisrun",
            name="number",
            field=models.PositiveIntegerField(
                null=True,
                blank=True,
                editable=False,
                help_text="Among the runs of this analysis in its study, from 1: a part of the address that people share.",
            ),
        ),
        migrations.AddField(
            model_name="analysisrun",
            name="is_planned",
            field=models.BooleanField(
                null=True,
                blank=True,
                help_text="Whether the result was planned before the study opened; empty where there is no study or no result.",
            ),
        ),
        migrations.RunPython(number_runs, migrations.RunPython.noop, elidable=True),
        migrations.AddConstraint(
            model_name="analysisrun",
            constraint=models.CheckConstraint(
                condition=Q(study=None, number=None) | Q(study__isnull=False, number__gte=1),
                name="analysis_run_number_of_studies",
            ),
        ),
        migrations.AddConstraint(
            model_name="analysisrun",
            constraint=models.UniqueConstraint(fields=["study", "analysis", "number"], name="analysis_run_number_once"),
        ),
    ]
