"""Who is added with the account that they have agrees before the first text."""

from django.db import migrations, models

from annotations.migrations._triggers import WithTriggersAside


class Migration(migrations.Migration):
    dependencies = [("annotations", "0033_mails_and_reminders")]

    operations = [
        WithTriggersAside(
            [
                migrations.AddField(
                    "membership",
                    "owes_consent",
                    models.BooleanField(
                        default=False,
                        db_default=False,
                        help_text="Added without an invitation: must consent before getting the first text.",
                    ),
                ),
                migrations.AlterField(
                    "assignment",
                    "released_at",
                    models.DateTimeField(blank=True, help_text="When the expert skipped it, or left.", null=True),
                ),
            ]
        )
    ]
