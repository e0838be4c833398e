"""Inviting and arriving over the API: who may, what is told to whom, and what never is."""

import logging
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotations.models import Event, Invitation, Membership, Role, Study, User
from annotations.people.invitations.links import digest_of
from annotations.shown.consent import consent_text, version_of
from tests.worlds.studies import make_member, make_study

pytestmark = pytest.mark.django_db
PASSWORD = "violets and rain 17"
ERIN = "erin@example.org"


@pytest.fixture
def study() -> Study:
    study = make_study(experts=1)
    for role in (Role.RESEARCHER, Role.ADMIN):
        make_member(study, role, f"{role}@example.org", name=role.title())
    return study


def browser(email: str | None = None) -> Client:
    client = Client()
    if email:
        client.force_login(User.objects.get(email=email))
    return client


def post(client: Client, address: str, body: dict[str, Any] | None = None) -> Any:
    return client.post(f"/api/{address}", body or {}, content_type="application/json")


def invite(addresses: str = ERIN, **more: Any) -> list[dict[str, Any]]:
    made = post(browser("admin@example.org"), "studies/study/invitations/", {"addresses": addresses, **more})
    assert made.status_code == 201, made.content
    return list(made.json())


def token_of(issued: dict[str, Any]) -> str:
    return str(issued["link"].split("#")[1])


def accept(client: Client, token: str, **changes: Any) -> Any:
    agreed = version_of(consent_text(Study.objects.get(slug="study")))
    return post(client, "invitations/accept/", {"token": token, "password": PASSWORD, "consent": agreed, **changes})


# -- who may


def test_only_admins_of_the_study_invite_and_see_who_was_invited(study):
    other = make_study(dataset=study.dataset, slug="other")
    make_member(other, Role.ADMIN, "foreign@example.org")
    User.objects.create_user("stranger@example.org")
    pk = invite()[0]["invitation"]["id"]
    writes = [
        ("invitations/", {"addresses": "x@example.org"}),
        (f"invitations/{pk}/revoke/", {}),
        (f"invitations/{pk}/replace/", {}),
        ("members/0/access/", {}),
    ]
    for email, status in (
        ("expert0@example.org", 404),
        ("foreign@example.org", 404),
        ("stranger@example.org", 404),
        ("researcher@example.org", 403),
        (None, 401),
    ):
        client = browser(email)
        assert client.get("/api/studies/study/invitations/").status_code == status
        for address, body in writes:
            assert post(client, f"studies/study/{address}", body).status_code == status, (email, address)
    # Nor through one's own study.
    for act in ("revoke", "replace"):
        assert post(browser("foreign@example.org"), f"studies/other/invitations/{pk}/{act}/").status_code == 404
    assert Invitation.objects.unsettled().count() == 1


def test_a_link_is_shown_once_and_never_again(study):
    issued = invite()[0]
    token = token_of(issued)
    assert token in issued["text"]
    client = browser("admin@example.org")
    everything = b"".join(
        b"".join(answer) if (answer := client.get(f"/api/studies/study/{page}")).streaming else answer.content
        for page in ("invitations/", "", "events/", "events/?format=csv")
    )
    assert ERIN.encode() in everything
    assert token.encode() not in everything
    assert digest_of(token).encode() not in everything


def test_the_list_says_what_became_of_each(study):
    links = {name: invite(f"{name}@example.org")[0] for name in ("waiting", "used", "expired", "revoked")}
    accept(browser(), token_of(links["used"]))
    ids = {name: link["invitation"]["id"] for name, link in links.items()}
    Invitation.objects.filter(pk=ids["expired"]).update(
        created_at=timezone.now() - timedelta(days=15), expires_at=timezone.now()
    )
    post(browser("admin@example.org"), f"studies/study/invitations/{ids['revoked']}/revoke/")
    listed = browser("admin@example.org").get("/api/studies/study/invitations/").json()
    assert {row["email"].split("@")[0]: row["state"] for row in listed} == {name: name for name in links}


