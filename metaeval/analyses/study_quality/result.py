"""The results of the quality of a study, their tables, and the answer in sentences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import Field

from annotations.ground.arrays import Integers, Mask
from metaeval.analyses.base.result import Findings, Result
from metaeval.analyses.base.table import InTable, Limit, PValue, Reason, Share, ShareLimit, Table, table_of
from metaeval.analyses.base.wording import (
    ALPHA,
    answered,
    capital,
    counted,
    p_value,
    sentence,
    share,
    share_interval,
    spelled,
    why,
    within,
)
from metaeval.analyses.inputs.parts import Number, Part, Sparse
from metaeval.stats import wilson_interval

Step = Literal["labels", "preferences"]
Scope = Literal["leave_out", "include", "only"]
Standing = Literal["never began", "under way", "stopped", "done"]

ALL = "All experts"
STEPS: dict[Step, str] = {"labels": "Step 1: labels", "preferences": "Step 2: preference"}

ExpertName = Annotated[str, Field(title="Expert")]
InStep = Annotated[Step, Field(title="Step"), InTable(words=STEPS)]
Detail = Annotated[int, InTable(detail=True)]
Remark = Annotated[str, InTable(remark="{}")]


def expert_name(number: int) -> str:
    """How results identify an expert: never by name."""
    return f"Expert {number}"


def all_and_each(experts: tuple[int, ...], expert: Integers) -> Iterator[tuple[str, Mask]]:
    """One row for all experts and one for each, and which entries it is about; `expert` says whose each entry is."""
    yield ALL, np.ones(len(expert), dtype=np.bool_)
    for number in experts:
        yield expert_name(number), expert == number


class QualityEstimate(Part):
    """A number with its limits."""

    value: Number = Field(title="Value")
    low: Limit = Field(title="low")
    high: Limit = Field(title="high")
    n: int = Field(title="n", description="Of how many answers, items or experts.")
    reason: Reason

    @classmethod
    def undefined(cls, reason: str, n: int = 0) -> QualityEstimate:
        """No number, and why."""
        return QualityEstimate(value=None, low=None, high=None, n=n, reason=reason)

    @classmethod
    def share(cls, count: int, n: int, level: float) -> QualityEstimate:
        """A share with Wilson's interval."""
        low, high = wilson_interval(count, n, confidence_level=level)
        return QualityEstimate(value=count / n, low=low, high=high, n=n, reason="")


class QualityMeasure(QualityEstimate):
    """A measure over all experts."""

    measure: str
    title: str = Field(title="Measure")
    p_value: PValue = Field(title="p")
    notes: Annotated[list[str], InTable(remark="{}")]

    @classmethod
    def of(
        cls, measure: str, title: str, estimate: QualityEstimate, *, p_value: Number = None, notes: Iterable[str] = ()
    ) -> Self:
        """An estimate as a measure."""
        numbers = {name: getattr(estimate, name) for name in QualityEstimate.model_fields}
        return cls(measure=measure, title=title, p_value=p_value, notes=list(notes), **numbers)


class ExpertPlaces(Part):
    """An expert's places, and what became of them."""

    expert: ExpertName
    state: Standing = Field(title="State")
    answered: int = Field(title="Answered")
    part: int | None = Field(title="of", description="How many the expert is expected to answer.")
    share: Share = Field(title="Share", description="Of the places that are answered.")
    half: int = Field(title="Step 1 only")
    waiting: int = Field(title="Waiting")
    skipped: int = Field(title="Skipped")
    withdrawn: Detail = Field(
        title="Withdrawn", description="Places whose text was withdrawn before they were answered."
    )
    corrected: Detail = Field(title="Corrected")
    pilot: Detail = Field(title="In the pilot")
    repeats: Detail = Field(title="Repeats")
    reports: int = Field(title="Reports")
    is_active: bool
    reason: Reason = Field(description="Why the share is undefined; empty if it is defined.")


class AnswerTimes(Part):
    """Seconds of use of a step's page, for all experts or for one."""

    step: InStep
    expert: ExpertName
    answers: int = Field(title="Answers")
    median: Number = Field(title="Median")
    q1: Number = Field(title="25%")
    q3: Number = Field(title="75%")
    quick: int = Field(title="Quick")
    quick_share: Share = Field(title="of known times")
    total: Annotated[float, InTable(detail=True)] = Field(title="Total")
    unknown: Detail = Field(title="Time unknown")
    reason: Reason


