"""One normalised spelling of every address, by which people and invitations are found."""

from django.db import migrations, models
from django.utils import timezone

import annotations.models.people
from annotations.mail_addresses import normalised
from annotations.migrations._triggers import WithTriggersAside

SPELLING = "Its normalised spelling, by which people are found."


def spell(apps, schema_editor):
    User, Invitation = (apps.get_model("annotations", name) for name in ("User", "Invitation"))
    refuse_twins(list(User.objects.order_by("pk").values_list("pk", "email")))
    for model in (User, Invitation):
        batch = []
        for row in model.objects.only("pk", "email").order_by("pk").iterator(chunk_size=2000):
            row.address = normalised(row.email)
            batch.append(row)
            if len(batch) == 2000:
                model.objects.bulk_update(batch, ["address"])
                batch = []
        model.objects.bulk_update(batch, ["address"])
    # Of open invitations that turn out to be to one address, the newest stays; a link is soon made again.
    kept = set()
    for row in Invitation.objects.filter(used_at=None, revoked_at=None).order_by("-created_at", "-pk").iterator():
        if (row.study_id, row.address) in kept:
            Invitation.objects.filter(pk=row.pk).update(revoked_at=timezone.now())
        kept.add((row.study_id, row.address))


def refuse_twins(accounts):
    """Two accounts must not become one: only the operator knows whether they are one person's."""
    by_address = {}
    for pk, email in accounts:
        by_address.setdefault(normalised(email), []).append(f"{email} (account {pk})")
    twins = [" and ".join(named) for named in by_address.values() if len(named) > 1]
    if twins:
        raise RuntimeError(
            "These accounts have the same e-mail address in two spellings: " + "; ".join(twins) + ". Nothing was "
            "changed. Give all but one of them another address, for example with `manage.py shell -c \"from "
            "annotations.models import User; User.objects.filter(pk=NUMBER).update(email='...')\"` of the version "
            "that you come from, and migrate again."
        )


class Migration(migrations.Migration):
    dependencies = [("annotations", "0043_import_language")]

    operations = [
        WithTriggersAside(
            [
                migrations.RemoveConstraint(model_name="user", name="user_email_once"),
                migrations.RemoveConstraint(model_name="invitation", name="invitation_one_for_an_address"),
                migrations.RemoveConstraint(model_name="invitation", name="invitation_one_to_arrive"),
                migrations.RemoveConstraint(model_name="invitation", name="invitation_email_lower"),
                migrations.AddField("user", "address", models.CharField(max_length=254, default="", editable=False)),
                migrations.AddField(
                    "invitation", "address", models.CharField(max_length=254, default="", editable=False)
                ),
                migrations.RunPython(spell, migrations.RunPython.noop),
                migrations.AlterField(
                    "user",
                    "address",
                    annotations.models.people.AddressField(
                        editable=False, help_text=SPELLING, max_length=254, unique=True
                    ),
                ),
                migrations.AlterField(
                    "user",
                    "email",
                    models.EmailField(
                        help_text="As the person spells it: mails go there.", max_length=254, unique=True
                    ),
                ),
                migrations.AlterField(
                    "invitation",
                    "address",
                    annotations.models.people.AddressField(
                        editable=False, help_text="Its normalised spelling.", max_length=254
                    ),
                ),
                migrations.AlterField(
                    "invitation",
                    "email",
                    models.EmailField(help_text="As the inviter spelled it: mails go there.", max_length=254),
                ),
                migrations.AddConstraint(
                    model_name="invitation",
                    constraint=models.UniqueConstraint(
                        condition=models.Q(("revoked_at", None), ("used_at", None)),
                        fields=("study", "address"),
                        name="invitation_one_for_an_address",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="invitation",
                    constraint=models.UniqueConstraint(
                        condition=models.Q(("revoked_at", None), ("study", None), ("used_at", None)),
                        fields=("address",),
                        name="invitation_one_to_arrive",
                    ),
                ),
            ]
        )
    ]