def test_a_bad_line_is_named_and_nobody_is_invited(study):
    body = {"addresses": "good@example.org\nnot an address\nexpert0@example.org"}
    refused = post(browser("admin@example.org"), "studies/study/invitations/", body)
    assert (refused.status_code, refused.json()["code"]) == (400, "bad_addresses")
    assert [line["line"] for line in refused.json()["data"]["lines"]] == [2, 3]
    assert not Invitation.objects.exists()


def test_the_list_costs_the_same_for_few_and_many(study):
    client = browser("admin@example.org")

    def queries() -> int:
        with CaptureQueriesContext(connection) as context:
            assert client.get("/api/studies/study/invitations/").status_code == 200
        return len(context)

    invite()
    few = queries()
    invite("\n".join(f"person{number}@example.org" for number in range(60)))
    assert queries() == few


# -- arriving


def test_a_link_leads_to_account_membership_and_session(study):
    token = token_of(invite()[0])
    client = browser()
    shown = post(client, "invitations/look/", {"token": token}).json()
    assert shown == {
        "purpose": "join",
        "email": ERIN,
        "role": "expert",
        "study": "A study",
        "may_import": False,
        "may_create": False,
        "may_administer": False,
        "language": "en",
        "direction": "ltr",
        "invited_by": "Admin",
        "expires_at": shown["expires_at"],
        "has_account": False,
        "consent": shown["consent"],
    }
    assert shown["consent"]["html"].startswith("<p><strong>What you will do.</strong>")
    arrived = accept(client, token)
    assert (arrived.status_code, arrived.json()["slug"], arrived.json()["role"]) == (200, "study", "expert")
    assert client.get("/api/session/").json()["user"]["email"] == ERIN
    assert post(client, "studies/study/next/").status_code == 200
    assert arrived["Cache-Control"] == "no-store"
    again = accept(browser(), token)
    assert (again.status_code, again.json()["code"]) == (409, "link_used")


def test_consent_text_is_harmless_html(study):
    Study.objects.update(consent="# Agree\n\n<script>alert(1)</script> [x](javascript:alert(1))")
    html = post(browser(), "invitations/look/", {"token": token_of(invite()[0])}).json()["consent"]["html"]
    assert html.startswith("<h1>Agree</h1>")
    assert "<script" not in html


def test_who_has_an_account_signs_in_with_its_password(study):
    erin = User.objects.create_user(ERIN, "the password of Erin")
    token = token_of(invite()[0])
    client = browser()
    assert post(client, "invitations/look/", {"token": token}).json()["has_account"] is True
    refused = accept(client, token)
    assert (refused.status_code, refused.json()["code"]) == (400, "bad_login")
    assert client.get("/api/session/").json()["user"] is None
    assert accept(client, token, password="the password of Erin").status_code == 200
    erin.refresh_from_db()
    assert erin.check_password("the password of Erin")


def test_who_is_signed_in_already_needs_no_password_and_somebody_else_gets_nothing(study):
    User.objects.create_user(ERIN, "the password of Erin")
    token = token_of(invite()[0])
    other = accept(browser("researcher@example.org"), token)
    assert (other.status_code, other.json()["code"]) == (409, "wrong_person")
    assert accept(browser(ERIN), token, password="").status_code == 200


def test_a_weak_password_is_explained_at_its_field(study):
    refused = accept(browser(), token_of(invite()[0]), password="short")
    assert (refused.status_code, refused.json()["code"]) == (400, "invalid")
    assert "too short" in refused.json()["data"]["password"][0]
    assert not User.objects.filter(email=ERIN).exists()


def test_accepting_needs_the_csrf_token(study):
    token = token_of(invite()[0])
    strict = Client(enforce_csrf_checks=True)
    assert accept(strict, token).status_code == 403
    assert post(strict, "invitations/look/", {"token": token}).status_code == 403
    assert not User.objects.filter(email=ERIN).exists()


