"""Two studies on two datasets, one person of each kind of tests/permissions.py, and something at every address."""

import re
import uuid
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.contrib.auth.models import Permission

from annotations.designing.lifecycle import add_member
from annotations.models import Erasure, ExportJob, ImportJob, Membership, Report, Role, Study, User
from annotations.people.access import tokens
from annotations.people.invitations import inviting
from annotations.people.membership.addresses import read_addresses
from annotations.people.membership.leaving import leave
from metaeval.documents.models import DocumentKind, StudyDocument
from metaeval.jobs.models import AnalysisRun
from metaeval.training_jobs.models import StoredSplit, Training
from tests.permissions import PEOPLE
from tests.worlds.full import make_full_dataset, make_full_study


@dataclass(frozen=True)
class Everybody:
    """Who there is, the secrets of their tokens, and what the addresses name."""

    study: Study
    people: dict[str, User]
    secrets: dict[str, str]
    ids: dict[str, Any]

    def filled(self, address: str) -> str:
        """The address with what there is in the world."""
        room = address.split("/", maxsplit=1)[0]
        inner = next((part for part in ("invitations", "reports") if f"/{part}/" in address), room)
        inner = "arrivals" if address.startswith("users/invitations/") else inner
        values = {
            "slug": "small" if room == "datasets" else "small-study",
            "id": self.ids.get(inner),
            "token": self.ids["assignments"],
        }
        values |= {"position": 0, "number": 2, "format_name": "csv", "name": "x"}
        return "/api/v1/" + re.sub(r"\{(\w+)\}", lambda found: str(values.get(found[1], uuid.UUID(int=1))), address)


def make_everybody() -> Everybody:
    study = make_full_study()
    foreign = make_full_study(make_full_dataset("foreign"), slug="foreign", experts=1)
    people = {
        who: User.objects.create_user(f"{who.replace(' ', '-')}@example.org") for who in PEOPLE if who != "nobody"
    }
    people["expert"] = study.memberships.get(number=1).user
    people["former expert"] = leave(member=study.memberships.get(number=3)).user
    people["foreign expert"] = foreign.memberships.get(number=1).user
    for who, where, role in (
        ("researcher", study, Role.RESEARCHER),
        ("admin", study, Role.ADMIN),
        ("foreign admin", foreign, Role.ADMIN),
    ):
        add_member(study=where, user=people[who], role=role)
    importer = people["importer"]
    importer.user_permissions.add(Permission.objects.get(codename="add_dataset"))
    Membership.objects.create(study=study, user=importer, role=Role.EXPERT, number=50, is_active=False, is_pending=True)
    User.objects.filter(pk=people["root"].pk).update(is_superuser=True)
    run = AnalysisRun.objects.create(study=study, analysis="overview", seed=1)
    document = StudyDocument.objects.create(study=study, kind=DocumentKind.BUNDLE)
    split = StoredSplit.objects.create(
        dataset=study.dataset, kind="shares", folds=1, seed=0, parts=np.zeros((1, 1)), fingerprint="f" * 64
    )
    training = Training.objects.create(
        dataset=study.dataset, split=split, model="small", methods=["SL"], parameters={"runs": 1, "search": 0}, seed=0
    )
    job = ImportJob.objects.create(owner=importer, kind="dataset", dataset_slug="x")
    addresses = read_addresses("new@example.org")
    invitation = inviting.invite(study=study, addresses=addresses, role=Role.EXPERT)[0].invitation
    addresses = read_addresses("arriving@example.org")
    root = User.objects.get(pk=people["root"].pk)
    arrival = inviting.invite_here(addresses=addresses, rights=inviting.Rights(True, False, False), actor=root)[0]
    ids = {
        "arrivals": arrival.invitation.pk,
        "runs": run.pk,
        "documents": document.pk,
        "imports": job.pk,
        "trainings": training.pk,
        "export-files": ExportJob.objects.create(study=study, format="csv", owner=people["researcher"]).pk,
        "erasures": Erasure.objects.create(what="person", target=0, state="succeeded").pk,
        "users": people["stranger"].pk,
        "account": 1,  # a passkey; nobody's
        "tokens": tokens.make(user=importer, name="kept").row.number,
        "invitations": invitation.pk,
        "reports": Report.objects.filter(assignment__study=study).first().pk,
        "assignments": study.assignments.filter(expert__number=1).first().token,
    }
    made = {who: tokens.make(user=user, name="all").secret for who, user in people.items()}
    return Everybody(study, people, made, ids)
