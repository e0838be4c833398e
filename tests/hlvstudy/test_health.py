"""Alive, and able to work."""

from datetime import timedelta

import pytest
from django.db import OperationalError
from django.test import Client
from django.utils import timezone

from annotations.background.probing import forget_probes
from annotations.models import ImportJob, WorkerHeartbeat

pytestmark = pytest.mark.django_db


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
    monkeypatch.setattr("annotations.background.probing.little_space", lambda: False)
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

    monkeypatch.setattr("hlvstudy.health.readiness", away)
    answer = client.get("/health/ready")
    assert (answer.status_code, answer.json()) == (503, {"status": "no database"})
