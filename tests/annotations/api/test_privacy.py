"""What of a person who receives, over every operation and in every file (the table: tests/privacy.py)."""

import io
import json
import uuid
import zipfile
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import pyarrow.parquet
import pytest
from django.apps import apps
from django.db import transaction
from django.db.models import CharField, JSONField, TextField
from django.test import Client
from django.utils import timezone

from annotations.designing.lifecycle import add_member
from annotations.erasing.registry import holdings
from annotations.exporting.filters import Filters
from annotations.exporting.formats import formats
from annotations.exporting.jobs import execute_export
from annotations.history import events
from annotations.models import (
    EventKind,
    ExportJob,
    HumanAnnotation,
    Identity,
    Invitation,
    JobState,
    Membership,
    Passkey,
    Report,
    ReportDecision,
    Role,
    Session,
    User,
)
from annotations.people.access import tokens
from annotations.people.membership.leaving import leave
from metaeval.documents.making import execute_document
from metaeval.documents.models import DocumentKind, StudyDocument
from tests.annotations.api.test_every_permission import body_for
from tests.permissions import operations
from tests.privacy import MATRIX, NOT_PLANTED, PEOPLE, PLANTED
from tests.worlds.everybody import Everybody, make_everybody

pytestmark = pytest.mark.django_db
MARKS = {field: f"mark{place:02}of{place:02}" for place, field in enumerate(MATRIX)}
"""What is planted, by field; in no address, number or text of anything else."""
OF_EXPERT = {
    "address of an expert",
    "name of an expert",
    "what an expert said about themselves",
    "an expert's words in a report",
    "browser and system of a session",
    "name of an API token",
    "name of a passkey",
    "name at the sign-in provider",
}
OF_RESEARCHER = {"address of a researcher", "name of a researcher", "a researcher's note on a report"}
FURTHER = (
    ("GET", "studies/{slug}/events/?format=csv"),
    ("GET", "studies/{slug}/events/?limit=200"),
    ("GET", "studies/{slug}/reports/?limit=200"),
)
"""Addresses that the schema does not have, or that say more when asked otherwise."""


def signed_in(user: User | None) -> Client:
    client = Client()
    if user is not None:
        client.force_login(user)
    return client


def planted(*, with_names: bool) -> tuple[Everybody, dict[str, Client], dict[str, Client]]:
    """A world in which every field is marked; who asks, and whom the marks are about."""
    world = make_everybody()
    study = world.study
    study.profile_questions = [
        {"name": "field", "label": "Your field?", "kind": "text", "options": [], "required": True}
    ]
    study.save()
    expert, colleague = world.people["expert"], User.objects.create_user("colleague@example.org")
    add_member(study=study, user=colleague, role=Role.RESEARCHER)
    for user, whose in ((expert, "an expert"), (colleague, "a researcher")):
        user.email = f"{MARKS[f'address of {whose}']}@example.org"
        user.name = MARKS[f"name of {whose}"] if with_names else ""
        user.save()
    own = study.memberships.get(user=expert)
    Membership.objects.filter(pk=own.pk).update(
        profile={"field": MARKS["what an expert said about themselves"]}, is_simulated=False
    )
    report = Report.objects.create(
        assignment=study.assignments.filter(expert=own).first(),
        key=uuid.uuid4(),
        reason="other",
        text=MARKS["an expert's words in a report"],
        created_at=timezone.now(),
    )
    ReportDecision.objects.create(
        report=report,
        verdict="dismissed",
        note=MARKS["a researcher's note on a report"],
        decided_by=colleague,
        decided_at=timezone.now(),
    )
    invitation = Invitation.objects.get(pk=world.ids["invitations"])
    invitation.email = f"{MARKS['address of an invited person']}@example.org"
    invitation.name = MARKS["name of an invited person"] if with_names else ""
    invitation.save()
    themselves = {"expert": signed_in(expert), "researcher": signed_in(colleague)}  # before there is a passkey
    Session.objects.filter(user=expert).update(device=MARKS["browser and system of a session"])
    tokens.make(user=expert, name=MARKS["name of an API token"])
    Passkey.objects.create(user=expert, name=MARKS["name of a passkey"], credential_id="AAAA", public_key="AAAA")
    Identity.objects.create(user=expert, issuer="https://x.example", subject=MARKS["name at the sign-in provider"])
    world.ids["users"] = expert.pk
    annotation = HumanAnnotation.objects.filter(instance__dataset=study.dataset).first()
    HumanAnnotation.objects.filter(pk=annotation.pk).update(annotator=MARKS["code of a dataset's annotator"])
    for user in (expert, colleague):
        for kind in EventKind:
            about = (
                {"invitation": str(invitation.pk)} if kind in {EventKind.INVITED, EventKind.INVITATION_REVOKED} else {}
            )
            events.record(kind, actor=user, study=study, number=own.number, act="share", rows=[1], made=[], **about)
    events.record(EventKind.IMPORTED, actor=colleague, dataset=study.dataset, what="dataset", files=["a.csv"])
    ExportJob.objects.update(owner=colleague)
    former = User.objects.create_user("former-researcher@example.org")
    leave(member=add_member(study=study, user=former, role=Role.RESEARCHER))
    others = {who: world.people[who] for who in PEOPLE if who in world.people} | {"former researcher": former}
    others["expert"] = study.memberships.get(number=2).user
    everybody = {who: signed_in(user) for who, user in others.items()} | {"nobody": signed_in(None)}
    return world, everybody, themselves


