"""A web server and a worker that share no folder: what one writes, the other reads, from an S3 server.

rclone is the S3 server; PostgreSQL is the machine's, Redis one of this test's own.
"""

import hashlib
import os
import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest

from annotations.simulating.demo.loading import SLUG
from hlvstudy.client import Client
from tests.conftest import missing, wait_until
from tests.deploy.serving import KEY, ROOT, bare, is_answered, needed, program, web
from tests.processes import AtTerminal, free_port
from tests.s3 import served

pytestmark = pytest.mark.long
POSTGRES_URL = os.environ.get("TEST_DATABASE_URL", "postgres://postgres@127.0.0.1:5432/postgres")
PASSWORD = "a password for this test only"
ADMIN = "ann@example.org"
FILLED = """
from annotations.models import User
User.objects.create_superuser(email={admin!r}, password={password!r})
"""


@pytest.fixture(scope="module")
def database() -> Iterator[str]:
    """A database of its own on the machine's PostgreSQL."""
    name = f"hlv_two_machines_{uuid.uuid4().hex[:12]}"
    try:
        admin = psycopg.connect(POSTGRES_URL, autocommit=True, connect_timeout=5)
    except psycopg.OperationalError:
        missing("a PostgreSQL that answers")
    with admin:
        admin.execute(f"CREATE DATABASE {name}")
        yield urlsplit(POSTGRES_URL)._replace(path=f"/{name}").geturl()
        admin.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(scope="module")
def machines(database: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Client, Path, Path, Path]]:
    """Somebody signed in; the folders of the web server, the worker and the storage."""
    here, there, bucket = (tmp_path_factory.mktemp(name) for name in ("web", "worker", "storage"))
    redis = free_port()
    command = [needed("redis-server"), "--port", str(redis), "--bind", "127.0.0.1", "--save", "", "--dir", str(there)]
    with ExitStack() as stack:
        shared = {
            "DATABASE_URL": database,
            "CELERY_BROKER_URL": f"redis://127.0.0.1:{redis}/0",
            "STORAGE_URL": stack.enter_context(served(bucket)),
        }
        running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        stack.callback(running.wait)
        stack.callback(running.terminate)
        port = stack.enter_context(web(here, **shared))
        url = f"http://127.0.0.1:{port}"
        key = {"SECRET_KEY": KEY, "PUBLIC_URL": url}
        env = {"HLV_STATE": str(there / "state"), "STATIC_ROOT": str(here / "static"), **key, **shared}
        made = program("manage", "shell", "-c", FILLED.format(admin=ADMIN, password=PASSWORD), env=env)
        assert made.returncode == 0, made.stderr
        demo = program("manage", "load_demo", env=env)
        assert demo.returncode == 0, demo.stderr
        command = [sys.executable, "-m", "hlvstudy", "worker", "--concurrency", "1"]
        worker = AtTerminal(command, cwd=ROOT, env=bare(env), log=there / "worker.log")
        stack.callback(worker.terminate)
        assert is_answered(url)
        client = Client(url).sign_in(ADMIN, PASSWORD)
        wait_until(lambda: b'"worker": true' in read(f"{url}/health/ready"), seconds=120, every=0.5)
        yield client, here / "state", there / "state", bucket / "hlv" / "study"


def read(url: str) -> bytes:
    import urllib.request

    with urllib.request.urlopen(url, timeout=10) as answer:
        return bytes(answer.read())


def test_an_import_an_export_and_a_report_go_through(machines: tuple[Client, Path, Path, Path]) -> None:
    ann, here, there, storage = machines
    files = [ROOT / "docs" / "example" / name for name in ("texts.csv", "judgements.csv")]
    imported = ann.upload("imports/", files, kind="dataset", dataset="judged")
    assert ann.wait(imported, at="imports")["state"] == "succeeded"
    assert ann.get("datasets/judged/")["slug"] == "judged"

    study = f"studies/{SLUG}"
    exported = ann.wait(ann.post(f"{study}/export-files/", format="csv"), at="export-files")
    kept = ann.get(f"export-files/{exported['id']}/file/")
    assert kept[:2] == b"PK"
    assert hashlib.sha256(kept).hexdigest() == exported["sha256"]

    report = ann.wait(ann.post(f"{study}/documents/", kind="report_html"), at="documents")
    assert b"<html" in as_bytes(ann.get(f"documents/{report['id']}/file/"))

    # The upload is gone, the other two are where both can read them, and neither has a file of its own.
    assert sorted(path.parent.name for path in storage.rglob("*") if path.is_file()) == ["documents", "exports"]
    assert not (here / "uploads").exists()
    assert not (there / "uploads").exists()


def as_bytes(content: object) -> bytes:
    return content if isinstance(content, bytes) else str(content).encode()
