"""What is stored, one file per topic. Whatever must always hold is a database constraint (docs/architecture.md)."""

from annotations.models.annotators import Annotator, PredictedAnnotations
from annotations.models.attempts import AttemptCount
from annotations.models.comparisons import Assignment, Comparison, SideOrder
from annotations.models.datasets import AveragedRun, Dataset, HumanAnnotation, Instance, Label, System, Task
from annotations.models.erasures import Erased, ErasingGate, Erasure
from annotations.models.events import Event, EventKind
from annotations.models.export_jobs import ExportJob
from annotations.models.guesses import Guess, GuessedSide, human_side
from annotations.models.identities import Identity
from annotations.models.instruments import InstrumentVersion
from annotations.models.invitations import (
    Consent,
    FurtherLink,
    Invitation,
    InvitationState,
    IssuingRequest,
    LinkPurpose,
)
from annotations.models.jobs import BackgroundJob, ImportFile, ImportJob, JobState, QueueTurn, WorkerHeartbeat
from annotations.models.letters import Letter
from annotations.models.looks import Look, TextSet
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
from annotations.models.second_factors import Passkey, SecondFactor, with_second_factor
from annotations.models.sessions import Session
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
    "AttemptCount",
    "AveragedRun",
    "BackgroundJob",
    "Compares",
    "Comparison",
    "Consent",
    "Dataset",
    "Erased",
    "ErasingGate",
    "Erasure",
    "Event",
    "EventKind",
    "ExportJob",
    "FurtherLink",
    "GiveAways",
    "Guess",
    "GuessedSide",
    "HumanAnnotation",
    "Identity",
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
    "Look",
    "Membership",
    "News",
    "Notice",
    "Outcome",
    "PairwiseVote",
    "Passkey",
    "Phase",
    "PlanFigures",
    "PredictedAnnotations",
    "PreferenceResponse",
    "QueueTurn",
    "Report",
    "ReportDecision",
    "ReportReason",
    "Role",
    "Runs",
    "SecondFactor",
    "Session",
    "SideKey",
    "SideOrder",
    "SideRule",
    "Study",
    "StudyState",
    "System",
    "Task",
    "TextSet",
    "TokenScope",
    "TokenState",
    "User",
    "Verdict",
    "WorkerHeartbeat",
    "human_side",
    "with_second_factor",
]
