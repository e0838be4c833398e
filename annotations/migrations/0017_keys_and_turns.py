"""Keys of sides, and the turns of experts (annotations/blinding/sides.py)."""

import django.db.models.deletion
from django.db import migrations, models

from annotations.migrations._triggers import WithTriggersAside


class Migration(migrations.Migration):

    dependencies = [
        ('annotations', '0016_identical_sides'),
    ]

    operations = [
        WithTriggersAside([
            migrations.CreateModel(
                name='SideKey',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('phase', models.CharField(choices=[('pilot', 'pilot'), ('main', 'main study')], max_length=5)),
                    ('key', models.BinaryField(max_length=32)),
                    ('name', models.CharField(help_text="The study's name at that time, which goes into every draw.", max_length=80)),
                    ('made_at', models.DateTimeField(auto_now_add=True)),
                ],
                options={
                    'ordering': ['study_id', 'phase'],
                },
            ),
            migrations.RemoveConstraint(
                model_name='assignment',
                name='assignment_taken_whole',
            ),
            migrations.AddField(
                model_name='assignment',
                name='phase',
                field=models.CharField(blank=True, choices=[('pilot', 'pilot'), ('main', 'main study')], help_text="The study's phase when step 2 was first shown.", max_length=5),
            ),
            migrations.AddField(
                model_name='assignment',
                name='side_rule',
                field=models.PositiveSmallIntegerField(blank=True, choices=[(1, 'from the seed in blocks of four, or collected elsewhere'), (2, "by the study's key")], help_text='How the side was drawn.', null=True),
            ),
            migrations.AddField(
                model_name='assignment',
                name='turn',
                field=models.PositiveIntegerField(blank=True, help_text="Which of the expert's comparisons it was, in the order shown, from 0.", null=True),
            ),
            migrations.AlterField(
                model_name='assignment',
                name='side_order',
                field=models.CharField(blank=True, choices=[('first_is_a', 'the first (in human-vs-system studies: people) is A'), ('second_is_a', 'the second is A')], help_text='Drawn when step 2 is first shown.', max_length=12),
            ),
            migrations.AlterField(
                model_name='event',
                name='kind',
                field=models.CharField(choices=[('imported', 'imported'), ('planned', 'planned'), ('sides_committed', 'key of the sides made; its SHA-256 is stated'), ('member_added', 'member added'), ('invited', 'invited'), ('invitation_revoked', 'invitation revoked'), ('invitation_accepted', 'invitation accepted'), ('consented', 'consented'), ('access_renewed', 'new password chosen by a new access link'), ('token_made', 'API token made'), ('token_revoked', 'API token revoked'), ('state_changed', 'state changed'), ('assigned', 'assigned'), ('reported', 'problem reported'), ('report_dismissed', 'report dismissed'), ('text_withdrawn', 'text withdrawn: it identifies a person'), ('text_shown_again', 'withdrawn text shown again'), ('simulated', 'responses simulated'), ('responses_imported', 'responses imported'), ('unblinded_view', 'unblinded data looked at before the study closed'), ('exported', 'exported'), ('analysed', 'analysis started'), ('analyses_planned', 'analysis plan changed'), ('plan_stamped', 'analysis plan fixed'), ('deleted', 'deleted')], max_length=30),
            ),
            migrations.AddField(
                model_name='sidekey',
                name='study',
                field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='side_keys', to='annotations.study'),
            ),
            migrations.AddConstraint(
                model_name='sidekey',
                constraint=models.UniqueConstraint(fields=('study', 'phase'), name='side_key_once'),
            ),
            migrations.AddConstraint(
                model_name='sidekey',
                constraint=models.CheckConstraint(condition=models.Q(('phase__in', ['pilot', 'main'])), name='side_key_phase_known'),
            ),
        ]),
    ]
