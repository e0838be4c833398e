"""Passkeys: only the right one, for this site, for this person, for what was just asked, opens the session."""

import copy
import random
from collections.abc import Callable
from typing import Any

import pyotp
import pytest
from django.core.management import call_command
from django.db import IntegrityError, transaction
from django.test import Client

from annotations.models import Event, EventKind, Passkey, SecondFactor, User
from annotations.people.access import limits
from annotations.people.sign_in import passkeys, second_factor
from tests.annotations.api.people.software_key import PRESENT, VERIFIED, SoftwareKey, raw, text
from tests.annotations.api.people.test_second_factor import (
    NOW,
    OWN,
    PASSWORD,
    Clock,
    is_in,
    post,
    second_step,
    sign_in,
    turned_on,
)

pytestmark = pytest.mark.django_db
KEYS = OWN + "passkeys/"
STEP = "/api/v1/session/passkey/"


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch, settings: Any) -> Clock:
    made = Clock()
    monkeypatch.setattr(second_factor, "time", made)
    monkeypatch.setattr(passkeys, "time", made)
    settings.PUBLIC_URL = "http://localhost"
    return made


@pytest.fixture
def ann() -> User:
    return User.objects.create_superuser("ann@example.org", PASSWORD)


@pytest.fixture
def ben() -> User:
    return User.objects.create_user("ben@example.org", PASSWORD)


def asked(browser: Client) -> dict[str, Any]:
    answer = post(browser, KEYS + "begin/", password=PASSWORD)
    assert answer.status_code == 200, answer.content
    return dict(answer.json()["options"])


def add(browser: Client, key: SoftwareKey, name: str = "My key") -> Any:
    return post(browser, KEYS, name=name, credential=key.make(asked(browser)))


def with_passkey(user: User, key: SoftwareKey | None = None) -> tuple[Client, SoftwareKey, list[str]]:
    browser, key = sign_in(user), key or SoftwareKey()
    answer = add(browser, key)
    assert answer.status_code == 201, answer.content
    return browser, key, answer.json()["recovery_codes"]


def asked_at_sign_in(browser: Client) -> dict[str, Any]:
    return dict(post(browser, STEP + "begin/").json()["options"])


def use(browser: Client, key: SoftwareKey) -> Any:
    return post(browser, STEP, credential=key.use(asked_at_sign_in(browser)))


def test_a_passkey_alone_is_a_second_factor(ann: User) -> None:
    elsewhere = sign_in(ann)
    here, key, codes = with_passkey(ann)
    assert is_in(here)
    assert not is_in(elsewhere), "it had only a password"
    assert len(codes) == 10
    browser = sign_in(ann)
    before = browser.cookies["sessionid"].value
    assert (is_in(browser), browser.get("/api/v1/session/").json()["second_step"]) == (False, "code")
    assert browser.get("/api/v1/session/second-step/").json() == {"app": False, "passkey": True}
    options = asked_at_sign_in(browser)
    assert (options["rpId"], options["userVerification"]) == ("localhost", "required")
    assert [one["id"] for one in options["allowCredentials"]] == [text(key.number)]
    answer = post(browser, STEP, credential=key.use(options))
    assert (answer.status_code, answer.json()["user"]["email"], answer.json()["second_step"]) == (200, ann.email, "")
    assert is_in(browser)
    assert browser.cookies["sessionid"].value != before
    assert second_step(sign_in(ann), codes[0]).status_code == 200
    shown = here.get(OWN).json()
    assert (shown["is_on"], shown["has_app"], shown["recovery_codes_left"]) == (True, False, 9)
    (listed,) = shown["passkeys"]
    assert listed["name"] == "My key"
    assert listed["last_used_at"] is not None


def test_each_of_several_and_the_app_open_the_session(ann: User, clock: Clock) -> None:
    here, secret, codes = turned_on(ann)
    first, second = SoftwareKey(), SoftwareKey(step=0)
    assert [add(here, one, name).json()["recovery_codes"] for one, name in ((first, "a"), (second, "b"))] == [[], []]
    clock.now += 60
    for key in (first, second, second, first):
        assert use(sign_in(ann), key).status_code == 200
    assert second_step(sign_in(ann), pyotp.TOTP(secret).at(clock.now)).status_code == 200
    assert second_step(sign_in(ann), codes[3]).status_code == 200
    assert asked(here)["excludeCredentials"] == [
        {"id": text(one.number), "type": "public-key"} for one in (first, second)
    ]


