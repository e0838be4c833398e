"""Documents as background jobs: who may request them, what is logged, what is downloaded, what stays on disk."""

import io
import shutil
import zipfile
from datetime import timedelta
from hashlib import sha256

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.utils import timezone
from rest_framework.test import APIClient

from annotations.background import jobs
from annotations.models import Event, EventKind, Role, Study, StudyState, User
from metaeval.bundles.verifying import Equality, verify
from metaeval.documents.models import FOLDER, StudyDocument
from tests.conftest import missing
from tests.metaeval.finished import as_imported, whole_study, with_results
from tests.metaeval.studies import answered_study
from tests.worlds.studies import make_member

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def study(monkeypatch):
    # No broker: a test runs the job itself.
    monkeypatch.setattr(jobs, "ring", lambda job: None)
    return as_imported(answered_study())


@pytest.fixture
def client_of(study):
    def make(role, of=None):
        client = APIClient()
        client.force_authenticate(make_member(of or study, role, f"{role}@example.org").user)
        return client

    return make


def ask(client, kind="bundle", **more):
    return client.post("/api/studies/demo/documents/", {"kind": kind, **more}, format="json")


def done(answer):
    """The document of an answer, made."""
    document = StudyDocument.objects.get(pk=answer.json()["id"])
    assert jobs.run(StudyDocument, document.pk)
    document.refresh_from_db()
    return document


def test_a_bundle_is_asked_for_made_and_taken(client_of, study, tmp_path):
    with_results(study, "system_scores")
    client = client_of(Role.RESEARCHER)
    answer = ask(client)
    assert (answer.status_code, answer.json()["state"], answer.json()["is_there"]) == (202, "queued", False)
    address = f"/api/documents/{answer.json()['id']}/"
    early = client.get(f"{address}file/")
    assert (early.status_code, early.json()["code"]) == (409, "not_made")

    document = done(answer)
    shown = client.get(address).json()
    assert (shown["state"], shown["is_there"], shown["name"]) == ("succeeded", True, "demo-bundle.zip")
    file = client.get(f"{address}file/")
    content = b"".join(file.streaming_content)
    assert file["Content-Disposition"] == 'attachment; filename="demo-bundle.zip"'
    assert file["Cache-Control"] == "no-store"
    assert sha256(content).hexdigest() == shown["sha256"] == document.sha256
    assert len(content) == shown["size"]
    (tmp_path / "x.zip").write_bytes(content)
    verdicts = [one.verdict for one in verify(tmp_path / "x.zip")]
    assert verdicts[2:] == [Equality.EQUAL, Equality.NOT_CHECKED, Equality.EQUAL]
    assert client.get("/api/studies/demo/documents/").json()[0]["id"] == shown["id"]


def test_asking_and_taking_leave_events_and_so_does_looking_before_the_end(client_of, study):
    client = client_of(Role.ADMIN)
    document = done(ask(client, with_texts=True))
    b"".join(client.get(f"/api/documents/{document.pk}/file/").streaming_content)
    taken = Event.objects.filter(kind=EventKind.EXPORTED).order_by("pk")
    assert [(event.actor_email, event.data["texts"]) for event in taken] == [("admin@example.org", True)] * 2
    assert taken[1].data["sha256"] == document.sha256
    assert Event.objects.filter(kind=EventKind.UNBLINDED_VIEW).count() == 1  # the same look within an hour


def test_of_a_closed_study_nothing_is_left_to_look_at_too_early(client_of, study):
    Study.objects.filter(pk=study.pk).update(state=StudyState.CLOSED)
    ask(client_of(Role.RESEARCHER), "report_html")
    assert not Event.objects.filter(kind=EventKind.UNBLINDED_VIEW).exists()


