"""People choose the language of their pages in their account."""

from django.db import migrations, models

from annotations.migrations._triggers import WithTriggersAside


class Migration(migrations.Migration):

    dependencies = [
        ('annotations', '0035_repeats'),
    ]

    operations = [
        WithTriggersAside([
        migrations.AddField(
            model_name='user',
            name='language',
            field=models.CharField(blank=True, help_text="The language of their pages. Empty: the browser's.", max_length=10),
        ),
        ]),
    ]
