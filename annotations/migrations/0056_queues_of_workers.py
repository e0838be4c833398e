"""A worker says which queues it takes jobs from. Those of before took all there were."""

import annotations.models.jobs
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("annotations", "0055_splits"),
    ]

    operations = [
        migrations.AddField(
            model_name="workerheartbeat",
            name="queues",
            field=models.JSONField(default=annotations.models.jobs.default_queues, help_text="From which it takes jobs."),
        ),
    ]
