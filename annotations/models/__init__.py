"""What is stored, one file per topic. Whatever must always hold is a database constraint (docs/architecture.md)."""

from annotations.models.comparisons import Assignment, Comparison, Phase, SideKey, SideOrder, SideRule
from annotations.models.datasets import (
    Annotator,
    AveragedRun,
    Dataset,
    HumanAnnotation,
    Instance,
    Judge,
    Label,
    Outcome,
    PairwiseVote,
    PredictedAnnotations,
    System,
    Task,
)
from annotations.models.events import Event, EventKind
from annotations.models.invitations import (
    Consent,
    FurtherLink,
    Invitation,
    InvitationState,
    IssuingRequest,
    Letter,
    LinkPurpose,
)
from annotations.models.jobs import (
    BackgroundJob,
    Erased,
    ErasingGate,
    Erasure,
    ExportJob,
    ImportFile,
    ImportJob,
    JobState,
    News,
    Notice,
    QueueTurn,
    WorkerHeartbeat,
)
from annotations.models.looks import Look, TextSet
from annotations.models.people import (
    ApiToken,
    AttemptCount,
    Identity,
    Passkey,
    SecondFactor,
    Session,
    TokenScope,
    TokenState,
    User,
    with_second_factor,
)
from annotations.models.responses import (
    Guess,
    GuessedSide,
    LabelResponse,
    PreferenceResponse,
    Report,
    ReportDecision,
    ReportReason,
    Verdict,
    human_side,
)
from annotations.models.studies import (
    Assigning,
    Compares,
    GiveAways,
    InstrumentVersion,
    Layout,
    Leaving,
    Membership,
    PlanFigures,
    Role,
    Runs,
    Study,
    StudyState,
)
