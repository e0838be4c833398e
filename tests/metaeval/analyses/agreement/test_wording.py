"""The answer on how much people agree says no more than the intervals support."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from metaeval.analyses.agreement.result import ON, AgreementByMeasure, AgreementOfJudgements
from metaeval.analyses.base.wording import number
from tests.metaeval.analyses.saying import MANY, REASONS, bounds_of, faults, filled, made, pick, said


@st.composite
def judgements(draw: st.DrawFn, name: str) -> Any:
    value = draw(st.none() | st.sampled_from([-0.3, 0.0, 0.167, 1.0]) | st.floats(-1, 1))
    low, high = draw(bounds_of(value, low=-1, high=1))
    row = filled(
        AgreementByMeasure,
        measure=pick(draw, ["alpha_nominal", "alpha_nominal", "percentage_agreement"]),
        title="Percentage agreement",
        value=value,
        low=low,
        high=high,
        n_items=None if value is None else draw(st.integers(1, 2000)),
        excluded=draw(st.integers(0, 2)),
        reason="" if value is not None else draw(REASONS),
    )
    people = pick(draw, ["experts", "people"])
    rows = pick(draw, [[row], [row], [row], []])
    return filled(AgreementOfJudgements, name=name, people=people, distance="nominal", items="instances", measures=rows)


@st.composite
def results(draw: st.DrawFn) -> Any:
    names = pick(draw, [["labels", "preferences"], ["annotations"], ["votes"], []])
    return made("agreement", judged=[draw(judgements(name)) for name in names])


def contradictions(result: Any, answer: str) -> list[str]:
    found = []
    if not result.judged and not answer.startswith("No agreement"):
        found.append("nothing was judged")
    for judged in result.judged:
        row, on = next(iter(judged.measures), None), ON[judged.name]
        part = next(
            (part for part in answer.replace(".\n", "; ").split("; ") if on in part or on.capitalize() in part), ""
        )
        if row is None or row.value is None:
            found += [] if "undefined" in part else [f"{on}: it is undefined"]
            continue
        if number(row.value) not in part:
            found.append(f"{on}: the value is not the table's")
        is_alpha = row.measure.startswith("alpha_") and row.low is not None
        if ("beyond chance" in part) != (is_alpha and row.low > 0):
            found.append(f"{on}: whether chance is left out")
        if ("less than expected by chance" in part) != (is_alpha and row.low <= 0 and row.high < 0):
            found.append(f"{on}: whether it is below chance")
        if (row.low is None) != ("no interval" in part):
            found.append(f"{on}: whether there is an interval")
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
    if "cannot be told apart from chance" in answer:
        assert contradictions(result, answer.replace("cannot be told apart from chance", "is beyond chance")) != []
