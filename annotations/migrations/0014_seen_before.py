"""Restored answers of an expert who had judged the same text in another comparison, elsewhere.

Two triggers keep what is collected here free of them: a row may only be born so in a study that was restored from
files, for an expert, and no repeat; and no row ever becomes so, or ceases to be so.

On SQLite the column is added by hand: Django would make the table anew, and its triggers would be lost.
"""

from django.db import migrations, models

from annotations.migrations._triggers import refusing

ADD = "ALTER TABLE annotations_assignment ADD COLUMN seen_before bool NOT NULL DEFAULT false"
TABLE = "annotations_assignment"

# name -> (table, event, condition under which the row is refused, message)
REFUSALS = {
    "seen_before_is_restored": (
        TABLE,
        "INSERT",
        "NEW.seen_before AND (NEW.expert_id IS NULL OR NEW.repeat_of_id IS NOT NULL OR NOT EXISTS"
        " (SELECT 1 FROM annotations_event e WHERE e.study_id = NEW.study_id AND e.kind = 'responses_imported'))",
        "only restored answers may be of a text that the expert had seen before",
    ),
    "seen_before_stays": (
        TABLE,
        "UPDATE",
        "NEW.seen_before <> OLD.seen_before",
        "whether an expert had seen a text before is never changed",
    ),
}


class Migration(migrations.Migration):
    dependencies = [("annotations", "0013_display_rule")]
    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL(ADD, "ALTER TABLE annotations_assignment DROP COLUMN seen_before")
            ],
            state_operations=[
                migrations.AddField(
                    model_name="assignment",
                    name="seen_before",
                    field=models.BooleanField(
                        db_default=False,
                        default=False,
                        help_text="Restored from another installation, where the expert had judged this text in another comparison.  Never true of answers collected here, which triggers enforce.",
                    ),
                ),
            ],
        ),
        migrations.RemoveConstraint(model_name="assignment", name="assignment_instance_once"),
        migrations.AddConstraint(
            model_name="assignment",
            constraint=models.UniqueConstraint(
                condition=models.Q(("repeat_of", None), ("seen_before", False)),
                fields=("expert", "instance"),
                name="assignment_instance_once",
            ),
        ),
        refusing(REFUSALS),
    ]
