"""Labels may be shown under another name than the imported one; an import remembers when it was undone."""

from django.db import migrations, models

from annotations.models.events import EventKind


class Migration(migrations.Migration):
    dependencies = [("annotations", "0024_setting_up")]

    operations = [
        migrations.AddField(
            "label",
            "display_name",
            models.CharField(
                max_length=200, blank=True, default="", help_text="The name experts read; empty: the label's own."
            ),
        ),
        migrations.AddField(
            "importjob",
            "undone_at",
            models.DateTimeField(null=True, blank=True, help_text="When what it stored was deleted."),
        ),
        # The kinds are no part of the schema, so this names whichever there are.
        migrations.AlterField("event", "kind", models.CharField(max_length=30, choices=EventKind.choices)),
    ]
