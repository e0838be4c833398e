"""The lines of a study-response export, and the study they describe, as plain typed records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from annotations.ground.system_names import system_name

RESPONSES, METADATA, STUDY = "responses.jsonl", "metadata.csv", "study.json"
COMPARISONS, HISTORY, INSTANCES = "comparisons.jsonl", "history.jsonl", "instances.csv"

SideOrder = Literal["first_is_a", "second_is_a"]
PhaseName = Literal["pilot", "main"]
ReportReasonName = Literal["unreadable", "distressing", "identifies_person", "other"]
Certainty = float | None
Count = Annotated[int, Field(ge=0, le=2**31 - 1)]  # what both databases can store
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]  # also used for a key, which has as many bytes
Text = Annotated[str, Field(pattern=r"^[^\x00]*$")]  # PostgreSQL cannot store NUL


class _Line(BaseModel):
    """Strict: "1" is not 1, and an unknown field is a mistake, not a comment."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class SystemKey(_Line):
    model: str = Field(min_length=1)
    method: str = ""
    run: str = ""

    @property
    def key(self) -> tuple[str, str, str]:
        return (self.model, self.method, self.run)

    @property
    def name(self) -> str:
        return system_name(self.model, self.method, self.run)


class _Revision(_Line):
    elapsedTime: Count | None
    createdAt: AwareDatetime
    instrument: Count | None = None
    pageLanguage: str = Field(default="", max_length=20, pattern=r"^[A-Za-z0-9-]*$")


class LabelRevision(_Revision):
    labels: list[str]


class PreferenceRevision(_Revision):
    isOptionAPreferred: bool
    isOptionBPreferred: bool
    confidence: Certainty = Field(ge=0, le=1)


class ReportRecord(_Line):
    reason: ReportReasonName
    text: Text
    skipped: bool
    createdAt: AwareDatetime


class GuessRecord(_Line):
    side: Literal["a", "b", "unknown"]
    createdAt: AwareDatetime


class AssignmentRecord(_Line):
    """One line of history.jsonl."""

    annotatorId: Count
    position: Count
    repeatOf: Count | None = None
    seenBefore: bool = False
    comparison: Count
    sideOrder: SideOrder | None
    turn: Count | None = None
    phase: PhaseName | None = None
    sideRule: Literal[1, 2] | None = None
    place: Count
    pilot: bool = False
    claimedAt: AwareDatetime | None = None
    comparisonShownAt: AwareDatetime | None = None
    completedAt: AwareDatetime | None = None
    releasedAt: AwareDatetime | None = None
    labelResponses: list[LabelRevision] = []
    preferenceResponses: list[PreferenceRevision] = []
    reports: list[ReportRecord] = []
    guess: GuessRecord | None = None


class ComparisonRecord(_Line):
    """One line of comparisons.jsonl; `first` empty: people."""

    comparison: Count
    inputIds: dict[SideOrder, Count] = {}
    instance: str
    withdrawn: bool = False
    first: SystemKey | None
    second: SystemKey
    identical: bool | None = None


class ExpertRecord(_Line):
    number: Count
    simulated: bool = False
    active: bool = True
    profile: dict[str, str | float | None] = {}


class RunRecord(_Line):
    """One of the runs in a mean."""

    run: str
    fingerprint: str


class SystemRecord(SystemKey):
    fingerprint: str = ""
    mean_of: list[RunRecord] = []


class DatasetRecord(_Line):
    slug: str
    task: str
    fingerprint: str
    labels: list[str]
    search_words: dict[str, list[str]] = {}


class KeyRecord(_Line):
    """A key for sides; the key itself only if the study was closed."""

    phase: PhaseName
    name: str
    sha256: Sha256
    key: Sha256 | None


class SidesRecord(_Line):
    """How the sides were drawn (annotations/ground/sides.py)."""

    rule: Literal[2] = 2
    limit: Literal[3] = 3
    keys: list[KeyRecord]


class InstrumentRecord(_Line):
    """A version of what experts read."""

    number: int = Field(ge=1, le=2**31 - 1)
    app: Count
    sha256: Sha256
    created_at: AwareDatetime
    content: dict[str, str | list[str]]


class StudyRecord(_Line):
    """study.json and, after reading, everything that belongs to it. Version 1 had no turns."""

    format: Literal["hlv-study-responses"] = "hlv-study-responses"
    version: Literal[1, 2] = 1
    simulated: bool = False
    study: dict[str, Any]
    dataset: DatasetRecord | None = None
    systems: list[SystemRecord] = []
    experts: list[ExpertRecord]
    sides: SidesRecord | None = None
    instrument_versions: list[InstrumentRecord] = []


class _Labels(_Line):
    elapsedTime: Count | None
    selectedAreas: list[str]


class _Preference(_Line):
    elapsedTime: Count | None
    isOptionAPreferred: bool
    isOptionBPreferred: bool
    confidence: Certainty = Field(ge=0, le=1)


class ResponseLine(_Line):
    """One line of responses.jsonl: the format that other tools read."""

    inputId: Count
    timestamp: AwareDatetime
    annotatorId: Count
    areasOfLawAnnotation: _Labels
    preferredHLVAnnotation: _Preference


@dataclass(frozen=True, slots=True)
class StudyResponses:
    """A study as described by its files; nothing has been looked up in the database yet."""

    record: StudyRecord
    comparisons: list[ComparisonRecord]
    history: list[AssignmentRecord]
    digest: str
