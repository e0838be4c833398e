"""What an API token may write."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotations', '0037_notices'),
    ]

    operations = [
        migrations.AddField(
            model_name='apitoken',
            name='scope',
            field=models.CharField(choices=[('all', 'whatever its person may'), ('read', 'nothing: it only reads'), ('members', 'who takes part in studies'), ('assignments', 'who answers what')], db_default='all', default='all', help_text='What it may write.', max_length=11),
        ),
        migrations.AddConstraint(
            model_name='apitoken',
            constraint=models.CheckConstraint(condition=models.Q(('scope__in', ['all', 'read', 'members', 'assignments'])), name='api_token_scope_known'),
        ),
    ]
