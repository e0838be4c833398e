"""Each answer says which version of the study's words and of the pages' the expert read. Earlier answers do not."""

import django.db.models.deletion
from django.db import migrations, models

from annotations.migrations._triggers import WithTriggersAside, refusing

OTHER_STUDY = (
    "NEW.instrument_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM annotations_assignment a"
    " JOIN annotations_instrumentversion i ON i.study_id = a.study_id"
    " WHERE a.id = NEW.assignment_id AND i.id = NEW.instrument_id)"
)
# name -> (table, event, condition under which the row is refused, message)
REFUSALS = {
    "append_only_instrumentversion": (
        "annotations_instrumentversion",
        "UPDATE",
        None,
        "rows of this table are never changed",
    ),
    "labels_under_own_instrument": (
        "annotations_labelresponse",
        "INSERT",
        OTHER_STUDY,
        "the version of the instrument belongs to another study",
    ),
    "preference_under_own_instrument": (
        "annotations_preferenceresponse",
        "INSERT",
        OTHER_STUDY,
        "the version of the instrument belongs to another study",
    ),
}
LANGUAGE = "The page's language; empty: unknown."


def answered_under(model):
    return [
        migrations.AddField(
            model_name=model,
            name="instrument",
            field=models.ForeignKey(
                blank=True,
                help_text="What the expert read; empty: unknown.",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="annotations.instrumentversion",
            ),
        ),
        migrations.AddField(
            model_name=model,
            name="page_language",
            field=models.CharField(blank=True, db_default="", default="", help_text=LANGUAGE, max_length=20),
        ),
    ]


class Migration(migrations.Migration):

    dependencies = [("annotations", "0041_search_words")]

    operations = [
        migrations.CreateModel(
            name="InstrumentVersion",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveIntegerField()),
                (
                    "app",
                    models.PositiveIntegerField(
                        help_text="The version of the pages' words (designing/instrument.py)."
                    ),
                ),
                (
                    "sha256",
                    models.CharField(help_text="Checksum of the content and the version of the pages' words.", max_length=64),
                ),
                (
                    "content",
                    models.JSONField(
                        help_text="Questions, instructions, labels, layout and language, as experts read them."
                    ),
                ),
                ("created_at", models.DateTimeField()),
                (
                    "study",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="instrument_versions",
                        to="annotations.study",
                    ),
                ),
            ],
            options={
                "ordering": ["study_id", "number"],
                "constraints": [
                    models.UniqueConstraint(fields=("study", "number"), name="instrument_version_once"),
                    models.UniqueConstraint(fields=("study", "sha256"), name="instrument_content_once"),
                    models.CheckConstraint(
                        condition=models.Q(("number__gte", 1)), name="instrument_version_from_1"
                    ),
                ],
            },
        ),
        WithTriggersAside([*answered_under("labelresponse"), *answered_under("preferenceresponse")]),
        refusing(REFUSALS),
    ]
