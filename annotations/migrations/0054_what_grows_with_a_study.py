"""What an answer read from things that grow with a study is kept beside it: a comparison's two rows, and how many
comparisons a study has. And of the places that an expert takes, only the highest that was free in its comparison counts
among the `claims`: as long as a higher one is free, the pool has not lost the text.

Studies that are planned from now on have the rows; in earlier ones they are read from the matrices, as before.
"""

from typing import Any

from django.db import migrations, models
from django.db.models import Q

import annotations.fields
from annotations.migrations._triggers import WithTriggersAside, drop_trigger, follow

COMPARISONS, STUDIES = "annotations_comparison", "annotations_study"
EMPTY = f"UPDATE {COMPARISONS} SET first_row = NULL, second_row = NULL WHERE"
OF_DATASET = f"{EMPTY} instance_id IN (SELECT id FROM annotations_instance WHERE dataset_id = NEW.id);"
OF_SYSTEM = f"{EMPTY} second_system_id = NEW.id OR first_system_id = NEW.id;"
SQLITE = {
    "planned_insert": (
        COMPARISONS,
        "INSERT",
        None,
        f"UPDATE {STUDIES} SET planned = planned + 1 WHERE id = NEW.study_id;",
    ),
    "planned_delete": (
        COMPARISONS,
        "DELETE",
        None,
        f"UPDATE {STUDIES} SET planned = planned - 1 WHERE id = OLD.study_id;",
    ),
    "rows_of_dataset": ("annotations_dataset", "UPDATE OF gold", None, OF_DATASET),
    "rows_of_system": ("annotations_system", "UPDATE OF predictions", None, OF_SYSTEM),
}
PLACES = "annotations_assignment"
HIGHER = (
    f"SELECT 1 FROM {PLACES} AS higher WHERE higher.comparison_id = {{row}}.comparison_id "
    "AND higher.place > {row}.place AND higher.expert_id IS NULL AND higher.released_at IS NULL"
)
"""Another free place of the comparison. Of two that are taken at the same moment, the higher one's taker sees none."""
TALLY_SQLITE = (
    f"CREATE TRIGGER tally_update AFTER UPDATE ON {PLACES} WHEN OLD.expert_id IS NOT NULL OR NEW.expert_id IS NOT NULL "
    "BEGIN UPDATE annotations_membership SET tally = NULL "
    "WHERE tally IS NOT NULL AND id IN (OLD.expert_id, NEW.expert_id); "
    "UPDATE annotations_membership SET claims = claims + 1 WHERE id = NEW.expert_id AND OLD.expert_id IS NULL "
    f"AND NOT EXISTS ({HIGHER.format(row='NEW')}); END"
)
TALLY_POSTGRESQL = (
    "CREATE OR REPLACE FUNCTION tally_update() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
    "UPDATE annotations_membership SET tally = NULL, claims = claims + changed.taken FROM ("
    "SELECT expert, sum(taken) AS taken FROM ("
    "SELECT fresh.expert_id AS expert, "
    f"CASE WHEN stale.expert_id IS NULL AND NOT EXISTS ({HIGHER.format(row='fresh')}) THEN 1 ELSE 0 END AS taken "
    "FROM fresh JOIN stale ON stale.id = fresh.id WHERE fresh.expert_id IS NOT NULL "
    "UNION ALL SELECT expert_id, 0 FROM stale WHERE expert_id IS NOT NULL) AS one GROUP BY expert) AS changed "
    "WHERE annotations_membership.id = changed.expert AND (tally IS NOT NULL OR changed.taken > 0); "
    "RETURN NULL; END $$"
)


def _changed(rows: str, sign: str) -> str:
    changed = f"(SELECT study_id, count(*) AS number FROM {rows} GROUP BY study_id) AS changed"
    return f"UPDATE {STUDIES} SET planned = planned {sign} changed.number FROM {changed} WHERE id = changed.study_id;"


# Counted for each statement, not for each row: a plan is stored in a few.
POSTGRESQL = {
    "planned_insert": (
        COMPARISONS,
        "INSERT",
        "REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT",
        _changed("fresh", "+"),
    ),
    "planned_delete": (
        COMPARISONS,
        "DELETE",
        "REFERENCING OLD TABLE AS stale FOR EACH STATEMENT",
        _changed("stale", "-"),
    ),
    "rows_of_dataset": ("annotations_dataset", "UPDATE OF gold", "FOR EACH ROW", OF_DATASET),
    "rows_of_system": ("annotations_system", "UPDATE OF predictions", "FOR EACH ROW", OF_SYSTEM),
}


def make(apps: Any, schema_editor: Any) -> None:
    counted = f"(SELECT count(*) FROM {COMPARISONS} WHERE study_id = {STUDIES}.id)"
    schema_editor.execute(f"UPDATE {STUDIES} SET planned = {counted}", None)
    if schema_editor.connection.vendor == "sqlite":
        schema_editor.execute("DROP TRIGGER tally_update", None)
        schema_editor.execute(TALLY_SQLITE, None)
    else:
        schema_editor.execute(TALLY_POSTGRESQL, None)
    follow(schema_editor, SQLITE, POSTGRESQL)


def drop(apps: Any, schema_editor: Any) -> None:
    """Without the earlier trigger of `claims`: this one's number is no less true."""
    for name, (table, *_) in SQLITE.items():
        drop_trigger(schema_editor, name, table=table)


class Migration(migrations.Migration):
    dependencies = [
        ("annotations", "0053_matrices_uncompressed"),
    ]

    operations = [
        WithTriggersAside(
            [
                migrations.AddField(
                    model_name="comparison",
                    name="first_row",
                    field=annotations.fields.RowField(
                        blank=True,
                        editable=False,
                        help_text="The first distribution of the instance, copied from its matrix, which is large where "
                        "there are many instances. Empty: to be read there; triggers empty it when the matrix changes.",
                        null=True,
                    ),
                ),
                migrations.AddField(
                    model_name="comparison",
                    name="second_row",
                    field=annotations.fields.RowField(
                        blank=True, editable=False, help_text="The same of the second.", null=True
                    ),
                ),
                migrations.AddField(
                    model_name="study",
                    name="planned",
                    field=models.PositiveIntegerField(
                        db_default=0,
                        default=0,
                        editable=False,
                        help_text="How many comparisons it has. Triggers write it.",
                    ),
                ),
            ]
        ),
        migrations.AlterField(
            model_name="membership",
            name="claims",
            field=models.PositiveIntegerField(
                db_default=0,
                default=0,
                editable=False,
                help_text="How often they took the highest free place of a comparison. Triggers write it.",
            ),
        ),
        migrations.AddIndex(
            model_name="instance",
            index=models.Index(
                condition=Q(("withdrawn_at__isnull", False)), fields=["dataset"], name="instance_withdrawn"
            ),
        ),
        migrations.RunPython(make, drop),
    ]
