from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotations", "0022_runs")]

    operations = [
        migrations.AddIndex(
            model_name="assignment",
            index=models.Index(
                condition=models.Q(("released_at", None)),
                fields=["study", "expert", "completed_at", "comparison", "is_pilot", "released_at"],
                name="assignment_watched",
            ),
        ),
    ]
