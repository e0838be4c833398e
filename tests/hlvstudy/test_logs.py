"""Logs support an incident: who did what from where under which request's number; never a text, address or secret."""

import json
import logging
from types import SimpleNamespace

import pytest
from django.test import Client

from annotations.models import Event, EventKind, User
from annotations.people.access import tokens
from annotations.storing import origins
from hlvstudy import celery
from hlvstudy.logs import JsonLines, OwnFaultsInFull, WithRequest
from tests.annotations.api.addresses import ENDS_THE_SESSION, every_address
from tests.annotations.api.people.test_session import PASSWORD, sign_in
from tests.hlvstudy.hostile import HostileClient, logged
from tests.worlds.studies import make_study

pytestmark = pytest.mark.django_db
SECRET = "MARKED-e7c1"


class Lines(logging.Handler):
    """The log as JSON lines."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[dict] = []
        self.setFormatter(JsonLines())
        self.addFilter(OwnFaultsInFull())
        self.addFilter(WithRequest())

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(json.loads(self.format(record)))


@pytest.fixture
def lines():
    handler = Lines()
    logging.getLogger().addHandler(handler)
    yield handler.lines
    logging.getLogger().removeHandler(handler)


@pytest.fixture
def erin() -> User:
    return User.objects.create_user("erin@example.org", PASSWORD)


def test_every_answer_names_its_request_and_so_does_every_line_about_it(lines) -> None:
    given = Client().get("/api/v1/studies/", headers={"X-Request-ID": "proxy-0123456789"})
    assert given["X-Request-ID"] == "proxy-0123456789"
    assert {one["request_id"] for one in lines} == {"proxy-0123456789"}
    for odd in ("x", "a" * 65, 'b"\x7f{}' * 5, "c d e f g h i"):
        made = Client().get("/api/v1/session/", headers={"X-Request-ID": odd})["X-Request-ID"]
        assert made != odd
        assert origins.NUMBER.fullmatch(made)
    assert Client().get("/")["X-Request-ID"] != Client().get("/")["X-Request-ID"]
    assert origins.current.get() is None


def test_a_job_bears_the_number_of_the_request_that_began_it(lines) -> None:
    token = origins.current.set(origins.RequestOrigin("request-1234", "192.0.2.7"))
    headers: dict[str, str] = {}
    celery.send_the_origin(headers=headers)
    origins.current.reset(token)
    celery.take_the_origin(task=SimpleNamespace(request=headers))
    logging.getLogger("a.job").warning("at work")
    celery.forget_the_origin()
    logging.getLogger("a.job").warning("between jobs")
    assert [one["request_id"] for one in lines] == ["request-1234", "-"]


def test_sign_ins_are_told_with_who_from_where_and_on_which_device(
    lines, erin, django_capture_on_commit_callbacks
) -> None:
    client = Client(REMOTE_ADDR="192.0.2.7")
    with django_capture_on_commit_callbacks(execute=True):
        sign_in(client, "nobody@example.org", "wrong")
        sign_in(client, erin.email, "wrong")
        sign_in(client, erin.email)
        client.delete("/api/session/")
        sign_in(client, erin.email)
    told = [one for one in lines if one["logger"] == "hlvstudy.security"]
    # In a test, what waits for the end of the transaction is told last.
    assert {one["from"] for one in told} <= {"192.0.2.7", "this machine"}
    assert told[0]["what"] == "no_such_account"
    assert told[0]["who"].startswith("hmac:")
    assert [one["what"] for one in told[1:]] == [
        "sign_in_failed",
        "sign_in_failed",
        "signed_in",
        "signed_out",
        "signed_in",
    ]
    assert [one.get("known_device") for one in told[3:]] == [False, None, True]
    assert told[3]["who"] == f"account {erin.pk}"
    kinds = list(Event.objects.order_by("pk").values_list("kind", "data__person"))
    assert kinds[:3] == [
        (EventKind.SIGN_IN_FAILED, None),
        (EventKind.SIGN_IN_FAILED, erin.pk),
        (EventKind.SIGNED_IN, erin.pk),
    ]


def test_a_lockout_is_one_event_however_many_try_on(erin) -> None:
    for n in range(15):
        sign_in(Client(), erin.email, f"wrong {n}")
    found = Event.objects.filter(kind=EventKind.LOCKED_OUT)
    assert [one.data["person"] for one in found] == [erin.pk]
    assert Event.objects.filter(kind=EventKind.SIGN_IN_FAILED).count() == 10


def test_client_addresses_are_hashed_if_the_setting_says_so(lines, settings) -> None:
    settings.LOG_CLIENT_ADDRESSES = "hashed"
    sign_in(Client(REMOTE_ADDR="192.0.2.7"), "nobody@example.org", "wrong")
    (told,) = [one for one in lines if one["logger"] == "hlvstudy.security"]
    assert told["from"].startswith("hmac:")
    assert "192.0.2.7" not in json.dumps(lines)


def test_no_address_of_the_api_writes_a_text_an_address_or_a_secret_to_the_log(
    lines, erin, django_capture_on_commit_callbacks, tried
) -> None:
    make_study(slug="the-study")
    root = User.objects.create_superuser(f"root-{SECRET}@example.org", f"{SECRET} password")
    secret = tokens.make(user=root, name="script").secret
    browser, script = HostileClient(), HostileClient()
    with logged() as plain, django_capture_on_commit_callbacks(execute=True):
        sign_in(browser, root.email, f"{SECRET} password")
        sign_in(HostileClient(), f"no-{SECRET}@example.org", SECRET)
        browser.force_login(root)
        names = ("email", "password", "token", "text", "title", "name", "addresses", "instructions", "reason", "slug")
        body = json.dumps(dict.fromkeys(names, f"{SECRET}@example.org"))
        for address in every_address():
            if address in ENDS_THE_SESSION:
                continue
            for method in ("POST", "PATCH"):
                browser.generic(method, address, body, content_type="application/json")
            browser.get(address, {"search": SECRET, "q": SECRET})
            script.get(address, headers={"Authorization": f"Bearer {secret}"})
        script.get("/api/v1/studies/", headers={"Authorization": f"Bearer hlv_{SECRET}", "Cookie": f"a={SECRET}"})
    tried(browser.sent + script.sent, "requests full of secrets")
    written = plain.getvalue() + json.dumps(lines)
    assert len(lines) > 100
    assert SECRET not in written
    assert secret not in written
    assert "example.org" not in written


def test_pages_may_use_no_powerful_feature_and_no_other_site_may_embed_what_is_here() -> None:
    assert "camera=()" in Client().get("/")["Permissions-Policy"]
    assert "Permissions-Policy" not in Client().get("/api/v1/session/")  # only documents obey it
    for address in ("/", "/api/v1/session/"):
        answer = Client().get(address)
        assert answer["Cross-Origin-Opener-Policy"] == answer["Cross-Origin-Resource-Policy"] == "same-origin"
