"""Erasure: the log refers to people by id only, and append-only tables open to an erasure and to nothing else.

- What the log said of people (addresses) is taken out; who they are is looked up when it is read.
- Events and answers are not only never changed but never deleted, except by an erasure.
"""

import uuid

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

from annotations.migrations._triggers import WithTriggersAside, drop_trigger, refuse, refuse_unless_erasing

NEVER = "rows of this table are never changed"
KEPT = "rows of this table are never deleted"
# name -> table: these triggers of earlier migrations refused every UPDATE
OPENED = {
    "append_only_annotations_event": "annotations_event",
    "append_only_decision": "annotations_reportdecision",
}
# name -> table
NOT_DELETED = {
    "event_stays": "annotations_event",
    "label_response_stays": "annotations_labelresponse",
    "preference_response_stays": "annotations_preferenceresponse",
    "guess_stays": "annotations_guess",
}
MANY = 1000


def take_away(apps, schema_editor):
    for name, table in OPENED.items():
        drop_trigger(schema_editor, name, table=table)


def put_back(apps, schema_editor):
    for name, table in OPENED.items():
        refuse(schema_editor, name, table=table, event="UPDATE", condition=None, message=NEVER)


def guard(apps, schema_editor):
    for name, table in OPENED.items():
        refuse_unless_erasing(schema_editor, name, table=table, event="UPDATE", message=NEVER)
    for name, table in NOT_DELETED.items():
        refuse_unless_erasing(schema_editor, name, table=table, event="DELETE", message=KEPT)


def unguard(apps, schema_editor):
    take_away(apps, schema_editor)
    for name, table in NOT_DELETED.items():
        drop_trigger(schema_editor, name, table=table)


def forget_addresses(apps, schema_editor):
    """Take the addresses out of events. An invitation's or account's id stays."""
    Event, User = apps.get_model("annotations", "Event"), apps.get_model("annotations", "User")
    found, last = Event.objects.filter(data__has_key="email").order_by("pk"), 0
    while rows := list(found.filter(pk__gt=last).only("pk", "data")[:MANY]):
        last = rows[-1].pk
        ids = dict(User.objects.filter(email__in=[str(row.data["email"]) for row in rows]).values_list("email", "pk"))
        for row in rows:
            email = row.data.pop("email")
            if "invitation" not in row.data and email in ids:
                row.data["person"] = ids[email]
        Event.objects.bulk_update(rows, ["data"])


class Migration(migrations.Migration):
    dependencies = [("annotations", "0046_sessions")]

    operations = [
        migrations.CreateModel(
            name="ErasingGate",
            fields=[("key", models.CharField(max_length=40, primary_key=True, serialize=False))],
        ),
migrations.AddField(
            model_name='instance',
            name='erased_at',
            field=models.DateTimeField(blank=True, editable=False, help_text='When the text was erased. Its row stays, so that the others keep their places.', null=True),
        ),
        migrations.AddField(
            model_name='study',
            name='identities_kept_months',
            field=models.PositiveSmallIntegerField(blank=True, help_text="How many months after closing experts' names and addresses are erased. Empty: the server's setting.", null=True),
        ),
        migrations.AddField(
            model_name='user',
            name='erased_at',
            field=models.DateTimeField(blank=True, editable=False, help_text='When everything that names the person was erased.', null=True),
        ),
        migrations.CreateModel(
            name='Erasure',
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
                ('what', models.CharField(choices=[('person', 'a person'), ('text', 'a text'), ('study', 'a study'), ('dataset', 'a dataset')], max_length=7)),
                ('target', models.BigIntegerField(help_text='The id of the person, text, study or dataset.')),
                ('with_answers', models.BooleanField(default=False, help_text='Whether answers go too.')),
                ('reason', models.CharField(blank=True, help_text='Why, without names.', max_length=300)),
                ('mark', models.CharField(blank=True, help_text='HMAC of what identified it, to erase it again after a restore.', max_length=64)),
                ('counts', models.JSONField(default=dict, help_text='How many rows of each kind went.')),
                ('files', models.JSONField(default=list, help_text='Files of the server that still have to be deleted.')),
                ('erased_at', models.DateTimeField(blank=True, help_text='When it was gone from the database.', null=True)),
                ('owner', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'erasure',
                'verbose_name_plural': 'erasures',
                'ordering': ['-created_at'],
                'abstract': False,
                'indexes': [models.Index(fields=['state', 'lease_until'], name='erasure_to_sweep')],
                'constraints': [models.CheckConstraint(condition=models.Q(('state__in', ['queued', 'running', 'succeeded', 'failed', 'cancelled'])), name='erasure_state_known'), models.CheckConstraint(condition=models.Q(('what__in', ['person', 'text', 'study', 'dataset'])), name='erasure_kind_known')],
            },
        ),
        migrations.RunPython(take_away, put_back),
        WithTriggersAside(
            [
                migrations.RunPython(forget_addresses, migrations.RunPython.noop),
                migrations.RemoveField(model_name="event", name="actor_email"),
            ]
        ),
        migrations.RunPython(guard, unguard),
    ]
