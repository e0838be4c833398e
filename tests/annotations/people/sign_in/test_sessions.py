"""Sessions: one query for session and person, obeyed everywhere at once, worthless to whoever reads the database."""

from datetime import timedelta

import pytest
from django.contrib.auth import SESSION_KEY, get_user
from django.db import connection
from django.http import HttpRequest
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotations.background.sweeping import Sweeper
from annotations.ground.errors import NotFound
from annotations.models import Session, User
from annotations.models.jobs import DEFAULT_QUEUE
from annotations.people.access.roles import close_account, end_sessions
from annotations.people.sign_in.sessions import device_of, end_others, end_session

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
pytestmark = pytest.mark.django_db


@pytest.fixture
def ann() -> User:
    return User.objects.create_user("ann@example.org", "a long enough password", name="Ann")


def signed_in(user: User, agent: str = FIREFOX) -> Client:
    """A browser in which the person typed the password."""
    browser = Client(headers={"user-agent": agent})
    answer = browser.post(
        "/api/v1/session/",
        {"email": user.email, "password": "a long enough password"},
        content_type="application/json",
    )
    assert answer.status_code == 200, answer.content
    return browser


def who(browser: Client) -> str | None:
    user = browser.get("/api/v1/session/").json()["user"]
    return user["email"] if user else None


def test_a_request_finds_session_and_person_in_one_query(ann: User) -> None:
    browser = signed_in(ann)
    with CaptureQueriesContext(connection) as seen:
        assert who(browser) == "ann@example.org"
    about_people = [one["sql"] for one in seen if '"annotations_user"' in one["sql"] or "_session" in one["sql"]]
    assert len(about_people) == 1
    assert not any(one["sql"].startswith(("UPDATE", "INSERT", "DELETE")) for one in seen)


def test_what_the_database_holds_signs_nobody_in(ann: User) -> None:
    browser = signed_in(ann)
    key = browser.cookies["sessionid"].value
    stored = Session.objects.get(user=ann)
    assert key not in (stored.session_key, stored.session_data)
    thief = Client()
    thief.cookies["sessionid"] = stored.session_key
    assert who(thief) is None


def test_a_session_ended_elsewhere_is_over_with_the_next_request(ann: User) -> None:
    here, there = signed_in(ann), signed_in(ann)
    newest = Session.objects.of(ann).first()
    assert newest is not None
    end_session(user=ann, pk=newest.pk, actor=ann)
    assert (who(here), who(there)) == ("ann@example.org", None)
    end_sessions(user=ann)
    assert who(here) is None
    assert not Session.objects.filter(user=ann).exists()


def test_the_sessions_of_a_person_are_theirs_that_still_work_the_newest_first(ann: User) -> None:
    ben = User.objects.create_user("ben@example.org")
    now = timezone.now()
    for key, user, began, ends in (
        ("a", ann, 3, 1),
        ("b", ann, 1, 1),
        ("c", ann, 2, 1),
        ("ended", ann, 1, -1),
        ("begun too long ago", ann, 24 * 15, 1),
        ("somebody else's", ben, 1, 1),
    ):
        Session.objects.create(
            session_key=key,
            user=user,
            created_at=now - timedelta(hours=began),
            expire_date=now + timedelta(hours=ends),
        )
    found = Session.objects.of(ann)
    assert [one.session_key for one in found] == ["b", "c", "a"]
    newest = found.first()
    assert newest is not None
    assert newest.session_key == "b"


def test_nobody_ends_the_session_of_somebody_else(ann: User) -> None:
    browser = signed_in(ann)
    other = User.objects.create_user("ben@example.org", "a long enough password")
    with pytest.raises(NotFound):
        end_session(user=other, pk=Session.objects.get(user=ann).pk, actor=other)
    assert who(browser) == "ann@example.org"


def test_all_sessions_but_one_end(ann: User) -> None:
    here, there = signed_in(ann), signed_in(ann)
    assert end_others(user=ann, key=here.cookies["sessionid"].value) == 1
    assert (who(here), who(there)) == ("ann@example.org", None)


def test_a_closed_account_is_out_with_the_next_request(ann: User) -> None:
    browser = signed_in(ann)
    close_account(user=ann)
    assert who(browser) is None


def test_a_person_deactivated_in_the_database_is_out_with_the_next_request(ann: User) -> None:
    browser = signed_in(ann)
    User.objects.filter(pk=ann.pk).update(is_active=False)
    assert who(browser) is None


def test_a_stolen_cookie_is_worthless_after_a_new_password(ann: User) -> None:
    here, thief = signed_in(ann), Client()
    thief.cookies["sessionid"] = here.cookies["sessionid"].value
    assert who(thief) == "ann@example.org"
    answer = here.post(
        "/api/v1/account/password/",
        {"password": "a long enough password", "new_password": "quite another password"},
        content_type="application/json",
    )
    assert answer.status_code == 204
    assert (who(here), who(thief)) == ("ann@example.org", None)
    assert Session.objects.filter(user=ann).count() == 1


