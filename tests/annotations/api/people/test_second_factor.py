"""A second factor: whoever has one gets nothing without its code, however they came in and whatever they try."""

from typing import Any

import pyotp
import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotations.designing.lifecycle import add_member
from annotations.models import Event, EventKind, Role, SecondFactor, User
from annotations.people.access import roles
from annotations.people.sign_in import second_factor, sessions
from tests.worlds.studies import make_open_study

PASSWORD = "a long enough password"
OWN = "/api/v1/account/second-factor/"
NOW = 1_800_000_000
pytestmark = pytest.mark.django_db


class Clock:
    now = NOW

    def time(self) -> float:
        return float(self.now)


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(second_factor, "time", made)
    return made


@pytest.fixture
def ann() -> User:
    return User.objects.create_superuser("ann@example.org", PASSWORD)


def post(browser: Client, address: str, **body: Any) -> Any:
    return browser.post(address, body, content_type="application/json")


def sign_in(user: User, browser: Client | None = None) -> Client:
    browser = browser or Client()
    assert post(browser, "/api/v1/session/", email=user.email, password=PASSWORD).status_code == 200
    return browser


def second_step(browser: Client, code: str) -> Any:
    return post(browser, "/api/v1/session/second-step/", code=code)


def turned_on(user: User) -> tuple[Client, str, list[str]]:
    browser = sign_in(user)
    secret = post(browser, OWN + "begin/", password=PASSWORD).json()["secret"]
    answer = post(browser, OWN + "confirm/", code=pyotp.TOTP(secret).at(NOW))
    assert answer.status_code == 200, answer.content
    return browser, secret, answer.json()["recovery_codes"]


def is_in(browser: Client) -> bool:
    return browser.get("/api/v1/account/").status_code == 200


def test_a_password_alone_opens_nothing_and_the_code_opens_all(ann: User, clock: Clock) -> None:
    here, secret, _codes = turned_on(ann)
    assert is_in(here)
    browser = sign_in(ann)
    before = browser.cookies["sessionid"].value
    shown = browser.get("/api/v1/session/").json()
    assert (shown["user"], shown["second_step"]) == (None, "code")
    assert [browser.get(f"/api/v1/{one}/").status_code for one in ("account", "studies", "users", "tokens")] == [
        401
    ] * 4
    assert browser.get("/django-admin/").status_code == 302
    clock.now += 60
    answer = second_step(browser, pyotp.TOTP(secret).at(clock.now))
    assert (answer.status_code, answer.json()["user"]["email"], answer.json()["second_step"]) == (200, ann.email, "")
    assert is_in(browser)
    assert browser.cookies["sessionid"].value != before, "a key that somebody planted before is worth nothing after"


def test_turning_it_on_ends_the_sessions_that_had_only_a_password(ann: User) -> None:
    elsewhere = sign_in(ann)
    turned_on(ann)
    assert not is_in(elsewhere)


def test_a_code_works_once_and_clocks_may_differ_by_half_a_minute(ann: User, clock: Clock) -> None:
    _here, secret, _codes = turned_on(ann)
    totp = pyotp.TOTP(secret)
    assert second_step(sign_in(ann), totp.at(NOW)).status_code == 400, "that one turned it on"
    clock.now += 300
    for late, status in ((-90, 400), (-60, 400), (90, 400), (-30, 200), (-30, 400), (0, 200), (0, 400), (-30, 400)):
        assert second_step(sign_in(ann), totp.at(clock.now + late)).status_code == status, late


def test_guessing_codes_is_stopped_even_for_the_right_one(ann: User, clock: Clock) -> None:
    _here, secret, _codes = turned_on(ann)
    clock.now += 60
    right = pyotp.TOTP(secret).at(clock.now)
    wrong = "000000" if right != "000000" else "111111"
    browser = sign_in(ann)
    assert [second_step(browser, wrong).status_code for _try in range(11)] == [400] * 10 + [429]
    assert second_step(browser, right).status_code == 429
    assert second_step(sign_in(ann), right).status_code == 429, "nor does a new session start anew"
    assert Event.objects.filter(kind=EventKind.SECOND_STEP_FAILED).count() == 10


