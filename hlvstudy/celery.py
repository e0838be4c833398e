"""The Celery application. The broker only wakes workers; the truth is a job's row (annotations/background/jobs.py)."""

import gc
import os
import subprocess
import sys
from importlib import import_module
from typing import Any

from celery import Celery
from celery.signals import before_task_publish, task_postrun, task_prerun, worker_init, worker_ready, worker_shutdown

from annotations.storing import origins

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "hlvstudy.settings")
# A worker would import every view to run Django's checks, and ignore what they find.
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")

app = Celery("hlvstudy")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["annotations.background"], related_name="jobs")

compiling: list[subprocess.Popen[bytes]] = []
"""What compiles loops beside this worker."""


@before_task_publish.connect
def send_the_origin(headers: dict[str, Any] | None = None, **_: Any) -> None:
    """The job's log lines bear the number of the request that began it."""
    origin = origins.current.get()
    if origin is not None and headers is not None:
        headers["hlv_request_id"] = origin.number


@task_prerun.connect
def take_the_origin(task: Any = None, **_: Any) -> None:
    number = task.request.get("hlv_request_id") if task is not None else None
    origins.current.set(origins.RequestOrigin(origins.number_of(number)) if isinstance(number, str) else None)


@task_postrun.connect
def forget_the_origin(**_: Any) -> None:
    origins.current.set(None)


@worker_init.connect
def take_no_trainings_without_what_they_need(**_: Any) -> None:
    from metaeval.training.extra import INSTALL, QUEUE, absent

    if QUEUE in app.amqp.queues.consume_from and (names := absent()):
        # Not an Exception, which the signal would log, and go on.
        raise SystemExit(
            f"This worker is to take jobs from the queue {QUEUE}, and {', '.join(names)} cannot be imported here. "
            f"Run: {INSTALL}; or start it without that queue."
        )


@worker_init.connect
def look_often_at_the_embedded_broker(**_: Any) -> None:
    # Only workers poll, so only they pay for importing the transport. The transport option of the same name
    # # makes create_engine raise a TypeError; the class attribute works.
    from kombu.transport.sqlalchemy import Transport

    Transport.polling_interval = 0.2


@worker_init.connect
def survive_what_brokers_and_processes_do(**_: Any) -> None:
    from django.conf import settings

    from hlvstudy.workers import survive_the_loss_of_redis, use_sturdy_pools

    if settings.CELERY_BROKER_URL.startswith("redis"):
        survive_the_loss_of_redis()
    use_sturdy_pools()


@worker_init.connect
def load_what_jobs_need(**_: Any) -> None:
    """Before the worker's processes part, so that they share it, and that no first analysis waits for it."""
    from annotations.background.executors import executors
    from annotations.models.jobs import DEFAULT_QUEUE

    executors.names()
    if DEFAULT_QUEUE in app.amqp.queues.consume_from:
        import_module("numba")
        import_module("scipy.special")
    gc.freeze()  # looking for garbage in it would give each process a copy


@worker_init.connect
def use_the_state_folder(**_: Any) -> None:
    from django.conf import settings

    from hlvstudy.backups.holding import hold

    hold(settings.STATE_DIR)


@worker_ready.connect
def start_sweeper(**_: Any) -> None:
    from django.conf import settings

    from annotations.background.sweeping import Sweeper
    from hlvstudy.workers import forget_delivered_messages

    forget_delivered_messages(settings.CELERY_BROKER_URL)
    Sweeper.start_in_background(app.amqp.queues.consume_from)


@worker_ready.connect
def compile_loops(**_: Any) -> None:
    """With the least claim to a core, in a process that ends with its work, or with this one (supervisor.py)."""
    from annotations.models.jobs import DEFAULT_QUEUE
    from metaeval.loops import are_missing

    if DEFAULT_QUEUE in app.amqp.queues.consume_from and are_missing():
        command = ["nice", "-n", "19", sys.executable, "-m", "hlvstudy.program.supervisor", "metaeval.loops"]
        compiling.append(subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True))  # noqa: S603


@worker_shutdown.connect
def stop_sweeper(**_: Any) -> None:
    from annotations.background.sweeping import Sweeper

    for process in compiling:
        process.terminate()
        process.wait()
    Sweeper.stop_background()