class SideChoices(QualityEstimate):
    """Which side was chosen, by all experts or by one."""

    expert: ExpertName
    answers: int = Field(title="Answers")
    a: int = Field(title="A")
    b: int = Field(title="B")
    both: int = Field(title="Both")
    neither: int = Field(title="Neither")
    value: Annotated[
        Share,
        InTable(
            note="Share of A among the answers that chose one side, with Wilson’s interval, which treats answers as "
            "independent; p: exact test of 1/2; Holm’s correction over experts."
        ),
    ] = Field(title="Share of A")
    low: ShareLimit = Field(title="low")
    high: ShareLimit = Field(title="high")
    p_value: PValue = Field(title="p")
    p_holm: PValue = Field(title="p Holm")
    certainty: Share = Field(title="Certainty")
    without_certainty: Detail = Field(title="Without")
    first_is_a: Annotated[Share, InTable(detail=True)] = Field(
        title="First source on A", description="How often the comparison's first source was on side A."
    )


class RepeatedAnswers(QualityEstimate):
    """The share of repeats that got the same answer: of a text in step 1, of a comparison in step 2."""

    step: InStep
    expert: ExpertName
    n: int = Field(title="Repeats")
    value: Share = Field(title="Same answer")
    low: ShareLimit = Field(title="low")
    high: ShareLimit = Field(title="high")
    kappa: Annotated[
        Number,
        InTable(
            note="Step 1: of a text that the expert labelled before; step 2: of a comparison that the expert judged "
            "before. Kappa: how far the share is above chance (Scott’s pi)."
        ),
    ] = Field(title="Kappa", description="Over all experts.")
    kappa_reason: Annotated[str, InTable(remark="kappa undefined: {}")]


class GuessedSides(Part):
    """What all experts or one of them guessed to be people's side, and Bang's index of these guesses."""

    expert: ExpertName
    right: int = Field(title="Right")
    wrong: int = Field(title="Wrong")
    unsure: int = Field(title="Cannot say")
    value: Annotated[
        Number,
        InTable(note="1: everybody guesses right; 0: chance level, the blinding holds; -1: everybody guesses wrong."),
    ] = Field(title="Bang’s index")
    low: Limit = Field(title="low")
    high: Limit = Field(title="high")
    p_value: PValue = Field(title="p")
    notes: Remark


class ShapeLeak(QualityEstimate):
    """How often a classifier that has seen the shapes of the other texts identifies people's side: a lower bound."""

    comparisons: int = Field(title="Comparisons answered, sides different")
    value: Annotated[
        Share,
        InTable(
            note="How often a classifier guesses people’s side correctly after seeing the shapes of both sides in the "
            "other texts (number, sum and heights of the bars; no labels, no text); chance gives 50%. It is a lower "
            "bound; the 95% interval resamples texts. A side gives itself away if its sum is lower than any that "
            "people’s sides show, or if it has more bars. Bang’s index shows what the experts made of it."
        ),
    ] = Field(title="Guessed correctly, at least")
    low: ShareLimit = Field(title="low")
    high: ShareLimit = Field(title="high")
    surest: Share = Field(title="In the most certain fifth")
    given_away: int = Field(title="Give themselves away")


class AgreementEstimate(QualityEstimate, Sparse):
    """An agreement with its interval over items."""

    interval_reason: Remark = Field(default="", description="Why there is no interval; absent if nothing is measured.")


class ExpertAgreement(AgreementEstimate):
    """The agreement of an expert with the others who judged the same items."""

    step: InStep
    expert: ExpertName
    n_items: int = Field(title="Common items")
    equal: Share = Field(title="Equal answers")
    value: Annotated[
        Number,
        InTable(
            note="Alpha with the rest: 1 minus the expert’s mean distance to the others who judged the same items, "
            "divided by the distance expected by chance. Alpha without them: that of all others among themselves; it "
            "is higher than everybody’s alpha if this expert differs from the others."
        ),
    ] = Field(title="Alpha with the rest")
    others: Number = Field(title="Alpha without them")


class ReportsOfReason(Part):
    """Reported problems of one kind."""

    reason: str = Field(title="Problem")
    reports: int = Field(title="Reports")
    left: int = Field(title="Place left", description="If the place was left because of it.")
    instances: int = Field(title="Instances")
    experts: int = Field(title="Experts")


