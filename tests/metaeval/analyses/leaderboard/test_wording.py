"""A system is called first, never best; it is alone only if there is no other in its group."""

from __future__ import annotations

import re
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from metaeval.analyses.leaderboard.result import StandingOfSystem, StandingsOnDataset, SystemOnBoard, TaskBoard
from tests.metaeval.analyses.saying import MANY, bounds_of, faults, filled, made, said

NAMES = ("Alpha", "Beta", "Gamma", "random")


@st.composite
def standings(draw: st.DrawFn, names: list[str], place: int) -> Any:
    """The best first, in groups that follow one another."""
    scores = sorted(draw(st.lists(st.sampled_from([0.1, 0.2, 0.2, 0.3]), min_size=len(names), max_size=len(names))))
    rows, cluster = [], 1
    for turn, (system, score) in enumerate(zip(draw(st.permutations(names)), scores, strict=True)):
        if turn and score > scores[turn - 1]:
            cluster += draw(st.integers(0, 1))
        low, high = draw(bounds_of(score, low=0, high=1))
        rows.append(
            filled(
                StandingOfSystem,
                system=system,
                is_baseline=system == "random",
                score=score,
                low=low,
                high=high,
                position=1 + sum(one < score for one in scores),
                cluster=cluster,
                substituted=system != "random" and draw(st.booleans()),
            )
        )
    title = "Average Manhattan distance"
    return filled(StandingsOnDataset, dataset=f"d{place}", orientation="lower", metric_title=title, systems=rows)


@st.composite
def boards(draw: st.DrawFn, task: str) -> Any:
    names = list(NAMES[draw(st.integers(0, 3)) :])
    found = [draw(standings(names, place)) for place in range(draw(st.integers(1, 3)))]
    systems = []
    for name in names:
        places = {one.dataset: next(row.position for row in one.systems if row.system == name) for one in found}
        average = sum(places.values()) / len(places)
        is_placed = draw(st.integers(0, 5)) > 0
        systems.append(
            filled(
                SystemOnBoard,
                system=name,
                is_baseline=name == "random",
                average_position=average if is_placed else None,
                positions=places,
                reason="" if is_placed else "no submission to d1",
            )
        )
    return filled(TaskBoard, task=task, title="soft labels", systems=systems, standings=found)


@st.composite
def results(draw: st.DrawFn) -> Any:
    tasks = draw(st.sampled_from([[], ["soft"], ["soft"], ["soft", "perspectivist"]]))
    return made("leaderboard", boards=[draw(boards(task)) for task in tasks])


def with_a_place(board: Any) -> list[Any]:
    return [row for row in board.systems if row.average_position is not None and not row.is_baseline]


def contradictions(result: Any, answer: str) -> list[str]:
    board = next(filter(with_a_place, result.boards), None)
    placed = [] if board is None else with_a_place(board)
    if board is None:
        return [] if answer.startswith("No system has a place") else ["no system has a place"]
    found, head = [], answer.partition("\n")[0]
    top = min(row.average_position for row in placed)
    first = [row.system for row in placed if row.average_position == top]
    named = re.findall("|".join(NAMES[:3]), re.split(" comes first| share| is the only", head)[0])
    if not set(named) <= set(first):
        found.append("another stands first")
    if len(placed) > 1 and len(first) > 1 and len(board.standings) > 1 and "share first place" not in head:
        found.append("the first place is shared")
    if "best" in head:
        found.append("the test is not corrected")
    if "a group of its own" in head:
        for other in placed:
            for here in board.standings:
                rows = {row.system: row for row in here.systems}
                if other.system != named[0] and rows[other.system].cluster <= rows[named[0]].cluster:
                    found.append("it is not told from every other one")
    for other in re.findall("|".join(NAMES), head.partition("does not tell it")[2]):
        clusters = [{row.system: row.cluster for row in here.systems} for here in board.standings]
        if all(one[other] > one[named[0]] for one in clusters):
            found.append(f"{other} is told apart")
    if len(placed) > 1 and "not corrected" not in answer:
        found.append("what the test is worth")
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
    if "does not tell it" in answer:
        assert contradictions(result, answer.replace("does not tell it", "puts it in a group of its own, not")) != []
        assert contradictions(result, answer.replace("comes first", "predicts people best")) != []
