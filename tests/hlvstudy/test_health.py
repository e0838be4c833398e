"""Who looks after an installation is told what does not work, and what to do."""

from collections import namedtuple
from datetime import timedelta

import pytest
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client
from django.utils import timezone, translation

from annotations.models import ImportJob, JobState, User, WorkerHeartbeat
from hlvstudy.checks import database
from hlvstudy.checks.conditions import Condition, HealthPart
from hlvstudy.checks.jobs import broker_trouble
from hlvstudy.health import look_after
from hlvstudy.monitoring import forget_probes

pytestmark = pytest.mark.django_db


def part(name: str) -> HealthPart:
    return {one.name: one for one in look_after().parts}[name]


def test_without_a_worker_it_says_what_waits_and_how_to_start_one() -> None:
    assert part("Workers").condition == Condition.BROKEN
    assert "None has ever been active" in part("Workers").sentence
    assert look_after().condition == Condition.BROKEN
    WorkerHeartbeat.objects.create(name="w", seen_at=timezone.now() - timedelta(hours=1))
    assert "The last one was active on" in part("Workers").sentence
    WorkerHeartbeat.objects.create(name="v", seen_at=timezone.now())
    assert part("Workers") == HealthPart("Workers", Condition.WELL, "1 worker is running.")


@pytest.mark.parametrize("language", ["de", "ar"])
def test_every_part_speaks_the_reader_s_language(language: str) -> None:
    english = look_after()
    with translation.override(language):
        translated = look_after()
    for one, other in zip(english.parts, translated.parts, strict=True):
        assert other.sentence != one.sentence
        assert other.name != one.name


@pytest.fixture(autouse=True)
def _asked_anew() -> None:
    forget_probes()


@pytest.mark.parametrize(
    "url", ["redis://127.0.0.1:1/0", "amqp://127.0.0.1:1//", "sqla+sqlite:////nowhere/broker.sqlite3"]
)
def test_a_broker_that_is_away_is_named_soon(settings, url: str) -> None:
    assert part("Message broker").condition == Condition.WELL
    settings.CELERY_BROKER_URL = url
    forget_probes()
    gone = part("Message broker")
    assert gone.condition == Condition.BROKEN
    assert "cannot be reached" in gone.sentence


def test_a_broker_that_swallows_everything_costs_a_second_once(settings, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    class Silent:
        @classmethod
        def from_url(cls, _url: str, *, socket_connect_timeout: float, socket_timeout: float) -> "Silent":
            asked.append((socket_connect_timeout, socket_timeout))
            raise TimeoutError

    monkeypatch.setattr("redis.Redis", Silent)
    monkeypatch.setattr(broker_trouble, "_seconds", 600)  # also on a slow machine
    settings.CELERY_BROKER_URL = "redis://10.255.255.1/0"
    assert {part("Message broker").condition for _ in range(5)} == {Condition.BROKEN}
    assert asked == [(1, 1)]


def test_files_that_cannot_be_kept_are_said(settings, monkeypatch: pytest.MonkeyPatch) -> None:
    assert part("Files").condition == Condition.WELL
    monkeypatch.setattr("os.access", lambda *_: False)
    assert part("Files").condition == Condition.BROKEN
    assert "(PermissionError)" in part("Files").sentence


def test_a_job_that_waits_long_is_seen_and_failed_ones_are_listed() -> None:
    assert part("Queue").sentence == "No jobs are waiting or running."
    waiting = ImportJob.objects.create(kind="dataset", dataset_slug="d")
    assert part("Queue").sentence == "1 job is waiting, and 0 are running."
    ImportJob.objects.filter(pk=waiting.pk).update(created_at=timezone.now() - timedelta(minutes=12))
    assert part("Queue").condition == Condition.LOOK
    assert "been waiting for 12 minutes" in part("Queue").sentence
    ImportJob.objects.create(
        kind="dataset", dataset_slug="d", state=JobState.FAILED, error="It broke.", finished_at=timezone.now()
    )
    ImportJob.objects.create(
        kind="dataset",
        dataset_slug="d",
        state=JobState.FAILED,
        error="Long ago.",
        finished_at=timezone.now() - timedelta(days=30),
    )
    assert [one.error for one in look_after().failures] == ["It broke."]


def test_a_disk_that_is_nearly_full_is_said_before_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr("shutil.disk_usage", lambda _: usage(100 * 1024**3, 99 * 1024**3, 1024**3))
    assert part("Disk").condition == Condition.LOOK
    assert part("Disk").sentence.startswith("1.0 GB of 100.0 GB are free")


def test_a_database_in_which_migrations_are_missing_is_broken() -> None:
    applied = MigrationRecorder.Migration.objects.filter(app="metaeval")
    assert part("Database").condition == Condition.WELL
    applied.filter(name__lt="0100").first().delete()  # one of many that one replaces
    assert part("Database").condition == Condition.BROKEN
    applied.all().delete()
    assert part("Database").condition == Condition.BROKEN


def test_what_cannot_be_asked_is_the_finding_and_not_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "database_size", lambda: 1 / 0)
    assert part("Database").condition == Condition.BROKEN
    assert "ZeroDivisionError" in part("Database").sentence


def test_no_secret_is_among_the_settings(settings, client: Client) -> None:
    root = User.objects.create_superuser("root@example.org", "long enough 42")
    client.force_login(root)
    said = client.get("/api/v1/system/health/").content.decode()
    assert settings.SECRET_KEY not in said
    assert settings.CELERY_BROKER_URL not in said
    assert "password" not in said.lower().replace("wrong passwords", "")


def test_it_asks_as_much_however_many_jobs_there_are(client: Client, django_assert_max_num_queries) -> None:
    ImportJob.objects.bulk_create(ImportJob(kind="dataset", dataset_slug="d") for _ in range(200))
    with django_assert_max_num_queries(27):
        look_after()


def test_it_says_how_long_people_and_admins_stay_signed_in(settings, client: Client) -> None:
    settings.SESSION_DAYS, settings.ADMIN_SESSION_HOURS = 3, 1
    client.force_login(User.objects.create_superuser("root@example.org", "long enough 42"))
    said = {one["name"]: one["value"] for one in client.get("/api/v1/system/health/").json()["settings"]}
    assert said["How long a session lasts"] == "3 days"
    assert said["How long an admin's session lasts"] == "1 hour"