class ReportedInstance(Part):
    """A reported instance."""

    instance: str = Field(title="Instance")
    reports: int = Field(title="Reports")
    experts: int = Field(title="Experts who had it")
    reasons: str = Field(title="Problems")


class DropOut(QualityEstimate):
    """Of the experts who began, the share who stopped before their part was done."""

    experts: int
    never_began: int
    under_way: int
    stopped: int
    done: int


class SkippedOfExpert(Part):
    """What all experts, or one, skipped after step 2 was shown."""

    expert: ExpertName
    shown: int = Field(title="Step 2 shown")
    skipped: int = Field(title="Skipped then")
    share: Annotated[
        Share,
        InTable(
            note="Experts who skip after seeing both sides influence which comparisons count. The turn is used up."
        ),
    ] = Field(title="Share")


class SkippedOfSystem(Part):
    """A system's preference fraction, and what it would be at worst and at best had nothing been skipped."""

    system: str = Field(title="System")
    answers: int = Field(title="Answers")
    chosen: int = Field(title="Chosen")
    skipped: int = Field(title="Skipped", description="Comparisons with it that were skipped after step 2 was shown.")
    fraction: Share = Field(title="Preference fraction", description="How often chosen, among the answers.")
    worst: Annotated[
        Share,
        InTable(
            note="At worst, the system would have been chosen in none of the skipped comparisons; at best, in all."
        ),
    ] = Field(title="At worst")
    best: Share = Field(title="At best")


class ProfileGroup(Part):
    """Experts who said the same about themselves."""

    question: str = Field(title="Question", description="Its name.")
    group: str = Field(title="Said", description="If there are many different numbers, which half.")
    experts: int = Field(title="Experts")
    answers: int = Field(title="Answers", description="Of step 2.")
    people_chosen: Share = Field(
        title="People’s side chosen",
        description="Among the answers that chose one side, the share that chose people's; undefined between systems.",
    )
    one_side: int = Field(title="of answers for one side")
    label_agreement: Annotated[
        Number,
        InTable(
            note="Alpha: of the group’s experts with each other. Groups saw different texts and were not drawn at "
            "random: a difference between them is a hint, not a test."
        ),
    ] = Field(title="Alpha, step 1", description="Krippendorff's alpha.")
    preference_agreement: Number = Field(title="Alpha, step 2")
    reason: Reason = Field(description="Why an agreement is undefined; empty if none is.")


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


def tables_of(findings: StudyQualityFindings, *, level: float, quick_seconds: float) -> list[Table]:
    """The measures over all experts, then a table for each aspect that the study has."""
    tables = [
        table_of(
            "measures",
            "The study as a whole",
            QualityMeasure,
            findings.measures,
            ["title", "value", "low", "high", "n", "p_value"],
            level=level,
            notes=[
                "p of the blinding index: exact, for guesses by a fair coin. Share of A: 1/2 without bias, "
                "because sides are drawn at random; interval over resampled experts."
            ],
        ),
        table_of(
            "people",
            "What became of the experts’ places",
            ExpertPlaces,
            [(row, {"notes": "" if row.is_active else "no longer takes part"}) for row in findings.people],
            notes=[
                f"{findings.drop_out.experts} experts: {findings.drop_out.done} done, "
                f"{findings.drop_out.under_way} under way, {findings.drop_out.stopped} stopped, "
                f"{findings.drop_out.never_began} never began. In a pool, “of” is each expert’s equal part of the "
                "planned places.",
            ],
        ),
        table_of(
            "times",
            "Seconds per step",
            AnswerTimes,
            findings.times,
            notes=[f"Time in which the page was visible and in use. Quick: under {quick_seconds:g} s."],
        ),
        table_of(
            "agreement",
            "Agreement of each expert with the rest",
            ExpertAgreement,
            findings.agreement,
            ["step", "expert", "n_items", "equal", "value", "low", "high", "others"],
            level=level,
        ),
        table_of(
            "sides",
            "Which side was chosen",
            SideChoices,
            findings.sides,
            [
                *("expert", "answers", "a", "b", "both", "neither", "value", "low", "high"),
                *("p_value", "p_holm", "certainty", "without_certainty", "first_is_a"),
            ],
            level=level,
        ),
        table_of(
            "consistency",
            "Repeats that got the same answer",
            RepeatedAnswers,
            findings.consistency,
            ["step", "expert", "n", "value", "low", "high", "kappa"],
            level=level,
        ),
    ]
    if findings.groups:
        title = "Experts by what they said about themselves"
        tables.append(table_of("groups", title, ProfileGroup, findings.groups))
    if findings.guesses:
        title = "Which side was people’s: what experts guess"
        tables.append(table_of("guesses", title, GuessedSides, findings.guesses, level=level))
    if findings.leak:
        columns = ["comparisons", "value", "low", "high", "surest", "given_away"]
        title = "Which side is people’s: what the shapes tell"
        tables.append(table_of("leak", title, ShapeLeak, [findings.leak], columns))
    tables.append(table_of("reports", "Reported problems", ReportsOfReason, findings.reports))
    if findings.skips:
        title = "Skipped after step 2 was shown, by expert"
        tables.append(table_of("skips", title, SkippedOfExpert, findings.skips))
        title = "Skipped after step 2 was shown, by system"
        tables.append(table_of("skipped_systems", title, SkippedOfSystem, findings.skipped_systems))
    if findings.reported_instances:
        title = "Instances that were reported"
        tables.append(table_of("reported_instances", title, ReportedInstance, findings.reported_instances))
    return tables


