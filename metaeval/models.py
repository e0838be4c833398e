"""Where Django looks for models. They live with the jobs."""

from metaeval.jobs.models import AnalysisRun

__all__ = ["AnalysisRun"]
