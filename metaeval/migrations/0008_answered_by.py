import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("metaeval", "0007_documents")]

    operations = [
        migrations.AddField(
            model_name="analysisrun",
            name="rerun",
            field=models.BooleanField(
                default=False, help_text="Computed although a result of the same question is stored."
            ),
        ),
        migrations.AddField(
            model_name="analysisrun",
            name="answered_by",
            field=models.ForeignKey(
                blank=True,
                help_text="The run that had answered the same question before; its result is this one's.",
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="metaeval.analysisrun",
            ),
        ),
    ]
