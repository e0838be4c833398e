"""Blinding of a person and texts: which datasets share texts, who has looked at them, and roles that wait for a yes."""

import django.db.models.deletion
import django.utils.timezone
import numpy as np
from django.conf import settings
from django.db import migrations, models
from django.db.models import Min

from annotations.ground.fingerprints import text_digest, texts_fingerprint
from annotations.migrations._triggers import WithTriggersAside

CHUNK = 2000
LOOKS = ["unblinded_view", "exported", "analysed"]
OF_DEMO = ["expert@example.org", "researcher@example.org", "admin@example.org"]


def fill_text_sets(apps, schema_editor):
    """Give every dataset the set of its texts, and every text its digest."""
    Dataset, Instance, TextSet = (apps.get_model("annotations", name) for name in ("Dataset", "Instance", "TextSet"))
    made = []
    for dataset in Dataset.objects.only("pk", "fingerprint").order_by("pk"):
        digests, part = [int.from_bytes(bytes.fromhex(dataset.fingerprint)[:8], "big", signed=True)], []
        texts = Instance.objects.filter(dataset=dataset.pk).only("pk", "segments", "erased_at")
        for text in texts.iterator(chunk_size=CHUNK):
            if text.erased_at is None:
                text.text_digest = text_digest(one["text"] for one in text.segments)
            if text.text_digest is not None:
                digests.append(text.text_digest)
                part.append(text)
            if len(part) == CHUNK:
                Instance.objects.bulk_update(part, ["text_digest"], batch_size=500)
                part = []
        Instance.objects.bulk_update(part, ["text_digest"], batch_size=500)
        numbers = np.unique(np.array(digests, dtype="<i8"))
        name = texts_fingerprint(numbers)
        row = TextSet.objects.filter(fingerprint=name).first()
        if row is None:
            row = TextSet.objects.create(fingerprint=name, digests=numbers.tobytes())
            alike = [other for other, theirs in made if np.isin(numbers, theirs).any()]
            row.overlaps.add(row, *alike)
            for other in alike:  # a relation to itself is not symmetrical here as it is in the model
                other.overlaps.add(row)
            made.append((row, numbers))
        Dataset.objects.filter(pk=dataset.pk).update(text_set=row)


def fill_looks(apps, schema_editor):
    """Who has looked, as far as roles, imports and events tell. A role is a look from the day on which it was given."""
    Dataset, Event, Look, Membership = (
        apps.get_model("annotations", name) for name in ("Dataset", "Event", "Look", "Membership")
    )
    User = apps.get_model("annotations", "User")
    of_study = Membership.objects.exclude(role="expert").values_list(
        "user", "study__dataset__text_set", "created_at"
    )
    imported = Dataset.objects.exclude(created_by=None).values_list("created_by", "text_set", "created_at")
    sets = dict(Dataset.objects.values_list("pk", "text_set"))
    events = (
        Event.objects.filter(kind__in=LOOKS, actor__isnull=False, dataset__isnull=False)
        .order_by()
        .values_list("actor", "dataset")
        .annotate(first=Min("at"))
    )
    people = set(User.objects.exclude(email__in=OF_DEMO).values_list("pk", flat=True))
    found = {}
    for what, rows in (
        ("role", of_study),
        ("import", imported),
        ("event", [(actor, sets.get(dataset), at) for actor, dataset, at in events]),
    ):
        for user, text_set, at in rows:
            if user in people and text_set is not None:
                before = found.get((user, text_set))
                if before is None or at < before[0]:
                    found[user, text_set] = (at, what)
    Look.objects.bulk_create(
        (Look(user_id=user, text_set_id=text_set, at=at, what=what) for (user, text_set), (at, what) in found.items()),
        batch_size=500,
    )
    schema_editor.connection.check_constraints()  # PostgreSQL changes no table for which checks are still to come


class Migration(migrations.Migration):
    dependencies = [
        ("annotations", "0102_tallies_counted"),
    ]

    operations = [
        migrations.CreateModel(
            name="TextSet",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "fingerprint",
                    models.CharField(
                        editable=False, help_text="SHA-256 of the digests.", max_length=64, unique=True
                    ),
                ),
                (
                    "digests",
                    models.BinaryField(
                        help_text="The texts' digests (annotations/ground/fingerprints.py), ascending: 8 bytes each."
                    ),
                ),
                (
                    "overlaps",
                    models.ManyToManyField(
                        help_text="Those with a text in common, itself included.", to="annotations.textset"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Look",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "what",
                    models.CharField(
                        help_text="What was given out, such as 'comparisons' or 'import'.", max_length=100
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="looks",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "text_set",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="looks",
                        to="annotations.textset",
                    ),
                ),
            ],
            options={"constraints": [models.UniqueConstraint(fields=("user", "text_set"), name="look_once")]},
        ),
        WithTriggersAside(
            [
                migrations.AddField(
                    model_name="dataset",
                    name="text_set",
                    field=models.ForeignKey(
                        editable=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="datasets",
                        to="annotations.textset",
                    ),
                ),
                migrations.AddField(
                    model_name="instance",
                    name="text_digest",
                    field=models.BigIntegerField(
                        editable=False,
                        help_text="By which the same text is known in other datasets; null: it has no words.",
                        null=True,
                    ),
                ),
                migrations.AddField(
                    model_name="study",
                    name="known_texts",
                    field=models.TextField(
                        blank=True,
                        db_default="",
                        default="",
                        help_text="Why experts may get texts that they had in another study, once that one is closed; "
                        "reports quote it. Empty: they never do.",
                    ),
                ),
                migrations.AddField(
                    model_name="membership",
                    name="is_pending",
                    field=models.BooleanField(
                        db_default=False,
                        default=False,
                        help_text="Somebody else gave them the role, or gave it back, and they have not accepted it yet.",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="membership",
                    constraint=models.CheckConstraint(
                        condition=models.Q(is_pending=False) | models.Q(is_active=False),
                        name="membership_pending_is_not_active",
                    ),
                ),
                migrations.RunPython(fill_text_sets, migrations.RunPython.noop),
                migrations.RunPython(fill_looks, migrations.RunPython.noop),
                migrations.AlterField(
                    model_name="dataset",
                    name="text_set",
                    field=models.ForeignKey(
                        editable=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="datasets",
                        to="annotations.textset",
                    ),
                ),
                migrations.AddIndex(
                    model_name="instance",
                    index=models.Index(fields=["text_digest"], name="instance_text_digest"),
                ),
            ]
        ),
    ]