def test_a_new_access_link_ends_all_other_sessions(study):
    member = make_member(study, Role.EXPERT, ERIN, "forgotten and gone")
    elsewhere = browser(ERIN)
    assert elsewhere.get("/api/session/").json()["user"]
    made = post(browser("admin@example.org"), f"studies/study/members/{member.number}/access/")
    assert made.status_code == 201
    client = browser()
    shown = post(client, "invitations/look/", {"token": token_of(made.json())}).json()
    assert (shown["purpose"], shown["has_account"], shown["consent"]) == ("access", False, None)
    assert elsewhere.get("/api/session/").json()["user"]  # nothing has changed yet
    assert accept(client, token_of(made.json())).status_code == 200
    assert client.get("/api/session/").json()["user"]["email"] == ERIN
    assert elsewhere.get("/api/session/").json()["user"] is None


# -- what a stranger learns


def test_without_a_valid_link_nobody_learns_whether_an_address_or_an_invitation_exists(study):
    invite()
    answers = set()
    for token in ("", "x", "y" * 43, "z" * 200, ERIN):
        for address, further in (("look", {}), ("accept", {"password": PASSWORD})):
            answer = post(browser(), f"invitations/{address}/", {"token": token} | further)
            answers.add((answer.status_code, answer.json()["code"]))
    assert answers == {(400, "invalid"), (404, "unknown_link")}


def test_trying_links_is_locked_out_and_whoever_has_one_still_gets_in(study):
    token = token_of(invite()[0])
    codes = [post(browser(), "invitations/look/", {"token": f"wrong {n}"}).json()["code"] for n in range(12)]
    assert codes[0] == "unknown_link"
    assert codes[-1] == "locked_out"
    assert accept(browser(), "wrong").status_code == 429
    # A stranger in the same network, or behind the same proxy, shuts out nobody who was invited.
    assert post(browser(), "invitations/look/", {"token": token}).status_code == 200
    assert post(Client(REMOTE_ADDR="192.0.2.7"), "invitations/look/", {"token": "wrong"}).status_code == 404


def test_guessing_the_password_of_an_invited_account_is_locked_out(study):
    User.objects.create_user(ERIN, "the password of Erin")
    token = token_of(invite()[0])
    codes = [accept(browser(), token, password=f"wrong {n}").json()["code"] for n in range(11)]
    assert codes[0] == "bad_login"
    assert codes[-1] == "locked_out"
    assert accept(browser(), token, password="the password of Erin").json()["code"] == "locked_out"


def test_no_token_reaches_a_log_or_the_tables_of_attempts(study, caplog):
    caplog.set_level(logging.DEBUG)
    token = token_of(invite()[0])
    post(browser(), "invitations/look/", {"token": "wrong-" + token})
    accept(browser(), token, password="short")
    accept(browser(), token)
    accept(browser(), token)
    assert caplog.records
    assert not [record for record in caplog.records if token in record.getMessage()]
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT * FROM "{table}"')  # noqa: S608 - our tables' names
            assert token not in str(cursor.fetchall()), table
    assert token not in str(list(Event.objects.values()))


# -- practice


def test_practice_is_remembered_for_every_device_from_the_first_time(study):
    client = browser("expert0@example.org")
    assert post(client, "studies/study/next/").json()["practised"] is False
    for _ in range(2):
        assert post(client, "studies/study/practised/").status_code == 204
    assert post(browser("expert0@example.org"), "studies/study/next/").json()["practised"] is True
    first = Membership.objects.get(user__email="expert0@example.org").practised_at
    post(client, "studies/study/practised/")
    assert Membership.objects.get(user__email="expert0@example.org").practised_at == first
    for email in ("researcher@example.org", "admin@example.org"):
        assert post(browser(email), "studies/study/practised/").status_code == 404
