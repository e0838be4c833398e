"""The doctor names every wrong setting in a sentence with its remedy, all at once."""

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.core.files.storage import FileSystemStorage
from django.utils import timezone

from annotations.models import WorkerHeartbeat
from annotations.people.sign_in import provider as sign_in_provider
from hlvstudy.checks import database, environment, jobs, machine, servers
from hlvstudy.checks.conditions import Check, Condition
from hlvstudy.checks.every import CHECKS
from hlvstudy.monitoring import forget_probes
from tests.annotations.api.people.sign_in_provider import running
from tests.processes import BYTECODE, free_port

ROOT = Path(__file__).resolve().parents[3]
KEY = "k" * 50
PUBLIC = {"SECRET_KEY": KEY, "PUBLIC_URL": "https://study.example.org", "BEHIND_PROXY": "1"}


@pytest.fixture
def judged(tmp_path):
    """What is found wrong, by its name, with these settings and no others; and what is to be looked at."""
    kept = dict(os.environ)

    def judge(dotenv: str = "", condition: Condition = Condition.BROKEN, **settings: str) -> dict[str, str]:
        os.environ.clear()
        os.environ.update(settings)
        (tmp_path / ".env").write_text(dotenv)
        found = list(environment.judged(tmp_path))
        assert all(one.remedy for one in found if one.condition != Condition.WELL)
        return {one.name: one.sentence for one in found if one.condition == condition}

    yield judge
    os.environ.clear()
    os.environ.update(kept)


def test_nothing_is_wrong_with_good_settings(judged):
    assert judged(**PUBLIC) == {}
    assert judged(condition=Condition.LOOK, **PUBLIC) == {}


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("SECRET_KEY", "short", "shorter than 50"),
        ("SECRET_KEY", "", "not set"),
        ("PUBLIC_URL", "http://study.example.org", "unencrypted"),
        ("PUBLIC_URL", "study.example.org", "not an address"),
        ("DEBUG", "1", "DEBUG is on"),
        ("DEBUG", "perhaps", "means no"),
        ("HLV_DEMO", "1", "without a password"),
        ("ALLOWED_HOSTS", "*", "every host name"),
        ("ALLOWED_HOSTS", "https://study.example.org", "not a host name"),
        ("DATABASE_URL", "mysql://db/hlv", "not an address that is understood"),
        ("DATABASE_URL", "postgres://hlv:pass/word@db/hlv", "not an address that is understood"),
        ("CELERY_BROKER_URL", "127.0.0.1:6379", "not an address that is understood"),
        ("EMAIL_URL", "mail.example.org:587", "not the address of a mail server"),
        ("STORAGE_URL", "s3://bucket", "not the address of a storage"),
        ("NOTIFY_WEBHOOK_URL", "chat.example.org", "not an address that is understood"),
        ("INVITATION_DAYS", "two weeks", "not a whole number"),
        ("OIDC_ISSUER", "http://login.example.org", "not an https:// address"),
        ("OIDC_ISSUER", "https://login.example.org", "without OIDC_CLIENT_ID"),
    ],
)
def test_a_wrong_setting_is_named(judged, name, value, says):
    found = judged(**PUBLIC | {name: value})
    assert list(found) == [name]
    assert says in found[name]


def test_all_that_is_wrong_is_named_at_once(judged):
    found = judged(SECRET_KEY="", PUBLIC_URL="http://study.example.org", EMAIL_URL="x", INVITATION_DAYS="x")
    assert set(found) == {"SECRET_KEY", "PUBLIC_URL", "EMAIL_URL", "INVITATION_DAYS"}


def test_a_sender_that_mail_servers_refuse_is_named(judged):
    assert set(judged(**PUBLIC, EMAIL_URL="smtp+tls://u:p@mail.example.org:587")) == {"DEFAULT_FROM_EMAIL"}
    sender = "HLV Study <study@example.org>"
    assert judged(**PUBLIC, EMAIL_URL="smtp://mail.example.org", DEFAULT_FROM_EMAIL=sender) == {}


def test_what_should_be_looked_at_is_told(judged):
    told = judged(
        "SECRET_KEYS=x\n",
        Condition.LOOK,
        **PUBLIC | {"BEHIND_PROXY": "0"},
        DATABASE_URL="postgres://h:p@db/hlv",
        NOTIFY_WEBHOOK_URL="https://chat.example.org",
    )
    assert set(told) == {"SECRET_KEYS", "BEHIND_PROXY", "CELERY_BROKER_URL", "NOTIFY_WEBHOOK_SECRET"}


