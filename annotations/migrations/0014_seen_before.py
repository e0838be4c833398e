"""Restored answers of an expert who had judged the same text in another comparison, elsewhere.

Two triggers keep what is collected here free of them: a row may only be born so in a study that was restored from
files, for an expert, and no repeat; and no row ever becomes so, or ceases to be so.

On SQLite the column is added by hand: Django would make the table anew, and its triggers would be lost.
"""

from django.db import migrations, models

ADD = "ALTER TABLE annotations_assignment ADD COLUMN seen_before bool NOT NULL DEFAULT false"
TABLE = "annotations_assignment"

# name -> (event, condition under which the row is refused, message)
REFUSALS = {
    "seen_before_is_restored": (
        "INSERT",
        "NEW.seen_before AND (NEW.expert_id IS NULL OR NEW.repeat_of_id IS NOT NULL OR NOT EXISTS"
        " (SELECT 1 FROM annotations_event e WHERE e.study_id = NEW.study_id AND e.kind = 'responses_imported'))",
        "only restored answers may be of a text that the expert had seen before",
    ),
    "seen_before_stays": (
        "UPDATE",
        "NEW.seen_before <> OLD.seen_before",
        "whether an expert had seen a text before is never changed",
    ),
}


def make(apps, schema_editor):
    for name, (event, condition, message) in REFUSALS.items():
        if schema_editor.connection.vendor == "sqlite":
            statements = [
                f"CREATE TRIGGER {name} BEFORE {event} ON {TABLE} WHEN {condition}"
                f" BEGIN SELECT RAISE(ABORT, '{message}'); END"
            ]
        else:
            # ERRCODE 23514 makes Django raise IntegrityError, as it does for SQLite's RAISE(ABORT).
            body = f"IF {condition} THEN RAISE EXCEPTION '{message}' USING ERRCODE = '23514'; END IF; RETURN NEW;"
            statements = [
                f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {body} END $$",
                f"CREATE TRIGGER {name} BEFORE {event} ON {TABLE} FOR EACH ROW EXECUTE FUNCTION {name}()",
            ]
        for statement in statements:
            schema_editor.execute(statement, params=None)


def drop(apps, schema_editor):
    for name in REFUSALS:
        if schema_editor.connection.vendor == "sqlite":
            schema_editor.execute(f"DROP TRIGGER {name}")
        else:
            schema_editor.execute(f"DROP TRIGGER {name} ON {TABLE}")
            schema_editor.execute(f"DROP FUNCTION {name}()")


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
                        help_text="Restored from elsewhere, where the expert had judged this text in another comparison. "
                        "Never so for what is collected here: triggers hold that.",
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
        migrations.RunPython(make, drop),
    ]
