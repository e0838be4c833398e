"""The power of a study is compared with the target, and no study is promised more than its limits support."""

from __future__ import annotations

import re
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from metaeval.analyses.base.wording import counted, share
from metaeval.analyses.power.result import AssumedNumber, GridCell, UnitOfDesign
from tests.metaeval.analyses.saying import MANY, bounds_of, faults, filled, made, pick, said

TARGET = 0.8


def size_of(cell: Any) -> tuple[int, int, bool]:
    """A grid has each size once; the planned study is beside it."""
    return cell.instances, cell.experts_per_comparison, cell.is_planned


@st.composite
def cells(draw: st.DrawFn) -> Any:
    power = draw(st.none() | st.sampled_from([0.0, 0.8, 0.998, 1.0]) | st.floats(0, 1))
    low, high = draw(bounds_of(power, low=0, high=1))
    smallest = draw(st.none() | st.floats(0, 1))
    return filled(
        GridCell,
        instances=draw(st.integers(1, 3)),
        experts_per_comparison=draw(st.integers(1, 3)),
        is_planned=draw(st.booleans()),
        power=power,
        low=low,
        high=high,
        smallest=smallest,
        reason="" if smallest is not None and power is not None else "none is found so often",
    )


@st.composite
def results(draw: st.DrawFn) -> Any:
    unit = filled(
        UnitOfDesign,
        exchangeable=pick(draw, ["systems", "methods jointly", "models and methods"]),
        models=draw(st.integers(1, 3)),
        methods=4,
        smallest_in_words="0.083",
        warning=pick(draw, ["", "Too few."]),
    )
    sources = draw(st.lists(st.sampled_from(["given", "assumed"]), max_size=3))
    return made(
        "power",
        parameters={"correlation": 0.7, "target": TARGET},
        systems=8,
        cells=draw(st.lists(cells(), max_size=4, unique_by=size_of)),
        assumptions=[filled(AssumedNumber, source=source) for source in sources],
        unit=draw(st.none() | st.just(unit)),
    )


def contradictions(result: Any, answer: str) -> list[str]:
    known = [cell for cell in result.cells if cell.power is not None]
    if not known:
        return [] if answer.startswith("The chance is undefined") else ["nothing is known"]
    found, head = [], answer.partition("\n")[0]
    planned = [cell for cell in known if cell.is_planned]
    size = max(cell.instances * cell.experts_per_comparison for cell in planned or known)
    largest = [cell for cell in planned or known if cell.instances * cell.experts_per_comparison == size]
    if head.startswith("The planned study") != bool(planned):
        found.append("whether it is planned")
    told = [
        cell
        for cell in largest
        if f" of {counted(cell.instances, 'text')} per system and {counted(cell.experts_per_comparison, 'expert')} per"
        in head
        and f"a chance of {share(cell.power)}" in head
    ]
    if not told:
        found.append("the chance is not the table's")
    if "reaches the target of 80%" in head and not any((cell.low or 0) >= TARGET for cell in told):
        found.append("it does not reach what is wanted")
    if "is below the target of 80%" in head and not any(cell.high is not None and cell.high < TARGET for cell in told):
        found.append("it is not below what is wanted")
    if better := re.search(r"(\d) texts? per system with (\d) experts? per text would reach it", answer):
        sizes = {(cell.instances, cell.experts_per_comparison) for cell in known if (cell.low or 0) >= TARGET}
        if (int(better.group(1)), int(better.group(2))) not in sizes:
            found.append("that one does not reach it")
    if ("no such study can reject" in answer.lower()) != bool(result.unit and result.unit.warning):
        found.append("whether it can reject at all")
    if ("assumed" in answer) != any(one.source == "assumed" for one in result.assumptions):
        found.append("whether anything is assumed")
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
    for weak in ("is below the target of 80%", "cannot be told apart from the target of 80%"):
        if f"which {weak}" in answer:
            assert contradictions(result, answer.replace(weak, "reaches the target of 80%")) != []
