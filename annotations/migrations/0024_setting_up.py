"""What setting up a study needs: which systems it compares, a version of its settings, pausing and archiving.

The default questions name no domain any more. Studies that are there keep the questions that they ask.
"""

from django.db import migrations, models

from annotations.migrations._triggers import WithTriggersAside
from annotations.models.studies import are_names


class Migration(migrations.Migration):

    dependencies = [
        ('annotations', '0023_watching'),
    ]

    operations = [WithTriggersAside([
        migrations.AddField(
            model_name='comparison',
            name='is_paused',
            field=models.BooleanField(db_default=False, default=False, help_text="One of its systems is paused, so its free places are not assigned."),
        ),
        migrations.AddField(
            model_name='study',
            name='archived_at',
            field=models.DateTimeField(blank=True, help_text="When it was archived; lists have omitted it since.", null=True),
        ),
        migrations.AddField(
            model_name='study',
            name='paused_systems',
            field=models.JSONField(blank=True, default=list, help_text="Systems whose free places are currently not assigned.", validators=[are_names]),
        ),
        migrations.AddField(
            model_name='study',
            name='systems',
            field=models.JSONField(blank=True, default=list, help_text="The names of the systems to compare, as they are called in the study. Empty: all.", validators=[are_names]),
        ),
        migrations.AddField(
            model_name='study',
            name='version',
            field=models.PositiveIntegerField(db_default=1, default=1, help_text='Grows with every saved change of the settings.'),
        ),
        migrations.AlterField(
            model_name='event',
            name='kind',
            field=models.CharField(choices=[('imported', 'imported'), ('replaced', 'imported again in place of what nothing used'), ('study_created', 'study begun'), ('settings_changed', 'settings changed'), ('planned', 'planned'), ('places_added', 'more places for experts'), ('system_paused', 'system paused: its free places are not handed out'), ('system_resumed', 'paused system resumed'), ('archived', 'archived'), ('unarchived', 'taken back from the archive'), ('sides_committed', 'key of the sides made; its SHA-256 is stated'), ('member_added', 'member added'), ('invited', 'invited'), ('invitation_revoked', 'invitation revoked'), ('invitation_accepted', 'invitation accepted'), ('consented', 'consented'), ('access_renewed', 'new password chosen by a new access link'), ('token_made', 'API token made'), ('token_revoked', 'API token revoked'), ('state_changed', 'state changed'), ('assigned', 'assigned'), ('reported', 'problem reported'), ('report_dismissed', 'report dismissed'), ('text_withdrawn', 'text withdrawn: it identifies a person'), ('text_shown_again', 'withdrawn text shown again'), ('simulated', 'responses simulated'), ('responses_imported', 'responses imported'), ('unblinded_view', 'unblinded data looked at before the study closed'), ('exported', 'exported'), ('analysed', 'analysis started'), ('analyses_planned', 'analysis plan changed'), ('plan_stamped', 'analysis plan fixed'), ('deleted', 'deleted')], max_length=30),
        ),
        migrations.AlterField(
            model_name='study',
            name='question_labels',
            field=models.CharField(default='Which labels, if any, apply to this text?', help_text='Asked in step 1.', max_length=300),
        ),
        migrations.AlterField(
            model_name='study',
            name='question_preference',
            field=models.CharField(default='Which of these describes what people would say about this text more accurately?', help_text='Asked in step 2.', max_length=300),
        ),
    ])]
