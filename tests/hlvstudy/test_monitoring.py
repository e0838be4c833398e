"""Alive, and able to work; and figures for whoever watches the server: of all processes, and of nobody in person."""

import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.exceptions import MiddlewareNotUsed
from django.db import OperationalError
from django.test import Client, RequestFactory
from django.utils import timezone

from annotations.models import Event, EventKind, ImportJob, User, WorkerHeartbeat
from hlvstudy import monitoring
from hlvstudy.checks.conditions import Remembered
from hlvstudy.monitoring import forget_probes

pytestmark = pytest.mark.django_db
TOKEN = "a token of the watchers"
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def watched(settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Client]:
    """A server whose figures may be read with the token; it begins to count now."""
    settings.METRICS_TOKEN = TOKEN
    settings.STATE_DIR = tmp_path
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", str(tmp_path / "metrics"))
    from prometheus_client.values import ValueClass

    ValueClass.close_all_files()  # of the test before, which stay open for a process's life
    monitoring.counted.cache_clear()
    monitoring.figures_of_the_database.forget()
    yield Client(headers={"authorization": f"Bearer {TOKEN}"})
    monitoring.counted.cache_clear()
    monitoring.figures_of_the_database.forget()


def figures(client: Client) -> str:
    monitoring.figures_of_the_database.forget()
    answer = client.get("/metrics")
    assert answer.status_code == 200
    return answer.content.decode()


def test_it_is_off_unless_somebody_was_named(client: Client) -> None:
    assert client.get("/metrics").status_code == 404
    with pytest.raises(MiddlewareNotUsed):
        monitoring.MonitoringMiddleware(lambda _: None)  # type: ignore[arg-type,return-value]  # it is never called


@pytest.mark.parametrize("sent", ["", "Bearer", "Bearer wrong", f"Basic {TOKEN}", f"Bearer {TOKEN}x"])
def test_without_the_token_there_is_nothing(watched: Client, sent: str) -> None:
    assert Client(headers={"authorization": sent}).get("/metrics").status_code == 404


def test_an_admin_of_the_study_sees_them_no_more_than_anybody(watched: Client) -> None:
    client = Client()
    client.force_login(User.objects.create_superuser("root@example.org", "long enough 42"))
    assert client.get("/metrics").status_code == 404


def test_a_network_may_look_but_not_those_for_whom_its_proxy_asks(settings) -> None:
    settings.METRICS_NETWORKS = ["127.0.0.1/32", "10.0.0.0/8"]
    factory = RequestFactory()
    for address, may in (("127.0.0.1", True), ("10.2.3.4", True), ("192.168.1.1", False), ("", False), ("::1", False)):
        assert monitoring.may_look(factory.get("/metrics", REMOTE_ADDR=address)) is may
    for header in ("x-forwarded-for", "forwarded", "x-real-ip", "via"):
        assert not monitoring.may_look(factory.get("/metrics", REMOTE_ADDR="127.0.0.1", headers={header: "8.8.8.8"}))


def test_it_says_what_waits_what_is_stored_and_what_failed(watched: Client) -> None:
    ImportJob.objects.create(kind="dataset", dataset_slug="d")
    Event.objects.create(kind=EventKind.MAIL_FAILED)
    said = figures(watched)
    for line in (
        "hlv_database_up 1.0",
        "hlv_broker_up 1.0",
        'hlv_jobs{kind="importjob",state="queued"} 1.0',
        "hlv_queue_jobs 1.0",
        "hlv_workers 0.0",
        "hlv_mails_failed 1.0",
        'hlv_answers_stored{step="preference"} 0.0',
    ):
        assert line in said.splitlines()
    assert re.search(r"^hlv_database_bytes [1-9]", said, re.MULTILINE)


def test_requests_are_counted_by_view_and_status_and_never_by_what_their_address_names(watched: Client) -> None:
    watched.get("/api/v1/studies/a-study-about-somebody/")
    watched.get("/health/live")
    Client().post(
        "/api/v1/session/", {"email": "somebody@example.org", "password": "x"}, content_type="application/json"
    )
    said = figures(watched)
    assert 'hlv_request_seconds_count{method="GET",status="200",view="health/live"} 1.0' in said
    assert re.search(r'hlv_request_seconds_bucket\{le="\+Inf",method="GET",status="401",view="api/v1/studies/<', said)
    assert "hlv_logins_failed_total 1.0" in said
    assert "somebody" not in said


