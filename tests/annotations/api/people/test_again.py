"""What gives lasting power takes a recent proof of who one is, whichever way an account proves it; and ends tokens."""

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pyotp
import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotations.designing.lifecycle import add_member
from annotations.models import ApiToken, Event, EventKind, Identity, Invitation, Passkey, Role, User
from annotations.people.access import tokens
from annotations.people.invitations import inviting
from annotations.people.membership.addresses import read_addresses
from annotations.people.sign_in import passkeys, provider, second_factor
from tests.annotations.api.people.sign_in_provider import CLIENT, SECRET, Provider, running
from tests.annotations.api.people.software_key import SoftwareKey
from tests.annotations.api.people.stale import made_stale
from tests.annotations.api.people.test_passkeys import with_passkey
from tests.annotations.api.people.test_provider import ANSWER, ASK, go
from tests.annotations.api.people.test_second_factor import OWN, PASSWORD, Clock, is_in, post, sign_in, turned_on
from tests.conftest import Tried
from tests.permissions import operations, takes_recent_proof
from tests.worlds.studies import make_study

pytestmark = pytest.mark.django_db
AGAIN, OTHER = "/api/v1/session/again/", "seven quiet rivers"
KINDS = ("password", "app", "passkey", "recovery code", "provider")


@pytest.fixture(scope="module")
def one_provider() -> Iterator[Provider]:
    with running() as made:
        yield made


@pytest.fixture
def there(one_provider: Provider, settings: Any) -> Provider:
    """A sign-in provider of this server, at which the person has just signed in."""
    new = Provider(port=one_provider.port, key=one_provider.key)
    one_provider.__dict__.update(new.__dict__)
    settings.OIDC_ISSUER, settings.OIDC_CLIENT_ID, settings.OIDC_CLIENT_SECRET = new.issuer, CLIENT, SECRET
    settings.OIDC_NAME = "Example University"
    provider.forget()
    one_provider.claims["auth_time"] = int(time.time())
    return one_provider


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch, settings: Any) -> Clock:
    made = Clock()
    monkeypatch.setattr(second_factor, "time", made)
    monkeypatch.setattr(passkeys, "time", made)
    settings.PUBLIC_URL = "http://localhost"
    return made


@dataclass
class Account:
    """Somebody's account, a browser in which they are signed in, and how they prove once more who they are."""

    user: User
    browser: Client
    prove: Callable[[Client], Any]


@pytest.fixture(params=KINDS)
def account(request: pytest.FixtureRequest, clock: Clock, there: Provider) -> Account:
    user = User.objects.create_superuser("ann@example.org", PASSWORD)
    kind = request.param
    if kind == "password":
        return Account(user, sign_in(user), lambda browser: post(browser, AGAIN, password=PASSWORD))
    if kind == "provider":
        Identity.objects.create(user=user, issuer=there.issuer, subject=there.subject)
        browser = Client()
        assert post(browser, ANSWER, **go(post(browser, ASK).json()["address"])).status_code == 200
        return Account(user, browser, lambda one: post(one, ANSWER, **go(post(one, ASK).json()["address"])))
    if kind == "passkey":
        browser, key, _codes = with_passkey(user)
        return Account(user, browser, lambda one: _with(one, key))
    browser, secret, codes = turned_on(user)
    if kind == "recovery code":
        return Account(user, browser, lambda one: post(one, AGAIN, code=codes[0]))

    def by_app(one: Client) -> Any:
        clock.now += 60
        return post(one, AGAIN, code=pyotp.TOTP(secret).at(int(clock.time())))

    return Account(user, browser, by_app)


def _with(browser: Client, key: SoftwareKey) -> Any:
    options = post(browser, AGAIN + "passkey/begin/").json()["options"]
    return post(browser, AGAIN + "passkey/", credential=key.use(options))


