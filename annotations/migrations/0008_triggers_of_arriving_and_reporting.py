"""What column constraints cannot say about arriving and reporting, on SQLite and PostgreSQL alike.

- Consents and decisions about reports are append-only.
- An invitation that was used or revoked stays so: a link works once.
- A text stays withdrawn while the newest decision of any report on it says that it identifies a person.
"""

from django.db import migrations

NEVER = "rows of this table are never changed"
CONFIRMED = (
    "NEW.withdrawn_at IS NULL AND OLD.withdrawn_at IS NOT NULL AND EXISTS"
    " (SELECT 1 FROM annotations_reportdecision d"
    " JOIN annotations_report r ON r.id = d.report_id"
    " JOIN annotations_assignment a ON a.id = r.assignment_id"
    " WHERE a.instance_id = NEW.id AND d.verdict = 'confirmed' AND NOT EXISTS"
    " (SELECT 1 FROM annotations_reportdecision n WHERE n.report_id = d.report_id AND n.revision > d.revision))"
)

# name -> (table, condition under which an UPDATE is refused, message)
REFUSALS = {
    "append_only_consent": ("annotations_consent", None, NEVER),
    "append_only_decision": ("annotations_reportdecision", None, NEVER),
    "invitation_works_once": (
        "annotations_invitation",
        "(OLD.used_at IS NOT NULL AND (NEW.used_at IS NULL OR NEW.used_at <> OLD.used_at))"
        " OR (OLD.revoked_at IS NOT NULL AND (NEW.revoked_at IS NULL OR NEW.revoked_at <> OLD.revoked_at))",
        "an invitation that was used or revoked stays so",
    ),
    "stays_withdrawn": ("annotations_instance", CONFIRMED, "a report says that this text identifies a person"),
}


def make(apps, schema_editor):
    for name, (table, condition, message) in REFUSALS.items():
        if schema_editor.connection.vendor == "sqlite":
            when = f"WHEN {condition}" if condition else ""
            statements = [
                f"CREATE TRIGGER {name} BEFORE UPDATE ON {table} {when} BEGIN SELECT RAISE(ABORT, '{message}'); END"
            ]
        else:
            # ERRCODE 23514 makes Django raise IntegrityError, as it does for SQLite's RAISE(ABORT).
            raising = f"RAISE EXCEPTION '{message}' USING ERRCODE = '23514';"
            body = f"IF {condition} THEN {raising} END IF; RETURN NEW;" if condition else raising
            statements = [
                f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {body} END $$",
                f"CREATE TRIGGER {name} BEFORE UPDATE ON {table} FOR EACH ROW EXECUTE FUNCTION {name}()",
            ]
        for statement in statements:
            schema_editor.execute(statement, params=None)


def drop(apps, schema_editor):
    for name, (table, _, _) in REFUSALS.items():
        if schema_editor.connection.vendor == "sqlite":
            schema_editor.execute(f"DROP TRIGGER {name}")
        else:
            schema_editor.execute(f"DROP TRIGGER {name} ON {table}")
            schema_editor.execute(f"DROP FUNCTION {name}()")


class Migration(migrations.Migration):
    dependencies = [("annotations", "0007_arriving_and_reporting")]
    operations = [migrations.RunPython(make, drop)]
