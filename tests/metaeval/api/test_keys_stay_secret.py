"""No key of sides leaves the server before its study is closed: in no answer, export, bundle, event, log or text."""

import base64
import io
import json
import logging
import zipfile
from typing import Any

import pytest
from django.core import serializers
from django.core.management import call_command
from django.test import Client

from annotations import designing
from annotations.designing.lifecycle import change_state
from annotations.exporting.formats import formats
from annotations.exporting.rows import ResponseSource
from annotations.ground.sides import commitment
from annotations.models import Event, EventKind, Phase, Role, SideKey, StudyState, User
from metaeval.documents.bundle import bundle_files
from metaeval.jobs.planning import set_plan
from tests.annotations.api.addresses import every_address
from tests.worlds.answering import complete, taken
from tests.worlds.datasets import make_dataset
from tests.worlds.studies import known_key, make_member, make_study, plan_and_open

pytestmark = pytest.mark.django_db

SLUG = "the-study"
KEYS = [known_key(SLUG, phase) for phase in ("pilot", "main")]
SPELLINGS = {
    spelling
    for key in KEYS
    for spelling in (
        key,
        key.hex().encode(),
        key.hex().upper().encode(),
        base64.b64encode(key),
        base64.urlsafe_b64encode(key),
        base64.b32encode(key),
        repr(key).encode(),
        json.dumps(key.decode("latin-1")).encode(),
        str(list(key)).encode(),
    )
}


def told(content: bytes) -> bool:
    """Whether it contains a key, also inside an archive."""
    if content.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return any(told(archive.read(name)) for name in archive.namelist())
    return any(spelling in content for spelling in SPELLINGS)


@pytest.fixture
def study():
    """An open study with a plan of analyses, half answered."""
    study = make_study(dataset=make_dataset(instances=8), slug=SLUG, experts=2, asks_guess=True)
    set_plan(study=study, planned=[{"analysis": "study_quality", "parameters": {}}])
    for role, email in ((Role.RESEARCHER, "researcher@example.org"), (Role.ADMIN, "admin@example.org")):
        make_member(study, role, email)
    User.objects.create_superuser("operator@example.org", "an invented password")
    study = plan_and_open(study)
    for _ in range(3):
        complete(taken(study.memberships.experts().select_related("user")[0].user, SLUG))
    return study


def everything(email: str) -> list[tuple[str, Any, bytes]]:
    client = Client(raise_request_exception=False)
    client.force_login(User.objects.get(email=email))
    exports = [f"/api/studies/{SLUG}/exports/{name}/" for name in formats.names()]
    plans = [f"/api/studies/{SLUG}/{rest}/" for rest in ("plan", "analysis-plan", "events", "documents")]
    answers: list[tuple[str, Any, bytes]] = []
    for address in [*every_address(), *exports, *plans]:
        for method in ("GET", "OPTIONS"):
            answer: Any = client.generic(method, address)
            body = b"".join(answer.streaming_content) if answer.streaming else answer.content
            answers.append((f"{method} {address}", answer.status_code, body + str(answer.headers).encode()))
    return answers


@pytest.mark.parametrize("role", ["expert0", pytest.param("researcher", marks=pytest.mark.long), "admin", "operator"])
def test_no_answer_to_anybody_holds_a_key_before_the_study_is_closed(study, role, caplog):
    caplog.set_level(logging.DEBUG)
    answers = everything(f"{role}@example.org")
    assert [asked for asked, _, body in answers if told(body)] == []
    assert len([asked for asked, status, _ in answers if status == 200]) > 5
    assert not any(told(record.getMessage().encode()) for record in caplog.records)


def test_the_plan_has_fields_for_the_hashes_of_the_keys_and_never_for_a_key(study):
    """Before the study is closed and afterwards, when exports and bundles contain the keys."""
    client = Client()
    client.force_login(User.objects.get(email="researcher@example.org"))
    for state in (StudyState.OPEN, StudyState.CLOSED):
        change_state(study=study, to=state)
        answer = client.get(f"/api/studies/{SLUG}/plan/")
        assert not told(answer.content)
        assert [(one["phase"], one["sha256"]) for one in answer.json()["side_keys"]] == [
            (phase, commitment(known_key(SLUG, phase))) for phase in ("pilot", "main")
        ]
        assert {field for one in answer.json()["side_keys"] for field in one} == {"phase", "sha256", "made_at"}


def test_no_export_bundle_event_or_command_holds_a_key_before_the_study_is_closed(study, capsys, caplog):
    caplog.set_level(logging.DEBUG)
    for name in formats.names():
        for file in formats.get(name).files(ResponseSource(study)):
            assert not told(b"".join(file.chunks())), (name, file.name)
    for file in bundle_files(study, with_texts=True):
        assert not told(b"".join(file.chunks())), file.name
    assert not told(serializers.serialize("json", Event.objects.all()).encode())
    call_command("plan_study", SLUG)
    call_command("verify_sides", SLUG)
    assert not told("".join(capsys.readouterr()).encode())
    assert not any(told(record.getMessage().encode()) for record in caplog.records)
    assert not any(told(str(key).encode()) or told(repr(key).encode()) for key in SideKey.objects.all())


def test_once_it_is_closed_its_export_and_its_bundle_tell_the_keys(study):
    """The tests above can fail."""
    study = change_state(study=study, to=StudyState.CLOSED)
    tells = {
        file.name
        for file in formats.get("study_responses").files(ResponseSource(study))
        if told(b"".join(file.chunks()))
    }
    assert tells == {"study.json"}
    assert {file.name for file in bundle_files(study) if told(b"".join(file.chunks()))} == {"sides.json"}


def test_the_log_states_the_hash_of_each_key_before_the_first_side_is_drawn():
    study = make_study(dataset=make_dataset(instances=8), slug="another", experts=1)
    SideKey.objects.filter(study=study).delete()
    designing.apply_plan(study=study)
    assert not SideKey.objects.exists()
    plan = designing.overview(study=study)
    assert "SHA-256" not in plan.statement
    assert plan.side_keys == ()
    for state, phase in ((StudyState.PILOT, "pilot"), (StudyState.OPEN, "main")):
        study = change_state(study=study, to=state)
        event = Event.objects.get(kind=EventKind.SIDES_COMMITTED, data__phase=phase)
        (key,) = SideKey.objects.filter(phase=phase)
        sha256 = commitment(bytes(key.key))
        assert event.data == {"phase": phase, "sha256": sha256}
        plan = designing.overview(study=study)
        assert f"{sha256} ({Phase(phase).label})" in plan.statement
        assert (phase, sha256, key.made_at) in [(one.phase, one.sha256, one.made_at) for one in plan.side_keys]
        assert len(plan.side_keys) == SideKey.objects.count()
    assert len({bytes(key.key) for key in SideKey.objects.all()}) == 2
    change_state(study=study, to=StudyState.PAUSED)
    change_state(study=study, to=StudyState.OPEN)
    assert Event.objects.filter(kind=EventKind.SIDES_COMMITTED).count() == 2
