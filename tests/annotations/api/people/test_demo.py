"""Stepping into a role without a password: in a demo, at its own machine, from its own page, and nowhere else."""

import itertools
import json
from typing import Any

import pytest
from django.test import Client

from annotations.designing.lifecycle import add_member
from annotations.models import Event, EventKind, Role, Study, User
from annotations.simulating.demo.people import EMAILS, make_people
from tests.worlds.full import make_full_study

pytestmark = pytest.mark.django_db
SHOW, STEP = "/api/v1/demo/", "/api/v1/demo/step-into/"
HERE = "127.0.0.1:8000"


@pytest.fixture
def demo(settings: Any) -> Study:
    """A study of which each of the demo's people is a member, on a server that is a demo."""
    settings.HLV_DEMO = True
    settings.ALLOWED_HOSTS = ["*"]  # so that it is the view that refuses
    study = make_full_study()
    for role, person in make_people().items():
        add_member(study=study, user=person, role=role)
    return study


class Browser:
    """Sends what a browser would, with cookies and the token that protects writes."""

    def __init__(self, host: str = HERE, address: str = "127.0.0.1", **headers: str) -> None:
        self.client = Client(enforce_csrf_checks=True)
        self.host, self.extra = host, {"REMOTE_ADDR": address, "HTTP_HOST": host, **headers}

    def get(self, where: str) -> Any:
        return self.client.get(where, **self.extra)

    def step(self, role: Any, *, origin: str | None = None, token: str | None = None, **headers: str) -> Any:
        if "csrftoken" not in self.client.cookies:
            self.get("/api/v1/session/")
        extra = {
            "HTTP_X_CSRFTOKEN": self.client.cookies["csrftoken"].value if token is None else token,
            "HTTP_ORIGIN": f"http://{self.host}" if origin is None else origin,
            **self.extra,
            **headers,
        }
        return self.client.post(STEP, json.dumps({"role": role}), content_type="application/json", **extra)

    def who(self) -> str | None:
        user = self.get("/api/v1/session/").json()["user"]
        return str(user["email"]) if user else None


def nobody_stepped_in(browser: Browser, answer: Any, status: int = 404) -> None:
    assert answer.status_code == status, answer.content
    assert not Event.objects.filter(kind=EventKind.STEPPED_IN).exists()
    assert "sessionid" not in browser.client.cookies


@pytest.mark.usefixtures("demo")
def test_one_click_is_enough_at_this_machine() -> None:
    hosts = [HERE, "localhost:8000", "[::1]:8000", "localhost"]
    for host, role in itertools.product(hosts, Role.values):
        browser = Browser(host)
        shown = browser.get(SHOW).json()
        assert shown["roles"] == ["expert", "researcher", "admin"]
        assert shown["stepped_into"] is None
        assert browser.get("/api/v1/session/").json()["is_demo"] is True
        answer = browser.step(role)
        assert answer.status_code == 200, host
        assert answer.json()["user"]["email"] == browser.who() == EMAILS[Role(role)]
        assert browser.get(SHOW).json()["stepped_into"] == role


def test_it_is_written_down_in_the_study(demo: Study) -> None:
    Browser().step("researcher")
    event = Event.objects.get(kind=EventKind.STEPPED_IN)
    assert (event.study, event.actor_email, event.data) == (demo, EMAILS[Role.RESEARCHER], {"role": "researcher"})


def test_where_no_demo_is_there_is_no_such_address(demo: Study, settings: Any) -> None:
    settings.HLV_DEMO = False
    browser = Browser()
    assert browser.get(SHOW).status_code == 404
    assert browser.get("/api/v1/session/").json()["is_demo"] is False
    nobody_stepped_in(browser, browser.step("admin"))
    assert browser.step("admin", token="").status_code == 404, "nor does a missing token tell that there is one"


ELSEWHERE = [
    {"host": "study.example.org"},
    {"host": "127.0.0.1.example.org"},
    {"host": "localhost.example.org:8000"},
    {"host": "10.0.0.7:8000"},
    {"host": "0.0.0.0:8000"},
    {"address": "10.0.0.8"},
    {"address": ""},
    {"address": "::ffff:10.0.0.8"},
    {"HTTP_X_FORWARDED_FOR": "127.0.0.1"},
    {"HTTP_X_FORWARDED_HOST": "127.0.0.1"},
    {"HTTP_X_FORWARDED_PROTO": "http"},
    {"HTTP_FORWARDED": "for=127.0.0.1"},
    {"HTTP_X_REAL_IP": "127.0.0.1"},
    {"HTTP_VIA": "1.1 tunnel"},
]


