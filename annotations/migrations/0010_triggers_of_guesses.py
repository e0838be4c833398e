"""What column constraints cannot say about guesses, on SQLite and PostgreSQL alike.

- A guess is never changed, and comes only after the answer.
- A guess closes the comparison: its answer cannot be corrected any more.
"""

from django.db import migrations

# name -> (table, event, condition under which the row is refused, message)
REFUSALS = {
    "append_only_guess": ("annotations_guess", "UPDATE", None, "rows of this table are never changed"),
    "guess_after_answer": (
        "annotations_guess",
        "INSERT",
        "NOT EXISTS (SELECT 1 FROM annotations_assignment a WHERE a.id = NEW.assignment_id"
        " AND a.completed_at IS NOT NULL AND a.released_at IS NULL)",
        "a guess comes after the answer",
    ),
    "answer_closed_by_guess": (
        "annotations_preferenceresponse",
        "INSERT",
        "EXISTS (SELECT 1 FROM annotations_guess g WHERE g.assignment_id = NEW.assignment_id)",
        "the answer is closed: its guess was given",
    ),
}


def make(apps, schema_editor):
    for name, (table, event, condition, message) in REFUSALS.items():
        if schema_editor.connection.vendor == "sqlite":
            when = f"WHEN {condition}" if condition else ""
            statements = [
                f"CREATE TRIGGER {name} BEFORE {event} ON {table} {when} BEGIN SELECT RAISE(ABORT, '{message}'); END"
            ]
        else:
            # ERRCODE 23514 makes Django raise IntegrityError, as it does for SQLite's RAISE(ABORT).
            raising = f"RAISE EXCEPTION '{message}' USING ERRCODE = '23514';"
            body = f"IF {condition} THEN {raising} END IF; RETURN NEW;" if condition else raising
            statements = [
                f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {body} END $$",
                f"CREATE TRIGGER {name} BEFORE {event} ON {table} FOR EACH ROW EXECUTE FUNCTION {name}()",
            ]
        for statement in statements:
            schema_editor.execute(statement, params=None)


def drop(apps, schema_editor):
    for name, (table, *_) in REFUSALS.items():
        if schema_editor.connection.vendor == "sqlite":
            schema_editor.execute(f"DROP TRIGGER {name}")
        else:
            schema_editor.execute(f"DROP TRIGGER {name} ON {table}")
            schema_editor.execute(f"DROP FUNCTION {name}()")


class Migration(migrations.Migration):
    dependencies = [("annotations", "0009_guesses")]
    operations = [migrations.RunPython(make, drop)]
