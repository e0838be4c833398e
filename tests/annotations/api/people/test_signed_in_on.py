"""Where a person is signed in: they see their own sessions and end them; an admin may, too, and nobody else."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotations.models import Event, EventKind, Session, User
from annotations.people.access.tokens import make
from annotations.shown.event_sentences import sentence_of
from annotations.shown.people import ShownPeople

ADDRESS = "/api/v1/account/sessions/"
pytestmark = pytest.mark.django_db


@pytest.fixture
def ann() -> User:
    return User.objects.create_user("ann@example.org", "a long enough password")


def browser_of(user: User, agent: str = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0") -> Client:
    browser = Client(headers={"user-agent": agent})
    given = {"email": user.email, "password": "a long enough password"}
    assert browser.post("/api/v1/session/", given, content_type="application/json").status_code == 200
    return browser


def end(browser: Client, which: str | None) -> int:
    return browser.post(ADDRESS, {"id": which}, content_type="application/json").status_code


def test_a_person_sees_each_browser_and_which_one_this_is(ann: User) -> None:
    browser_of(ann, "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1")
    here = browser_of(ann)
    browser_of(User.objects.create_user("ben@example.org", "a long enough password"))
    shown = here.get(ADDRESS).json()
    assert [(one["device"], one["is_current"]) for one in shown] == [
        ("Firefox, Linux", True),
        ("Safari, iPhone", False),
    ]
    assert here.cookies["sessionid"].value not in here.get(ADDRESS).content.decode()


def test_one_browser_or_all_others_are_signed_out(ann: User) -> None:
    here, phone, tablet = (browser_of(ann) for _ in range(3))
    second = here.get(ADDRESS).json()[1]["id"]
    assert end(here, second) == 204
    assert [one.get(ADDRESS).status_code for one in (here, phone, tablet)].count(401) == 1
    assert end(here, None) == 204
    assert [one.get(ADDRESS).status_code for one in (here, phone, tablet)] == [200, 401, 401]


def test_nobody_signs_somebody_else_out(ann: User) -> None:
    browser_of(ann)
    other = browser_of(User.objects.create_user("ben@example.org", "a long enough password"))
    assert end(other, Session.objects.get(user=ann).pk) == 404
    assert end(other, None) == 204
    assert Session.objects.filter(user=ann).count() == 1


def test_a_token_neither_sees_nor_ends_sessions(ann: User) -> None:
    browser_of(ann)
    script = Client(headers={"authorization": f"Bearer {make(user=ann, actor=ann, name='script').secret}"})
    assert script.get(ADDRESS).json()["code"] == "needs_login"
    assert script.post(ADDRESS, {"id": None}, content_type="application/json").status_code in {401, 403}
    assert Session.objects.filter(user=ann).count() == 1


def test_many_sessions_take_no_more_queries(ann: User) -> None:
    here = browser_of(ann)
    counted = []
    for _ in range(2):
        with CaptureQueriesContext(connection) as seen:
            here.get(ADDRESS)
        counted.append(len(seen))
        for _ in range(3):
            browser_of(ann)
    assert counted[0] == counted[1] <= 3


def ended() -> list[str]:
    return [
        sentence_of(one, ShownPeople(to=None))
        for one in Event.objects.filter(kind=EventKind.SESSIONS_ENDED).order_by("pk")
    ]


def test_whoever_signs_a_browser_out_is_in_the_event_log(ann: User) -> None:
    here, _phone, _tablet = (browser_of(ann) for _ in range(3))
    assert end(here, here.get(ADDRESS).json()[1]["id"]) == 204
    assert end(here, None) == 204
    assert end(here, None) == 204  # nothing is left to end, and nothing more to tell
    said = "ann@example.org signed out of 1 other browser."
    assert ended() == [said, said]


def test_signing_out_everywhere_tells_of_the_others_and_of_this_one(ann: User) -> None:
    here, _phone, _tablet = (browser_of(ann) for _ in range(3))
    assert here.post("/api/v1/account/sign-out/", content_type="application/json").status_code == 204
    assert ended() == ["ann@example.org signed out of 2 other browsers."]
    assert Event.objects.filter(kind=EventKind.SIGNED_OUT).count() == 1


@pytest.fixture
def root() -> User:
    return User.objects.create_superuser("root@example.org", "a long enough password")


def address_of(user: User) -> str:
    return f"/api/v1/users/{user.pk}/sessions/"


def test_an_admin_sees_where_somebody_is_signed_in_and_signs_them_out(ann: User, root: User) -> None:
    hers, phone, admin = browser_of(ann), browser_of(ann), browser_of(root)
    shown = admin.get(address_of(ann)).json()
    assert [(one["device"], one["is_current"]) for one in shown] == [("Firefox, Linux", False)] * 2
    sent = {"id": shown[0]["id"]}
    assert admin.post(address_of(ann), sent, content_type="application/json").status_code == 204
    assert sorted(one.get(ADDRESS).status_code for one in (hers, phone)) == [200, 401]
    assert admin.post(address_of(ann), {"id": None}, content_type="application/json").status_code == 204
    assert [one.get(ADDRESS).status_code for one in (hers, phone, admin)] == [401, 401, 200]
    said = f"root@example.org signed account {ann.pk} out of 1 browser."
    assert ended() == [said, said]
    event = Event.objects.filter(kind=EventKind.SESSIONS_ENDED).latest("pk")
    assert event.actor == root
    assert event.data == {"person": ann.pk, "browsers": 1, "themselves": False}


def test_an_admin_cannot_end_a_session_of_one_person_as_that_of_another(ann: User, root: User) -> None:
    admin, hers = browser_of(root), browser_of(ann)
    ben = User.objects.create_user("ben@example.org", "a long enough password")
    which = {"id": Session.objects.get(user=ann).pk}
    assert admin.post(address_of(ben), which, content_type="application/json").status_code == 404
    assert admin.post("/api/v1/users/999999/sessions/", which, content_type="application/json").status_code == 404
    assert admin.post(address_of(root), {"id": None}, content_type="application/json").status_code == 403
    assert (hers.get(ADDRESS).status_code, admin.get(ADDRESS).status_code) == (200, 200)
    assert ended() == []


def test_sessions_of_others_do_not_exist_for_whoever_is_no_admin_of_the_server(ann: User, root: User) -> None:
    browser_of(root)
    anybody, stranger = browser_of(ann), Client()
    script = Client(headers={"authorization": f"Bearer {make(user=root, actor=root, name='script').secret}"})
    for asking, refusals in ((anybody, {404}), (stranger, {401, 403}), (script, {401, 403})):
        for user in (ann, root):
            assert asking.get(address_of(user)).status_code in refusals
            answer = asking.post(address_of(user), {"id": None}, content_type="application/json")
            assert answer.status_code in refusals
    assert Session.objects.filter(user__in=(ann, root)).count() == 2
