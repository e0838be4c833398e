"""A study as arrays: its dataset, the systems that it compares, how they are shown, and what its experts did."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import ClassVar, NamedTuple

import numpy as np

from annotations.ground.arrays import Counts, Integers, Mask, Matrix
from annotations.ground.display_rule import HUMAN_VS_SYSTEM, DisplayRule
from annotations.ground.leaks import Tells
from metaeval.analyses.inputs.answers import Answers, Reports, Responses, judgements
from metaeval.analyses.inputs.datasets import DatasetInputs, Origin
from metaeval.analyses.inputs.kinds import SubjectKind, added_later, fingerprint_of, says_more
from metaeval.analyses.inputs.parts import Stated

MULTILABEL = "multilabel"
NO_BAR = "no bar was drawn on one of the sides: a task of single labels has no distribution there"
FIRST_RULE = 1
"""The version of the display rule for studies that were planned before it was stored."""


class ShownPair(NamedTuple):
    """P and Q as experts see them (M, K), and which M of the N instances these are: those where both sides have a
    distribution."""

    P: Matrix
    Q: Matrix
    rows: Mask


@dataclass(frozen=True, eq=False)
class Showing:
    """How a study shows distributions: its rule, and how many people judged each instance (N,), which gives the
    instance's grid of shares."""

    rule: DisplayRule
    people: Integers

    @property
    def parts(self) -> Integers:
        """Into how many parts each instance's values are rounded: (N,)."""
        return np.broadcast_to(self.rule.parts(self.people), self.people.shape)

    def drawn(self, values: Matrix, *, task: str) -> Matrix:
        """A matrix (N, K) as its bars show it: thresholded, then rounded; 0 where no bar is drawn."""
        return self.rule.shown(values, people=self.people, task=task)

    def pair(self, P: Matrix, Q: Matrix, *, task: str) -> ShownPair:
        """What metrics are computed on: both sides as drawn (`drawn` is applied to P, too).

        If the task's rows sum to 1, the drawn values are divided by their sum, and rows without a bar on one side are
        left out. Rows of a multilabel task stay as they are: no bar means that no label was above the threshold.
        """
        return paired(self.drawn(P, task=task), self.drawn(Q, task=task), task=task)

    def looks_alike(self, first: Matrix, second: Matrix, *, instance: Integers, task: str) -> Mask:
        """Whether rows (M, K) of these instances (M,) look the same on both sides, bar for bar."""
        return self.rule.identical(first, second, people=self.people[instance], task=task)


def paired(P: Matrix, Q: Matrix, *, task: str) -> ShownPair:
    """Drawn values of both sides (N, K) as distributions.

    >>> drawn = np.array([[0.6, 0.2], [0.0, 0.0]])
    >>> pair = paired(drawn, drawn[::-1], task="multiclass")
    >>> pair.P.shape, pair.rows.tolist()
    ((0, 2), [False, False])
    >>> paired(drawn[:1], drawn[:1], task="multiclass").P.round(2).tolist()
    [[0.75, 0.25]]
    """
    if task == MULTILABEL:
        return ShownPair(P, Q, np.ones(len(P), dtype=np.bool_))
    sums = P.sum(axis=1), Q.sum(axis=1)
    rows: Mask = (sums[0] > 0) & (sums[1] > 0)
    return ShownPair(P[rows] / sums[0][rows, None], Q[rows] / sums[1][rows, None], rows)


def moved_decisions(exact: Matrix, shown: Matrix, *, task: str) -> int:
    """In how many cases the hard decision on shown values differs from that on exact values.

    Multilabel: values (N, K) that are above one half in only one of them. Otherwise: rows whose most probable label
    (the first of several) changes.

    >>> moved_decisions(np.array([[0.55, 0.3]]), np.array([[0.5, 0.25]]), task="multilabel")
    1
    """
    if task == MULTILABEL:
        return int(((exact > 0.5) != (shown > 0.5)).sum())
    best: tuple[Counts, Counts] = exact.argmax(axis=1), shown.argmax(axis=1)
    return int((best[0] != best[1]).sum())


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
    showing: dict[str, object] = {}
    if inputs.showing is not None and inputs.showing.rule.version != FIRST_RULE:
        showing = {"showing": asdict(inputs.showing.rule), "showing.people": inputs.showing.people}
    columns = [column for column in fields(inputs.answers) if says_more(column, getattr(inputs.answers, column.name))]
    return fingerprint_of(
        {
            "data": inputs.data.fingerprint,
            "study": {name: list(fact) if isinstance(fact, tuple) else fact for name, fact in facts.items()},
            **showing,
            "reports": [list(inputs.reports.reason), inputs.reports.skipped.tolist(), inputs.reports.answer.tolist()],
            **{f"answers.{column.name}": getattr(inputs.answers, column.name) for column in columns},
        }
    )


PARTS = frozenset({"data", "answers", "reports", "showing", "fingerprint"})
"""The fields of a study that have fields of their own."""

FACTS = tuple(column.name for column in fields(StudyInputs) if column.name not in PARTS)
"""The fields of a study that are plain values."""

UNSEEN = frozenset({"slug", "title", "is_simulated"})
"""Facts that no number depends on."""


def looked_alike(study: StudyInputs) -> Mask:
    """For every place that was taken, whether both sides looked the same: one entry per entry of `Answers`.

    Studies that began before this was stored show distributions by the same rule, so the rule decides; if the rule is
    unknown, what is stored.
    """
    answers, showing = study.answers, study.showing
    if showing is None or not len(answers):
        return answers.identical
    first: Matrix = study.P[answers.instance]
    second: Matrix = np.empty_like(first)
    for place, system in enumerate(study.systems):
        as_first, as_second = answers.first == place, answers.second == place
        if as_first.any() or as_second.any():
            Q = study.Q[system]
            first[as_first], second[as_second] = Q[answers.instance[as_first]], Q[answers.instance[as_second]]
    alike: Mask = showing.looks_alike(first, second, instance=answers.instance, task=study.task)
    return answers.identical | alike


def gave_away(study: StudyInputs) -> Mask:
    """For every place that was taken, whether a side can only be a system's (`Tells`): one entry per entry of
    `Answers`.

    Never between two systems, or if the rule is unknown.
    """
    answers, showing = study.answers, study.showing
    revealed: Mask = np.zeros(len(answers), dtype=np.bool_)
    if showing is None or not len(answers) or study.compares != HUMAN_VS_SYSTEM:
        return revealed
    rule, task = showing.rule, study.task
    tells = Tells.of(rule.percentages(study.P, people=showing.people, task=task))
    for place, system in enumerate(study.systems):
        mine = answers.second == place
        instance = answers.instance[mine]
        if len(instance):
            drawn = rule.percentages(study.Q[system][instance], people=showing.people[instance], task=task)
            revealed[mine] = tells.give_away(drawn)
    return revealed
