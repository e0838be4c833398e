"""One's own account over the API: changed by its owner, with the password where it matters."""

from typing import Any

import pytest
from django.test import Client

from annotations.designing.lifecycle import add_member
from annotations.models import Event, EventKind, Membership, Role, Study, User
from annotations.people.access import tokens
from tests.worlds.studies import make_study

pytestmark = pytest.mark.django_db
PASSWORD, OTHER = "violets and rain 17", "seven quiet rivers"


@pytest.fixture
def ann() -> User:
    return User.objects.create_user("ann@example.org", PASSWORD, name="Ann")


def browser(password: str = PASSWORD) -> Client:
    client = Client()
    signed = client.post(
        "/api/v1/session/", {"email": "ann@example.org", "password": password}, content_type="application/json"
    )
    assert signed.status_code == 200
    return client


def post(client: Client, address: str, **body: Any) -> Any:
    return client.post(f"/api/v1/account/{address}", body, content_type="application/json")


def is_in(client: Client) -> bool:
    return client.get("/api/v1/session/").json()["user"] is not None


def member(user: User, role: Role, slug: str = "study", **about: Any) -> Study:
    study = Study.objects.filter(slug=slug).first() or make_study(experts=0, slug=slug, **about)
    add_member(study=study, user=user, role=role)
    return study


def test_it_says_who_one_is_and_in_which_studies(ann):
    member(ann, Role.EXPERT)
    told = browser().get("/api/v1/account/").json()
    assert (told["email"], told["name"], told["language"], told["is_admin"]) == ("ann@example.org", "Ann", "", False)
    assert [(one["slug"], one["role"]) for one in told["studies"]] == [("study", "expert")]


def test_name_and_language_can_be_changed_and_nothing_else(ann):
    client = browser()
    body = {"name": " Ann B. ", "language": "de"}
    for further in ({"email": "x@example.org"}, {"is_admin": True}):
        refused = client.patch("/api/v1/account/", body | further, content_type="application/json")
        assert (refused.status_code, refused.json()["fields"].keys()) == (400, further.keys())
    changed = client.patch("/api/v1/account/", body, content_type="application/json")
    assert (changed.status_code, changed.json()["name"], changed.json()["language"]) == (200, "Ann B.", "de")
    ann.refresh_from_db()
    assert (ann.email, ann.is_superuser) == ("ann@example.org", False)
    assert client.get("/api/v1/session/").json()["user"]["language"] == "de"
    refused = client.patch("/api/v1/account/", {"language": "xx"}, content_type="application/json")
    assert (refused.status_code, list(refused.json()["fields"])) == (400, ["language"])


def test_a_new_password_needs_the_old_one_and_ends_the_sessions_elsewhere(ann):
    here, elsewhere = browser(), browser()
    refused = post(here, "password/", password="wrong", new_password=OTHER)
    assert (refused.status_code, refused.json()["code"]) == (400, "bad_login")
    weak = post(here, "password/", password=PASSWORD, new_password="short")
    assert (weak.status_code, weak.json()["code"]) == (400, "invalid")
    assert is_in(elsewhere)
    assert post(here, "password/", password=PASSWORD, new_password=OTHER).status_code == 204
    assert (is_in(here), is_in(elsewhere)) == (True, False)
    assert is_in(browser(OTHER))
    event = Event.objects.get(kind=EventKind.PASSWORD_CHANGED)
    assert (event.actor, OTHER in str(event.data)) == (ann, False)


@pytest.mark.parametrize(("place", "wish"), [("password/", {"new_password": OTHER}), ("close/", {})])
def test_whoever_tries_passwords_is_locked_out_as_at_the_login(ann, place, wish, settings):
    client = browser()
    for _ in range(2 * settings.ATTEMPTS_PER_ACCOUNT):  # as the known device that it is, then as an unknown one
        post(client, place, password="wrong", **wish)
    locked = post(client, place, password=PASSWORD, **wish)
    assert (locked.status_code, locked.json()["code"]) == (429, "locked_out")
    ann.refresh_from_db()
    assert ann.is_active
    assert ann.check_password(PASSWORD)


def test_signing_out_everywhere_ends_all_sessions(ann):
    here, elsewhere = browser(), browser()
    assert post(here, "sign-out/").status_code == 204
    assert (is_in(here), is_in(elsewhere)) == (False, False)


def test_whoever_closes_their_account_leaves_their_studies_and_is_out(ann):
    study = member(ann, Role.EXPERT)
    tokens.make(user=ann, name="notebook")
    here, elsewhere = browser(), browser()
    assert post(here, "close/", password="wrong").json()["code"] == "bad_login"
    assert post(here, "close/", password=PASSWORD).status_code == 204
    assert (is_in(here), is_in(elsewhere)) == (False, False)
    ann.refresh_from_db()
    assert not ann.is_active
    assert not Membership.objects.filter(study=study, user=ann, is_active=True).exists()
    kinds = set(Event.objects.filter(actor=ann).values_list("kind", flat=True))
    assert {EventKind.ACCOUNT_CLOSED, EventKind.MEMBER_LEFT, EventKind.TOKEN_REVOKED} <= kinds


def test_the_only_admin_of_a_study_is_told_which_and_what_to_do(ann):
    study = member(ann, Role.ADMIN)
    refused = post(browser(), "close/", password=PASSWORD)
    assert (refused.status_code, refused.json()["code"]) == (409, "only_admin")
    assert refused.json()["data"]["studies"] == [study.title]
    assert "Make somebody else an admin" in refused.json()["detail"]
    gone = User.objects.create_user("gone@example.org", is_active=False)
    add_member(study=study, user=gone, role=Role.ADMIN)
    assert post(browser(), "close/", password=PASSWORD).status_code == 409  # a closed account administers nothing
    add_member(study=study, user=User.objects.create_user("ben@example.org"), role=Role.ADMIN)
    assert post(browser(), "close/", password=PASSWORD).status_code == 204


def test_the_last_admin_of_the_installation_stays(ann):
    User.objects.filter(pk=ann.pk).update(is_superuser=True, is_staff=True)
    refused = post(browser(), "close/", password=PASSWORD)
    assert (refused.status_code, refused.json()["code"]) == (409, "last_admin")
    ann.refresh_from_db()
    assert ann.is_active
    User.objects.create_superuser("root@example.org", PASSWORD)
    assert post(browser(), "close/", password=PASSWORD).status_code == 204
