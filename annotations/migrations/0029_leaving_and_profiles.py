"""What becomes of the answers of an expert who leaves, and what experts are asked about themselves."""

from django.db import migrations, models

from annotations.migrations._triggers import WithTriggersAside


class Migration(migrations.Migration):

    dependencies = [
        ('annotations', '0028_roles_and_arriving'),
    ]

    operations = [
        WithTriggersAside([
        migrations.AddField(
            model_name='membership',
            name='answers_left_out',
            field=models.BooleanField(default=False, help_text="The expert has left, and exports and analyses leave out their answers."),
        ),
        migrations.AddField(
            model_name='membership',
            name='left_at',
            field=models.DateTimeField(blank=True, help_text='When the person left the study.', null=True),
        ),
        migrations.AddField(
            model_name='membership',
            name='profile',
            field=models.JSONField(blank=True, default=dict, help_text="Their answers to the study's questions about themselves, by name."),
        ),
        migrations.AddField(
            model_name='study',
            name='leaving',
            field=models.CharField(choices=[('kept', 'their answers stay'), ('left_out', 'their answers are left out of every export and analysis from then on')], default='kept', help_text='What becomes of the answers of an expert who leaves.', max_length=8),
        ),
        migrations.AddField(
            model_name='study',
            name='profile_questions',
            field=models.JSONField(blank=True, default=list, help_text='What experts are asked about themselves before they begin, such as years of experience.'),
        ),
        migrations.AddConstraint(
            model_name='membership',
            constraint=models.CheckConstraint(condition=models.Q(('answers_left_out', False), ('left_at__isnull', False), _connector='OR'), name='membership_left_out_has_left'),
        ),
        migrations.AddConstraint(
            model_name='study',
            constraint=models.CheckConstraint(condition=models.Q(('leaving__in', ['kept', 'left_out'])), name='study_leaving_known'),
        ),
        ]),
    ]