def acts(user: User) -> list[tuple[str, str, dict[str, Any]]]:
    """Everything that gives lasting power, in an order in which one does not undo the next."""
    study = make_study(experts=0, slug="study")
    add_member(study=study, user=user, role=Role.ADMIN)
    other = User.objects.create_user("ben@example.org", PASSWORD)
    member = add_member(study=study, user=other, role=Role.EXPERT)
    researcher = inviting.invite(study=study, addresses=read_addresses("c@example.org"), role=Role.RESEARCHER)[0]
    late = inviting.invite(study=study, addresses=read_addresses("d@example.org"), role=Role.ADMIN)[0].invitation
    Invitation.objects.filter(pk=late.pk).update(
        created_at=late.created_at - timedelta(days=99), expires_at=late.created_at - timedelta(days=1)
    )
    here = inviting.invite_here(addresses=read_addresses("e@example.org"), rights=inviting.NO_RIGHTS)[0]
    own = "/api/v1/account/"
    return [
        ("post", "/api/v1/tokens/", {"name": "thief"}),
        ("post", f"{OWN}begin/", {}),
        ("post", f"{OWN}passkeys/begin/", {}),
        ("post", f"{OWN}recovery-codes/", {}),
        ("post", f"{own}provider/", {}),
        ("patch", f"/api/v1/users/{other.pk}/", {"can_import": True}),
        ("post", "/api/v1/users/invitations/", {"addresses": "thief@example.org", "may_administer": True}),
        ("post", f"/api/v1/users/invitations/{here.invitation.pk}/replace/", {}),
        ("post", f"/api/v1/users/{other.pk}/second-factor/reset/", {}),
        ("post", "/api/v1/studies/study/invitations/", {"addresses": "t@example.org", "role": "researcher"}),
        ("post", "/api/v1/studies/study/invitations/", {"table": "email,role\nu@example.org,admin"}),
        ("post", f"/api/v1/studies/study/invitations/{researcher.invitation.pk}/replace/", {}),
        ("post", "/api/v1/studies/study/invitations/renew/", {}),
        ("post", f"/api/v1/studies/study/members/{member.number}/access/", {}),
        ("patch", f"/api/v1/studies/study/members/{member.number}/", {"role": "researcher"}),
        ("post", "/api/v1/studies/study/members/", {"addresses": "ben@example.org", "role": "admin"}),
        ("post", f"{OWN}passkeys/1/remove/", {}),
        ("post", f"{OWN}app/remove/", {}),
        ("post", f"{own}provider/disconnect/", {}),
        ("post", f"{OWN}off/", {}),
        ("post", f"{own}break-in/", {"new_password": OTHER}),
    ]


def test_the_list_of_acts_is_whole(clock: Clock) -> None:
    """It has every address that the page of permissions marks, and no other."""
    listed = {
        (method.upper(), address.removeprefix("/api/v1/"))
        for method, address, _ in acts(User.objects.create_superuser("ann@example.org", PASSWORD))
    }
    marked = {
        (method, re.sub(r"\\{\w+\\}", "[^/]+", re.escape(address)))
        for method, address in operations()
        if takes_recent_proof(method, address)
    }
    found = {one: [act for act in listed if act[0] == one[0] and re.fullmatch(one[1], act[1])] for one in marked}
    assert [one for one, matching in found.items() if not matching] == []
    assert {act for matching in found.values() for act in matching} == listed


def do(browser: Client, act: tuple[str, str, dict[str, Any]]) -> Any:
    method, address, body = act
    return getattr(browser, method)(address, body, content_type="application/json")


def test_a_session_alone_gives_no_lasting_power_and_with_a_new_proof_it_does(account: Account, tried: Tried) -> None:
    """The acts are refused before anything else is looked at, and nothing is stored; proven, none asks again."""
    listed = acts(account.user)
    before = [ApiToken.objects.count(), Invitation.objects.count(), Passkey.objects.count()]
    thief = made_stale(account.browser)
    for act in listed:
        answer = do(thief, act)
        assert (answer.status_code, answer.json()["code"]) == (403, "sign_in_again"), act
    assert [ApiToken.objects.count(), Invitation.objects.count(), Passkey.objects.count()] == before
    tried(len(listed), "acts with a session alone")

    assert account.prove(account.browser).status_code in {200, 204}
    for act in listed:
        answer = do(account.browser, act)
        assert answer.status_code < 500
        assert b"sign_in_again" not in answer.content, act
    assert not is_in(account.browser), "the last act ended all sessions"


def test_a_proof_is_good_for_five_minutes_and_for_the_browser_that_gave_it(account: Account) -> None:
    stolen = Client()
    stolen.cookies["sessionid"] = account.browser.cookies["sessionid"].value
    assert account.prove(made_stale(account.browser)).status_code in {200, 204}
    assert not is_in(stolen), "a copy of the session does not profit"
    assert post(account.browser, "/api/v1/tokens/", name="mine").status_code == 201
    assert post(made_stale(account.browser, 295), "/api/v1/tokens/", name="mine").status_code == 201
    assert post(made_stale(account.browser, 306), "/api/v1/tokens/", name="mine").status_code == 403


