"""For a worker of test_queues_of_workers.py: analyses have a queue of their own, as trainings have."""

from typing import Any

from celery.signals import worker_init

from metaeval.jobs.models import AnalysisRun


@worker_init.connect
def keep_apart(**_more: Any) -> None:
    """Only in the worker that takes this module: whatever else imports it keeps its queues."""
    AnalysisRun.queue = "apart"
