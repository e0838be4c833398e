"""Where Django looks for models, which are defined with the jobs and the documents."""

from metaeval.documents.models import StudyDocument
from metaeval.jobs.models import AnalysisRun, AnalysisRunLine, AnalysisShard, PlannedAnalysis, StampedPlan
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
