"""Mails are jobs of a worker; when somebody was reminded is known; an invitation may have several links."""

import django.db.models.deletion
import django.utils.timezone
import uuid
from django.conf import settings
from django.db import migrations, models

from annotations.migrations._triggers import WithTriggersAside


class Migration(migrations.Migration):

    dependencies = [
        ('annotations', '0032_counting_places'),
    ]

    operations = [
        WithTriggersAside([
        migrations.AddField(
            model_name='invitation',
            name='reminded_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='membership',
            name='reminded_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.CreateModel(
            name='FurtherLink',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('digest', models.CharField(editable=False, help_text='SHA-256 of the token.', max_length=64, unique=True)),
                ('invitation', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='further_links', to='annotations.invitation')),
            ],
        ),
        migrations.CreateModel(
            name='Letter',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('state', models.CharField(choices=[('queued', 'waiting'), ('running', 'running'), ('succeeded', 'done'), ('failed', 'failed'), ('cancelled', 'cancelled')], default='queued', max_length=10)),
                ('progress_done', models.BigIntegerField(default=0)),
                ('progress_total', models.BigIntegerField(default=0)),
                ('progress_message', models.CharField(blank=True, max_length=300)),
                ('error', models.TextField(blank=True, help_text='Why it failed, in a sentence for its owner.')),
                ('error_detail', models.TextField(blank=True, help_text='The traceback, for admins only.')),
                ('cancel_requested', models.BooleanField(default=False)),
                ('lease_owner', models.UUIDField(blank=True, editable=False, null=True)),
                ('lease_until', models.DateTimeField(blank=True, editable=False, null=True)),
                ('attempts', models.PositiveIntegerField(default=0)),
                ('rung_at', models.DateTimeField(blank=True, editable=False, help_text='When a worker was last called.', null=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('started_at', models.DateTimeField(blank=True, null=True)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('is_reminder', models.BooleanField(default=False)),
                ('invitation', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='letters', to='annotations.invitation')),
                ('member', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='letters', to='annotations.membership')),
                ('owner', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('study', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='letters', to='annotations.study')),
            ],
            options={
                'ordering': ['-created_at'],
                'abstract': False,
                'indexes': [models.Index(fields=['state', 'lease_until'], name='letter_to_sweep')],
                'constraints': [models.CheckConstraint(condition=models.Q(('state__in', ['queued', 'running', 'succeeded', 'failed', 'cancelled'])), name='letter_state_known'), models.CheckConstraint(condition=models.Q(models.Q(('invitation__isnull', False), ('member', None)), models.Q(('invitation', None), ('member__isnull', False)), _connector='OR'), name='letter_has_one_reader')],
            },
        ),
        ]),
    ]
