"""What tests share: the real data's folder, people, and a real worker."""

import gc
import os
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NoReturn

import pytest
from django.conf import settings
from django.db import connection
from django.utils import translation

from annotations.models import User
from metaeval.training.extra import absent
from tests import processes, tiers
from tests.flushing import make_nothing_anew
from tests.tooling.compile_catalogues import compile_catalogues
from tests.without_training import WithoutTraining

GUARDIAN = pytest.StashKey[subprocess.Popen[bytes]]()
FAILED_SINCE = pytest.StashKey[float]()
ROOT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ["HLV_DATA"]).parent if "HLV_DATA" in os.environ else ROOT.parent / "shared"
IN_CI = os.environ.get("CI") == "true"
Tried = Callable[[int, str], None]
"""The fixture `tried`."""


def pytest_configure(config: pytest.Config) -> None:
    """As `make test` does: the server speaks every language, also where pytest was called by itself. And the optional
    extra may be absent, but not in CI."""
    compile_catalogues()
    if absent() and not IN_CI:
        config.pluginmanager.register(WithoutTraining())
    config.stash[GUARDIAN] = processes.guard()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """What `-m` leaves out as a whole need not be read."""
    is_named = collection_path.name.startswith("test_") and collection_path.is_file()
    return True if is_named and tiers.is_left_out(collection_path, config.option.markexpr) else None


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Iterator[None]:
    """Mark what uses a database before `-m` chooses; put what computes beside what waits for others.

    Tests about PostgreSQL belong to the suite that runs on it: the others leave them out, which is no skipping.
    """
    tiers.mark(items)
    yield
    elsewhere = [item for item in items if item.get_closest_marker("postgresql")]
    if elsewhere and connection.vendor != "postgresql":
        config.hook.pytest_deselected(items=elsewhere)
        items[:] = [item for item in items if item not in elsewhere]
    turns = tiers.turns(items)
    items.sort(key=lambda item: turns[item.path])


def pytest_collection_finish() -> None:
    """What was imported stays: looking for garbage in it again and again would take a twentieth of the time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """What a test that failed has left behind ends with it, but not what fixtures of several tests started before."""
    report = yield
    if call.when == "call" and call.excinfo:
        item.stash[FAILED_SINCE] = call.start
    if call.when == "teardown" and FAILED_SINCE in item.stash:
        processes.end_marked(os.environ[processes.MARK], since=item.stash[FAILED_SINCE])
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """A request leaves its language behind in its thread, which here is that of all tests."""
    translation.deactivate()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> None:
    """By now the database is there."""
    if tiers.is_transactional(item):
        make_nothing_anew()


def missing(what: str) -> NoReturn:
    """Skip a test, or a whole file, for want of something. In CI everything is there: skipping would hide a failure."""
    if IN_CI:
        pytest.fail(f"{what} is absent, and in CI nothing is skipped")
    pytest.skip(f"{what} is absent", allow_module_level=True)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder with the real files (`../shared/data`, or HLV_DATA)."""
    folder = SHARED / "data"
    if not folder.is_dir():
        missing(f"the folder of real data ({folder})")
    return folder


@pytest.fixture(scope="session")
def golden() -> Path:
    """The folder with the golden values."""
    folder = SHARED / "golden"
    if not folder.is_dir():
        missing(f"the folder of golden values ({folder})")
    return folder


@pytest.fixture
def tried(record_property: Callable[[str, object], None]) -> Tried:
    """Says how much a test tries, for docs/security.md (tests/attacks): `tried(200, "slow clients")`."""
    return lambda count, what: record_property("tried", (count, what))


@pytest.fixture
def make_user(db: None) -> Callable[..., User]:
    def make(email: str = "person@example.org", password: str = "a long password", **fields: object) -> User:  # noqa: S107 - of tests
        return User.objects.create_user(email, password, **fields)

    return make


@pytest.fixture
def celery_worker_process(
    transactional_db: None, tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[subprocess.Popen[bytes]]:
    """A real Celery worker on the test database and on a broker of its own. Yields once it is ready.

    It has one process, since each has to import all that computes, unless the test asks for more by its parameter.
    """
    process = start_worker(tmp_path, processes=getattr(request, "param", 1))
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def worker_environment() -> dict[str, str]:
    """The environment in which another process sees this test's database and broker."""
    return {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "tests.settings",
        "DATABASE_URL": database_url(),
        "CELERY_BROKER_URL": settings.CELERY_BROKER_URL,
    }


def database_url() -> str:
    """The test database as a URL."""
    options = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{options['NAME']}"
    user = options["USER"] + (f":{options['PASSWORD']}" if options["PASSWORD"] else "")
    return f"postgres://{user}@{options['HOST']}:{options['PORT'] or 5432}/{options['NAME']}"


def start_worker(
    folder: Path, *, name: str = "worker", processes: int = 2, queues: str = "", include: str = ""
) -> subprocess.Popen[bytes]:
    """Start a worker of so many processes and wait until its sweeper has signed on."""
    process = launch_worker(folder, name=name, processes=processes, queues=queues, include=include)
    wait_for_worker(process, folder / f"{name}.log")
    return process


def launch_worker(
    folder: Path, *, name: str, processes: int, queues: str = "", include: str = ""
) -> subprocess.Popen[bytes]:
    """Start a worker without waiting for it; it takes jobs from the default queue unless others are named. `include`: a
    module that it imports.
    """
    return subprocess.Popen(
        [
            sys.executable,
            "-m",
            "celery",
            "-A",
            "hlvstudy",
            "worker",
            "--pool",
            "prefork",
            "-c",
            str(processes),
            "-n",
            f"{name}-{uuid.uuid4().hex}@%h",
            "-l",
            "warning",
            *(["-Q", queues] if queues else []),
            *(["-I", include] if include else []),
        ],
        cwd=ROOT,
        env=worker_environment(),
        stdout=(folder / f"{name}.log").open("wb"),
        stderr=subprocess.STDOUT,
    )


def wait_for_worker(process: subprocess.Popen[bytes], log: Path) -> None:
    """Wait until its sweeper has signed on; fail with its log when it ends instead."""
    from annotations.models import WorkerHeartbeat

    mine = WorkerHeartbeat.objects.filter(name__endswith=f":{process.pid}")
    wait_until(lambda: mine.exists() or process.poll() is not None, seconds=60)
    if process.poll() is not None:
        pytest.fail(f"the worker did not start: {log.read_text()}")


def wait_until(condition: Callable[[], bool], *, seconds: float = 60, every: float = 0.05) -> None:
    """Wait for something that another process does; fail when it does not happen in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            pytest.fail(f"this did not happen within {seconds} s")
        time.sleep(every)
