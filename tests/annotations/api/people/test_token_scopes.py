"""An API token writes what it was made for, and reads what its person may."""

import io

import pytest
from django.core.management import call_command
from django.db import IntegrityError, transaction
from rest_framework.test import APIClient

from annotations.models import ApiToken, Event, EventKind, Role, TokenScope, User
from annotations.people.access import tokens
from tests.worlds.studies import make_expert, make_member, make_open_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin() -> User:
    study = make_open_study()
    make_expert(study, "erin@example.org")
    return make_member(study, Role.ADMIN, "ada@example.org").user


def script(user: User, scope: TokenScope) -> APIClient:
    return APIClient(headers={"authorization": f"Bearer {tokens.make(user=user, name='x', scope=scope).secret}"})


GIVE = ("/api/v1/studies/study/assignments/give/", {"expert": 0, "comparisons": [0]})
ADD = ("/api/v1/studies/study/members/", {"emails": "nobody@example.org"})
PAUSE = ("/api/v1/studies/study/transition/", {"to": "paused"})


@pytest.mark.parametrize(
    ("scope", "refused"),
    [
        (TokenScope.READ, [GIVE, ADD, PAUSE]),
        (TokenScope.MEMBERS, [GIVE, PAUSE]),
        (TokenScope.ASSIGNMENTS, [ADD, PAUSE]),
        (TokenScope.ALL, []),
    ],
)
def test_it_writes_what_its_scope_says_and_reads_all(admin, scope, refused):
    client = script(admin, scope)
    for address in ("studies/study/", "studies/study/members/", "studies/study/assignments/"):
        assert client.get(f"/api/v1/{address}").status_code == 200
    for address, body in (GIVE, ADD, PAUSE):
        answer = client.post(address, body, format="json")
        is_refused = answer.status_code == 403 and answer.json()["code"] == "beyond_scope"
        assert is_refused == ((address, body) in refused), (address, answer.content)
        if is_refused:
            says_what_it_may = str(TokenScope(scope).label) in answer.json()["detail"]
            assert says_what_it_may == (scope != TokenScope.READ)


def test_no_scope_goes_beyond_its_person(admin):
    expert = User.objects.get(email="erin@example.org")
    for scope in TokenScope:
        assert script(expert, scope).post(*GIVE, format="json").status_code in {403, 404}
        assert not Event.objects.filter(kind=EventKind.ASSIGNED, actor=expert).exists()


def test_no_scope_makes_a_login_of_a_token(admin):
    for scope in (TokenScope.MEMBERS, TokenScope.ALL):
        answer = script(admin, scope).post("/api/v1/studies/study/invitations/", {"addresses": "a@example.org"})
        assert answer.status_code == 403


def test_it_is_chosen_on_the_page_shown_in_the_list_and_in_the_history(admin):
    browser = APIClient()
    browser.force_login(admin, "django.contrib.auth.backends.ModelBackend")
    made = browser.post("/api/v1/tokens/", {"name": "nightly", "scope": "read"}, format="json")
    assert made.json()["token"]["scope"] == "read"
    assert browser.get("/api/v1/tokens/").json()["results"][0]["scope"] == "read"
    assert Event.objects.get(kind=EventKind.TOKEN_MADE).data["scope"] == "read"
    wrong = browser.post("/api/v1/tokens/", {"name": "nightly", "scope": "cook"}, format="json")
    assert (wrong.status_code, list(wrong.json()["fields"])) == (400, ["scope"])


def test_who_says_nothing_gets_what_tokens_always_did(admin):
    call_command("api_token", "make", admin.email, "--name", "x", stdout=io.StringIO(), stderr=io.StringIO())
    assert ApiToken.objects.get().scope == TokenScope.ALL
    call_command(
        "api_token",
        "make",
        admin.email,
        "--name",
        "y",
        "--scope",
        "members",
        stdout=io.StringIO(),
        stderr=io.StringIO(),
    )
    assert ApiToken.objects.get(name="y").scope == TokenScope.MEMBERS


def test_the_database_knows_the_scopes(admin):
    tokens.make(user=admin, name="x")
    with pytest.raises(IntegrityError), transaction.atomic():
        ApiToken.objects.update(scope="cook")