def with_files(world: Everybody) -> Iterator[tuple[str, str]]:
    """Every file of the study is there to be taken; their addresses."""
    done = {"state": JobState.SUCCEEDED, "finished_at": timezone.now()}
    for kind in DocumentKind:
        if kind != DocumentKind.REPORT_PDF:  # set from the same report, in a font's own codes
            with_texts = kind == DocumentKind.BUNDLE
            document = StudyDocument.objects.create(study=world.study, kind=kind, with_texts=with_texts)
            StudyDocument.objects.filter(pk=document.pk).update(**execute_document(document, _silent), **done)
            yield "GET", f"/api/v1/documents/{document.pk}/file/"
    for format_name in formats.names():
        for identified in (False, True):
            told = Filters(identified=identified).told()
            job = ExportJob.objects.create(study=world.study, format=format_name, filters=told)
            ExportJob.objects.filter(pk=job.pk).update(**execute_export(job, _silent), **done)
            yield "GET", f"/api/v1/export-files/{job.pk}/file/"


def _silent(*_of_how_much: object) -> None:
    return None


def contents(content: bytes) -> Iterator[bytes]:
    """The bytes as they are, and what an archive, a Word document or a Parquet file holds in them."""
    yield content
    if content.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for name in archive.namelist():
                yield name.encode()
                yield from contents(archive.read(name))
    elif content.startswith(b"PAR1"):
        yield json.dumps(pyarrow.parquet.read_table(io.BytesIO(content)).to_pylist(), default=str).encode()


def received(client: Any, method: str, address: str) -> set[str]:
    """The fields whose marks an operation answers."""
    cookies = client.cookies.copy()
    with transaction.atomic():
        body = b"" if method == "GET" else json.dumps(body_for(method, address)).encode()
        answer: Any = client.generic(method, address, body, content_type="application/json")
        content = b"".join(answer.streaming_content) if answer.streaming else answer.content
        transaction.set_rollback(True)
    client.cookies = cookies
    assert answer.status_code < 500, address
    whole = list(contents(content))
    return {field for field, mark in MARKS.items() if any(mark.encode() in part for part in whole)}


def asked_by(client: Client, addresses: list[tuple[str, str]]) -> dict[str, set[str]]:
    """Where somebody received each field."""
    found = defaultdict(set)
    for method, address in addresses:
        for field in received(client, method, address):
            found[field].add(f"{method} {address}")
    return found


def addresses_of(world: Everybody) -> list[tuple[str, str]]:
    return [(method, world.filled(address)) for method, address in (*operations(), *FURTHER)]


def against_the_table(who: str, found: dict[str, set[str]], *, about: set[str], must: set[str]) -> list[str]:
    """What is not as the table says: of `about`, whatever was received and may not be; of `must`, what was not."""
    may = {field for field, people in MATRIX.items() if who in people}
    received = [f"{who} received {field} from {found[field]}" for field in sorted((about & set(found)) - may)]
    return received + [f"{who} did not receive {field}" for field in sorted((must & may) - set(found))]


def test_every_personal_text_that_is_stored_is_planted_or_left_out_for_a_reason() -> None:
    stored = {
        (model, name)
        for model in holdings.names()
        for name in holdings.get(model).personal
        if isinstance(apps.get_model(model)._meta.get_field(name), CharField | TextField | JSONField)
    }
    known = [(model, name) for told in (PLANTED, NOT_PLANTED) for model, names in told.items() for name in names]
    assert sorted(stored) == sorted(known)


def test_a_researcher_receives_what_the_table_says_of_people_without_names() -> None:
    """A name's place is where an address slips in; as everybody, with names and in files: below."""
    world, others, _ = planted(with_names=False)
    found = asked_by(others["researcher"], [one for one in addresses_of(world) if one[0] == "GET"])
    must = {"an expert's words in a report", "a researcher's note on a report"}
    wrong = against_the_table("researcher", found, about=set(MARKS), must=must)
    assert not wrong, "\n".join(wrong)


@pytest.mark.long
@pytest.mark.parametrize("with_names", [True, False], ids=["named", "nameless"])
def test_everybody_receives_what_the_table_says_in_answers_and_files(with_names: bool, tried: Any) -> None:
    world, others, subjects = planted(with_names=with_names)
    addresses = [*addresses_of(world), *with_files(world)]
    absent = set() if with_names else {"name of an expert", "name of a researcher", "name of an invited person"}
    wrong = []
    for who, client in others.items():
        found = asked_by(client, addresses)
        wrong += against_the_table(who, found, about=set(MARKS), must=set(MARKS) - absent)
    for whose, fields in (("expert", OF_EXPERT), ("researcher", OF_RESEARCHER)):
        found = asked_by(subjects[whose], addresses)
        wrong += against_the_table("oneself", found, about=fields, must=fields - absent)
        others_fields = set(MARKS) - fields
        wrong += against_the_table(whose, found, about=others_fields, must=set())
    tried(
        len(addresses) * (len(others) + len(subjects)),
        f"requests as {len(PEOPLE)} people, for {len(MARKS)} marked fields",
    )
    assert not wrong, "\n".join(wrong)
