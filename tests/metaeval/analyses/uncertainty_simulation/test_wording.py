"""The share of certain items from which a machine falls behind people is that of its curve."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from metaeval.analyses.base.wording import number, share
from metaeval.analyses.uncertainty_simulation.analysis import _below_from
from metaeval.analyses.uncertainty_simulation.result import CertaintyCurve, CertaintyPoint
from tests.metaeval.analyses.saying import CORRELATIONS, MANY, REASONS, faults, filled, made, said


@st.composite
def curves(draw: st.DrawFn, name: str) -> Any:
    points = []
    for place in range(draw(st.integers(1, 5))):
        machine, people = draw(CORRELATIONS), draw(CORRELATIONS)
        spread = None if machine is None else draw(st.none() | st.just(0.05))
        reason = "" if None not in (machine, people) else draw(REASONS)
        values = {"machine": machine, "people": people, "machine_sd": spread, "reason": reason}
        points.append(filled(CertaintyPoint, share=place / 4, repeats=draw(st.integers(1, 20)), **values))
    return filled(CertaintyCurve, name=name, points=points, below_from=_below_from(points))


@st.composite
def results(draw: st.DrawFn) -> Any:
    names = ["Random labels", "Machine"][: draw(st.integers(1, 2))]
    machines = [draw(curves(name)) for name in names]
    return made("uncertainty_simulation", machines=machines, items="instances")


def contradictions(result: Any, answer: str) -> list[str]:
    curve = result.machines[-1]
    known = [point for point in curve.points if None not in (point.machine, point.people)]
    if not known:
        return [] if "cannot be computed" in answer else ["nothing is known"]
    found, head, last = [], answer.partition("\n")[0], known[-1]
    if f"{number(last.machine)} with it" not in head or f"{number(last.people)} among people" not in head:
        found.append("the values are not the table's")
    behind = [point.machine < point.people for point in known]
    is_told = "agrees with people less than they do" in head and "is not known" not in head
    if is_told:
        if curve.below_from is None or share(curve.below_from) not in head:
            found.append("from which share on")
        if not all(
            is_behind for point, is_behind in zip(known, behind, strict=True) if point.share >= curve.below_from
        ):
            found.append("it is not behind from there on")
        if "whatever the share" in head and not all(behind):
            found.append("not at every share")
    if "no less than" in head and behind[-1]:
        found.append("it is behind")
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
    if "is not known, because it is undefined" in answer:
        strong = f"“Machine” agrees with people no less than they do: {answer}"
        assert contradictions(result, strong) != []
