from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("metaeval", "0008_answered_by")]

    operations = [
        migrations.AlterModelOptions(
            name="analysisrun",
            options={"ordering": ["-created_at"], "verbose_name": "analysis", "verbose_name_plural": "analyses"},
        ),
    ]
