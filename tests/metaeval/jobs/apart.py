"""For a worker of test_queues_of_workers.py: analyses have a queue of their own, as trainings have."""

from metaeval.jobs.models import AnalysisRun

AnalysisRun.queue = "apart"