def test_an_app_beside_a_passkey_keeps_the_recovery_codes(ann: User) -> None:
    here, _key, codes = with_passkey(ann)
    secret = post(here, OWN + "begin/", password=PASSWORD).json()["secret"]
    assert post(here, OWN + "confirm/", code=pyotp.TOTP(secret).at(NOW)).json() == {"recovery_codes": []}
    assert second_step(sign_in(ann), codes[0]).status_code == 200


def test_what_was_asked_can_be_answered_once(ann: User) -> None:
    _here, key, _codes = with_passkey(ann, SoftwareKey(step=0))
    browser = sign_in(ann)
    used = key.use(asked_at_sign_in(browser))
    assert post(browser, STEP, credential=used).status_code == 200
    again = sign_in(ann, browser)
    assert post(again, STEP, credential=used).json()["code"] == "passkey_too_late"
    asked_at_sign_in(again)
    assert post(again, STEP, credential=used).json()["code"] == "wrong_passkey", "it signed another challenge"
    assert not is_in(again)


def test_a_wrong_try_uses_up_what_was_asked(ann: User) -> None:
    _here, key, _codes = with_passkey(ann)
    browser = sign_in(ann)
    options = asked_at_sign_in(browser)
    assert post(browser, STEP, credential=SoftwareKey(number=key.number).use(options)).json()["code"] == "wrong_passkey"
    assert post(browser, STEP, credential=key.use(options)).json()["code"] == "passkey_too_late"


def test_a_challenge_ends_after_five_minutes(ann: User, clock: Clock) -> None:
    here, key, _codes = with_passkey(ann)
    browser = sign_in(ann)
    options, to_register = asked_at_sign_in(browser), asked(here)
    clock.now += 301
    assert post(browser, STEP, credential=key.use(options)).json()["code"] == "passkey_too_late"
    late = post(here, KEYS, name="late", credential=SoftwareKey().make(to_register))
    assert (late.status_code, late.json()["code"]) == (400, "passkey_too_late")


def test_a_challenge_of_another_session_is_worth_nothing(ann: User) -> None:
    _here, key, _codes = with_passkey(ann)
    one, other = sign_in(ann), sign_in(ann)
    used = key.use(asked_at_sign_in(one))
    asked_at_sign_in(other)
    assert post(other, STEP, credential=used).json()["code"] == "wrong_passkey"


def test_a_password_typed_long_ago_has_to_be_typed_again(ann: User, clock: Clock) -> None:
    _here, key, _codes = with_passkey(ann)
    browser = sign_in(ann)
    clock.now += 590
    options = asked_at_sign_in(browser)
    clock.now += 11
    assert post(browser, STEP, credential=key.use(options)).json()["code"] == "password_first"


def test_nobody_is_asked_before_the_password(ann: User) -> None:
    with_passkey(ann)
    for address, body in ((STEP + "begin/", {}), (STEP, {"credential": SoftwareKey().use({"challenge": "AAAA"})})):
        assert post(Client(), address, **body).json()["code"] == "password_first"


LIES: list[tuple[str, Callable[[SoftwareKey], Any]]] = [
    ("another site's page", lambda key: setattr(key, "origin", "https://evil.example")),
    ("a page of a name below", lambda key: setattr(key, "origin", "http://a.localhost")),
    ("another port", lambda key: setattr(key, "origin", "http://localhost:81")),
    ("another site's passkey", lambda key: setattr(key, "domain", "evil.example")),
    ("nobody touched it", lambda key: setattr(key, "flags", VERIFIED)),
    ("nobody proved to be its owner", lambda key: setattr(key, "flags", PRESENT)),
]


@pytest.mark.parametrize("lie", [lie for _name, lie in LIES], ids=[name for name, _lie in LIES])
def test_what_is_not_for_this_site_and_by_its_owner_is_refused(ann: User, lie: Callable[[SoftwareKey], Any]) -> None:
    here, key, _codes = with_passkey(ann)
    lie(key)
    browser = sign_in(ann)
    answer = use(browser, key)
    assert (answer.status_code, answer.json()["code"], is_in(browser)) == (400, "wrong_passkey", False)
    liar = SoftwareKey()
    lie(liar)
    assert add(here, liar).json()["code"] == "passkey_refused"
    assert Passkey.objects.count() == 1


