"""A study as arrays: its dataset, the systems that it compares, and everything that its experts did."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import ClassVar

import numpy as np

from annotations.ground.arrays import Matrix
from metaeval.analyses.inputs.answers import Answers, Reports
from metaeval.analyses.inputs.datasets import DatasetInputs, Origin
from metaeval.analyses.inputs.kinds import SubjectKind, fingerprint_of
from metaeval.analyses.inputs.later import added_later, says_more
from metaeval.analyses.inputs.responses import Responses, judgements
from metaeval.analyses.inputs.showing import FIRST_RULE, Showing
from metaeval.analyses.inputs.stated import Stated


@dataclass(frozen=True, eq=False, kw_only=True)
class StudyInputs:
    """A study. `data` is its dataset with only the compared systems, which `Answers.first` and `.second` refer to."""

    kind: ClassVar[SubjectKind] = SubjectKind.STUDY
    slug: str
    title: str
    compares: str
    state: str
    instances_per_system: int
    experts_per_comparison: int
    display_threshold: float
    data: DatasetInputs
    answers: Answers
    reports: Reports
    experts: tuple[int, ...]
    """The numbers of all experts of the study, including those who took no place."""
    inactive: tuple[int, ...] = ()
    """The numbers of those who no longer take part."""
    is_named: bool = False
    """Whether an admin assigns places to experts; else everyone takes the next one from a pool."""
    asks_guess: bool = False
    comparisons: int = 0
    """How many comparisons the plan has, without those whose text is withdrawn."""
    showing: Showing | None = None
    """How distributions are shown to experts; None if unknown."""
    runs: str = field(default="single", metadata=added_later("single"))
    """Whether the runs of one model and method are `averaged`, or count as `single` systems."""
    profiles: tuple[tuple[int, str, str], ...] = field(default=(), metadata=added_later(()))
    """What experts said about themselves: number, name of the question, answer; without skipped questions."""
    onlookers: tuple[int, ...] = field(default=(), metadata=added_later(()))
    """The numbers of experts who answered after they had seen distributions of the study's texts."""
    is_simulated: bool
    fingerprint: str

    @property
    def of_onlookers(self) -> int:
        """How many answers to step 2 such experts gave."""
        answers = self.answers
        return int((answers.is_answered & np.isin(answers.expert, self.onlookers)).sum())

    @property
    def notes(self) -> list[str]:
        """What every result of the study says, whatever it finds."""
        if not self.onlookers:
            return []
        given = int(self.answers.is_answered.sum())
        return [
            f"{len(self.onlookers)} of {len(self.experts)} experts answered after they had seen distributions of these "
            f"texts, and could know which side is which: {self.of_onlookers:,} of {given:,} answers are theirs, and "
            f"{given - self.of_onlookers:,} are not. All are counted here."
        ]

    @property
    def dataset(self) -> str:
        return self.data.slug

    @property
    def task(self) -> str:
        return self.data.task

    @property
    def labels(self) -> tuple[str, ...]:
        return self.data.labels

    @property
    def systems(self) -> tuple[str, ...]:
        return self.data.systems

    @property
    def origins(self) -> tuple[Origin, ...]:
        return self.data.origins

    @property
    def P(self) -> Matrix:
        return self.data.P

    @property
    def Q(self) -> Mapping[str, Matrix]:
        return self.data.Q

    def responses(self, *, include_pilot: bool = False) -> Responses:
        """The preference responses that count, as judgements of systems, and what was left out."""
        return judgements(self.answers, include_pilot=include_pilot)

    @property
    def counts(self) -> dict[str, int]:
        return self.data.counts | ({"answers_after_looking": self.of_onlookers} if self.onlookers else {})

    @property
    def stated(self) -> Stated:
        return Stated(
            kind="study",
            slug=self.slug,
            title=self.title,
            dataset=self.dataset,
            task=self.task,
            compares=self.compares,
            state=self.state,
        )


def study_fingerprint(inputs: StudyInputs) -> str:
    """SHA-256 of everything in a study that a result can depend on: its data, its design, and what experts did.

    Fields that were added later and say nothing new are left out, so the fingerprint of an earlier version stays valid.
    How distributions are shown is included if the study stores the rule.
    """
    facts = {
        column.name: getattr(inputs, column.name)
        for column in fields(StudyInputs)
        if column.name in FACTS and column.name not in UNSEEN and says_more(column, getattr(inputs, column.name))
    }
    columns = [column for column in fields(inputs.answers) if says_more(column, getattr(inputs.answers, column.name))]
    return fingerprint_of(
        {
            "data": inputs.data.fingerprint,
            "study": {name: list(fact) if isinstance(fact, tuple) else fact for name, fact in facts.items()},
            **_showing_of(inputs.showing),
            "reports": [list(inputs.reports.reason), inputs.reports.skipped.tolist(), inputs.reports.answer.tolist()],
            **{f"answers.{column.name}": getattr(inputs.answers, column.name) for column in columns},
        }
    )


def _showing_of(showing: Showing | None) -> dict[str, object]:
    if showing is None or showing.rule.version == FIRST_RULE:
        return {}
    return {"showing": asdict(showing.rule), "showing.people": showing.people}


PARTS = frozenset({"data", "answers", "reports", "showing", "fingerprint"})
"""The fields of a study that have fields of their own."""

FACTS = tuple(column.name for column in fields(StudyInputs) if column.name not in PARTS)
"""The fields of a study that are plain values."""

UNSEEN = frozenset({"slug", "title", "is_simulated"})
"""Facts that no number depends on."""
