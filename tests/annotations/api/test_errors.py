"""Whatever goes wrong is said in one shape and in plain sentences."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import DataError, OperationalError
from django.test import Client

from annotations.api import studies
from annotations.api.people import session
from annotations.models import User

pytestmark = pytest.mark.django_db
SHAPE = {"code", "detail", "data", "fields"}


@pytest.fixture
def root(client):
    client.force_login(User.objects.create_superuser("root@example.org", "a long password"))
    client.raise_request_exception = False
    return client


def said(answer):
    body = answer.json()
    assert set(body) == SHAPE
    assert answer["Content-Type"] == "application/json"
    return answer.status_code, body["code"], body["detail"]


def test_who_is_not_signed_in_is_asked_to(client):
    sentence = "Please sign in, or send a valid API token."
    answer = client.get("/api/v1/studies/")
    assert said(answer) == (401, "not_authenticated", sentence)
    assert answer["WWW-Authenticate"] == "Bearer"


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("de", "Bitte melden Sie sich an, oder senden Sie einen gültigen API-Schlüssel."),
        ("ar", "يُرجى تسجيل الدخول، أو إرسال رمز API صالح."),
    ],
)
def test_it_is_asked_in_the_language_of_the_page(client, language, sentence):
    assert client.get("/api/v1/studies/", headers={"accept-language": language}).json()["detail"] == sentence


def test_what_an_address_does_not_take_is_answered_by_what_it_takes(root):
    sentence = "This address does not support that. It accepts: GET, HEAD, OPTIONS."
    assert said(root.delete("/api/v1/studies/x/events/")) == (405, "method_not_allowed", sentence)
    status, code, sentence = said(root.post("/api/v1/runs/", "<xml/>", content_type="application/xml"))
    assert (status, code) == (415, "unsupported_media_type")
    assert sentence.endswith("Please send application/json.")


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"\xff",
        b"[" * 200_000,
        b"9" * 10_000,
        b"NaN",
        b'{"analysis": "\\u0000"}',
        b'{"parameters": {"\\ud800": 1}, "analysis": "x"}',
    ],
)
def test_what_cannot_be_read_is_no_fault_of_the_server(root, body):
    assert said(root.post("/api/v1/runs/", body, content_type="application/json"))[:2] == (400, "parse_error")


@pytest.mark.parametrize("body", [[], "text", 7, None, True, [{}]])
@pytest.mark.parametrize("place", ["runs", "session", "tokens", "invitations/look", "invitations/accept"])
def test_a_body_that_is_no_object_is_refused(root, place, body):
    answer = root.post(f"/api/v1/{place}/", json.dumps(body), content_type="application/json")
    assert said(answer)[:2] == (400, "invalid")


def test_a_form_that_is_cut_off_is_refused(root):
    answer = root.post("/api/v1/imports/", b"--x\r\nCont", content_type="multipart/form-data; boundary=")
    assert said(answer)[0] == 400
    file = SimpleUploadedFile("a.csv", b"x")
    assert said(root.post("/api/v1/imports/", {"files": file, "kind": "dataset", "dataset": "a\x00b"}))[0] == 400


def test_numbers_that_no_database_holds_are_not_found(root):
    huge = 10**30
    for place in (f"studies/x/members/{huge}/access/", f"studies/x/reports/{huge}/decisions/"):
        assert said(root.post(f"/api/v1/{place}", {}, content_type="application/json"))[0] == 404


def test_a_page_that_is_too_old_is_told_so(root):
    strict = Client(enforce_csrf_checks=True)
    wrong = strict.post("/api/v1/session/", {"email": "x", "password": "y"}, content_type="application/json")
    assert said(wrong)[:2] == (403, "csrf_failed")
    strict.force_login(User.objects.get())
    assert said(strict.post("/api/v1/runs/", {}, content_type="application/json"))[:2] == (403, "csrf_failed")


def test_a_database_that_is_away_is_said_and_worth_another_try(root, monkeypatch):
    monkeypatch.setattr(studies, "cards", _raising(OperationalError("connection refused")))
    answer = root.get("/api/v1/studies/")
    assert said(answer)[:2] == (503, "no_database")
    assert answer["Retry-After"] == "5"


def test_what_the_database_cannot_store_is_refused(root, monkeypatch):
    for error in (DataError("too long"), OverflowError("Python int too large to convert to SQLite INTEGER")):
        monkeypatch.setattr(studies, "cards", _raising(error))
        assert said(root.get("/api/v1/studies/"))[:2] == (400, "invalid")


def test_a_fault_of_the_server_has_the_same_shape_and_tells_nothing(root, monkeypatch):
    monkeypatch.setattr(session, "session_of", _raising(RuntimeError("secret")))
    answer = root.get("/api/v1/session/")
    assert said(answer)[:2] == (500, "server_error")
    assert "secret" not in answer.content.decode()


def test_no_answer_depends_on_the_type_that_is_asked_for(root):
    for wanted in ("text/html", "application/zip", "nonsense"):
        assert root.get("/api/v1/studies/", headers={"accept": wanted}).status_code == 200


def _raising(error):
    def fail(*_args, **_more):
        raise error

    return fail
