"""A study says by which version of the rule its experts are shown labels; what is planned already keeps the first."""

from django.db import migrations, models
from django.db.models import Q

FIRST, SECOND = 1, 2


def nothing_planned_has_the_second(apps, schema_editor):
    Study = apps.get_model("annotations", "Study")
    Study.objects.filter(state="draft", comparisons=None).update(display_rule=SECOND)


class Migration(migrations.Migration):
    dependencies = [("annotations", "0012_api_tokens")]

    operations = [
        migrations.AddField(
            "study",
            "display_rule",
            models.PositiveSmallIntegerField(
                default=FIRST, help_text="The version of the rule by which a label is drawn (displaying.py)."
            ),
        ),
        migrations.RunPython(nothing_planned_has_the_second, migrations.RunPython.noop),
        migrations.AlterField(
            "study",
            "display_rule",
            models.PositiveSmallIntegerField(
                default=SECOND, help_text="The version of the rule by which a label is drawn (displaying.py)."
            ),
        ),
        migrations.AddConstraint(
            "study",
            models.CheckConstraint(
                condition=Q(display_rule__gte=FIRST, display_rule__lte=SECOND), name="study_display_rule_known"
            ),
        ),
    ]
