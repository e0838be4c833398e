"""People are invited to the installation, too, and with rights on it; their sessions can be ended at once."""

import django.db.models.deletion
from django.db import migrations, models

from annotations.migrations._triggers import WithTriggersAside


class Migration(migrations.Migration):

    dependencies = [
        ('annotations', '0027_exports_as_jobs'),
    ]

    operations = [
        WithTriggersAside([
        migrations.RemoveConstraint(
            model_name='invitation',
            name='invitation_role_known',
        ),
        migrations.RemoveConstraint(
            model_name='invitation',
            name='invitation_purpose_known',
        ),
        migrations.RemoveConstraint(
            model_name='invitation',
            name='invitation_has_its_user',
        ),
        migrations.AddField(
            model_name='invitation',
            name='may_administer',
            field=models.BooleanField(default=False, help_text='Whoever accepts administers the installation.'),
        ),
        migrations.AddField(
            model_name='invitation',
            name='may_create',
            field=models.BooleanField(default=False, help_text='Whoever accepts may start studies.'),
        ),
        migrations.AddField(
            model_name='invitation',
            name='may_import',
            field=models.BooleanField(default=False, help_text='Whoever accepts may bring datasets.'),
        ),
        migrations.AddField(
            model_name='user',
            name='sessions_ended',
            field=models.PositiveIntegerField(default=0, help_text="How often all of the person's sessions were ended at once; part of what identifies a session."),
        ),
        migrations.AlterField(
            model_name='invitation',
            name='purpose',
            field=models.CharField(choices=[('join', 'take part in a study'), ('access', 'a new password for somebody who takes part already'), ('arrive', 'an account on this installation, without a study')], default='join', max_length=6),
        ),
        migrations.AlterField(
            model_name='invitation',
            name='role',
            field=models.CharField(blank=True, choices=[('expert', 'expert'), ('researcher', 'researcher'), ('admin', 'admin')], help_text="Their role in the study.", max_length=10),
        ),
        migrations.AlterField(
            model_name='invitation',
            name='study',
            field=models.ForeignKey(blank=True, help_text="Empty: the invitation is to the installation.", null=True, on_delete=django.db.models.deletion.CASCADE, related_name='invitations', to='annotations.study'),
        ),
        migrations.AddConstraint(
            model_name='invitation',
            constraint=models.UniqueConstraint(condition=models.Q(('revoked_at', None), ('study', None), ('used_at', None)), fields=('email',), name='invitation_one_to_arrive'),
        ),
        migrations.AddConstraint(
            model_name='invitation',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('role__in', ['expert', 'researcher', 'admin']), ('study__isnull', False)), models.Q(('role', ''), ('study', None)), _connector='OR'), name='invitation_role_known'),
        ),
        migrations.AddConstraint(
            model_name='invitation',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('role', 'expert'), _negated=True), models.Q(('may_administer', False), ('may_create', False), ('may_import', False)), _connector='OR'), name='invitation_experts_stay_blind'),
        ),
        migrations.AddConstraint(
            model_name='invitation',
            constraint=models.CheckConstraint(condition=models.Q(('purpose__in', ['join', 'access', 'arrive'])), name='invitation_purpose_known'),
        ),
        migrations.AddConstraint(
            model_name='invitation',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('purpose__in', ['join', 'arrive']), ('used_at', None)), ('user__isnull', False), _connector='OR'), name='invitation_has_its_user'),
        ),
        ])
    ]
