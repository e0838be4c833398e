"""A study says what becomes of texts on which a system gives itself away; those that are planned keep all."""

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("annotations", "0014_seen_before")]

    operations = [
        migrations.AddField(
            "study",
            "give_aways",
            models.CharField(
                choices=[
                    ("keep", "kept, counted and shown in the results"),
                    ("redraw", "another text is drawn for this system, where there is one"),
                ],
                default="keep",
                help_text="What happens to texts on which a system's side can only be a system's.",
                max_length=10,
            ),
        ),
        migrations.AddConstraint(
            "study",
            models.CheckConstraint(condition=Q(give_aways__in=["keep", "redraw"]), name="study_give_aways_known"),
        ),
    ]
