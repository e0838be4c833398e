"""Guessing is stopped per account, per network and over all, and nobody is locked out of a device they know."""

import threading
from collections.abc import Iterator

import pytest
from django.db import connection
from django.test import Client, RequestFactory

from annotations.models import AttemptCount, User
from annotations.people.access import limits, tokens
from annotations.storing.origins import client_address, trusted_proxies
from tests.annotations.api.people.test_session import PASSWORD, sign_in
from tests.conftest import Tried

pytestmark = pytest.mark.django_db
PROXY = "127.0.0.1"
ATTEMPTS: list[str] = []
"""Those of the test that runs."""


@pytest.fixture
def erin() -> User:
    return User.objects.create_user("erin@example.org", PASSWORD)


@pytest.fixture
def behind_proxy(settings) -> None:
    settings.TRUSTED_PROXIES = ["127.0.0.0/8", "10.0.0.0/8", "2001:db8:aaaa::/48", "unix"]


def came_from(forwarded: str, remote: str = PROXY) -> str:
    return client_address(RequestFactory().get("/", REMOTE_ADDR=remote, HTTP_X_FORWARDED_FOR=forwarded))


@pytest.mark.parametrize(
    ("forwarded", "remote", "client"),
    [
        ("192.0.2.7", PROXY, "192.0.2.7"),
        ("1.1.1.1, 192.0.2.7", PROXY, "192.0.2.7"),  # the left part is the client's own invention
        ("1.1.1.1, 192.0.2.7, 10.0.0.3", PROXY, "192.0.2.7"),  # two proxies of ours
        ("127.0.0.1, 10.0.0.1, 192.0.2.7", PROXY, "192.0.2.7"),
        ("192.0.2.7, nonsense", PROXY, PROXY),
        ("192.0.2.7:4711", PROXY, "192.0.2.7"),
        ("[2001:db8::1]:4711", PROXY, "2001:db8::1"),
        ("::ffff:192.0.2.7", PROXY, "192.0.2.7"),
        ("2001:db8::1%eth0", PROXY, "2001:db8::1"),
        ("1.1.1.1", "192.0.2.9", "192.0.2.9"),  # no proxy of ours: nothing that it says is believed
        ("192.0.2.7", "", "192.0.2.7"),  # a socket of the machine
        ("", PROXY, PROXY),
        (",".join(["10.0.0.1"] * 500), PROXY, "10.0.0.1"),
    ],
)
def test_the_client_is_whom_the_last_foreign_hop_names(behind_proxy, forwarded, remote, client) -> None:
    assert came_from(forwarded, remote) == client


def test_without_a_proxy_nothing_that_is_forwarded_is_believed(settings) -> None:
    settings.TRUSTED_PROXIES = []
    assert came_from("1.1.1.1") == PROXY
    assert trusted_proxies([], behind_proxy=True) == ["127.0.0.0/8", "::1/128", "unix"]


def test_who_is_no_trusted_proxy_cannot_say_that_it_came_by_https(settings) -> None:
    settings.ONLY_TRUSTED_PROXIES, settings.TRUSTED_PROXIES = True, ["10.0.0.0/8"]
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    settings.SECURE_SSL_REDIRECT = True
    said = {"X-Forwarded-Proto": "https"}
    assert Client().get("/api/v1/session/", headers=said, REMOTE_ADDR="192.0.2.9").status_code == 301
    assert Client().get("/api/v1/session/", headers=said, REMOTE_ADDR="10.0.0.3").status_code == 200


@pytest.fixture(autouse=True)
def counted(tried: Tried) -> Iterator[None]:
    ATTEMPTS.clear()
    yield
    if ATTEMPTS:
        tried(len(ATTEMPTS), "sign-ins")


def attempt(client: Client, email: str, password: str, forwarded: str):
    ATTEMPTS.append(email)
    return client.post(
        "/api/v1/session/",
        {"email": email, "password": password},
        content_type="application/json",
        headers={"X-Forwarded-For": forwarded},
    )


def test_one_account_from_many_networks_is_locked_for_unknown_devices_only(behind_proxy, erin) -> None:
    home, new = Client(), Client()
    assert attempt(home, erin.email, PASSWORD, "198.51.100.1").status_code == 200
    home.delete("/api/v1/session/")
    codes = [attempt(Client(), erin.email, f"wrong {n}", f"192.0.2.{n}").json()["code"] for n in range(12)]
    assert codes[9:] == ["bad_login", "locked_out", "locked_out"]
    refused = attempt(new, erin.email, PASSWORD, "203.0.113.1")
    assert refused.status_code == 429
    assert 0 < int(refused["Retry-After"]) <= 15 * 60
    assert "15 minutes" in refused.json()["detail"]
    # Her own device lets her in, from wherever it is, and a device of somebody else is no help.
    assert attempt(home, erin.email, PASSWORD, "203.0.113.99").status_code == 200
    User.objects.create_user("mallory@example.org", PASSWORD)
    mallory = Client()
    assert attempt(mallory, "mallory@example.org", PASSWORD, "203.0.113.50").status_code == 200
    mallory.delete("/api/v1/session/")
    assert attempt(mallory, erin.email, PASSWORD, "203.0.113.50").status_code == 429