def test_a_recovery_code_works_once_and_only_for_its_person(ann: User) -> None:
    _here, _secret, codes = turned_on(ann)
    ben = User.objects.create_user("ben@example.org", PASSWORD)
    _his, _other, of_ben = turned_on(ben)
    assert len(set(codes)) == 10
    assert second_step(sign_in(ann), of_ben[0]).status_code == 400
    assert second_step(sign_in(ann), codes[0].upper()).status_code == 200
    assert second_step(sign_in(ann), codes[0]).status_code == 400
    assert Event.objects.get(kind=EventKind.RECOVERY_CODE_USED).data == {"person": ann.pk, "left": 9}


def test_the_database_holds_neither_secret_nor_codes(ann: User) -> None:
    _here, secret, codes = turned_on(ann)
    row = SecondFactor.objects.get()
    stored = row.secret + str(row.recovery) + str(list(Event.objects.values_list("data", flat=True)))
    assert secret not in stored
    assert not any(one.replace("-", "") in stored for one in codes)


def test_a_changed_key_of_the_server_says_what_to_do(ann: User, clock: Clock, settings: Any) -> None:
    _here, secret, _codes = turned_on(ann)
    settings.SECRET_KEY = "another " * 10
    clock.now += 60
    answer = second_step(sign_in(ann), pyotp.TOTP(secret).at(clock.now))
    assert (answer.status_code, answer.json()["code"]) == (409, "no_second_factor")


@pytest.mark.parametrize("change", ["password", "closed", "ended"])
def test_a_session_that_waits_for_its_code_ends_with_all_others(ann: User, clock: Clock, change: str) -> None:
    _here, secret, _codes = turned_on(ann)
    browser = sign_in(ann)
    if change == "password":
        ann.set_password("another long password")
        ann.save()
    elif change == "closed":
        User.objects.filter(pk=ann.pk).update(is_active=False)
    else:
        sessions.end_others(user=ann, key=None)
    clock.now += 60
    assert second_step(browser, pyotp.TOTP(secret).at(clock.now)).status_code == 409
    assert not is_in(browser)


def test_a_password_typed_long_ago_has_to_be_typed_again(ann: User, clock: Clock) -> None:
    _here, secret, _codes = turned_on(ann)
    browser = sign_in(ann)
    clock.now += 601
    assert second_step(browser, pyotp.TOTP(secret).at(clock.now)).json()["code"] == "password_first"
    assert browser.get("/api/v1/session/").json()["second_step"] == ""


def test_signing_in_again_in_a_verified_session_needs_a_new_code(ann: User) -> None:
    here, _secret, _codes = turned_on(ann)
    assert not is_in(sign_in(ann, here))


def test_a_stolen_session_cannot_turn_it_on_off_or_replace_it(ann: User) -> None:
    stolen = sign_in(ann)
    assert post(stolen, OWN + "begin/", password="not the right one").status_code == 400
    here, _secret, codes = turned_on(ann)
    for act in ("off/", "recovery-codes/", "begin/"):
        assert post(here, OWN + act, password="not the right one").status_code == 400
    assert post(here, OWN + "begin/", password=PASSWORD).json()["code"] == "second_factor_is_on"
    renewed = post(here, OWN + "recovery-codes/", password=PASSWORD).json()["recovery_codes"]
    assert not set(renewed) & set(codes)
    assert post(here, OWN + "off/", password=PASSWORD).status_code == 204
    assert is_in(sign_in(ann))


