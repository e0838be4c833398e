"""Downloads of responses: for researchers and admins, streamed, and never for an expert."""

import io
import zipfile

import pytest
from rest_framework.test import APIClient

from annotations.models import Event, EventKind, Role, Study, User
from tests.worlds.full import make_full_study
from tests.worlds.studies import make_member

pytestmark = pytest.mark.django_db

FORMATS = ["csv", "jsonl", "parquet", "study_responses"]


@pytest.fixture
def study():
    return make_full_study()


@pytest.fixture
def client_of(study):
    def make(role):
        email = f"{role or 'stranger'}@example.org"
        user = make_member(study, role, email).user if role else User.objects.create_user(email)
        client = APIClient()
        client.force_authenticate(user)
        return client

    return make


def download(client, format_name, slug="small-study"):
    return client.get(f"/api/studies/{slug}/exports/{format_name}/")


@pytest.mark.parametrize("role", [Role.RESEARCHER, Role.ADMIN])
def test_the_formats_are_listed_with_words_for_people(client_of, role):
    answer = client_of(role).get("/api/studies/small-study/exports/")
    assert [row["name"] for row in answer.json()] == FORMATS
    assert all(row["title"] and row["description"] for row in answer.json())


@pytest.mark.parametrize("format_name", FORMATS)
def test_a_download_is_a_streamed_zip_archive_that_no_cache_keeps(client_of, format_name):
    answer = download(client_of(Role.RESEARCHER), format_name)
    assert answer.status_code == 200
    assert answer.streaming
    assert answer["Content-Type"] == "application/zip"
    assert answer["Cache-Control"] == "no-store"
    assert f"small-study-{format_name.replace('_', '-')}.zip" in answer["Content-Disposition"]
    with zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content))) as archive:
        assert archive.testzip() is None
        assert any(name.startswith("responses.") for name in archive.namelist())


def test_the_archive_of_simulated_data_says_so(client_of, study):
    Study.objects.filter(pk=study.pk).update(is_simulated=True)
    assert "SIMULATED" in download(client_of(Role.ADMIN), "csv")["Content-Disposition"]


def test_a_download_leaves_an_event_with_its_person(client_of):
    download(client_of(Role.RESEARCHER), "jsonl")
    event = Event.objects.get(kind=EventKind.EXPORTED)
    assert (event.actor_email, event.data["format"]) == (f"{Role.RESEARCHER}@example.org", "jsonl")


@pytest.mark.parametrize("address", ["", "csv/", "study_responses/", "no-such-format/"])
@pytest.mark.parametrize("role", [Role.EXPERT, None])
def test_for_experts_and_strangers_there_is_nothing_here(client_of, role, address):
    answer = client_of(role).get(f"/api/studies/small-study/exports/{address}")
    assert answer.status_code == 404
    assert answer.json()["code"] == "not_found"
    assert not Event.objects.filter(kind=EventKind.EXPORTED).exists()


def test_a_researcher_of_one_study_cannot_export_another(client_of):
    other = make_full_study(Study.objects.get().dataset, slug="other", experts=0)
    assert download(client_of(Role.RESEARCHER), "csv", other.slug).status_code == 404


def test_who_is_not_signed_in_gets_nothing(study):
    assert APIClient().get("/api/studies/small-study/exports/csv/").status_code in {401, 403}


def test_an_unknown_format_is_answered_with_the_known_ones(client_of):
    answer = download(client_of(Role.RESEARCHER), "xlsx")
    assert answer.status_code == 404
    assert "study_responses" in answer.json()["detail"]
