"""What an expert's assignments come to is counted with each request (answering/tally.py) and kept nowhere."""

from django.db import migrations

from annotations.migrations._triggers import DropTriggers, WithTriggersAside


class Migration(migrations.Migration):
    dependencies = [
        ("annotations", "0101_triggers"),
    ]

    operations = [
        DropTriggers(
            {
                "tally_delete": "annotations_assignment",
                "tally_insert": "annotations_assignment",
                "tally_update": "annotations_assignment",
                "tally_withdrawn": "annotations_instance",
            }
        ),
        WithTriggersAside(
            [
                migrations.RemoveField(model_name="membership", name="claims"),
                migrations.RemoveField(model_name="membership", name="tally"),
                migrations.RemoveField(model_name="study", name="pool_version"),
            ]
        ),
    ]
