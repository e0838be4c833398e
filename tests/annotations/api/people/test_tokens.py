"""API tokens: made, used, ended, and attacked."""

import io
import logging
import re
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from annotations.designing.lifecycle import add_member
from annotations.models import ApiToken, Event, EventKind, Role, User
from annotations.people.access import tokens
from annotations.people.invitations import arrivals, inviting
from annotations.people.membership.addresses import read_addresses
from tests.annotations.api.addresses import every_address
from tests.worlds.full import make_full_study
from tests.worlds.studies import make_member

pytestmark = pytest.mark.django_db
SECRET = re.compile(r"hlv_[0-9a-f]{64}")
PASSWORD = "a long password"
EXPORT = "/api/studies/small-study/exports/csv/"


@pytest.fixture
def study():
    return make_full_study()


@pytest.fixture
def people(study):
    """One person for each role, and a stranger."""
    found = {}
    for role in (Role.RESEARCHER, Role.EXPERT, None):
        found[role] = User.objects.create_user(f"{role or 'stranger'}@example.org", PASSWORD)
        if role:
            add_member(study=study, user=found[role], role=role)
    return found


def with_token(secret, **more):
    """A client that knows nothing but a token."""
    return Client(headers={"authorization": f"Bearer {secret}"}, **more)


def signed_in(user, **more):
    client = Client(**more)
    client.force_login(user)
    return client


def made(user, **more):
    return tokens.make(user=user, name="notebook", **more)


def test_a_token_is_made_on_the_page_shown_once_listed_used_and_revoked(people):
    mine = signed_in(people[Role.RESEARCHER])
    answer = mine.post("/api/tokens/", {"name": " my notebook ", "days": 7}, content_type="application/json")
    assert answer.status_code == 201
    secret = answer.json()["secret"]
    assert SECRET.fullmatch(secret)
    listed = mine.get("/api/tokens/")
    assert secret not in listed.content.decode()
    [row] = listed.json()
    assert (row["name"], row["state"], row["last_used_at"]) == ("my notebook", "works", None)

    script = with_token(secret)
    assert script.get("/api/session/").json()["user"]["email"] == "researcher@example.org"
    assert script.get(EXPORT).status_code == 200
    assert mine.get("/api/tokens/").json()[0]["last_used_at"]

    assert mine.post(f"/api/tokens/{row['id']}/revoke/").json()["state"] == "revoked"
    assert script.get(EXPORT).status_code == 401
    kinds = Event.objects.filter(kind__in=[EventKind.TOKEN_MADE, EventKind.TOKEN_REVOKED]).order_by("pk")
    assert [(event.kind, event.actor_email) for event in kinds] == [
        ("token_made", "researcher@example.org"),
        ("token_revoked", "researcher@example.org"),
    ]
    assert all(event.data["token"] == row["id"] for event in kinds)


def test_a_token_writes_without_a_csrf_token_and_a_cookie_still_needs_one(people, study):
    script = with_token(made(people[Role.EXPERT]).secret, enforce_csrf_checks=True)
    assert script.post("/api/studies/small-study/practised/").status_code in {200, 204}
    browser = signed_in(people[Role.EXPERT], enforce_csrf_checks=True)
    assert browser.post("/api/studies/small-study/practised/").status_code == 403


def test_what_is_done_with_a_token_leaves_the_persons_own_events(people):
    with_token(made(people[Role.RESEARCHER]).secret).get(EXPORT)
    assert Event.objects.get(kind=EventKind.EXPORTED).actor == people[Role.RESEARCHER]
    assert Event.objects.filter(kind=EventKind.UNBLINDED_VIEW, actor=people[Role.RESEARCHER]).exists()


def test_only_its_hash_is_stored(people):
    secret = made(people[Role.RESEARCHER]).secret
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM annotations_apitoken")
        assert secret not in str(cursor.fetchall())
    assert secret not in str(list(Event.objects.values()))
    assert ApiToken.objects.get().digest not in str(ApiToken.objects.get())


def test_no_log_ever_holds_a_token(people, caplog):
    secret = made(people[Role.RESEARCHER]).secret
    with caplog.at_level(logging.DEBUG):
        client = with_token(secret)
        client.raise_request_exception = False
        for address in ("/api/session/", EXPORT, "/api/nothing/", "/api/studies/none/"):
            client.get(address)
        with_token(secret[:-1] + "x").get(EXPORT)
        tokens.revoke(token=ApiToken.objects.get())
        client.get(EXPORT)
    assert secret[4:20] not in caplog.text


