from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotations", "0031_invited_names_and_repeated_requests")]

    operations = [
        migrations.RemoveIndex(model_name="assignment", name="assignment_watched"),
        migrations.AddIndex(
            model_name="assignment",
            index=models.Index(
                condition=models.Q(("released_at", None)),
                fields=["study", "expert", "completed_at", "comparison", "is_pilot", "released_at", "claimed_at"],
                name="assignment_watched",
            ),
        ),
        migrations.AddIndex(
            model_name="assignment",
            index=models.Index(
                condition=models.Q(("released_at__isnull", False)),
                fields=["study", "expert"],
                name="assignment_skipped_places",
            ),
        ),
    ]
