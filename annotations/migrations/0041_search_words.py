"""Labels are found by other words than their names too."""

from django.db import migrations, models

from annotations.migrations._triggers import WithTriggersAside


class Migration(migrations.Migration):

    dependencies = [
        ('annotations', '0040_question_certainty'),
    ]

    operations = [WithTriggersAside([
        migrations.AddField(
            model_name='label',
            name='search_words',
            field=models.JSONField(blank=True, default=list, help_text="Other words by which experts can find it. They are never shown as labels."),
        ),
    ])]
