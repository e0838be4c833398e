"""The sign-in provider opens an account only to whom it belongs: tried against a provider that answers over HTTP."""

import time
from collections.abc import Callable, Iterator
from typing import Any
from urllib.error import HTTPError
from urllib.parse import parse_qs, urlsplit
from urllib.request import HTTPRedirectHandler, build_opener

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from joserfc.jwk import RSAKey

from annotations.models import Event, EventKind, Identity, Session, User
from annotations.people.invitations.inviting import Rights, invite_here
from annotations.people.membership.addresses import read_addresses
from annotations.people.sign_in import provider, second_factor
from tests.annotations.api.people.sign_in_provider import CLIENT, SECRET, Provider, running
from tests.annotations.api.people.test_second_factor import PASSWORD, Clock, is_in, post, sign_in, turned_on

pytestmark = pytest.mark.django_db
ASK, ANSWER = "/api/v1/session/provider/", "/api/v1/session/provider/answer/"
OWN = "/api/v1/account/provider/"


@pytest.fixture(scope="module")
def one_provider() -> Iterator[Provider]:
    with running() as made:
        yield made


@pytest.fixture
def there(one_provider: Provider, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Provider:
    """The provider, telling the truth."""
    fresh = Provider(port=one_provider.port, key=one_provider.key)
    one_provider.__dict__.update(fresh.__dict__)
    settings.OIDC_ISSUER, settings.OIDC_CLIENT_ID, settings.OIDC_CLIENT_SECRET = fresh.issuer, CLIENT, SECRET
    settings.OIDC_NAME = "Example University"
    settings.PUBLIC_URL = "http://localhost"
    monkeypatch.setattr(second_factor, "time", Clock())
    provider.forget()
    return one_provider


@pytest.fixture
def ann() -> User:
    return User.objects.create_user("ann@example.org", PASSWORD)


class _NoRedirects(HTTPRedirectHandler):
    def redirect_request(self, *_: object) -> None:
        return None


def go(address: str) -> dict[str, str]:
    """What the provider sends the browser back with."""
    try:
        build_opener(_NoRedirects).open(address, timeout=5)
    except HTTPError as error:
        back = urlsplit(error.headers["Location"])
        error.close()
        assert f"{back.scheme}://{back.netloc}{back.path}" == "http://localhost/login/provider"
        return {name: values[0] for name, values in parse_qs(back.query).items()}
    raise AssertionError("it did not send the browser back")


def asked(browser: Client, **body: Any) -> str:
    answer = post(browser, ASK, **body)
    assert answer.status_code == 200, answer.content
    return str(answer.json()["address"])


def come_back(browser: Client, **body: Any) -> Any:
    return post(browser, ANSWER, **go(asked(browser, **body)))


def connected(user: User, there: Provider) -> Identity:
    return Identity.objects.create(user=user, issuer=there.issuer, subject=there.subject)


def test_there_is_none_unless_it_is_set(client: Client, ann: User) -> None:
    assert client.get("/api/v1/session/").json()["provider"] == ""
    assert post(client, ASK).status_code == 404
    assert post(client, ANSWER, state="a", code="b").status_code == 404
    assert sign_in(ann).get(OWN).json()["name"] == ""


def test_whoever_is_connected_signs_in_with_its_word_alone(client: Client, ann: User, there: Provider) -> None:
    connected(ann, there)
    assert client.get("/api/v1/session/").json()["provider"] == "Example University"
    address = asked(client, next="/studies/a?b=1")
    sent = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
    assert (sent["redirect_uri"], sent["scope"]) == ("http://localhost/login/provider", "openid email profile")
    before = client.cookies["sessionid"].value
    answer = post(client, ANSWER, **go(address))
    assert answer.status_code == 200, answer.content
    assert (answer.json()["session"]["user"]["email"], answer.json()["next"]) == (ann.email, "/studies/a?b=1")
    assert is_in(client)
    assert client.cookies["sessionid"].value != before, "a key that somebody planted before is worth nothing after"
    assert Event.objects.filter(kind=EventKind.SIGNED_IN, actor=ann).count() == 1
    assert Identity.objects.get().last_used_at is not None


def test_its_person_is_the_subject_whatever_their_address_becomes(client: Client, ann: User, there: Provider) -> None:
    connected(ann, there)
    there.email, there.email_verified = "married@example.org", False
    assert come_back(client).status_code == 200
    ben, there.subject = User.objects.create_user("ben@example.org", PASSWORD), "somebody else"
    there.email, there.email_verified = ann.email, True
    other = Client()
    assert come_back(other).json()["code"] == "provider_needs_password", "whoever got the address is not its person"
    assert not is_in(other)
    assert ben.pk


def test_the_password_is_needed_once(client: Client, ann: User, there: Provider) -> None:
    there.email = "Ann@Example.org"
    assert come_back(client).json()["code"] == "provider_needs_password"
    assert not is_in(client)
    assert not Identity.objects.exists()
    sign_in(ann, client)
    assert Identity.objects.get().user == ann
    assert Event.objects.get(kind=EventKind.PROVIDER_CONNECTED).data == {"person": ann.pk}
    assert come_back(Client()).status_code == 200


def test_another_persons_password_connects_nothing(client: Client, ann: User, there: Provider) -> None:
    assert come_back(client).status_code == 409
    sign_in(User.objects.create_user("ben@example.org", PASSWORD), client)
    sign_in(ann, client)
    assert not Identity.objects.exists()


def test_nor_does_a_password_without_the_code(ann: User, there: Provider) -> None:
    _here, _secret, codes = turned_on(ann)
    browser = Client()
    assert come_back(browser).status_code == 409
    sign_in(ann, browser)
    assert not Identity.objects.exists()
    assert post(browser, "/api/v1/session/second-step/", code=codes[0]).status_code == 200
    assert Identity.objects.get().user == ann


def test_nobody_gets_an_account_and_an_invitation_needs_its_link(client: Client, there: Provider) -> None:
    there.email = "new@example.org"
    (link,) = invite_here(addresses=read_addresses(there.email), rights=Rights(False, False, False))
    assert come_back(client).json()["code"] == "provider_no_account"
    assert not User.objects.exists()
    given = {"token": link.token, "password": "violets and rain 17"}
    assert post(client, "/api/v1/invitations/accept/", **given).status_code == 200
    assert Identity.objects.get().user.email == there.email
    assert come_back(Client()).status_code == 200


@pytest.mark.parametrize("verified", [False, None, "true", 1])
def test_an_address_that_is_not_verified_finds_nobody(
    client: Client, ann: User, there: Provider, verified: object
) -> None:
    there.email_verified = verified
    assert come_back(client).json()["code"] == "provider_no_account"
    sign_in(ann, client)
    assert not Identity.objects.exists()


def test_a_closed_account_stays_closed(client: Client, ann: User, there: Provider) -> None:
    connected(ann, there)
    User.objects.filter(pk=ann.pk).update(is_active=False)
    assert come_back(client).json()["code"] == "provider_no_account"
    assert not is_in(client)


def test_the_second_factor_is_asked_for_unless_the_settings_trust_the_providers(
    ann: User, there: Provider, settings: Any
) -> None:
    turned_on(ann)
    connected(ann, there)
    browser = Client()
    answer = come_back(browser).json()["session"]
    assert (answer["user"], answer["second_step"], is_in(browser)) == (None, "code", False)
    settings.OIDC_IS_SECOND_FACTOR = True
    trusted = Client()
    assert come_back(trusted).json()["session"]["second_step"] == ""
    assert is_in(trusted)


def test_whoever_must_have_a_second_factor_must_have_it_here(ann: User, there: Provider, settings: Any) -> None:
    settings.REQUIRE_SECOND_FACTOR = "admins"
    User.objects.filter(pk=ann.pk).update(is_superuser=True)
    connected(ann, there)
    there.claims = {"amr": ["mfa", "otp"], "acr": "https://refeds.org/profile/mfa"}
    assert come_back(Client()).json()["session"]["second_step"] == "turn_on"
    settings.OIDC_IS_SECOND_FACTOR = True
    assert come_back(Client()).json()["session"]["second_step"] == ""


# -- attackers


def test_a_state_is_of_one_session_and_good_for_one_time(ann: User, there: Provider) -> None:
    connected(ann, there)
    mine, theirs = Client(), Client()
    back = go(asked(mine))
    asked(theirs)
    assert post(theirs, ANSWER, **back).json()["code"] == "provider_not_asked", "what an attacker began, a victim ends"
    assert post(Client(), ANSWER, **back).json()["code"] == "provider_not_asked"
    assert post(mine, ANSWER, **{**back, "state": "x" * 64}).json()["code"] == "provider_not_asked"
    assert post(mine, ANSWER, **back).json()["code"] == "provider_not_asked", "the wrong try used it up"
    back = go(asked(mine))
    assert post(mine, ANSWER, **back).status_code == 200
    assert post(mine, ANSWER, **back).json()["code"] == "provider_not_asked"


def test_a_code_is_good_for_one_time_and_for_whom_it_was_made(ann: User, there: Provider) -> None:
    connected(ann, there)
    browser = Client()
    used = go(asked(browser))
    assert post(browser, ANSWER, **used).status_code == 200
    again = go(asked(browser))
    assert post(browser, ANSWER, code=used["code"], state=again["state"]).json()["code"] == "provider_refused"
    stolen, thief = go(asked(browser)), Client()
    own = go(asked(thief))
    answer = post(thief, ANSWER, code=stolen["code"], state=own["state"])
    assert answer.json()["code"] == "provider_refused", "the proof of who asked (PKCE) is in the other session"
    assert not is_in(thief)


def test_it_ends_after_ten_minutes(ann: User, there: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    connected(ann, there)
    browser = Client()
    back = go(asked(browser))
    until = time.time() + 601
    monkeypatch.setattr("annotations.people.sign_in.provider_sign_in.time.time", lambda: until)
    assert post(browser, ANSWER, **back).json()["code"] in ("provider_not_asked", "provider_refused")


NOW_AND_THEN = [
    ("the token of another request", {"nonce": "another"}),
    ("no nonce", {"nonce": None}),
    ("for another site", {"aud": "another"}),
    ("for several, by another", {"aud": [CLIENT, "another"], "azp": "another"}),
    ("for several, by nobody", {"aud": [CLIENT, "another"]}),
    ("for nobody", {"aud": None}),
    ("of another provider", {"iss": "https://evil.example"}),
    ("of nobody", {"iss": None}),
    ("expired", {"exp": 1_700_000_000}),
    ("for ever", {"exp": None}),
    ("of tomorrow", {"iat": 33_000_000_000}),
    ("about nobody", {"sub": None}),
    ("about a number", {"sub": 7}),
]


@pytest.mark.parametrize("claims", [one for _name, one in NOW_AND_THEN], ids=[name for name, _one in NOW_AND_THEN])
def test_a_token_that_says_anything_else_is_refused(ann: User, there: Provider, claims: dict[str, Any]) -> None:
    connected(ann, there)
    there.claims = claims
    browser = Client()
    answer = come_back(browser)
    assert (answer.status_code, answer.json()["code"], is_in(browser)) == (400, "provider_refused", False)


def test_a_token_for_several_that_names_us_is_taken(ann: User, there: Provider) -> None:
    connected(ann, there)
    there.claims = {"aud": [CLIENT, "another"], "azp": CLIENT}
    assert come_back(Client()).status_code == 200


def _forge(there: Provider) -> None:
    there.signs_with = RSAKey.generate_key(2048, {"kid": "one"}, auto_kid=False)


@pytest.mark.parametrize(
    "lie",
    [
        lambda there: setattr(there, "algorithm", "none"),
        lambda there: setattr(there, "algorithm", "HS256"),
        _forge,
    ],
    ids=["no signature", "signed with the public key", "another key"],
)
def test_a_token_that_the_provider_did_not_sign_is_refused(
    ann: User, there: Provider, lie: Callable[[Provider], None]
) -> None:
    connected(ann, there)
    lie(there)
    browser = Client()
    assert come_back(browser).json()["code"] == "provider_refused"
    assert not is_in(browser)


def test_a_new_key_is_fetched_once(ann: User, there: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    connected(ann, there)
    assert come_back(Client()).status_code == 200
    assert come_back(Client()).status_code == 200
    assert there.asked.count("/keys") == there.asked.count("/.well-known/openid-configuration") == 1, "kept"
    monkeypatch.setattr(provider, "AGAIN_SECONDS", -1)
    monkeypatch.setattr(there, "key", RSAKey.generate_key(2048, {"kid": "one"}, auto_kid=False))
    assert come_back(Client()).status_code == 200
    assert there.asked.count("/keys") == 2


@pytest.mark.parametrize(
    "document",
    [
        {"issuer": "https://evil.example"},
        {"token_endpoint": "http://evil.example/token"},
        {"jwks_uri": "file:///etc/passwd"},
        {"authorization_endpoint": 7},
    ],
)
def test_a_provider_that_points_elsewhere_is_not_followed(
    client: Client, there: Provider, document: dict[str, Any]
) -> None:
    there.document = document
    answer = post(client, ASK)
    assert (answer.status_code, answer.json()["code"]) == (503, "provider_failed")


def test_a_provider_that_is_away_is_said_to_be(client: Client, there: Provider, settings: Any) -> None:
    settings.OIDC_ISSUER = "http://127.0.0.1:9"
    assert post(client, ASK).json()["code"] == "provider_failed"
    assert there.asked == []


@pytest.mark.parametrize("goes_to", ["//evil.example", "https://evil.example", "/\\evil.example", "javascript:1", ""])
def test_the_way_back_leads_nowhere_else(ann: User, there: Provider, goes_to: str) -> None:
    connected(ann, there)
    assert come_back(Client(), next=goes_to).json()["next"] == "/"


def test_setting_out_is_bounded_for_each_network(client: Client, ann: User, there: Provider, settings: Any) -> None:
    settings.ATTEMPTS_PER_NETWORK = 3
    connected(ann, there)
    for _turn in range(5):
        assert come_back(Client()).status_code == 200
    assert [post(Client(), ASK).status_code for _turn in range(4)] == [200, 200, 200, 429]
    waiting = Session.objects.filter(user=None)
    assert all((one.expire_date - one.created_at).total_seconds() < 700 for one in waiting), "rows that soon end"


# -- on the account page


def test_an_account_is_connected_and_disconnected_with_its_password(ann: User, there: Provider) -> None:
    here = sign_in(ann)
    assert here.get(OWN).json() == {"name": "Example University", "is_connected": False, "last_used_at": None}
    assert post(here, OWN, password="wrong").status_code == 400
    back = go(post(here, OWN, password=PASSWORD).json()["address"])
    assert post(here, ANSWER, **back).json()["next"] == "/account"
    assert here.get(OWN).json()["is_connected"] is True
    assert come_back(Client()).status_code == 200
    assert post(here, OWN + "disconnect/", password="wrong").status_code == 400
    assert post(here, OWN + "disconnect/", password=PASSWORD).status_code == 204
    assert come_back(Client()).status_code == 409
    assert post(here, OWN + "disconnect/", password=PASSWORD).status_code == 404


def test_only_ones_own_person_can_be_connected(ann: User, there: Provider) -> None:
    ben = User.objects.create_user("ben@example.org", PASSWORD)
    his = sign_in(ben)
    back = go(post(his, OWN, password=PASSWORD).json()["address"])
    assert post(his, ANSWER, **back).json()["code"] == "provider_other_person", "it vouches for Ann"
    connected(ann, there)
    there.email = ben.email
    back = go(post(his, OWN, password=PASSWORD).json()["address"])
    assert post(his, ANSWER, **back).json()["code"] == "provider_other_person", "it is Ann's person there"
    back = go(post(his, OWN, password=PASSWORD).json()["address"])
    his.delete("/api/v1/session/")
    assert post(his, ANSWER, **back).status_code == 400
    with pytest.raises(IntegrityError), transaction.atomic():
        connected(ben, there)
    with pytest.raises(IntegrityError), transaction.atomic():
        Identity.objects.create(user=ann, issuer=there.issuer, subject="a second one")
