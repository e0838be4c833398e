"""What an expert's assignments come to is kept with the expert, and emptied by triggers whenever these change.

Whoever changes an assignment need not think of it: the statement itself empties the tally, and the next request of the
expert counts anew (annotations/answering/tally.py). Nothing is filled here, so the migration takes no longer in a
large database.
"""

from typing import Any

from django.db import migrations, models
from django.db.models import Q

from annotations.migrations._triggers import WithTriggersAside, drop_trigger, follow

TABLE = "annotations_assignment"
EMPTY = "UPDATE annotations_membership SET tally = NULL WHERE tally IS NOT NULL AND id"
# An unfinished assignment counts only while its text is shown.
WITHDRAWN = (
    f"{EMPTY} IN (SELECT expert_id FROM {TABLE} WHERE instance_id = NEW.id AND expert_id IS NOT NULL "
    "AND completed_at IS NULL AND released_at IS NULL); "
    "UPDATE annotations_study SET pool_version = pool_version + 1 WHERE dataset_id = NEW.dataset_id;"
)
SQLITE = {
    "tally_insert": (TABLE, "INSERT", "NEW.expert_id IS NOT NULL", f"{EMPTY} = NEW.expert_id;"),
    "tally_update": (
        TABLE,
        "UPDATE",
        "OLD.expert_id IS NOT NULL OR NEW.expert_id IS NOT NULL",
        f"{EMPTY} IN (OLD.expert_id, NEW.expert_id); "
        "UPDATE annotations_membership SET claims = claims + 1 WHERE id = NEW.expert_id AND OLD.expert_id IS NULL;",
    ),
    "tally_delete": (
        TABLE,
        "DELETE",
        None,
        f"{EMPTY} = OLD.expert_id; UPDATE annotations_study SET pool_version = pool_version + 1 "
        "WHERE id = OLD.study_id AND OLD.expert_id IS NULL AND OLD.released_at IS NULL;",
    ),
    "tally_withdrawn": (
        "annotations_instance",
        "UPDATE OF withdrawn_at",
        "(OLD.withdrawn_at IS NULL) <> (NEW.withdrawn_at IS NULL)",
        WITHDRAWN,
    ),
}
# For each statement, not for each row: a thousand places given to one expert change the expert's row once.
POSTGRESQL = {
    "tally_insert": (
        TABLE,
        "INSERT",
        "REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT",
        f"{EMPTY} IN (SELECT expert_id FROM fresh WHERE expert_id IS NOT NULL);",
    ),
    "tally_update": (
        TABLE,
        "UPDATE",
        "REFERENCING OLD TABLE AS stale NEW TABLE AS fresh FOR EACH STATEMENT",
        "UPDATE annotations_membership SET tally = NULL, claims = claims + changed.taken FROM ("
        "SELECT expert, sum(taken) AS taken FROM ("
        "SELECT fresh.expert_id AS expert, CASE WHEN stale.expert_id IS NULL THEN 1 ELSE 0 END AS taken "
        "FROM fresh JOIN stale ON stale.id = fresh.id WHERE fresh.expert_id IS NOT NULL "
        "UNION ALL SELECT expert_id, 0 FROM stale WHERE expert_id IS NOT NULL) AS one GROUP BY expert) AS changed "
        "WHERE annotations_membership.id = changed.expert AND (tally IS NOT NULL OR changed.taken > 0);",
    ),
    "tally_delete": (
        TABLE,
        "DELETE",
        "REFERENCING OLD TABLE AS stale FOR EACH STATEMENT",
        f"{EMPTY} IN (SELECT expert_id FROM stale WHERE expert_id IS NOT NULL); "
        "UPDATE annotations_study SET pool_version = pool_version + 1 "
        "WHERE id IN (SELECT study_id FROM stale WHERE expert_id IS NULL AND released_at IS NULL);",
    ),
    "tally_withdrawn": (
        "annotations_instance",
        "UPDATE OF withdrawn_at",
        "FOR EACH ROW WHEN ((OLD.withdrawn_at IS NULL) <> (NEW.withdrawn_at IS NULL))",
        WITHDRAWN,
    ),
}


def make(apps: Any, schema_editor: Any) -> None:
    follow(schema_editor, SQLITE, POSTGRESQL)


def drop(apps: Any, schema_editor: Any) -> None:
    for name, (table, *_) in SQLITE.items():
        drop_trigger(schema_editor, name, table=table)


class Migration(migrations.Migration):
    dependencies = [
        ("annotations", "0047_erasing"),
    ]

    operations = [
        WithTriggersAside(
            [
                migrations.AddField(
                    model_name="membership",
                    name="claims",
                    field=models.PositiveIntegerField(
                        db_default=0,
                        default=0,
                        editable=False,
                        help_text="How often a free place became theirs. Triggers write it.",
                    ),
                ),
                migrations.AddField(
                    model_name="membership",
                    name="tally",
                    field=models.JSONField(
                        blank=True,
                        editable=False,
                        help_text="What their assignments come to (answering/tally.py). Empty: to be counted; "
                        "triggers empty it.",
                        null=True,
                    ),
                ),
                migrations.AddField(
                    model_name="study",
                    name="pool_version",
                    field=models.PositiveIntegerField(
                        db_default=0,
                        default=0,
                        editable=False,
                        help_text="Grows when places leave the pool without being taken. Triggers write it.",
                    ),
                ),
            ]
        ),
        migrations.AddIndex(
            model_name="assignment",
            index=models.Index(
                condition=Q(("expert", None), ("released_at", None)),
                fields=["study", "instance"],
                name="assignment_free_texts",
            ),
        ),
        migrations.AddIndex(
            model_name="assignment",
            index=models.Index(
                condition=Q(("completed_at", None), ("expert__isnull", False), ("released_at", None)),
                fields=["expert", "position"],
                name="assignment_unfinished",
            ),
        ),
        migrations.RunPython(make, drop),
    ]