@pytest.mark.usefixtures("demo")
def test_whoever_is_elsewhere_or_comes_by_another_name_is_told_nothing() -> None:
    """Another host, a name that leads here (DNS rebinding), a proxy, a tunnel."""
    for change in ELSEWHERE:
        browser = Browser(**change)
        assert browser.get(SHOW).status_code == 404, change
        assert browser.get("/api/v1/session/").json()["is_demo"] is False, change
        nobody_stepped_in(browser, browser.step("admin"))


@pytest.mark.usefixtures("demo")
def test_another_page_cannot_step_in_for_somebody() -> None:
    local = ["https://127.0.0.1:8000", "http://127.0.0.1:9000", "http://localhost:8000"]
    for origin in ("http://evil.example.org", *local, "null", ""):
        browser = Browser()
        nobody_stepped_in(browser, browser.step("admin", origin=origin))


def test_a_browser_that_says_the_page_is_another_is_believed(demo: Study) -> None:
    browser = Browser()
    nobody_stepped_in(browser, browser.step("admin", HTTP_SEC_FETCH_SITE="same-site"))
    assert browser.step("admin", HTTP_SEC_FETCH_SITE="same-origin").status_code == 200


@pytest.mark.usefixtures("demo")
def test_without_the_page_s_token_nothing_is_written() -> None:
    for token in ("", "x" * 32):
        browser = Browser()
        nobody_stepped_in(browser, browser.step("admin", token=token), status=403)


def test_the_address_only_takes_a_post(demo: Study) -> None:
    browser = Browser()
    nobody_stepped_in(browser, browser.get(f"{STEP}?role=admin"), status=405)


@pytest.mark.usefixtures("demo")
def test_a_role_that_does_not_exist() -> None:
    for role in ("root", "", "EXPERT", None, 1, ["admin"]):
        browser = Browser()
        nobody_stepped_in(browser, browser.step(role), status=400)
    assert Browser().step("admin ").status_code in {200, 400}  # the framework takes spaces away


def test_a_role_that_nobody_has_any_more(demo: Study) -> None:
    User.objects.filter(email=EMAILS[Role.ADMIN]).update(is_active=False)
    browser = Browser()
    assert browser.get(SHOW).json()["roles"] == ["expert", "researcher"]
    nobody_stepped_in(browser, browser.step("admin"))


def test_nobody_but_the_demo_s_own_people_can_be_stepped_into(demo: Study) -> None:
    """Others in its database, such as one who was invited to see how that goes, keep their accounts to themselves."""
    other = User.objects.create_user("other@example.org")
    User.objects.filter(email=EMAILS[Role.ADMIN]).delete()
    add_member(study=demo, user=other, role=Role.ADMIN)
    nobody_stepped_in(browser := Browser(), browser.step("admin"))


def test_a_session_that_was_known_before_is_worth_nothing_afterwards(demo: Study) -> None:
    """Session fixation: whoever put a session into this browser, or kept one, has none of the new role."""
    browser, keys = Browser(), set()
    for role in ("expert", "admin", "admin", "expert"):
        assert browser.step(role).status_code == 200
        keys.add(browser.client.cookies["sessionid"].value)
        for key in keys - {browser.client.cookies["sessionid"].value}:
            stale = Browser()
            stale.client.cookies["sessionid"] = key
            assert stale.who() is None
    assert len(keys) == 4


def test_the_demo_tells_an_expert_nothing_of_sides_or_systems(demo: Study) -> None:
    browser = Browser()
    browser.step("expert")
    shown = browser.get(SHOW).json()
    assert set(shown) == {"roles", "stepped_into", "study", "title", "dataset"}
    assert shown["dataset"] == "", "nor which dataset it is, which may be public"
    assert demo.dataset.slug not in str(shown).replace(demo.slug, "").replace(demo.title, "")
    assert browser.get("/api/v1/studies/small-study/overview/").status_code == 404


def test_a_demo_that_is_not_loaded_yet(settings: Any) -> None:
    settings.HLV_DEMO = True
    browser = Browser()
    assert browser.get(SHOW).status_code == 404
    nobody_stepped_in(browser, browser.step("admin"))