def test_what_another_process_counted_is_added(watched: Client, tmp_path: Path) -> None:
    watched.get("/health/live")
    code = (
        "from prometheus_client import CollectorRegistry, Histogram\n"
        "from hlvstudy.monitoring import BUCKETS\n"
        "made = Histogram('hlv_request_seconds', 'x', ['view', 'method', 'status'], buckets=BUCKETS,"
        " registry=CollectorRegistry())\n"
        "made.labels('health/live', 'GET', '200').observe(0.1)\n"
    )
    env = {"PROMETHEUS_MULTIPROC_DIR": str(tmp_path / "metrics"), "PYTHONPATH": str(ROOT)}
    env |= {"DJANGO_SETTINGS_MODULE": "tests.settings", "PATH": "/usr/bin:/bin"}
    subprocess.run([sys.executable, "-c", f"import django; django.setup()\n{code}"], env=env, cwd=ROOT, check=True)
    assert 'hlv_request_seconds_count{method="GET",status="200",view="health/live"} 2.0' in figures(watched)
    monitoring.forget_ended_processes(tmp_path)
    assert 'hlv_request_seconds_count{method="GET",status="200",view="health/live"} 1.0' in figures(watched)


def test_without_a_database_it_says_that(watched: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def away() -> None:
        raise OperationalError("connection refused")

    monkeypatch.setattr(monitoring, "figures_of_the_database", Remembered(away))
    said = watched.get("/metrics").content.decode()
    assert "hlv_database_up 0.0" in said
    assert "hlv_jobs" not in said


def test_who_looks_often_does_not_ask_the_database_often(watched: Client, django_assert_num_queries) -> None:
    figures(watched)
    with django_assert_num_queries(0):
        for _ in range(3):
            assert watched.get("/metrics").status_code == 200


def test_it_lives_without_asking_the_database(client: Client, django_assert_num_queries) -> None:
    with django_assert_num_queries(0):
        assert client.get("/health/live").json() == {"status": "ok"}


@pytest.fixture(autouse=True)
def _asked_anew() -> None:
    forget_probes()


def ready(client: Client) -> dict[str, object]:
    forget_probes()
    found: dict[str, object] = client.get("/health/ready").json()
    return found


def test_it_says_whether_a_worker_was_seen_lately(client: Client) -> None:
    assert ready(client)["worker"] is False
    WorkerHeartbeat.objects.create(name="w", seen_at=timezone.now() - timedelta(minutes=5))
    assert ready(client)["worker"] is False
    WorkerHeartbeat.objects.update(seen_at=timezone.now())
    assert ready(client)["worker"] is True


def test_it_says_what_is_not_as_it_should_be(client: Client, settings, monkeypatch: pytest.MonkeyPatch) -> None:
    WorkerHeartbeat.objects.create(name="w", seen_at=timezone.now())
    monkeypatch.setattr("hlvstudy.checks.machine.little_space", lambda: False)
    well = dict.fromkeys(["database", "broker", "worker", "storage", "disk", "queue"], True)
    assert ready(client) == {"status": "ok", **well}
    settings.CELERY_BROKER_URL = "redis://127.0.0.1:1/0"
    assert ready(client) == {**well, "status": "look", "broker": False}
    job = ImportJob.objects.create(kind="dataset", dataset_slug="d")
    ImportJob.objects.filter(pk=job.pk).update(created_at=timezone.now() - timedelta(minutes=6))
    assert ready(client)["queue"] is False


def test_probes_ask_the_database_every_two_seconds_at_most(client: Client, django_assert_num_queries) -> None:
    ready(client)
    with django_assert_num_queries(0):
        for _ in range(5):
            client.get("/health/ready")


def test_without_a_database_it_is_not_ready(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def away() -> None:
        raise OperationalError("connection refused")

    monkeypatch.setattr("hlvstudy.monitoring.readiness", away)
    answer = client.get("/health/ready")
    assert (answer.status_code, answer.json()) == (503, {"status": "no database"})