HEADERS = [
    "Bearer",
    "Bearer ",
    "Bearer x",
    "Bearer hlv_" + "0" * 64,
    "Bearer hlv_" + "0" * 63,
    "Bearer {secret} {secret}",
    "Bearer {secret}0",
    "Bearer {upper}",
    "Bearer {key}",
    "Bearer {digest}",
    "Bearer \xff\xfe",
    "Bearer hlv_\x00" + "0" * 63,
    "Bearer " + "9" * 100_000,
    "Token {secret}",
    "Basic {secret}",
    "{secret}",
]


def test_whatever_else_is_sent_is_refused_alike(people):
    token = made(people[Role.RESEARCHER])
    words = {
        "secret": token.secret,
        "upper": token.secret.upper(),
        "key": token.row.token_key,
        "digest": token.row.digest,
    }
    for header in HEADERS:
        answer = Client(HTTP_AUTHORIZATION=header.format(**words)).get(EXPORT)
        assert answer.status_code == 401, header[:80]
        assert answer.json()["code"] in {"authentication_failed", "not_authenticated"}
        assert answer["WWW-Authenticate"] == "Bearer"


def test_a_token_anywhere_but_in_the_header_is_nothing(people):
    secret = made(people[Role.RESEARCHER]).secret
    assert Client().get(f"{EXPORT}?token={secret}&access_token={secret}&api_key={secret}").status_code == 401
    client = Client()
    client.cookies["token"] = client.cookies["sessionid"] = secret
    assert client.get(EXPORT).status_code == 401


def test_an_expired_token_opens_nothing_and_stays_in_the_list(people):
    token = made(people[Role.RESEARCHER])
    ago = timezone.now() - timedelta(days=2)
    ApiToken.objects.update(created=ago, expiry=ago + timedelta(days=1))
    assert with_token(token.secret).get(EXPORT).status_code == 401
    assert signed_in(people[Role.RESEARCHER]).get("/api/tokens/").json()[0]["state"] == "expired"


def test_a_closed_account_and_a_lost_role_end_what_a_token_opens(people, study):
    secret = made(people[Role.RESEARCHER]).secret
    study.memberships.filter(user=people[Role.RESEARCHER]).update(is_active=False)
    assert with_token(secret).get(EXPORT).status_code == 404
    User.objects.filter(pk=people[Role.RESEARCHER].pk).update(is_active=False)
    assert with_token(secret).get("/api/session/").status_code == 401


def test_a_new_password_by_an_access_link_ends_all_tokens(people, study):
    secret = made(people[Role.EXPERT]).secret
    issued = inviting.renew_access(member=study.memberships.get(user=people[Role.EXPERT]))
    arrivals.accept(token=issued.token, password="another long password")
    assert with_token(secret).get("/api/session/").status_code == 401


def test_a_token_makes_lists_and_ends_no_tokens(people):
    token = made(people[Role.RESEARCHER])
    script = with_token(token.secret)
    refused = script.get("/api/tokens/")
    assert (refused.status_code, refused.json()["code"]) == (403, "needs_login")
    assert refused.json()["detail"] == "You need to sign in with a browser to do this. An API token is not enough."
    body = {"name": "another"}
    assert script.post("/api/tokens/", body, content_type="application/json").status_code == 403
    assert script.post(f"/api/tokens/{token.row.number}/revoke/").status_code == 403
    assert ApiToken.objects.get().revoked_at is None


def test_a_stolen_token_cannot_become_a_login(people, study):
    """An admin may make a link for themselves, and accept it, but not with a token: what follows would outlive it."""
    admin = make_member(study, Role.ADMIN, "admin@example.org", PASSWORD).user
    thief = with_token(made(admin).secret)
    number = study.memberships.get(user=admin).number
    for address, body in (
        (f"studies/small-study/members/{number}/access/", {}),
        ("studies/small-study/invitations/", {"addresses": "thief@example.org", "role": "admin"}),
    ):
        assert thief.post(f"/api/{address}", body, content_type="application/json").status_code == 403
    issued = inviting.invite(
        study=make_full_study(study.dataset, slug="other", experts=0),
        addresses=read_addresses(admin.email),
        role=Role.RESEARCHER,
    )[0]
    accept = thief.post("/api/invitations/accept/", {"token": issued.token}, content_type="application/json")
    assert (accept.status_code, accept.json()["code"]) == (400, "bad_login")  # as for a stranger
    assert "sessionid" not in thief.cookies
    thief.post("/api/session/", {"email": admin.email, "password": "guess"}, content_type="application/json")
    assert "sessionid" not in thief.cookies