class TestTheMachine:
    def test_root_is_wrong_on_a_public_server_and_something_to_look_at_on_ones_own(self, settings, monkeypatch):
        monkeypatch.setattr(os, "geteuid", lambda: 0)
        settings.PUBLIC_URL = "https://study.example.org"
        assert grades(machine.user()) == [Condition.BROKEN]
        settings.PUBLIC_URL = "http://localhost"
        assert grades(machine.user()) == [Condition.LOOK]

    def test_a_folder_that_others_can_read_or_that_is_not_there(self, settings, tmp_path):
        settings.STATE_DIR = tmp_path
        tmp_path.chmod(0o750)
        assert grades(machine.folder()) == [Condition.WELL]
        tmp_path.chmod(0o755)
        assert "Everybody on this machine can read" in sentence(machine.folder())
        settings.STATE_DIR = tmp_path / "nowhere"
        assert "Nothing can be written" in sentence(machine.folder())

    def test_a_full_disk(self, settings, monkeypatch, tmp_path):
        settings.STATE_DIR = tmp_path
        for free, grade in ((10**12, Condition.WELL), (10**9, Condition.LOOK), (10**7, Condition.BROKEN)):
            monkeypatch.setattr("shutil.disk_usage", lambda _place, free=free: SimpleNamespace(free=free))
            assert set(grades(machine.room())) == {grade}

    def test_sqlite_on_a_network_disk(self, settings, monkeypatch, tmp_path):
        settings.STATE_DIR = tmp_path
        settings.CELERY_BROKER_URL = "sqla+sqlite:///x"
        monkeypatch.setattr(machine, "MOUNTS", tmp_path / "mounts")
        machine.MOUNTS.write_text(f"nas:/x {tmp_path} nfs4 rw 0 0\n")
        assert "network disk (nfs4)" in sentence(machine.network_disk())
        machine.MOUNTS.write_text("/dev/sda1 / ext4 rw 0 0\n")
        assert list(machine.network_disk()) == []

    def test_no_shared_memory(self, monkeypatch):
        def refuse():
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr("multiprocessing.get_context", lambda: type("C", (), {"Lock": staticmethod(refuse)}))
        assert "A worker cannot start, because /dev/shm cannot be used" in sentence(machine.locks())

    def test_a_control_socket_in_a_home_that_cannot_be_written(self, monkeypatch, tmp_path):
        monkeypatch.setenv("GUNICORN_CMD_ARGS", "--control-socket x")
        monkeypatch.setattr("pathlib.Path.home", lambda: tmp_path / "nowhere")
        assert "control socket" in sentence(machine.home())

    def test_pages_of_another_version_or_none(self, settings, tmp_path):
        settings.STATIC_ROOT = tmp_path
        assert "not been collected" in sentence(machine.pages())
        (tmp_path / "pages.sha256").write_text("of another version")
        assert "another version" in sentence(machine.pages())

    def test_a_broken_plug_in(self, monkeypatch):
        class Broken:
            name, value, dist = "ours", "our_package.metrics", None

            def load(self):
                raise SyntaxError("bad")

        monkeypatch.setattr(
            "importlib.metadata.entry_points", lambda group: [Broken()] if group == "hlvstudy.metrics" else []
        )
        assert "It cannot be loaded, and stops everything that lists metrics (SyntaxError: bad)" in sentence(
            machine.plugins()
        )


