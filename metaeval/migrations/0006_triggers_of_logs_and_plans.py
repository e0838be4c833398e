"""What a column constraint cannot say, said as triggers, on SQLite and PostgreSQL alike.

- Lines of a run's log and stamped plans are never changed.
- Nothing can be planned, or changed in the plan, once the study's plan is stamped.
"""

from django.db import migrations

STAMPED = "EXISTS (SELECT 1 FROM metaeval_stampedplan s WHERE s.study_id = NEW.study_id)"

# name -> (table, event, condition under which the row is refused, message)
REFUSALS = {
    "append_only_run_lines": ("metaeval_analysisrunline", "UPDATE", None, "rows of this table are never changed"),
    "append_only_stamped_plans": ("metaeval_stampedplan", "UPDATE", None, "rows of this table are never changed"),
    "plan_fixed_for_new": ("metaeval_plannedanalysis", "INSERT", STAMPED, "the analysis plan is stamped"),
    "plan_fixed_for_changes": ("metaeval_plannedanalysis", "UPDATE", STAMPED, "the analysis plan is stamped"),
}


def make(apps, schema_editor):
    for name, (table, event, condition, message) in REFUSALS.items():
        if schema_editor.connection.vendor == "sqlite":
            when = f"WHEN {condition}" if condition else ""
            statements = [
                f"CREATE TRIGGER {name} BEFORE {event} ON {table} {when} "
                f"BEGIN SELECT RAISE(ABORT, '{message}'); END"
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
    for name, (table, _, _, _) in REFUSALS.items():
        if schema_editor.connection.vendor == "sqlite":
            schema_editor.execute(f"DROP TRIGGER {name}")
        else:
            schema_editor.execute(f"DROP TRIGGER {name} ON {table}")
            schema_editor.execute(f"DROP FUNCTION {name}()")


class Migration(migrations.Migration):
    dependencies = [("metaeval", "0005_logs_and_plans")]
    operations = [migrations.RunPython(make, drop)]
