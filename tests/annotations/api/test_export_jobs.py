"""Exports as jobs: filtered, written by a worker, taken by researchers, and never by an expert."""

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
from annotations.models import Assignment, Event, EventKind, ExportJob, Role
from tests.metaeval.studies import answered_study
from tests.worlds.studies import make_member

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _no_worker(monkeypatch):
    monkeypatch.setattr(jobs.run_job, "delay", lambda *_: None)


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


def exported(client, **asked):
    """The rows of an export that was asked for, written and taken."""
    answer = client.post("/api/v1/studies/demo/export-files/", {"format": "jsonl", **asked}, format="json")
    assert answer.status_code == 202, answer.json()
    pk = answer.json()["id"]
    assert client.get(f"/api/v1/export-files/{pk}/file/").json()["code"] == "not_there"
    assert jobs.run(ExportJob, UUID(pk))
    shown = client.get(f"/api/v1/export-files/{pk}/").json()
    assert (shown["state"], shown["is_there"]) == ("succeeded", True), shown
    file = client.get(f"/api/v1/export-files/{pk}/file/")
    with zipfile.ZipFile(io.BytesIO(b"".join(file.streaming_content))) as archive:
        name = next(name for name in archive.namelist() if name.endswith(".jsonl") and "skip" not in name)
        rows = [json.loads(line) for line in archive.read(name).splitlines()]
    assert shown["responses"] == len(rows)
    return rows


def test_a_worker_writes_the_file_and_the_log_says_what_was_asked_for(world, ann):
    assert len(exported(ann)) == len(world.assignments)
    event = Event.objects.get(kind=EventKind.EXPORTED)
    assert event.data["filters"] == {"pilot": "include", "simulated": "include", "since": None, "until": None}
    assert Event.objects.filter(kind=EventKind.UNBLINDED_VIEW).count() == 1


def test_filters_choose_by_pilot_and_by_date(world, ann):
    piloted = [one.pk for one in world.assignments[:5]]
    Assignment.objects.filter(pk__in=piloted).update(is_pilot=True)
    assert [len(exported(ann, pilot=scope)) for scope in ("only", "exclude")] == [5, len(world.assignments) - 5]
    tomorrow = (timezone.now() + timedelta(days=1)).isoformat()
    assert [len(exported(ann, **{side: tomorrow})) for side in ("since", "until")] == [0, len(world.assignments)]


def test_an_unknown_format_or_filter_is_refused(ann):
    for asked in ({"format": "magic"}, {"format": "csv", "pilot": "perhaps"}):
        answer = ann.post("/api/v1/studies/demo/export-files/", asked, format="json")
        assert answer.status_code in {400, 404}
    assert not ExportJob.objects.exists()


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
