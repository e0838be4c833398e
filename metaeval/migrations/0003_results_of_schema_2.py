"""Stored results of schema 1 get the shape of schema 2: a list of named tables, and what they are about."""

from django.db import migrations

KINDS = {"_p": "p", "_p_holm": "p", "_p_bh": "p", "_p_max_t": "p"}


def upgrade(result):
    """One result; those of schema 2 stay as they are."""
    if not isinstance(result, dict) or result.get("schema") != 1:
        return result
    table = result.pop("table", None)
    study = result.pop("study", {})
    for column in table["columns"] if table else []:
        column["kind"] = next((kind for end, kind in KINDS.items() if column["key"].endswith(end)), "")
    named = {
        "name": "correlations",
        "title": "Correlation of each metric with the experts’ preference, over systems",
        "notes": [],
    }
    return {
        **result,
        "schema": 2,
        "version": 1,
        "subject": {"kind": "study", **study},
        "notes": [],
        "tables": [{**named, **table}] if table else [],
    }


def forwards(apps, schema_editor):
    runs = apps.get_model("metaeval", "AnalysisRun")
    for run in runs.objects.exclude(result=None).iterator(chunk_size=20):
        runs.objects.filter(pk=run.pk).update(result=upgrade(run.result))


class Migration(migrations.Migration):
    dependencies = [("metaeval", "0002_subjects")]
    operations = [migrations.RunPython(forwards, migrations.RunPython.noop)]
