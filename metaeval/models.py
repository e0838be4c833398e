"""Where Django looks for models, which are defined with the jobs and the documents."""

from metaeval.documents.models import StudyDocument
from metaeval.jobs.log_model import AnalysisRunLine
from metaeval.jobs.models import AnalysisRun
from metaeval.jobs.plan_models import PlannedAnalysis, StampedPlan
from metaeval.jobs.shard_model import AnalysisShard
from metaeval.training_jobs.models import StoredSplit, Training, TrainingJob

__all__ = [
    "AnalysisRun",
    "AnalysisRunLine",
    "AnalysisShard",
    "PlannedAnalysis",
    "StampedPlan",
    "StoredSplit",
    "StudyDocument",
    "Training",
    "TrainingJob",
]
