"""How step 2 draws its two sides, and what a bar of them is. Studies from before there was a choice keep two lists."""

from django.db import migrations, models

from annotations.migrations._triggers import WithTriggersAside


class Migration(migrations.Migration):

    dependencies = [
        ('annotations', '0038_token_scopes'),
    ]

    operations = [WithTriggersAside([
        migrations.AddField(
            model_name='study',
            name='layout',
            field=models.CharField(choices=[('aligned', 'one chart: a row for each label, side A to the left of it and side B to the right'), ('separate', 'two lists, each in the order of its own values, as in the original study')], db_default='separate', default='aligned', help_text='How step 2 draws its two sides.', max_length=8),
        ),
        migrations.AddField(
            model_name='study',
            name='share_meaning',
            field=models.CharField(blank=True, db_default='', default='', help_text="What a bar on either side means, such as 'share of lawyers who would choose it'. Empty: the app's.", max_length=120),
        ),
        migrations.AddConstraint(
            model_name='study',
            constraint=models.CheckConstraint(condition=models.Q(('layout__in', ['aligned', 'separate'])), name='study_layout_known'),
        ),
    ])]