def test_a_forged_or_stolen_device_has_limits_of_its_own(behind_proxy, erin) -> None:
    home = Client()
    attempt(home, erin.email, PASSWORD, "198.51.100.1")
    home.delete("/api/v1/session/")
    forged = Client()
    for value in ("x", home.cookies["hlv_device"].value[:-2] + "xx", "eyJ9:1:2"):
        forged.cookies["hlv_device"] = value
        attempt(forged, erin.email, "wrong", "192.0.2.1")
    assert AttemptCount.objects.get(key=limits.of_account(erin.address).key).failures == 3  # they were unknown
    stolen = Client()
    stolen.cookies["hlv_device"] = home.cookies["hlv_device"].value
    codes = [attempt(stolen, erin.email, f"wrong {n}", f"192.0.2.{n}").json()["code"] for n in range(25)]
    assert codes.count("bad_login") == 17  # ten as the device, then the seven that are left of an unknown one's ten
    assert codes[-1] == "locked_out"


def test_many_accounts_from_one_network_are_stopped_and_other_networks_are_not(behind_proxy, erin, settings) -> None:
    settings.ATTEMPTS_PER_NETWORK = 12
    # The left part is forged anew each time, and IPv6 addresses rotate within the client's own /64.
    for sender in (lambda n: f"10.9.8.{n}, 8.8.8.{n}, 192.0.2.7", lambda n: f"2001:db8:1:2:{n:x}::{n:x}"):
        codes = [attempt(Client(), f"p{n}@example.org", "Summer2026!", sender(n)).json()["code"] for n in range(14)]
        assert codes == ["bad_login"] * 12 + ["locked_out"] * 2
    assert attempt(Client(), erin.email, PASSWORD, "192.0.2.7").status_code == 429
    assert attempt(Client(), erin.email, PASSWORD, "192.0.2.8").status_code == 200
    assert attempt(Client(), erin.email, PASSWORD, "2001:db8:1:3::1").status_code == 200


def test_spraying_over_accounts_and_networks_is_stopped_and_known_devices_get_in(behind_proxy, erin, settings) -> None:
    settings.ATTEMPTS_OVER_ALL = 20
    home = Client()
    attempt(home, erin.email, PASSWORD, "198.51.100.1")
    home.delete("/api/v1/session/")
    codes = [attempt(Client(), f"p{n}@example.org", "Summer2026!", f"192.0.2.{n}").json()["code"] for n in range(25)]
    assert codes == ["bad_login"] * 20 + ["locked_out"] * 5
    assert attempt(home, erin.email, PASSWORD, "198.51.100.2").status_code == 200


def test_a_right_password_takes_the_attempt_back_and_forgets_the_accounts_failures(erin) -> None:
    for _turn in range(5):
        for n in range(9):
            sign_in(Client(), erin.email, f"wrong {n}")
        assert sign_in(Client(), erin.email).status_code == 200
    network = AttemptCount.objects.get(key=limits.of_network("127.0.0.1").key)
    assert network.failures == 45
    assert not AttemptCount.objects.filter(key=limits.of_account(erin.address).key).exists()


def test_confirming_with_the_right_password_is_never_locked_out(erin) -> None:
    client = Client()
    sign_in(client, erin.email)
    for _turn in range(15):
        answer = client.post(
            "/api/v1/account/password/",
            {"password": PASSWORD, "new_password": PASSWORD},
            content_type="application/json",
        )
        assert answer.status_code == 204


def test_a_locked_attempt_costs_reads_only_and_no_password_is_looked_at(
    erin, monkeypatch, django_assert_max_num_queries
) -> None:
    for n in range(11):
        sign_in(Client(), erin.email, f"wrong {n}")
    monkeypatch.setattr(User, "check_password", lambda *_: pytest.fail("a password was looked at"))
    client = Client()
    with django_assert_max_num_queries(1) as asked:
        assert sign_in(client, erin.email).status_code == 429
    assert asked.captured_queries[0]["sql"].startswith("SELECT")


def test_when_the_window_is_over_another_attempt_may_be_made(erin) -> None:
    for n in range(11):
        sign_in(Client(), erin.email, f"wrong {n}")
    rows = AttemptCount.objects.all()
    for row in rows:
        row.since -= limits.window()
        row.save()
    assert sign_in(Client(), erin.email).status_code == 200


def test_what_is_stored_of_attempts_names_nobody(erin) -> None:
    sign_in(Client(), erin.email, "wrong")
    sign_in(Client(), "nobody@example.org", "wrong")
    stored = str(list(AttemptCount.objects.values()))
    assert "example" not in stored
    assert "127.0.0" not in stored


def test_wrong_tokens_are_slowed_down_and_right_ones_work(erin, settings) -> None:
    settings.ATTEMPTS_PER_NETWORK = 5
    right = tokens.make(user=erin, name="script").secret

    def ask(token: str) -> int:
        return Client().get("/api/v1/studies/", headers={"Authorization": f"Bearer {token}"}).status_code

    assert [ask(f"hlv_{n:064x}") for n in range(7)] == [401] * 5 + [429] * 2
    assert ask(right) == 200


@pytest.mark.postgresql  # SQLite lets one write at a time
@pytest.mark.django_db(transaction=True)
def test_processes_that_try_at_once_try_no_more_than_the_limit() -> None:
    counted, allowed = [limits.of_account("erin@example.org"), limits.of_all()], []
    ready = threading.Barrier(8)

    def try_often() -> None:
        ready.wait()
        allowed.extend(1 for _ in range(5) if limits.take(counted) == 0)
        connection.close()

    workers = [threading.Thread(target=try_often) for _ in range(8)]
    for one in workers:
        one.start()
    for one in workers:
        one.join()
    assert len(allowed) == 10
