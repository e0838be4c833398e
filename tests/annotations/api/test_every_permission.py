"""Every operation of the API, asked as everybody, with a login and with a token (the table: tests/permissions.py)."""

import json
import re
import uuid

import numpy as np
import pytest
from django.contrib.auth.models import Permission
from django.db import transaction
from django.test import Client

from annotations.designing.lifecycle import add_member
from annotations.models import Erasure, ExportJob, ImportJob, Membership, Report, Role, User
from annotations.people import inviting, tokens
from annotations.people.addresses import read_addresses
from annotations.people.leaving import leave
from metaeval.documents.models import DocumentKind, StudyDocument
from metaeval.jobs.models import AnalysisRun
from metaeval.training_jobs.models import StoredSplit, Training
from tests.permissions import HIDDEN, PAGE, PEOPLE, YES, expected, needs_login, operations, page
from tests.worlds.full import make_full_dataset, make_full_study

# What is asked for by a name may be missing for whoever may ask, too: no run of the test has a result.
MAY_BE_MISSING = re.compile(
    r"runs/\{id\}/|results/\{analysis\}|documents/\{id\}/file|votes/|systems/\{name\}|users/invitations/\{id\}|"
    r"export-files/\{id\}/file|labels/|guesses/|last/|answer/|(session|account)/provider/|passkeys/\{id\}/"
)


# Whose it is is asked after what was sent.
KEY = {"key": str(uuid.UUID(int=7)), "active_ms": 1}
BODIES = {
    "labels/": KEY | {"labels": [0]},
    "preference/": KEY | {"a_chosen": True, "b_chosen": False, "certainty": 0.5},
    "correction/": KEY | {"a_chosen": True, "b_chosen": False, "certainty": 0.5},
    "erasures/preview/": {"what": "study", "study": "small-study"},
    "guess/": KEY | {"side": "a"},
    "report/": KEY | {"reason": "other", "text": "x", "skip": False},
}


@pytest.fixture
def world(db):
    """Two studies on two datasets, one person of each kind, and what the addresses name."""
    study = make_full_study()
    foreign = make_full_study(make_full_dataset("foreign"), slug="foreign", experts=1)
    people = {
        who: User.objects.create_user(f"{who.replace(' ', '-')}@example.org") for who in PEOPLE if who != "nobody"
    }
    people["expert"] = study.memberships.get(number=1).user
    former = study.memberships.get(number=3)
    people["former expert"] = leave(member=former).user
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
    ids = {
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
    return people, made, ids


def filled(address, ids):
    """The address with what there is in the world."""
    room = address.split("/")[0]
    inner = next((part for part in ("invitations", "reports") if f"/{part}/" in address), room)
    values = {
        "slug": "small" if room == "datasets" else "small-study",
        "id": ids.get(inner),
        "token": ids["assignments"],
    }
    values |= {"position": 0, "number": 2, "format_name": "csv", "name": "x"}
    return "/api/v1/" + re.sub(r"\{(\w+)\}", lambda found: str(values.get(found[1], uuid.UUID(int=1))), address)


def asked(client, method, address):
    cookies = client.cookies.copy()  # signing out is asked, too
    with transaction.atomic():
        kind = "multipart/form-data; boundary=x" if address == "/api/v1/imports/" else "application/json"
        body = b"" if method == "GET" else b"--x--\r\n" if "multipart" in kind else json.dumps(_body(address)).encode()
        answer = client.generic(method, address, body, content_type=kind)
        transaction.set_rollback(True)
    client.cookies = cookies
    if answer.status_code in {401, 404} or (answer.status_code == 403 and answer.json()["code"] == "not_allowed"):
        return str(answer.status_code)
    return "needs_login" if answer.status_code == 403 else YES if answer.status_code < 500 else str(answer.status_code)


def _body(address):
    if re.fullmatch("/api/v1/datasets/small/(labels/0/)?", address):
        return {"title": "x", "name": "x", "display_name": "x"}
    if "/assignments/" not in address:
        return {}
    return next((body for end, body in BODIES.items() if address.endswith(end)), {})


def other_than_the_table(world, who, *, has_token):
    """What was answered otherwise to a person with a login and perhaps with a token; and how much was asked."""
    people, made, ids = world
    browser, script = Client(), Client(headers={"authorization": f"Bearer {made[who]}"}) if has_token else None
    if who in people:
        browser.force_login(people[who])
    wrong, count = [], 0
    for method, address in operations():
        wanted, place = expected(method, address)[who], filled(address, ids)
        allowed = {wanted} | ({HIDDEN} if wanted == YES and MAY_BE_MISSING.search(address) else set())
        count += 1
        if (found := asked(browser, method, place)) not in allowed:
            wrong.append(f"{method} {address} as {who}: {found}, not {wanted}")
        if script and address not in {"session/", "invitations/look/", "invitations/accept/"}:
            allowed = {"needs_login"} if needs_login(method, address) else allowed
            count += 1
            if (found := asked(script, method, place)) not in allowed:
                wrong.append(f"{method} {address} with a token of {who}: {found}, not {allowed}")
    return wrong, count


@pytest.mark.parametrize("who", PEOPLE)
def test_everybody_is_answered_as_the_table_says(world, who):
    """With a token, only two of them: who may do most, and who may see least."""
    wrong, _ = other_than_the_table(world, who, has_token=who in {"admin", "expert"})
    assert not wrong, "\n".join(wrong)


@pytest.mark.long
def test_everybody_with_a_token_is_answered_as_the_table_says(world, tried):
    asked_of_all = [other_than_the_table(world, who, has_token=who != "nobody") for who in PEOPLE]
    tried(sum(count for _, count in asked_of_all), f"requests as {len(PEOPLE)} people, with login and token")
    wrong = [line for lines, _ in asked_of_all for line in lines]
    assert not wrong, "\n".join(wrong)


def test_the_page_says_what_is_tested():
    assert PAGE.read_text() == page(), "run: make reference"


def test_an_address_that_nobody_thought_of_is_named():
    with pytest.raises(LookupError, match=r"add a line to RULES in tests/permissions\.py"):
        expected("GET", "brand-new/")