def test_signing_in_is_a_proof_and_a_session_of_before_proofs_has_none(account: Account) -> None:
    assert post(account.browser, "/api/v1/tokens/", name="mine").status_code == 201
    session = account.browser.session
    del session["_proven_at"]
    session.save()
    assert post(account.browser, "/api/v1/tokens/", name="mine").status_code == 403


def test_whoever_has_a_second_factor_proves_it_with_that(account: Account, request: pytest.FixtureRequest) -> None:
    ways = account.browser.get(AGAIN).json()
    kind = request.node.callspec.params["account"]
    by_password = kind in {"password", "provider"}
    assert ways == {
        "password": by_password,
        "app": kind in {"app", "recovery code"},
        "passkey": kind == "passkey",
        "recovery_code": not by_password,
        "provider": "Example University" if kind == "provider" else "",
    }
    thief = made_stale(account.browser)
    assert (post(thief, AGAIN, password=PASSWORD).status_code == 204) is by_password
    if not by_password:
        assert post(thief, f"{OWN}off/", password=PASSWORD).json()["code"] == "sign_in_again"
        assert post(thief, ASK).json()["code"] == "sign_in_again"


def test_what_proves_nothing_changes_nothing(account: Account) -> None:
    thief = made_stale(account.browser)
    wrong: list[dict[str, Any]] = [{"password": "wrong"}, {"code": "000000"}, {}, {"password": PASSWORD, "code": "1"}]
    for body in wrong:
        assert post(thief, AGAIN, **body).status_code in {400, 409}, body
    assert post(thief, "/api/v1/tokens/", name="mine").status_code == 403


@pytest.mark.parametrize("claim", [None, "long ago", "not a number"])
def test_a_provider_that_does_not_say_that_one_has_just_signed_in_there_proves_nothing(
    there: Provider, clock: Clock, claim: str | None
) -> None:
    user = User.objects.create_user("ann@example.org", PASSWORD)
    Identity.objects.create(user=user, issuer=there.issuer, subject=there.subject)
    there.claims["auth_time"] = {"long ago": int(time.time()) - 301}.get(claim or "", claim)
    browser = Client()
    assert post(browser, ANSWER, **go(post(browser, ASK).json()["address"])).status_code == 200
    assert post(browser, "/api/v1/tokens/", name="mine").json()["code"] == "sign_in_again"
    asked = post(browser, ASK).json()["address"]
    assert "max_age=300" in asked
    assert post(browser, ANSWER, **go(asked)).json()["code"] == "provider_not_fresh"
    assert post(browser, AGAIN, password=PASSWORD).status_code == 204, "the password remains"


def test_another_person_at_the_provider_proves_nothing(there: Provider, clock: Clock) -> None:
    ann, ben = (User.objects.create_user(f"{name}@example.org", PASSWORD) for name in ("ann", "ben"))
    Identity.objects.create(user=ben, issuer=there.issuer, subject=there.subject)
    browser = made_stale(sign_in(ann))
    back = go(post(browser, ASK).json()["address"])
    assert post(browser, ANSWER, **back).json()["code"] == "provider_other_person"
    assert browser.get("/api/v1/session/").json()["user"]["id"] == ann.pk


def test_experts_are_invited_and_links_revoked_as_ever() -> None:
    user = User.objects.create_user("ann@example.org", PASSWORD)
    study = make_study(experts=0, slug="study")
    add_member(study=study, user=user, role=Role.ADMIN)
    browser = made_stale(sign_in(user))
    made = post(browser, "/api/v1/studies/study/invitations/", addresses="b@example.org", role="expert")
    assert made.status_code == 201
    number = made.json()[0]["invitation"]["id"]
    assert post(browser, f"/api/v1/studies/study/invitations/{number}/revoke/").status_code == 200


# -- tokens end with what opened the account


ENDING: dict[str, Callable[..., Any]] = {
    "password": lambda browser, **more: post(
        browser, "/api/v1/account/password/", password=PASSWORD, new_password=OTHER, **more
    ),
    "all others": lambda browser, **more: post(browser, "/api/v1/account/sessions/", id=None, **more),
    "everywhere": lambda browser, **more: post(browser, "/api/v1/account/sign-out/", **more),
}


