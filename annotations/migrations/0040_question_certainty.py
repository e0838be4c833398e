"""How certain experts are is asked in the study's own words, where it has any."""

from django.db import migrations, models

from annotations.migrations._triggers import WithTriggersAside


class Migration(migrations.Migration):

    dependencies = [
        ('annotations', '0039_layouts'),
    ]

    operations = [WithTriggersAside([
        migrations.AddField(
            model_name='study',
            name='question_certainty',
            field=models.CharField(blank=True, db_default='', default='', help_text="Asked beside the slider of step 2, such as 'How certain are you?'. Empty: the app's own words.", max_length=160),
        ),
    ])]
