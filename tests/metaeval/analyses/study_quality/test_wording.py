"""The answer on a study's progress, and on whether a side is favoured or revealed, agrees with the numbers."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from metaeval.analyses.base.wording import share
from metaeval.analyses.study_quality.result import ExpertPlaces, QualityMeasure, ShapeLeak
from tests.metaeval.analyses.saying import MANY, P_VALUES, REASONS, bounds_of, faults, filled, made, pick, rejects, said

STATES = ["never began", "under way", "stopped", "done"]
NOT_MORE = "cannot be told apart from one half"


@st.composite
def results(draw: st.DrawFn) -> Any:
    people = [
        filled(
            ExpertPlaces,
            expert=f"E{number}",
            answered=draw(st.integers(0, 28)),
            part=draw(st.sampled_from([28, 28, 28, None])),
            state=pick(draw, STATES),
        )
        for number in range(draw(st.integers(0, 4)))
    ]
    value = draw(st.none() | st.sampled_from([0.0, 0.5, 1.0]) | st.floats(0, 1))
    low, high = draw(bounds_of(value, low=0, high=1))
    p = None if value is None or value == 0.5 else draw(P_VALUES)
    bias = filled(
        QualityMeasure, measure="position_bias", value=value, low=low, high=high, p_value=p, reason=draw(REASONS)
    )
    leak_value = draw(st.none() | st.floats(0, 1))
    low, high = draw(bounds_of(leak_value, low=0, high=1))
    leak = filled(ShapeLeak, value=leak_value, low=low, high=high, reason=draw(REASONS))
    return made(
        "study_quality", people=people, measures=pick(draw, [[bias], [bias], []]), leak=pick(draw, [leak, None])
    )


def contradictions(result: Any, answer: str) -> list[str]:
    found, lines = [], answer.replace("\n", " ").split(". ")
    head = answer.partition("\n")[0]
    done = sum(one.state == "done" for one in result.people)
    alone = f"The only expert is {'' if done else 'not '}done"
    begins = alone if len(result.people) == 1 else f"{done} of {len(result.people)} "
    if result.people and not head.startswith(begins):
        found.append("how many are done")
    if f"{sum(one.answered for one in result.people):,}" not in head:
        found.append("how many places are answered")
    for state, word in (("stopped", "stopped"), ("never began", "not begun")):
        if len(result.people) > 1 and any(one.state == state for one in result.people) != (word in head):
            found.append(f"whether some have {word}")
    if result.people and any(one.part is None for one in result.people) and head.count(" of ") > 1:
        found.append("of how many places is not known")
    sides = next((line for line in lines if "ide A" in line or "a side is favoured" in line), "")
    for bias in result.measures:
        if bias.value is None:
            found += [] if "is not known" in sides else ["the bias is undefined"]
            continue
        if share(bias.value) not in sides:
            found.append("the share is not the table's")
        is_known = bias.p_value is not None or bias.low is not None
        is_told = rejects(bias.p_value)
        if is_known and bias.p_value is None:
            is_told = not bias.low <= 0.5 <= bias.high
        if ("than expected by chance" in sides) != is_told or (NOT_MORE in sides) != (is_known and not is_told):
            found.append("whether a side is favoured")
        if "more often" in sides and bias.value <= 0.5:
            found.append("it is the other side")
    shapes = next((line for line in lines if "shapes" in line), "")
    is_told = result.leak is not None and result.leak.low is not None and result.leak.low > 0.5
    if ("more often than expected by chance" in shapes) != is_told:
        found.append("whether shapes give it away")
    return found


@MANY
@given(results())
def test_no_sentence_contradicts_its_table(result: Any) -> None:
    answer = said(result)
    assert contradictions(result, answer) == [], answer
    assert faults(answer) == [], answer


@MANY
@given(results())
def test_a_claim_that_is_too_strong_would_be_seen(result: Any) -> None:
    answer = said(result)
    if NOT_MORE in answer:
        assert contradictions(result, answer.replace(f"which {NOT_MORE}", "more often than expected by chance")) != []
