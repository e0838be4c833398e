"""How well a study is going: as a question, and its answer in sentences."""

from __future__ import annotations

from metaeval.analyses.base.wording import (
    ALPHA,
    PlainWords,
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
from metaeval.analyses.inputs import SubjectKind
from metaeval.analyses.study_quality.result import ExpertPlaces, StudyQualityResult


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


WORDS = PlainWords(
    question="How well is the study going?",
    group="The study itself",
    shows="How far along the experts are, how long they take, whether they favour a side and how far they agree. It "
    "needs experts who take part.",
    place=0,
    needs={SubjectKind.STUDY: ("experts",)},
    compared=("pilot", "distance"),
    statistics=("quick_seconds", "least_common", "resamples", "level"),
    answer=answer,
)