def test_somebody_elses_passkey_is_refused(ann: User, ben: User) -> None:
    _here, of_ann, _codes = with_passkey(ann)
    _his, _of_ben, _more = with_passkey(ben)
    browser = sign_in(ben)
    assert use(browser, of_ann).json()["code"] == "wrong_passkey"
    assert not is_in(browser)


def test_a_passkey_belongs_to_one_account(ann: User, ben: User) -> None:
    _here, key, _codes = with_passkey(ann)
    answer = add(sign_in(ben), SoftwareKey(number=key.number))
    assert (answer.status_code, answer.json()["code"]) == (409, "passkey_known")
    assert not second_factor.has_one(ben)
    with pytest.raises(IntegrityError), transaction.atomic():
        Passkey.objects.create(user=ben, name="x", credential_id=text(key.number), public_key="x")


def test_a_count_that_went_back_is_refused_and_told(ann: User, caplog: pytest.LogCaptureFixture) -> None:
    _here, key, _codes = with_passkey(ann, SoftwareKey(count=7))
    assert use(sign_in(ann), key).status_code == 200
    with caplog.at_level("INFO", logger="hlvstudy.security"):
        for count in (7, 3, -1):
            key.count = count
            assert use(sign_in(ann), key).json()["code"] == "wrong_passkey"
    assert sum("passkey_count_went_back" in one.message for one in caplog.records) == 3
    key.count = 8
    assert use(sign_in(ann), key).status_code == 200


def test_guessing_is_stopped_over_codes_and_passkeys_together(ann: User) -> None:
    _here, key, codes = with_passkey(ann)
    browser = sign_in(ann)
    tries = [use(browser, SoftwareKey()).status_code for _try in range(6)]
    tries += [second_step(browser, "no code of mine").status_code for _try in range(5)]
    assert tries == [400] * 10 + [429]
    assert use(browser, key).status_code == 429
    assert second_step(sign_in(ann), codes[0]).status_code == 429
    assert Event.objects.filter(kind=EventKind.SECOND_STEP_FAILED).count() == 10


def test_a_removed_passkey_opens_nothing(ann: User, ben: User) -> None:
    here, gone, codes = with_passkey(ann)
    kept = SoftwareKey()
    add(here, kept, "kept")
    number = Passkey.objects.get(credential_id=text(gone.number)).pk
    assert post(here, f"{KEYS}{number}/remove/", password="wrong").status_code == 400
    assert post(with_passkey(ben)[0], f"{KEYS}{number}/remove/", password=PASSWORD).status_code == 404
    assert post(here, f"{KEYS}{number}/remove/", password=PASSWORD).status_code == 204
    assert use(sign_in(ann), gone).json()["code"] == "wrong_passkey"
    assert use(sign_in(ann), kept).status_code == 200
    assert second_step(sign_in(ann), codes[0]).status_code == 200


def test_with_the_last_one_the_second_factor_is_off(ann: User, settings: Any) -> None:
    here, _key, _codes = with_passkey(ann)
    settings.REQUIRE_SECOND_FACTOR = "admins"
    assert is_in(here)
    assert post(here, f"{KEYS}{Passkey.objects.get().pk}/remove/", password=PASSWORD).status_code == 204
    assert not SecondFactor.objects.exists()
    assert here.get("/api/v1/session/").json()["second_step"] == "turn_on"
    assert add(here, SoftwareKey()).status_code == 201, "and a passkey is enough of a second factor"
    assert is_in(here)


def test_the_app_goes_without_the_passkeys_and_the_last_one_with_everything(ann: User, clock: Clock) -> None:
    here, secret, codes = turned_on(ann)
    key = SoftwareKey()
    add(here, key)
    assert post(here, OWN + "app/remove/", password=PASSWORD).status_code == 204
    clock.now += 60
    assert second_step(sign_in(ann), pyotp.TOTP(secret).at(clock.now)).status_code == 400
    assert use(sign_in(ann), key).status_code == 200
    assert second_step(sign_in(ann), codes[0]).status_code == 200
    assert post(here, OWN + "app/remove/", password=PASSWORD).json()["code"] == "no_second_factor"
    assert post(here, OWN + "off/", password=PASSWORD).status_code == 204
    assert is_in(sign_in(ann))
    clock.now = NOW
    again, _secret, _codes = turned_on(ann)
    assert post(again, OWN + "app/remove/", password=PASSWORD).status_code == 204
    assert not SecondFactor.objects.exists()


