"""What is stored, one file per topic. Whatever must always hold is a database constraint (docs/architecture.md)."""

from annotations.models.annotators import Annotator, PredictedAnnotations
from annotations.models.comparisons import Assignment, Comparison, SideOrder
from annotations.models.datasets import AveragedRun, Dataset, HumanAnnotation, Instance, Label, System, Task
from annotations.models.events import Event, EventKind
from annotations.models.export_jobs import ExportJob
from annotations.models.guesses import Guess, GuessedSide, human_side
from annotations.models.instruments import InstrumentVersion
from annotations.models.invitations import (
    Consent,
    FurtherLink,
    Invitation,
    InvitationState,
    IssuingRequest,
    LinkPurpose,
)
from annotations.models.jobs import BackgroundJob, ImportFile, ImportJob, JobState, WorkerHeartbeat
from annotations.models.letters import Letter
from annotations.models.notices import News, Notice
from annotations.models.people import User
from annotations.models.responses import (
    LabelResponse,
    PreferenceResponse,
    Report,
    ReportDecision,
    ReportReason,
    Verdict,
)
from annotations.models.sides import Phase, SideKey, SideRule
from annotations.models.studies import (
    Assigning,
    Compares,
    GiveAways,
    Layout,
    Leaving,
    Membership,
    PlanFigures,
    Role,
    Runs,
    Study,
    StudyState,
)
from annotations.models.tokens import ApiToken, TokenScope, TokenState
from annotations.models.votes import Judge, Outcome, PairwiseVote

__all__ = [
    "Annotator",
    "ApiToken",
    "Assigning",
    "Assignment",
    "AveragedRun",
    "BackgroundJob",
    "Compares",
    "Comparison",
    "Consent",
    "Dataset",
    "Event",
    "EventKind",
    "ExportJob",
    "FurtherLink",
    "GiveAways",
    "Guess",
    "GuessedSide",
    "HumanAnnotation",
    "ImportFile",
    "ImportJob",
    "Instance",
    "InstrumentVersion",
    "Invitation",
    "InvitationState",
    "IssuingRequest",
    "JobState",
    "Judge",
    "Label",
    "LabelResponse",
    "Layout",
    "Leaving",
    "Letter",
    "LinkPurpose",
    "Membership",
    "News",
    "Notice",
    "Outcome",
    "PairwiseVote",
    "Phase",
    "PlanFigures",
    "PredictedAnnotations",
    "PreferenceResponse",
    "Report",
    "ReportDecision",
    "ReportReason",
    "Role",
    "Runs",
    "SideKey",
    "SideOrder",
    "SideRule",
    "Study",
    "StudyState",
    "System",
    "Task",
    "TokenScope",
    "TokenState",
    "User",
    "Verdict",
    "WorkerHeartbeat",
    "human_side",
]
