"""Which queues a worker takes jobs from: those of the settings, or those that it is started for."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hlvstudy import celery
from metaeval import loops
from tests.metaeval.test_light_import import BLOCK

ROOT = Path(__file__).resolve().parents[2]
WORKER = "from hlvstudy.celery import app\napp.worker_main(['worker', '-Q', 'training', '-c', '1'])"
ASK = """
import django
django.setup()
from hlvstudy.celery import app
from annotations.background.jobs import run_job
run_job.apply_async(("x", "y"), queue="somewhere")
print(*app.amqp.queues.consume_from)
"""


def told(code: str, place: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "DJANGO_SETTINGS_MODULE": "hlvstudy.settings", "DEBUG": "1", "HLV_STATE": str(place)}
    env |= {"CELERY_BROKER_URL": f"sqla+sqlite:///{place}/broker.sqlite3", **settings}
    command = [sys.executable, "-c", code]
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False, timeout=120)


@pytest.mark.parametrize(
    ("settings", "taken"),
    [
        ({}, "celery"),
        ({"HLV_WORKER_QUEUES": "training"}, "training"),
        ({"HLV_WORKER_QUEUES": "celery,training"}, "celery training"),
    ],
)
def test_a_worker_takes_jobs_from_the_queues_of_the_settings_also_after_it_called_for_others(
    tmp_path: Path, settings: dict[str, str], taken: str
) -> None:
    assert told(ASK, tmp_path, **settings).stdout == f"{taken}\n"


@pytest.mark.parametrize(
    ("queues", "missing", "compiles"),
    [({"celery"}, True, True), ({"celery", "training"}, False, False), ({"training"}, True, False)],
)
def test_an_idle_worker_compiles_the_loops_that_are_missing_with_the_least_claim_to_a_core(
    monkeypatch: pytest.MonkeyPatch, queues: set[str], missing: bool, compiles: bool
) -> None:
    begun: list[list[str]] = []
    monkeypatch.setattr(celery, "compiling", [])
    monkeypatch.setattr(loops, "are_missing", lambda: missing)
    monkeypatch.setattr(celery.app.amqp.queues, "_consume_from", dict.fromkeys(queues))
    monkeypatch.setattr(subprocess, "Popen", lambda command, **_: begun.append(command))
    celery.compile_loops()
    assert [command[:3] + command[-1:] for command in begun] == [["nice", "-n", "19", "metaeval.loops"]] * compiles


def test_a_worker_that_cannot_train_refuses_to_take_trainings(tmp_path: Path) -> None:
    done = told(BLOCK + WORKER, tmp_path)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("This worker is to take jobs from the queue training, and torch, ")
    assert done.stderr.endswith("Run: pip install 'hlvstudy[training]'; or start it without that queue.\n")
