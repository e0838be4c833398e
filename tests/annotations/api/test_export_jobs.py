"""Exports as jobs: filtered, written by a worker, taken by researchers, and never by an expert."""

import csv
import hashlib
import io
import json
import zipfile
from datetime import timedelta
from uuid import UUID

import pytest
from django.core.files.storage import default_storage
from django.utils import timezone
from rest_framework.test import APIClient

from annotations.background import jobs
from annotations.models import (
    Assignment,
    Event,
    EventKind,
    ExportJob,
    LabelResponse,
    Membership,
    PreferenceResponse,
    Role,
)
from annotations.people.access import tokens
from tests.metaeval.studies import answered_study
from tests.worlds.studies import make_member

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _no_worker(monkeypatch):
    monkeypatch.setattr(jobs.run_job, "apply_async", lambda *_, **_options: None)


@pytest.fixture
def world():
    return answered_study()


def client_of(user):
    client = APIClient()
    client.force_login(user, "django.contrib.auth.backends.ModelBackend")
    return client


@pytest.fixture
def ann(world):
    return client_of(make_member(world.study, Role.RESEARCHER, "ann@example.org").user)


def asked(client, format_name="jsonl", **filters):
    body = {"format": format_name, "filters": filters}
    return client.post("/api/v1/studies/demo/export-files/", body, format="json")


def taken(client, pk):
    """The files of an export, by name."""
    file = client.get(f"/api/v1/export-files/{pk}/file/")
    assert file.status_code == 200, file.json()
    content = b"".join(file.streaming_content)
    assert client.get(f"/api/v1/export-files/{pk}/").json()["sha256"] == hashlib.sha256(content).hexdigest()
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def written(client, format_name="jsonl", **filters):
    """The files of an export that was asked for, written and taken."""
    pk = asked(client, format_name, **filters).json()["id"]
    assert jobs.run(ExportJob, UUID(pk))
    return taken(client, pk)


def exported(client, **filters):
    """The rows of an export that was asked for, written and taken."""
    answer = asked(client, **filters)
    assert answer.status_code == 202, answer.json()
    pk = answer.json()["id"]
    assert client.get(f"/api/v1/export-files/{pk}/file/").json()["code"] == "not_there"
    assert jobs.run(ExportJob, UUID(pk))
    shown = client.get(f"/api/v1/export-files/{pk}/").json()
    assert (shown["state"], shown["is_there"]) == ("succeeded", True), shown
    rows = [json.loads(line) for line in taken(client, pk)["responses.jsonl"].splitlines()]
    assert shown["responses"] == len(rows)
    return rows


def test_a_worker_writes_the_file_and_the_log_says_what_was_asked_for(world, ann):
    assert len(exported(ann)) == len(world.assignments)
    event = Event.objects.get(kind=EventKind.EXPORTED)
    everything = {"pilot": "include", "simulated": "include", "from": None, "to": None}
    assert event.data["filters"] == everything | {"revisions": "last", "identified": False}
    assert Event.objects.filter(kind=EventKind.UNBLINDED_VIEW).count() == 1


def test_filters_choose_by_pilot_and_by_date(world, ann):
    piloted = [one.pk for one in world.assignments[:5]]
    Assignment.objects.filter(pk__in=piloted).update(is_pilot=True)
    assert [len(exported(ann, pilot=scope)) for scope in ("only", "exclude")] == [5, len(world.assignments) - 5]
    today = timezone.now().date()
    whole = len(world.assignments)
    for filters, count in (
        ({"from": today + timedelta(days=1)}, 0),
        ({"to": today - timedelta(days=1)}, 0),
        ({"from": today - timedelta(days=1), "to": today + timedelta(days=1)}, whole),
        ({"simulated": "only"}, 0),
    ):
        assert len(exported(ann, **{name: str(value) for name, value in filters.items()})) == count, filters


def test_what_stands_beside_the_table_follows_the_filters(world, ann):
    Assignment.objects.filter(pk__in=[one.pk for one in world.assignments[:5]]).update(is_pilot=True)
    Membership.objects.filter(pk=world.experts[0].pk).update(is_simulated=True)
    files = written(ann, "csv", simulated="exclude", pilot="exclude")
    table = list(csv.DictReader(io.StringIO(files["responses.csv"])))
    counted = list(csv.DictReader(io.StringIO(files["experts.csv"])))
    assert {row["expert"] for row in table} == {row["expert"] for row in counted if row["answers"] != "0"}
    assert world.experts[0].number not in {int(row["expert"]) for row in counted}
    assert sum(int(row["answers"]) for row in counted) == len(table)
    systems = list(csv.DictReader(io.StringIO(files["systems.csv"])))
    assert sum(int(row["answers"]) for row in systems) == len(table)
    chosen = sum(row["system_chosen"] == "true" for row in table)
    assert sum(int(row["chosen"]) for row in systems) == chosen
    assert "Without the pilot; without simulated experts." in files["dictionary.md"]