class TestWhatItTalksTo:
    @pytest.mark.django_db
    def test_a_database_that_is_up_to_date_is_well_and_the_first_person_is_asked_for(self):
        (check,) = (check for check in CHECKS if check.name == "Database")
        found = {one.name: one for one in check.for_doctor()}
        assert found["Database"].condition == Condition.WELL
        assert "createsuperuser" in found["People"].remedy

    @pytest.mark.django_db
    def test_a_database_of_a_newer_version_or_an_older(self):
        from django.db.migrations.recorder import MigrationRecorder

        row = MigrationRecorder.Migration.objects.create(app="annotations", name="9999_of_tomorrow")
        assert "brought up to date by a newer version (annotations.9999_of_tomorrow)" in told(database.database())
        row.delete()
        ours = MigrationRecorder.Migration.objects.filter(app="metaeval")
        ours.filter(name__lt="0100").first().delete()
        assert "older than this program can upgrade" in told(database.database())
        ours.all().delete()
        assert "migrations have not been applied" in told(database.database())

    @pytest.mark.parametrize(
        ("error", "says"),
        [
            ('FATAL:  role "hlv" does not exist', "no such role"),
            ('FATAL:  database "hlv" does not exist', "no such database"),
            ("connection refused", "Nothing answers"),
            ("unable to open database file", "SQLite file cannot be opened"),
        ],
    )
    def test_a_database_that_refuses_says_why(self, error, says):
        assert says in database.unreachable(error)[0]

    def test_a_broker_that_is_not_there(self, settings):
        settings.CELERY_BROKER_URL = f"redis://127.0.0.1:{free_port()}/0"
        forget_probes()
        assert "The broker cannot be reached" in sentence(jobs.broker())

    def test_a_webhook_that_is_not_there(self, settings):
        settings.NOTIFY_WEBHOOK_URL = f"http://127.0.0.1:{free_port()}/hook"
        assert "Nothing answers at 127.0.0.1" in sentence(servers.webhook())

    def test_a_sign_in_provider_that_is_there_is_another_or_is_away(self, settings):
        assert list(servers.provider()) == []
        with running() as there:
            settings.OIDC_ISSUER, settings.OIDC_NAME = there.issuer, "Example University"
            sign_in_provider.forget()
            assert grades(servers.provider()) == [Condition.WELL]
            there.document = {"issuer": "https://login.example.org"}
            sign_in_provider.forget()
            assert "another address than OIDC_ISSUER" in sentence(servers.provider())
        settings.OIDC_ISSUER = f"http://127.0.0.1:{free_port()}"
        assert "cannot be reached" in sentence(servers.provider())

    def test_training_is_optional_unless_a_worker_is_to_train(self, settings, monkeypatch):
        monkeypatch.setattr(jobs, "absent", lambda: ["torch", "peft"])
        (found,) = jobs.training()
        assert (found.condition, "pip install 'hlvstudy[training]'" in found.sentence) == (Condition.WELL, True)
        settings.HLV_WORKER_QUEUES = ["celery", "training"]
        (found,) = jobs.training()
        assert (found.condition, found.name) == (Condition.BROKEN, "HLV_WORKER_QUEUES")
        assert "torch, peft cannot be imported" in found.sentence
        monkeypatch.setattr(jobs, "absent", list)
        monkeypatch.setattr(jobs, "versions", lambda: {"torch": "2.13.0"})
        assert sentence(jobs.training()) == "Models can be trained on this machine (torch 2.13.0)."

    @pytest.mark.django_db
    def test_which_queues_workers_take_jobs_from_and_a_queue_that_is_none(self, settings, monkeypatch):
        monkeypatch.setattr(jobs, "absent", list)
        assert list(jobs.queues()) == []
        worker = WorkerHeartbeat.objects.create(name="w", seen_at=timezone.now())
        assert "No worker takes jobs from the queue training" in sentence(jobs.queues())
        worker.queues = ["training", "celery"]
        worker.save()
        assert sentence(jobs.queues()) == "Workers take jobs from these: celery, training."
        settings.HLV_WORKER_QUEUES = ["celery", "trainings"]
        assert "There is no queue trainings." in told(jobs.queues())

    def test_a_storage_that_cannot_be_written(self, monkeypatch):
        assert grades(servers.storage()) == [Condition.WELL]

        def refuse(*_):
            raise PermissionError

        monkeypatch.setattr(FileSystemStorage, "_save", refuse)
        assert "No file can be kept there (PermissionError)" in sentence(servers.storage())

    def test_a_look_that_fails_is_itself_a_finding(self):
        def fails():
            raise RuntimeError("x")

        (part,) = Check("Clock", fails).for_doctor()
        assert (part.name, part.condition) == ("Clock", Condition.BROKEN)


def test_the_command_ends_with_one_if_something_is_wrong_and_tells_programs_in_json(tmp_path):
    def doctor(*arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
        env = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "HLV_STATE": str(tmp_path), **BYTECODE, **settings}
        command = [sys.executable, "-m", "hlvstudy", "doctor", *arguments]
        return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)

    done = doctor("--json", SECRET_KEY="secret but short", STATIC_ROOT=str(tmp_path / "static"))
    assert done.returncode == 1, done.stderr
    wrong = {one["what"] for one in json.loads(done.stdout) if one["grade"] == "wrong"}
    assert wrong == {"SECRET_KEY", "Pages", "Database"}
    assert "secret but short" not in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def grades(found) -> list[Condition]:
    return [one.condition for one in found]


def sentence(found):
    (one,) = found
    return one.sentence


def told(found) -> str:
    return " ".join(one.sentence for one in found)
