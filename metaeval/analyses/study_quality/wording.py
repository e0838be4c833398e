"""How well a study goes: as a question, and its answer in a sentence."""

from __future__ import annotations

from metaeval.analyses.base.asked_questions import PlainWords
from metaeval.analyses.base.saying import after, counted, share, share_interval
from metaeval.analyses.inputs import SubjectKind
from metaeval.analyses.study_quality.result import StudyQualityResult


def answer(result: StudyQualityResult) -> str:
    """How far the experts are, and whether they favour a side."""
    people = result.people
    done = sum(row.state == "done" for row in people)
    stopped = sum(row.state == "stopped" for row in people)
    answered = sum(row.answered for row in people)
    parts = [row.part for row in people if row.part is not None]
    whole = f" of {sum(parts):,}" if parts else ""
    lead = f"{done} of {counted(len(people), 'expert')} {'is' if done == 1 else 'are'} done"
    left = f", {stopped} stopped" if stopped else ""
    return f"{lead}{left}, with {answered:,}{whole} places answered{_sides(result)}."


def _sides(result: StudyQualityResult) -> str:
    bias = next((row for row in result.measures if row.measure == "position_bias"), None)
    if bias is None:
        return ""
    if bias.value is None:
        return f"; whether a side is favoured is not known: {bias.reason}" if bias.reason else ""
    bounds = share_interval(bias.low, bias.high, float(result.parameters.get("level", 0.95)))
    return f"; side A was chosen in {share(bias.value)} (without a favourite it is 50 %{after(bounds)})"


WORDS = PlainWords(
    question="How well is the study going?",
    group="The study itself",
    shows="How far the experts are, how long they take, whether they favour a side and how far they agree. It needs "
    "experts who take part.",
    place=0,
    needs={SubjectKind.STUDY: ("experts",)},
    compared=("pilot", "distance"),
    statistics=("quick_seconds", "least_common", "resamples", "level"),
    answer=answer,
)
