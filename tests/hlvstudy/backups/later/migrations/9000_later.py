"""What a migration of a later version may do: change a large table that triggers stand on, and fill a column."""

from pathlib import Path
from typing import Any

from django.db import migrations, models
from django.db.models import F, Q

import annotations.migrations
from annotations.migrations._triggers import WithTriggersAside

(FOLDER,) = annotations.migrations.__path__
NEWEST = max(path.stem for path in Path(FOLDER).glob("[0-9]*.py"))


def number(apps: Any, _schema_editor: Any) -> None:
    apps.get_model("annotations", "Study").objects.update(later=F("pk"))


class Migration(migrations.Migration):
    dependencies = [("annotations", NEWEST)]
    operations = [
        WithTriggersAside(
            [
                migrations.AddField("study", "later", models.BigIntegerField(null=True)),
                migrations.AddConstraint(
                    "assignment",
                    models.CheckConstraint(condition=Q(place__lt=1_000_000), name="assignment_later"),
                ),
            ]
        ),
        migrations.RunPython(number, migrations.RunPython.noop),
    ]
