from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("metaeval", "0009_words_for_runs")]

    operations = [
        migrations.AddField(
            model_name="analysisrun",
            name="answer",
            field=models.CharField(
                blank=True,
                help_text="The result in one plain sentence; empty where it was stored before there were any.",
                max_length=300,
            ),
        ),
    ]