def test_an_unconfirmed_secret_changes_nothing(ann: User) -> None:
    browser = sign_in(ann)
    assert post(browser, OWN + "begin/", password=PASSWORD).json()["qr"].startswith("data:image/svg+xml")
    assert post(browser, OWN + "confirm/", code="12").status_code == 400
    assert is_in(sign_in(ann))


def test_an_admin_resets_somebody_elses_and_their_sessions_end(ann: User) -> None:
    ben = User.objects.create_user("ben@example.org", PASSWORD)
    his, _secret, _codes = turned_on(ben)
    hers = sign_in(ann)
    assert his.post(f"/api/v1/users/{ann.pk}/second-factor/reset/", content_type="application/json").status_code == 404
    assert hers.post(f"/api/v1/users/{ann.pk}/second-factor/reset/", content_type="application/json").status_code == 403
    assert hers.post(f"/api/v1/users/{ben.pk}/second-factor/reset/", content_type="application/json").status_code == 204
    assert not is_in(his)
    assert is_in(sign_in(ben))
    event = Event.objects.get(kind=EventKind.SECOND_FACTOR_OFF)
    assert (event.actor, event.data) == (ann, {"person": ben.pk})


def test_the_operator_resets_it_by_command(ann: User) -> None:
    turned_on(ann)
    call_command("reset_second_factor", "ANN@example.org")
    assert is_in(sign_in(ann))


def test_whoever_must_have_one_turns_it_on_before_anything_else_works(ann: User, settings: Any) -> None:
    settings.REQUIRE_SECOND_FACTOR = "admins"
    browser = sign_in(ann)
    assert browser.get("/api/v1/session/").json()["second_step"] == "turn_on"
    for address in ("/api/v1/account/", "/api/v1/tokens/", "/api/v1/users/", "/api/v1/studies/", "/django-admin/"):
        answer = browser.get(address)
        assert (answer.status_code, answer.json()["code"]) == (403, "second_factor_required"), address
    assert post(browser, "/api/v1/tokens/", name="mine").status_code == 403
    assert is_in(turned_on(ann)[0])
    assert is_in(sign_in(User.objects.create_user("ben@example.org", PASSWORD)))


def test_researchers_must_and_experts_never(settings: Any) -> None:
    study = make_open_study()
    settings.REQUIRE_SECOND_FACTOR = "researchers"
    for role in (Role.RESEARCHER, Role.ADMIN, Role.EXPERT):
        user = User.objects.create_user(f"{role}@example.org", PASSWORD)
        add_member(study=study, user=user, role=role)
        assert is_in(sign_in(user)) is (role == Role.EXPERT)


@pytest.mark.parametrize("required", ["admins", "researchers"])
def test_a_request_of_a_verified_session_costs_one_query(ann: User, settings: Any, required: str) -> None:
    settings.REQUIRE_SECOND_FACTOR = required
    here, _secret, _codes = turned_on(ann)
    with CaptureQueriesContext(connection) as asked:
        assert here.get("/api/v1/session/").status_code == 200
    assert len(asked) == 1, [one["sql"] for one in asked]


@pytest.mark.parametrize("required", ["none", "admins", "researchers"])
def test_who_must_have_one_is_known_with_the_session(settings: Any, required: str) -> None:
    """Without a query of its own, also for an expert, who answers all day."""
    settings.REQUIRE_SECOND_FACTOR = required
    study = make_open_study()
    expert, importer = (User.objects.create_user(f"{name}@example.org", PASSWORD) for name in ("erin", "ida"))
    add_member(study=study, user=expert, role=Role.EXPERT)
    roles.change_roles(user=importer, roles=roles.Roles(can_import=True))
    for user in (expert, importer):
        browser = sign_in(user)
        with CaptureQueriesContext(connection) as asked:
            is_free = browser.get("/api/v1/account/").status_code == 200
        assert len(asked) == (2 if is_free else 1), [one["sql"] for one in asked]  # the page itself asks once
        assert is_free is not (required == "researchers" and user == importer)