def test_nobody_sees_or_ends_the_tokens_of_another(people):
    token = made(people[Role.RESEARCHER])
    root = User.objects.create_superuser("root@example.org")
    for other in (people[Role.EXPERT], people[None], root):
        client = signed_in(other)
        assert client.get("/api/tokens/").json() == []
        assert client.post(f"/api/tokens/{token.row.number}/revoke/").status_code == 404
    assert ApiToken.objects.get().revoked_at is None


LOGIN_ONLY = {
    *("again", "role", "roles", "tokens", "invitations", "access"),
    *("users", "reminders", "account", "system", "erasures"),
}


def test_an_experts_token_opens_exactly_what_their_login_opens(people):
    """Over every address and method that the server has: same status, same bytes, nothing of the sources."""
    script = APIClient(headers={"authorization": f"Bearer {made(people[Role.EXPERT]).secret}"})
    browser = signed_in(people[Role.EXPERT])
    for address in every_address():
        if not address.startswith("/api/"):
            continue
        place = address.replace("the-study", "small-study")
        for method in ("GET", "OPTIONS", "HEAD"):
            by_token, by_login = (client.generic(method, place) for client in (script, browser))
            if any(f"/{part}/" in address for part in LOGIN_ONLY) or address.endswith("/members/1/"):
                assert by_token.status_code in {403, 405} or method == "OPTIONS", place
                continue
            assert by_token.status_code == by_login.status_code, place
            assert by_token.content == by_login.content, place


def test_a_token_needs_a_name_and_an_end_and_nobody_has_too_many(people):
    user = people[Role.RESEARCHER]
    client = signed_in(user)
    for body in ({}, {"name": ""}, {"name": "x", "days": 0}, {"name": "x", "days": 367}, {"name": "x" * 101}):
        answer = client.post("/api/tokens/", body, content_type="application/json")
        assert (answer.status_code, answer.json()["code"]) == (400, "invalid")
    for changed in ({"name": ""}, {"expiry": None}):
        with pytest.raises(IntegrityError), transaction.atomic():
            ApiToken.objects.create(user=user, **{"expiry": timedelta(days=1), "name": "x", **changed})
    for _ in range(tokens.MOST):
        made(user)
    answer = client.post("/api/tokens/", {"name": "x"}, content_type="application/json")
    assert (answer.status_code, answer.json()["code"]) == (409, "too_many_tokens")


def test_the_last_use_is_written_once_a_minute(people):
    secret = made(people[None]).secret
    script = with_token(secret)
    script.get("/api/session/")
    first = ApiToken.objects.get().last_used_at
    script.get("/api/session/")
    assert ApiToken.objects.get().last_used_at == first


def test_the_command_makes_lists_and_revokes(people, capsys):
    call_command("api_token", "make", "researcher@example.org", "--name", "server job", "--days", "3")
    secret = capsys.readouterr().out.strip()
    assert with_token(secret).get(EXPORT).status_code == 200
    call_command("api_token", "list", "researcher@example.org")
    listed = capsys.readouterr().out
    assert "server job" in listed
    assert secret not in listed
    with pytest.raises(CommandError, match="no such token"):
        call_command("api_token", "revoke", "stranger@example.org", str(ApiToken.objects.get().number))
    with pytest.raises(CommandError, match="no such token"):
        call_command("api_token", "revoke", "researcher@example.org", "nonsense")
    call_command("api_token", "revoke", "researcher@example.org", str(ApiToken.objects.get().number))
    assert with_token(secret).get(EXPORT).status_code == 401
    call_command("api_token", "revoke", "researcher@example.org", "--all", stdout=io.StringIO())
    with pytest.raises(CommandError, match="1 to 366"):
        call_command("api_token", "make", "researcher@example.org", "--name", "x", "--days", "999")
    with pytest.raises(CommandError, match="Nobody has the address"):
        call_command("api_token", "list", "nobody@example.org")
