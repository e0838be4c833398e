"""Alive, and able to work."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from annotations.models import WorkerHeartbeat

pytestmark = pytest.mark.django_db


def test_it_lives_without_asking_the_database(client: Client, django_assert_num_queries) -> None:
    with django_assert_num_queries(0):
        assert client.get("/health/live").json() == {"status": "ok"}


def test_it_says_whether_a_worker_was_seen_lately(client: Client) -> None:
    assert client.get("/health/ready").json() == {"status": "ok", "worker": False}
    WorkerHeartbeat.objects.create(name="w", seen_at=timezone.now() - timedelta(minutes=5))
    assert client.get("/health/ready").json()["worker"] is False
    WorkerHeartbeat.objects.update(seen_at=timezone.now())
    assert client.get("/health/ready").json()["worker"] is True
