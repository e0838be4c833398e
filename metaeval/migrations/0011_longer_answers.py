"""An answer has room for two or three sentences."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('metaeval', '0010_answers'),
    ]

    operations = [
        migrations.AlterField(
            model_name='analysisrun',
            name='answer',
            field=models.CharField(blank=True, help_text='The result in plain sentences; empty where it was stored before there were any.', max_length=1000),
        ),
    ]