def works(secret: str) -> bool:
    return Client(headers={"authorization": f"Bearer {secret}"}).get("/api/v1/studies/").status_code == 200


@pytest.mark.parametrize("act", ENDING)
def test_tokens_end_with_the_password_and_the_sessions_unless_told_otherwise(account: Account, act: str) -> None:
    secret = tokens.make(user=account.user, name="notebook").secret
    others = tokens.make(user=User.objects.create_user("ben@example.org"), name="his").secret
    account.prove(made_stale(account.browser))
    kept = ENDING[act](account.browser, end_tokens=False)
    assert (kept.status_code, works(secret)) == (204, True)
    browser = Client()
    browser.force_login(User.objects.get(pk=account.user.pk))
    session = browser.session
    session.pop(second_factor.PENDING, None)  # as after the second step
    session.save()
    made_stale(browser, 0)
    if act == "password":
        answer = post(browser, "/api/v1/account/password/", password=OTHER, new_password="eight loud winds")
    else:
        answer = ENDING[act](browser)
    assert (answer.status_code, works(secret), works(others)) == (204, False, True)
    assert Event.objects.filter(kind=EventKind.TOKEN_REVOKED, data__person=account.user.pk).count() == 1


@pytest.mark.parametrize("ends", [None, False])
def test_tokens_end_with_every_change_of_the_second_factor_unless_told_otherwise(
    clock: Clock, ends: bool | None
) -> None:
    user = User.objects.create_user("ann@example.org", PASSWORD)
    more = {} if ends is None else {"end_tokens": ends}
    browser = sign_in(user)

    def check(what: str, act: Callable[[], Any]) -> Any:
        secret = tokens.make(user=user, name=what).secret
        answer = act()
        assert answer.status_code in {200, 201, 204}, (what, answer.content)
        assert works(secret) is (ends is False), what
        return answer

    secret = post(browser, f"{OWN}begin/").json()["secret"]
    check("app", lambda: post(browser, f"{OWN}confirm/", code=pyotp.TOTP(secret).at(int(clock.time())), **more))

    def add(name: str) -> Any:
        made = SoftwareKey().make(post(browser, f"{OWN}passkeys/begin/").json()["options"])
        return post(browser, f"{OWN}passkeys/", name=name, credential=made, **more)

    check("passkey", lambda: add("one"))
    check("another", lambda: add("two"))
    first, second = Passkey.objects.values_list("pk", flat=True)
    check("passkey removed", lambda: post(browser, f"{OWN}passkeys/{first}/remove/", **more))
    check("app removed", lambda: post(browser, f"{OWN}app/remove/", **more))
    check("last removed", lambda: post(browser, f"{OWN}passkeys/{second}/remove/", **more))
    check("first passkey", lambda: add("new"))
    check("off", lambda: post(browser, f"{OWN}off/", **more))


def test_signing_one_browser_out_ends_no_token_and_an_admins_acts_do(clock: Clock) -> None:
    root = sign_in(User.objects.create_superuser("root@example.org", PASSWORD))
    ann = User.objects.create_user("ann@example.org", PASSWORD)
    here, there = sign_in(ann), sign_in(ann)
    secret = tokens.make(user=ann, name="notebook").secret
    [other] = [one for one in here.get("/api/v1/account/sessions/").json() if not one["is_current"]]
    assert post(here, "/api/v1/account/sessions/", id=other["id"]).status_code == 204
    assert (is_in(there), works(secret)) == (False, True)
    assert post(root, f"/api/v1/users/{ann.pk}/sessions/", id=None).status_code == 204
    assert not works(secret)
    secret = tokens.make(user=ann, name="notebook").secret
    assert post(root, f"/api/v1/users/{ann.pk}/second-factor/reset/").status_code == 409
    turned_on(ann)
    secret = tokens.make(user=ann, name="notebook").secret
    assert post(root, f"/api/v1/users/{ann.pk}/second-factor/reset/").status_code == 204
    assert not works(secret)


def test_a_form_without_the_field_ends_tokens_as_well() -> None:
    ann = User.objects.create_user("ann@example.org", PASSWORD)
    secret = tokens.make(user=ann, name="notebook").secret
    kind = "application/x-www-form-urlencoded"
    assert sign_in(ann).post("/api/v1/account/sign-out/", "", content_type=kind).status_code == 204
    assert not works(secret)


# -- somebody was in the account


