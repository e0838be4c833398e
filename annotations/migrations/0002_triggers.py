"""What a column constraint cannot say, said as triggers, on SQLite and PostgreSQL alike.

- Responses and events are append-only: an UPDATE is refused (deleting a whole study is a use case of its own).
- Step 1 cannot be stored any more once step 2 was shown; step 2 cannot be stored before it was shown.
- An assignment's instance and study are those of its comparison.
"""

from django.db import migrations

APPEND_ONLY = ["annotations_labelresponse", "annotations_preferenceresponse", "annotations_event"]

# name -> (table, event, condition under which the row is refused, message)
REFUSALS = {
    "step_1_locked": (
        "annotations_labelresponse",
        "INSERT",
        "EXISTS (SELECT 1 FROM annotations_assignment a WHERE a.id = NEW.assignment_id"
        " AND a.comparison_shown_at IS NOT NULL)",
        "step 1 is locked: step 2 was shown",
    ),
    "step_2_after_step_1": (
        "annotations_preferenceresponse",
        "INSERT",
        "EXISTS (SELECT 1 FROM annotations_assignment a WHERE a.id = NEW.assignment_id"
        " AND a.comparison_shown_at IS NULL)",
        "step 2 was never shown for this assignment",
    ),
    "shown_after_step_1": (
        "annotations_assignment",
        "UPDATE",
        "NEW.comparison_shown_at IS NOT NULL AND OLD.comparison_shown_at IS NULL AND NOT EXISTS"
        " (SELECT 1 FROM annotations_labelresponse r WHERE r.assignment_id = NEW.id)",
        "step 2 may not be shown before step 1 is stored",
    ),
    "born_unshown": (
        "annotations_assignment",
        "INSERT",
        "NEW.comparison_shown_at IS NOT NULL",
        "an assignment cannot be shown before step 1 is stored",
    ),
    "assignment_of_its_comparison": (
        "annotations_assignment",
        "INSERT",
        "NOT EXISTS (SELECT 1 FROM annotations_comparison c WHERE c.id = NEW.comparison_id"
        " AND c.study_id = NEW.study_id AND c.instance_id = NEW.instance_id)",
        "an assignment has the study and the instance of its comparison",
    ),
}


def make(apps, schema_editor):
    statements = []
    refusals = {
        f"append_only_{table}": (table, "UPDATE", None, "rows of this table are never changed") for table in APPEND_ONLY
    } | REFUSALS
    for name, (table, event, condition, message) in refusals.items():
        if schema_editor.connection.vendor == "sqlite":
            when = f"WHEN {condition}" if condition else ""
            statements.append(
                f"CREATE TRIGGER {name} BEFORE {event} ON {table} {when} BEGIN SELECT RAISE(ABORT, '{message}'); END"
            )
        else:
            # ERRCODE 23514 makes Django raise IntegrityError, as it does for SQLite's RAISE(ABORT).
            raising = f"RAISE EXCEPTION '{message}' USING ERRCODE = '23514';"
            body = f"IF {condition} THEN {raising} END IF; RETURN NEW;" if condition else raising
            statements.append(f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {body} END $$")
            statements.append(f"CREATE TRIGGER {name} BEFORE {event} ON {table} FOR EACH ROW EXECUTE FUNCTION {name}()")
    for statement in statements:
        schema_editor.execute(statement, params=None)


def drop(apps, schema_editor):
    tables = {f"append_only_{table}": table for table in APPEND_ONLY}
    tables |= {name: refusal[0] for name, refusal in REFUSALS.items()}
    for name, table in tables.items():
        if schema_editor.connection.vendor == "sqlite":
            schema_editor.execute(f"DROP TRIGGER {name}")
        else:
            schema_editor.execute(f"DROP TRIGGER {name} ON {table}")
            schema_editor.execute(f"DROP FUNCTION {name}()")


class Migration(migrations.Migration):
    dependencies = [("annotations", "0001_initial")]
    operations = [migrations.RunPython(make, drop)]
