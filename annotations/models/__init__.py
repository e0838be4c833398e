"""What is stored, one file a theme. What must always hold is a database constraint (DESIGN.md section 5)."""

from annotations.models.comparisons import Assignment, Comparison, SideOrder
from annotations.models.datasets import Dataset, HumanAnnotation, Instance, Label, System, Task
from annotations.models.events import Event, EventKind
from annotations.models.jobs import BackgroundJob, ImportFile, ImportJob, JobState, WorkerHeartbeat
from annotations.models.people import User
from annotations.models.responses import LabelResponse, PreferenceResponse, Report, ReportReason
from annotations.models.studies import Assigning, Compares, Membership, Role, Study, StudyState

__all__ = [
    "Assigning",
    "Assignment",
    "BackgroundJob",
    "Compares",
    "Comparison",
    "Dataset",
    "Event",
    "EventKind",
    "HumanAnnotation",
    "ImportFile",
    "ImportJob",
    "Instance",
    "JobState",
    "Label",
    "LabelResponse",
    "Membership",
    "PreferenceResponse",
    "Report",
    "ReportReason",
    "Role",
    "SideOrder",
    "Study",
    "StudyState",
    "System",
    "Task",
    "User",
    "WorkerHeartbeat",
]
