"""Who must set up a second factor anew, because somebody was in their account."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("annotations", "0104_queue_turn"),
    ]

    operations = [
        migrations.AddField(
            model_name='user',
            name='second_factor_due',
            field=models.BooleanField(db_default=False, default=False, help_text='Theirs ended because somebody was in the account: the next sign-in asks for a new one.'),
        ),
        migrations.AlterField(
            model_name='event',
            name='kind',
            field=models.CharField(choices=[('imported', 'imported'), ('replaced', 'imported again in place of what nothing used'), ('study_created', 'study begun'), ('settings_changed', 'settings changed'), ('dataset_changed', 'title or label of a dataset renamed'), ('planned', 'planned'), ('places_added', 'more places for experts'), ('system_paused', 'system paused: its free places are not handed out'), ('system_resumed', 'paused system resumed'), ('archived', 'archived'), ('unarchived', 'taken back from the archive'), ('sides_committed', 'key of the sides made; its SHA-256 is stated'), ('member_added', 'member added'), ('role_changed', 'role in the study changed'), ('member_left', 'left the study'), ('member_returned', 'back in the study'), ('profile_changed', 'said something about themselves'), ('invited', 'invited'), ('reminded', 'reminded'), ('told', 'people told that all answers are there, or that something failed'), ('mail_failed', 'a mail could not be sent'), ('invitation_revoked', 'invitation revoked'), ('invitation_accepted', 'invitation accepted'), ('consented', 'consented'), ('roles_changed', 'what a person may do on this installation changed'), ('password_changed', 'password changed'), ('account_closed', 'account closed: it cannot sign in'), ('account_reopened', 'closed account opened again'), ('break_in', 'somebody else was in an account: sessions, tokens and links ended'), ('access_renewed', 'new password chosen by a new access link'), ('signed_in', 'signed in'), ('signed_out', 'signed out'), ('sessions_ended', 'browsers signed out, by the person elsewhere or by an admin'), ('sign_in_failed', 'wrong address or password'), ('locked_out', 'sign-in paused after too many failed attempts'), ('second_factor_on', 'second factor turned on'), ('second_factor_off', 'second factor turned off'), ('second_step_failed', 'wrong code or passkey'), ('passkey_added', 'passkey added'), ('passkey_removed', 'passkey removed'), ('recovery_codes_made', 'new recovery codes made'), ('recovery_code_used', 'signed in with a recovery code'), ('provider_connected', 'account connected to the sign-in provider'), ('provider_disconnected', 'account disconnected from the sign-in provider'), ('stepped_in', 'stepped into a role of the demo'), ('token_made', 'API token made'), ('token_revoked', 'API token revoked'), ('state_changed', 'state changed'), ('assigned', 'assigned'), ('reported', 'problem reported'), ('report_dismissed', 'report dismissed'), ('text_withdrawn', 'text withdrawn: it identifies a person'), ('text_shown_again', 'withdrawn text shown again'), ('simulated', 'responses simulated'), ('responses_imported', 'responses imported'), ('unblinded_view', 'unblinded data looked at before the study closed'), ('exported', 'exported'), ('analysed', 'analysis started'), ('trained', 'training of systems prepared, started, stopped or resumed'), ('analyses_planned', 'analysis plan changed'), ('plan_stamped', 'analysis plan fixed'), ('deleted', 'deleted'), ('erased', 'erased'), ('identities_due', "experts' names will be erased soon")], max_length=30),
        ),
    ]
