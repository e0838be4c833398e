"""The tables of django-axes go: attempts are counted in a table of our own, and nothing has been written into these.

Copies of older databases leave them out (GONE in hlvstudy/backups/tables.py).
"""

from django.db import migrations

TABLES = ("accessattemptexpiration", "accessattempt", "accessfailurelog", "accesslog")


class Migration(migrations.Migration):
    dependencies = [
        ("annotations", "0105_break_in"),
    ]

    operations = [
        *(migrations.RunSQL(f"DROP TABLE IF EXISTS axes_{name}", migrations.RunSQL.noop) for name in TABLES),
        migrations.RunSQL("DELETE FROM django_migrations WHERE app = 'axes'", migrations.RunSQL.noop),
    ]
