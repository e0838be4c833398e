"""The results of the analysis of a study's quality."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, Self

from pydantic import Field

from metaeval.analyses.base.result import Findings, Result
from metaeval.analyses.inputs.parts import Number, Part, Sparse

Step = Literal["labels", "preferences"]
Scope = Literal["leave_out", "include", "only"]
Standing = Literal["never began", "under way", "stopped", "done"]


class QualityEstimate(Part):
    """A number with its limits."""

    value: Number
    low: Number
    high: Number
    n: int = Field(description="Of how many answers, items or experts.")
    reason: str = Field(description="Why it is undefined; empty if it is defined.")


class QualityMeasure(QualityEstimate):
    """A measure over all experts."""

    measure: str
    title: str
    p_value: Number
    notes: list[str]

    @classmethod
    def of(
        cls, measure: str, title: str, found: QualityEstimate, *, p_value: Number = None, notes: Iterable[str] = ()
    ) -> Self:
        """A statistic as a measure."""
        return cls(
            measure=measure,
            title=title,
            value=found.value,
            low=found.low,
            high=found.high,
            n=found.n,
            reason=found.reason,
            p_value=p_value,
            notes=list(notes),
        )

    @classmethod
    def undefined(cls, measure: str, title: str, reason: str) -> Self:
        """An undefined measure."""
        return cls.of(measure, title, QualityEstimate(value=None, low=None, high=None, n=0, reason=reason))


class ExpertPlaces(Part):
    """An expert's places, and what became of them."""

    expert: str
    answered: int
    half: int = Field(description="Of which only step 1 is answered.")
    waiting: int
    skipped: int
    withdrawn: int = Field(description="Places whose text was withdrawn before they were answered.")
    repeats: int
    pilot: int = Field(description="Answered in the pilot.")
    corrected: int
    reports: int
    part: int | None = Field(description="How many the expert is expected to answer.")
    share: Number = Field(description="Of the places that are answered.")
    is_active: bool
    state: Standing
    reason: str = Field(description="Why the share is undefined; empty if it is defined.")


class AnswerTimes(Part):
    """Seconds of use of a step's page, for all experts or for one."""

    step: Step
    expert: str
    answers: int
    unknown: int = Field(description="Answers whose time is not known.")
    median: Number
    q1: Number
    q3: Number
    total: float
    quick: int
    quick_share: Number
    reason: str


class SideChoices(QualityEstimate):
    """Which side was chosen, by all experts or by one: the share of A among the answers that chose one side."""

    expert: str
    answers: int
    a: int
    b: int
    both: int
    neither: int
    p_value: Number = Field(description="Exact test of a share of one half.")
    p_holm: Number = Field(description="Corrected over experts.")
    first_is_a: Number = Field(description="How often the comparison's first source was on side A.")
    certainty: Number
    without_certainty: int


class RepeatedAnswers(QualityEstimate):
    """The share of repeats that got the same answer: of a text in step 1, of a comparison in step 2."""

    step: Step
    expert: str
    kappa: Number = Field(description="How far the share is above chance, over all experts.")
    kappa_reason: str


class GuessedSides(Part):
    """What all experts or one of them guessed to be people's side, and Bang's index of these guesses."""

    expert: str
    right: int
    wrong: int
    unsure: int
    value: Number
    low: Number
    high: Number
    p_value: Number
    notes: str


class ShapeLeak(QualityEstimate):
    """How often a classifier that has seen the shapes of the other texts identifies people's side: a lower bound."""

    surest: Number = Field(description="The same for the fifth of the comparisons about which it is most certain.")
    comparisons: int = Field(description="Comparisons that were answered and whose two sides look different.")
    given_away: int = Field(
        description="Comparisons in which one side has a sum or a number of bars that no people's side has."
    )


class AgreementEstimate(QualityEstimate, Sparse):
    """An agreement with its interval over items."""

    interval_reason: str = Field(default="", description="Why there is no interval; absent if nothing is measured.")


class ExpertAgreement(AgreementEstimate):
    """The agreement of an expert with the others who judged the same items."""

    step: Step
    expert: str
    n_items: int
    equal: Number = Field(description="The share of equal answers.")
    others: Number = Field(description="The agreement of all others with each other.")


class ReportsOfReason(Part):
    """Reported problems of one kind."""

    reason: str
    reports: int
    left: int = Field(description="If the place was left because of it.")
    instances: int
    experts: int


class ReportedInstance(Part):
    """A reported instance."""

    instance: str
    reports: int
    experts: int = Field(description="Who had it.")
    reasons: str


class DropOut(QualityEstimate):
    """Of the experts who began, the share who stopped before their part was done."""

    experts: int
    never_began: int
    under_way: int
    stopped: int
    done: int


class SkippedOfExpert(Part):
    """What all experts, or one, skipped after step 2 was shown."""

    expert: str
    shown: int = Field(description="Comparisons whose step 2 was shown.")
    skipped: int = Field(description="Of which skipped afterwards.")
    share: Number


class SkippedOfSystem(Part):
    """A system's preference fraction, and what it would be at worst and at best had nothing been skipped."""

    system: str
    answers: int
    chosen: int
    skipped: int = Field(description="Comparisons with it that were skipped after step 2 was shown.")
    fraction: Number = Field(description="How often chosen, among the answers.")
    worst: Number = Field(description="If it had been chosen in none of the skipped ones.")
    best: Number = Field(description="If it had been chosen in all of them.")


class ProfileGroup(Part):
    """Experts who said the same about themselves."""

    question: str = Field(description="The name of the question.")
    group: str = Field(description="What they said; if there are many different numbers, which half.")
    experts: int
    answers: int = Field(description="Of step 2.")
    people_chosen: Number = Field(
        description="Among the answers that chose one side, the share that chose people's; undefined between systems."
    )
    one_side: int = Field(description="How many answers chose one side.")
    label_agreement: Number = Field(description="Krippendorff's alpha of step 1 within the group.")
    preference_agreement: Number = Field(description="The same for step 2.")
    reason: str = Field(description="Why an agreement is undefined; empty if none is.")


class StudyQualityFindings(Findings):
    """How a study is going: over all experts, and for each of them."""

    scope: Scope = Field(description="How the pilot's answers were treated.")
    state: str = Field(description="Of the study: draft, pilot, open, paused or closed.")
    people: list[ExpertPlaces]
    times: list[AnswerTimes]
    sides: list[SideChoices]
    consistency: list[RepeatedAnswers]
    guesses: list[GuessedSides]
    agreement: list[ExpertAgreement]
    reports: list[ReportsOfReason]
    reported_instances: list[ReportedInstance]
    drop_out: DropOut
    measures: list[QualityMeasure]
    skips: list[SkippedOfExpert] = Field(
        default=[], description="Per expert, where anything was skipped after step 2 was shown."
    )
    skipped_systems: list[SkippedOfSystem] = Field(default=[], description="The same per system.")
    groups: list[ProfileGroup] = Field(default=[], description="Experts by what the study asked them about themselves.")
    leak: ShapeLeak | None = Field(
        default=None, description="What the shapes shown give away, apart from the guesses; earlier results had none."
    )


class StudyQualityResult(StudyQualityFindings, Result):
    """The quality of a study."""

    analysis: Literal["study_quality"]