@pytest.mark.parametrize("by", ["admin", "operator"])
def test_a_reset_clears_passkeys(ann: User, ben: User, by: str) -> None:
    his, _key, _codes = with_passkey(ben)
    assert ann.pk
    listed = sign_in(ann).get("/api/v1/users/").json()["results"]
    assert {one["email"]: one["has_second_factor"] for one in listed} == {ann.email: False, ben.email: True}
    if by == "admin":
        assert (
            sign_in(ann)
            .post(f"/api/v1/users/{ben.pk}/second-factor/reset/", content_type="application/json")
            .status_code
            == 204
        )
    else:
        call_command("reset_second_factor", ben.email)
    assert not is_in(his)
    assert not Passkey.objects.exists()
    assert is_in(sign_in(ben))


def test_a_stolen_session_cannot_add_one(ann: User) -> None:
    stolen = sign_in(ann)
    assert post(stolen, KEYS + "begin/", password="not the right one").status_code == 400
    assert post(stolen, KEYS, name="x", credential=SoftwareKey().make({"challenge": "AAAA"})).status_code == 400
    with_passkey(ann)
    waiting = sign_in(ann)
    assert post(waiting, KEYS + "begin/", password=PASSWORD).status_code == 401
    # What was asked at sign-in registers nothing, and the other way round.
    here, key, _codes = turned_on(User.objects.create_user("cem@example.org", PASSWORD))[0], SoftwareKey(), None
    add(here, key)
    options = asked(here)
    again = sign_in(User.objects.get(email="cem@example.org"), here)
    assert post(again, STEP, credential=key.use(options)).json()["code"] == "passkey_too_late"


def test_nobody_has_more_than_twenty(ann: User) -> None:
    here, _key, _codes = with_passkey(ann)
    options = asked(here)
    Passkey.objects.bulk_create(
        Passkey(user=ann, name="x", credential_id=str(number), public_key="x") for number in range(19)
    )
    assert post(here, KEYS, name="x", credential=SoftwareKey().make(options)).json()["code"] == "too_many_passkeys"
    assert post(here, KEYS + "begin/", password=PASSWORD).json()["code"] == "too_many_passkeys"


def test_where_browsers_allow_none_the_server_says_so(ann: User, settings: Any) -> None:
    _here, _key, codes = with_passkey(ann)
    settings.PUBLIC_URL = "http://127.0.0.1:8000"
    browser = sign_in(ann)
    assert browser.get("/api/v1/session/second-step/").json() == {"app": False, "passkey": False}
    assert post(browser, STEP + "begin/").json()["code"] == "passkeys_impossible"
    assert second_step(browser, codes[0]).status_code == 200
    assert browser.get(OWN).json()["passkeys_possible"] is False
    assert post(browser, KEYS + "begin/", password=PASSWORD).json()["code"] == "passkeys_impossible"


def test_changed_bytes_are_refused_and_break_nothing(ann: User) -> None:
    """Every part, cut and flipped: a plain 400 each time."""
    chance = random.Random(5)
    here, key, _codes = with_passkey(ann)
    browser = sign_in(ann)

    def changed(value: str) -> str:
        found = bytearray(raw(value))
        place = chance.randrange(len(found))
        if chance.random() < 0.3:
            return text(bytes(found[:place])) or "A"
        found[place] ^= 1 << chance.randrange(8)
        return text(bytes(found))

    for part in ("clientDataJSON", "authenticatorData", "signature"):
        for _turn in range(4):
            sent = copy.deepcopy(key.use(asked_at_sign_in(browser)))
            sent["response"][part] = changed(sent["response"][part])
            with transaction.atomic():
                limits.forgive(wholly=[limits.of_second_step(ann.pk)])
            assert post(browser, STEP, credential=sent).json()["code"] == "wrong_passkey", part
    for _turn in range(12):
        sent = SoftwareKey().make(asked(here))
        sent["response"]["attestationObject"] = changed(sent["response"]["attestationObject"])
        assert post(here, KEYS, name="x", credential=sent).status_code in (201, 400)
    for junk in ("", "%", "A", "ä" * 30, "A" * 20_001, {"a": 1}, [], None):
        sent = SoftwareKey().make(asked(here))
        sent["response"]["clientDataJSON"] = junk
        assert post(here, KEYS, name="x", credential=sent).status_code == 400
        assert post(here, KEYS, name="x", credential=junk).status_code == 400
