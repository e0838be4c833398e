"""What the models of `metaeval` store, for erasures and the record of processing (annotations/erasing/registry.py)."""

from annotations.erasing.holdings import JOB, MESSAGES, WITH_STUDY
from annotations.erasing.registry import holds

WITH_SUBJECT = "the study or the dataset is erased"
holds(
    "metaeval.AnalysisRun",
    purpose="keep results, with experts under numbers",
    until=WITH_SUBJECT,
    answer="result answer",
    text=MESSAGES,
    neither=(
        f"{JOB} subject analysis parameters seed number figures fingerprint made_with is_simulated is_planned "
        "rerun answers_erased_at"
    ),
)
holds("metaeval.AnalysisRunLine", purpose="show how a run went", until=WITH_SUBJECT, neither="at text")
holds(
    "metaeval.AnalysisShard",
    purpose="share the work of a run",
    until="the run has ended",
    answer="values",
    text=MESSAGES,
    neither=f"{JOB} plan first stop",
)
holds(
    "metaeval.StudyDocument",
    purpose="hand out reports and bundles; the file goes after HLV_FILES_KEPT_DAYS",
    until=WITH_STUDY,
    text=f"content {MESSAGES}",
    neither=f"{JOB} kind with_texts name size sha256",
)
holds(
    "metaeval.PlannedAnalysis",
    purpose="state the analyses beforehand",
    until=WITH_STUDY,
    neither="position analysis parameters seed note",
)
holds("metaeval.StampedPlan", purpose="state the analyses beforehand", until=WITH_STUDY, neither="at content sha256")
WITH_DATASET = "the dataset is deleted or erased"
holds(
    "metaeval.StoredSplit",
    purpose="say which texts a model learnt from",
    until=WITH_DATASET,
    neither="kind folds seed is_stratified twins parts fingerprint created_at",
)
holds(
    "metaeval.Training",
    purpose="say how systems were trained",
    until=WITH_DATASET,
    text="error",
    neither="model methods parameters seed state starts_itself notes forecast created_at started_at finished_at",
)
holds(
    "metaeval.TrainingJob",
    purpose="train systems; what an interrupted one goes on from is deleted when it has ended",
    until=WITH_DATASET,
    text=MESSAGES,
    answer="outputs checkpoint",
    neither=f"{JOB} kind method run fold result",
)
