"""The Celery application. The broker only wakes workers; the truth is a job's row (annotations/background/jobs.py)."""

import os
from typing import Any

from celery import Celery
from celery.signals import worker_init, worker_ready, worker_shutdown

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "hlvstudy.settings")

app = Celery("hlvstudy")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
app.autodiscover_tasks(["annotations"], related_name="jobs")


@worker_init.connect
def look_often_at_the_embedded_broker(**_: Any) -> None:
    # Only workers poll, so only they pay for importing the transport. The transport option of the same name
    # # makes create_engine raise a TypeError; the class attribute works.
    from kombu.transport.sqlalchemy import Transport

    Transport.polling_interval = 0.2


@worker_init.connect
def survive_the_death_of_processes(**_: Any) -> None:
    from hlvstudy.pool import use_sturdy_pools

    use_sturdy_pools()


@worker_ready.connect
def start_sweeper(**_: Any) -> None:
    from django.conf import settings

    from annotations.background.sweeping import Sweeper
    from hlvstudy.broker import forget_delivered_messages

    forget_delivered_messages(settings.CELERY_BROKER_URL)
    Sweeper.start_in_background()


@worker_shutdown.connect
def stop_sweeper(**_: Any) -> None:
    from annotations.background.sweeping import Sweeper

    Sweeper.stop_background()
