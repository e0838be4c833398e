"""Comparisons whose two sides look the same are known, and take both or neither only, whatever code runs.

What is stored already stays empty: its experts were offered all four answers. A draft that was planned before gets it when
it opens.
"""

from django.db import migrations, models

IDENTICAL = (
    "EXISTS (SELECT 1 FROM annotations_assignment a JOIN annotations_comparison c ON c.id = a.comparison_id"
    " WHERE a.id = NEW.assignment_id AND c.identical)"
)

# name -> (table, event, condition under which the row is refused, message)
REFUSALS = {
    "identical_takes_both_or_neither": (
        "annotations_preferenceresponse",
        "INSERT",
        f"NEW.a_chosen <> NEW.b_chosen AND {IDENTICAL}",
        "both sides are the same: the answer is both or neither",
    ),
    "identical_has_no_guess": (
        "annotations_guess",
        "INSERT",
        IDENTICAL,
        "both sides are the same: there is nothing to guess",
    ),
    "identical_before_it_is_shown": (
        "annotations_comparison",
        "UPDATE",
        "COALESCE(NEW.identical, FALSE) <> COALESCE(OLD.identical, FALSE) AND EXISTS"
        " (SELECT 1 FROM annotations_assignment a WHERE a.comparison_id = NEW.id AND a.comparison_shown_at IS NOT NULL)",
        "whether both sides are the same is settled before an expert sees them",
    ),
}


def make(apps, schema_editor):
    for name, (table, event, condition, message) in REFUSALS.items():
        if schema_editor.connection.vendor == "sqlite":
            statements = [
                f"CREATE TRIGGER {name} BEFORE {event} ON {table} WHEN {condition}"
                f" BEGIN SELECT RAISE(ABORT, '{message}'); END"
            ]
        else:
            # ERRCODE 23514 makes Django raise IntegrityError, as it does for SQLite's RAISE(ABORT).
            raising = f"RAISE EXCEPTION '{message}' USING ERRCODE = '23514';"
            statements = [
                f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS"
                f" $$ BEGIN IF {condition} THEN {raising} END IF; RETURN NEW; END $$",
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
    dependencies = [("annotations", "0015_give_aways")]
    operations = [
        migrations.AddField(
            "comparison",
            "identical",
            models.BooleanField(
                null=True,
                blank=True,
                help_text="Both sides look the same, so they are one chart and take both or neither only. "
                "Empty: the study began before this was asked; its experts had all four answers.",
            ),
        ),
        migrations.RunPython(make, drop),
    ]
