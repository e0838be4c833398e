"""Where Django looks for models, which are defined with the jobs and the documents."""

from metaeval.documents.models import StudyDocument
from metaeval.jobs.log_model import AnalysisRunLine
from metaeval.jobs.models import AnalysisRun
from metaeval.jobs.plan_models import PlannedAnalysis, StampedPlan
from metaeval.jobs.shard_model import AnalysisShard

__all__ = ["AnalysisRun", "AnalysisRunLine", "AnalysisShard", "PlannedAnalysis", "StampedPlan", "StudyDocument"]