def test_for_experts_strangers_and_researchers_of_other_studies_there_is_nothing_here(client_of, study):
    document = done(ask(client_of(Role.ADMIN)))
    other = answered_study("other", systems=3, instances=6).study
    stranger = APIClient()
    stranger.force_authenticate(User.objects.create_user("stranger@example.org"))
    for client in (client_of(Role.EXPERT), client_of(Role.RESEARCHER, other), stranger):
        assert ask(client).status_code == 404
        assert client.get("/api/studies/demo/documents/").status_code == 404
        for what in ("", "file/"):
            assert client.get(f"/api/documents/{document.pk}/{what}").status_code == 404
        assert client.post(f"/api/documents/{document.pk}/cancel/").status_code == 404
    assert StudyDocument.objects.count() == 1


WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


@pytest.mark.parametrize(
    ("kind", "name", "media"),
    [
        ("report_latex", "demo-report-latex.zip", "application/zip"),
        ("report_docx", "demo-report.docx", WORD),
    ],
)
def test_a_report_is_made_as_latex_and_for_word(client_of, study, kind, name, media):
    if kind == "report_docx" and not shutil.which("pandoc"):
        missing("pandoc (Debian: apt install pandoc)")
    client = client_of(Role.RESEARCHER)
    document = done(ask(client, kind))
    assert document.name == name
    file = client.get(f"/api/documents/{document.pk}/file/")
    assert file["Content-Type"] == media
    with zipfile.ZipFile(io.BytesIO(b"".join(file.streaming_content))) as archive:
        assert {"demo-report-latex/main.tex", "word/document.xml"} & set(archive.namelist())


def test_texts_are_for_bundles_only_and_left_out_by_default(client_of, study):
    client = client_of(Role.RESEARCHER)
    refused = ask(client, "report_pdf", with_texts=True)
    assert (refused.status_code, refused.json()["code"]) == (400, "invalid")
    assert ask(client, "anything").status_code == 400
    for with_texts in (False, True):
        document = done(ask(client, **({"with_texts": True} if with_texts else {})))
        with document.content.open("rb") as file, zipfile.ZipFile(io.BytesIO(file.read())) as archive:
            assert ("data/texts.jsonl" in archive.namelist()) == with_texts


def test_one_that_waits_can_be_cancelled(client_of, study):
    client = client_of(Role.RESEARCHER)
    document = ask(client).json()["id"]
    assert client.post(f"/api/documents/{document}/cancel/").json()["state"] == "cancelled"
    assert client.get(f"/api/documents/{document}/file/").status_code == 409


def test_old_files_and_files_of_nobody_leave_the_disk(client_of, study):
    client = client_of(Role.RESEARCHER)
    old, new = done(ask(client)), done(ask(client, with_texts=True))
    orphan = default_storage.save(f"{FOLDER}/orphan", ContentFile(b"x"))
    StudyDocument.objects.filter(pk=old.pk).update(finished_at=timezone.now() - timedelta(days=8))
    StudyDocument.tidy_up()
    assert not default_storage.exists(orphan)
    assert not default_storage.exists(old.content.name)
    assert default_storage.exists(new.content.name)
    gone = client.get(f"/api/documents/{old.pk}/file/")
    assert (gone.status_code, "Please create it again" in gone.json()["detail"]) == (409, True)
    StudyDocument.objects.filter(pk=new.pk).delete()
    StudyDocument.tidy_up()
    assert not default_storage.exists(new.content.name)


def test_what_the_data_have_outgrown_is_left_out_of_a_bundle_and_said(client_of, tmp_path, monkeypatch):
    monkeypatch.setattr(jobs, "ring", lambda job: None)
    study = with_results(whole_study("grown"), "system_scores")
    study.memberships.filter(number=0).update(is_active=False)  # one expert has left: other data
    document = StudyDocument.objects.create(study=study, kind="bundle")
    assert jobs.run(StudyDocument, document.pk)
    document.refresh_from_db()
    with document.content.open("rb") as file, zipfile.ZipFile(io.BytesIO(file.read())) as archive:
        assert not [name for name in archive.namelist() if name.startswith("results/")]
        assert "computed from earlier data" in archive.read("README.md").decode()