def test_after_a_break_in_nothing_of_before_opens_the_account_and_its_person_gets_in(account: Account) -> None:
    user, kinds = account.user, Event.objects.filter(data__person=account.user.pk)
    study = make_study(experts=0, slug="study")
    add_member(study=study, user=user, role=Role.ADMIN)
    sent = inviting.invite(study=study, addresses=read_addresses("a@b.org, c@d.org"), role=Role.EXPERT, actor=user)
    arrival = inviting.invite_here(addresses=read_addresses("e@f.org"), rights=inviting.NO_RIGHTS, actor=user)
    access = inviting.renew_access(member=study.memberships.get(user=user))
    others = inviting.invite(study=study, addresses=read_addresses("g@h.org"), role=Role.EXPERT)
    secret = tokens.make(user=user, name="notebook").secret
    had_one = second_factor.has_one(user)
    thief = Client()
    thief.force_login(user)

    ways = account.browser.get("/api/v1/account/break-in/").json()
    assert [ways["openings"][name] for name in ("sessions", "tokens", "links")] == [2, 1, 4]
    assert len(ways["sign_ins"]) >= 1
    assert account.prove(made_stale(account.browser)).status_code in {200, 204}
    for weak in ("short", PASSWORD):
        assert post(account.browser, "/api/v1/account/break-in/", new_password=weak).json()["data"]["password"]
    answer = post(account.browser, "/api/v1/account/break-in/", new_password=OTHER)
    assert (answer.status_code, answer.json()["openings"]) == (200, ways["openings"])

    assert not is_in(account.browser)
    assert not is_in(thief)
    assert not works(secret)
    ended = [one.invitation.pk for one in (*sent, *arrival, access)]
    assert set(Invitation.objects.filter(revoked_at=None).values_list("pk", flat=True)) == {others[0].invitation.pk}
    assert Event.objects.filter(kind=EventKind.INVITATION_REVOKED).count() == len(ended)
    assert not Identity.objects.filter(user=user).exists()
    assert not second_factor.has_one(user)
    assert post(Client(), "/api/v1/session/", email=user.email, password=PASSWORD).status_code == 400
    event = kinds.get(kind=EventKind.BREAK_IN)
    assert (event.study, event.actor, event.data["links"], event.data["tokens"]) == (None, user, 4, 1)

    browser = Client()
    begun = post(browser, "/api/v1/session/", email=user.email, password=OTHER).json()
    assert begun["second_step"] == ("turn_on" if had_one else "")
    assert is_in(browser) is not had_one
    if had_one:
        new = post(browser, f"{OWN}begin/").json()["secret"]
        assert post(browser, f"{OWN}confirm/", code=pyotp.TOTP(new).at(int(time.time()))).status_code in {200, 400}


def test_a_second_factor_that_is_due_is_asked_for_until_it_is_there(clock: Clock) -> None:
    user = User.objects.create_user("ann@example.org", PASSWORD)
    browser, _secret, _codes = turned_on(user)
    assert post(browser, "/api/v1/account/break-in/", new_password=OTHER).status_code == 200
    browser = Client()
    post(browser, "/api/v1/session/", email=user.email, password=OTHER)
    assert browser.get("/api/v1/account/").json()["code"] == "second_factor_required"
    secret = post(browser, f"{OWN}begin/").json()["secret"]
    assert post(browser, f"{OWN}confirm/", code=pyotp.TOTP(secret).at(int(clock.time()))).status_code == 200
    assert is_in(browser)
    assert post(browser, f"{OWN}off/").status_code == 204
    assert is_in(browser), "it was there: from now on it is the person's own choice again"


def test_many_links_and_tokens_take_no_more_queries() -> None:
    counts: list[int] = []
    dataset = make_study(experts=0, slug="first").dataset
    for many in (2, 12):
        user = User.objects.create_user(f"ann{many}@example.org", PASSWORD)
        study = make_study(dataset=dataset, experts=0, slug=f"study-{many}")
        add_member(study=study, user=user, role=Role.ADMIN)
        people = ", ".join(f"p{number}@example.org" for number in range(many))
        for number in range(many):
            tokens.make(user=user, name=f"token {number}")
        inviting.invite(study=study, addresses=read_addresses(people), role=Role.EXPERT, actor=user)
        browser = sign_in(user)
        with CaptureQueriesContext(connection) as made:
            assert post(browser, "/api/v1/account/break-in/", new_password=OTHER).status_code == 200
        counts.append(len(made))
    assert counts[0] == counts[1]