def answer(result: StudyQualityResult) -> str:
    """How far the experts are; then whether they favour a side, and what the shapes of the charts give away."""
    return answered(_progress(result.people), sentence([_sides(result)]), sentence([_leak(result)]))


def _progress(people: list[ExpertPlaces]) -> str:
    if not people:
        return "Nobody takes part yet, and 0 places are answered."
    states = {state: sum(row.state == state for row in people) for state in ("done", "stopped", "never began")}
    answered_places = sum(row.answered for row in people)
    parts = [row.part for row in people if row.part is not None]
    of = f" of {sum(parts):,}" if len(parts) == len(people) and sum(parts) >= answered_places else ""
    more = [
        f"{spelled(states['stopped'])} {_has(states['stopped'])} stopped" if states["stopped"] else "",
        f"{spelled(states['never began'])} {_has(states['never began'])} not begun" if states["never began"] else "",
    ]
    done = f"{states['done']} of {counted(len(people), 'expert')} {'is' if states['done'] == 1 else 'are'} done"
    if len(people) == 1:
        done = "the only expert is done" if states["done"] else "the only expert is not done"
    lead = capital(", ".join(part for part in (done, *(more if len(people) > 1 else [])) if part))
    if answered_places == 1:
        return f"{lead}, and 1{of} {'places' if of else 'place'} is answered."
    return f"{lead}, and {answered_places:,}{of} places are answered."


def _sides(result: StudyQualityResult) -> str:
    """Whether a side is favoured: only if the test says so."""
    bias = next((row for row in result.measures if row.measure == "position_bias"), None)
    if bias is None:
        return ""
    if bias.value is None:
        return f"whether a side is favoured is not known ({why(bias.reason)})"
    bounds = share_interval(bias.low, bias.high, float(result.parameters.get("level", 0.95)))
    p = "" if bias.p_value is None else p_value(bias.p_value)
    figures = f"side A was chosen in {share(bias.value)} of the answers that chose one side{within(bounds, p)}"
    holds_half = bias.low is not None and bias.high is not None and bias.low <= 0.5 <= bias.high
    is_known = bias.p_value is not None or bias.low is not None
    if not is_known:
        return figures
    if holds_half if bias.p_value is None else bias.p_value >= ALPHA:
        return f"{figures}, which cannot be told apart from one half"
    return f"{figures}, {'more' if bias.value > 0.5 else 'less'} often than expected by chance"


def _leak(result: StudyQualityResult) -> str:
    """What a classifier makes of the shapes: a lower bound of what can be recognised."""
    leak = result.leak
    if leak is None:
        return ""
    if leak.value is None:
        return f"whether shapes alone give people’s side away is not known ({why(leak.reason)})"
    bounds = share_interval(leak.low, leak.high)
    figures = (
        f"from shapes alone, a classifier guesses people’s side correctly in {share(leak.value)} of the "
        f"comparisons{within(bounds)}"
    )
    if leak.low is None or leak.high is None:
        return figures
    if leak.low > 0.5:
        return f"{figures}, more often than expected by chance"
    return (
        f"{figures}, which cannot be told apart from one half"
        if leak.high >= 0.5
        else f"{figures}, less often than expected by chance"
    )


def _has(count: int) -> str:
    return "has" if count == 1 else "have"