def test_every_stored_version_comes_in_a_file_of_its_own(world, ann):
    changed = PreferenceResponse.objects.order_by("pk").first()
    PreferenceResponse.objects.create(
        assignment=changed.assignment,
        revision=changed.revision + 1,
        key=UUID(int=1),
        a_chosen=not changed.a_chosen,
        b_chosen=not changed.b_chosen,
        created_at=timezone.now(),
    )
    files = written(ann, "csv", revisions="all")
    rows = list(csv.DictReader(io.StringIO(files["revisions.csv"])))
    assert len(rows) == LabelResponse.objects.count() + PreferenceResponse.objects.count()
    table = list(csv.DictReader(io.StringIO(files["responses.csv"])))
    assert len(table) == len(world.assignments)
    counting = {
        (row["comparison"], row["expert"]): row["choice"]
        for row in rows
        if row["step"] == "2" and row["counts"] == "true"
    }
    assert counting == {(row["comparison"], row["expert"]): row["choice"] for row in table}
    assert [row["counts"] for row in rows].count("false") == 1
    assert "revisions.csv" not in written(ann, "csv")


def test_names_are_for_admins_with_a_login_and_stand_in_a_file_of_their_own(world, ann):
    refused = asked(ann, "csv", identified=True)
    assert (refused.status_code, refused.json()["code"]) == (403, "not_allowed")
    ada = make_member(world.study, Role.ADMIN, "ada@example.org").user
    token = APIClient(headers={"authorization": f"Bearer {tokens.make(user=ada, name='x').secret}"})
    assert asked(token, "csv", identified=True).json()["code"] == "needs_login"

    pk = asked(client_of(ada), "csv", identified=True).json()["id"]
    assert jobs.run(ExportJob, UUID(pk))
    files = taken(client_of(ada), pk)
    people = {row["email"] for row in csv.DictReader(io.StringIO(files["people.csv"]))}
    assert people == {expert.user.email for expert in world.experts}
    assert not any(email in content for email in people for name, content in files.items() if name != "people.csv")
    shown = client_of(ada).get(f"/api/v1/export-files/{pk}/").json()
    assert (shown["name"], shown["may_take"], shown["made_by"]) == ("demo-csv-WITH-NAMES.zip", True, "ada@example.org")
    assert shown["expires_at"] > shown["finished_at"]
    events = Event.objects.filter(kind=EventKind.EXPORTED).order_by("pk")
    assert [(event.data["filters"]["identified"], event.data.get("taken")) for event in events] == [
        (True, None),
        (True, True),
    ]

    assert ann.get(f"/api/v1/export-files/{pk}/").json()["may_take"] is False
    assert ann.get(f"/api/v1/export-files/{pk}/file/").status_code == 403
    assert token.get(f"/api/v1/export-files/{pk}/file/").json()["code"] == "needs_login"


def test_an_unknown_format_or_filter_is_refused(ann):
    for body in (
        {"format": "magic"},
        {"format": "csv", "filters": {"pilot": "perhaps"}},
        {"format": "csv", "filters": {"from": "2026-11-03", "to": "2026-11-02"}},
    ):
        answer = ann.post("/api/v1/studies/demo/export-files/", body, format="json")
        assert answer.status_code in {400, 404}, body
    assert not ExportJob.objects.exists()


def test_a_format_that_always_holds_everything_says_so(ann):
    answer = asked(ann, "study_responses", pilot="exclude")
    assert (answer.status_code, answer.json()["code"]) == (400, "unsupported_filter")
    assert list(answer.json()["fields"]) == ["filters.pilot"]
    told = {one["name"]: one["filters"] for one in ann.get("/api/v1/studies/demo/exports/").json()["results"]}
    assert told["study_responses"] == []
    assert told["csv"] == ["from", "identified", "pilot", "revisions", "simulated", "to"]


def test_the_list_of_files_costs_the_same_however_many_there_are(ann, django_assert_max_num_queries):
    for _ in range(5):
        written(ann)
    with django_assert_max_num_queries(9):
        assert len(ann.get("/api/v1/studies/demo/export-files/").json()["results"]) == 5


def test_for_an_expert_there_is_none(world, ann):
    exported(ann)
    pk = ExportJob.objects.get().pk
    expert = client_of(world.experts[0].user)
    for path in ("studies/demo/export-files/", f"export-files/{pk}/", f"export-files/{pk}/file/"):
        assert expert.get(f"/api/v1/{path}").status_code == 404


def test_the_file_leaves_the_disk_after_some_days(ann):
    exported(ann)
    job = ExportJob.objects.get()
    ExportJob.objects.update(finished_at=timezone.now() - timedelta(days=8))
    ExportJob.tidy_up()
    assert not default_storage.exists(job.content.name)
    assert ann.get(f"/api/v1/export-files/{job.pk}/file/").json()["code"] == "not_there"
