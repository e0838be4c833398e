"""PostgreSQL no longer tries to compress matrices.

That took two seconds for a matrix of 100,000 x 33 and gained little, because digits of shares do not repeat; and one
row of a compressed matrix cannot be read without the others. Matrices stored before stay as they are.
"""

from django.db import migrations

MATRICES = (("dataset", "gold"), ("system", "predictions"), ("predictedannotations", "answers"))


def _store(kind):
    def change(apps, schema_editor):
        if schema_editor.connection.vendor != "postgresql":
            return
        for model, field in MATRICES:
            meta = apps.get_model("annotations", model)._meta
            table, column = map(schema_editor.quote_name, (meta.db_table, meta.get_field(field).column))
            schema_editor.execute(f"ALTER TABLE {table} ALTER COLUMN {column} SET STORAGE {kind}")

    return change


class Migration(migrations.Migration):
    dependencies = [("annotations", "0052_notice_of_identities")]

    operations = [migrations.RunPython(_store("EXTERNAL"), _store("EXTENDED"))]