def test_a_key_chosen_by_somebody_else_is_not_kept_at_sign_in(ann: User) -> None:
    browser = Client()
    browser.cookies["sessionid"] = "chosenbyanattackerabcdefghijklmno"
    browser.post(
        "/api/v1/session/",
        {"email": ann.email, "password": "a long enough password"},
        content_type="application/json",
    )
    assert browser.cookies["sessionid"].value != "chosenbyanattackerabcdefghijklmno"
    assert who(browser) == "ann@example.org"


def test_a_key_from_before_sign_in_is_worthless_afterwards(ann: User) -> None:
    browser = signed_in(ann)
    before = browser.cookies["sessionid"].value
    browser.delete("/api/v1/session/")
    browser.post(
        "/api/v1/session/",
        {"email": ann.email, "password": "a long enough password"},
        content_type="application/json",
    )
    other = Client()
    other.cookies["sessionid"] = before
    assert who(other) is None


@pytest.mark.parametrize(("is_superuser", "allowed"), [(False, timedelta(days=14)), (True, timedelta(hours=12))])
def test_sessions_end_by_themselves_for_admins_within_the_day(
    ann: User, is_superuser: bool, allowed: timedelta
) -> None:
    User.objects.filter(pk=ann.pk).update(is_superuser=is_superuser)
    browser = signed_in(ann)
    stored = Session.objects.get(user=ann)
    assert abs(stored.expire_date - timezone.now() - allowed) < timedelta(minutes=1)
    Session.objects.filter(user=ann).update(created_at=timezone.now() - allowed - timedelta(minutes=1))
    assert not Session.objects.of(User.objects.get(pk=ann.pk)).exists()
    assert who(browser) is None


def test_using_a_session_does_not_prolong_it(ann: User) -> None:
    browser = signed_in(ann)
    before = Session.objects.get(user=ann)
    browser.post(
        "/api/v1/account/password/",
        {"password": "a long enough password", "new_password": "quite another password"},
        content_type="application/json",
    )
    assert abs(Session.objects.get(user=ann).expire_date - before.expire_date) < timedelta(seconds=1)


def test_whoever_becomes_an_admin_must_sign_in_again_after_half_a_day(ann: User) -> None:
    browser = signed_in(ann)
    Session.objects.filter(user=ann).update(created_at=timezone.now() - timedelta(hours=13))
    assert who(browser) == "ann@example.org"
    User.objects.filter(pk=ann.pk).update(is_superuser=True)
    assert who(browser) is None


def test_a_session_knows_its_browser_and_when_it_was_last_used(ann: User) -> None:
    browser = signed_in(ann)
    long_ago = timezone.now() - timedelta(days=2)
    Session.objects.filter(user=ann).update(used_at=long_ago, created_at=long_ago)
    who(browser)
    stored = Session.objects.get(user=ann)
    assert stored.device == "Firefox, Linux"
    assert stored.created_at == long_ago
    assert timezone.now() - stored.used_at < timedelta(minutes=1)


@pytest.mark.parametrize(
    ("agent", "device"),
    [
        ("Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36", "Chrome, Windows"),
        ("Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0", "Edge, Windows"),
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1", "Safari, iPhone"),
        ("Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36", "Chrome, Android"),
        ("Mozilla/5.0 (Macintosh; Intel Mac OS X 15_0) Version/18.0 Safari/605.1.15", "Safari, Mac"),
        ("<script>alert(1)</script>", ""),
        ("", ""),
    ],
)
def test_a_browser_is_named_in_words_and_nothing_else_of_its_name_is_kept(agent: str, device: str) -> None:
    assert device_of(agent) == device


def test_expired_sessions_are_swept_away(ann: User, monkeypatch: pytest.MonkeyPatch) -> None:
    signed_in(ann)
    Session.objects.filter(user=ann).update(expire_date=timezone.now() - timedelta(seconds=1))
    living = signed_in(ann)
    sweeper = Sweeper([DEFAULT_QUEUE])
    monkeypatch.setattr(sweeper.stopped, "wait", lambda _seconds: sweeper.stopped.set())
    monkeypatch.setattr("annotations.background.sweeping.connection.close", lambda: None)
    sweeper.work()
    assert Session.objects.count() == 1
    assert who(living) == "ann@example.org"


def test_what_is_out_of_the_ordinary_is_decided_by_django(ann: User, settings) -> None:
    """A session of an earlier SECRET_KEY is still good while that key is named as a fallback."""
    browser = signed_in(ann)
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "another key of at least fifty random characters, as it must be"
    assert who(browser) == "ann@example.org"


def test_django_itself_agrees_about_who_it_is(ann: User) -> None:
    browser = signed_in(ann)
    request = HttpRequest()
    request.session = browser.session
    assert request.session[SESSION_KEY] == str(ann.pk)
    assert get_user(request) == ann
