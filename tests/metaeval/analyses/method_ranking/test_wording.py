"""The answer on the preferred method says how stable its rank is, and what other rankings say."""

from __future__ import annotations

import re
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from metaeval.analyses.base.result import BootstrapInterval
from metaeval.analyses.base.wording import number, share
from metaeval.analyses.method_ranking.parameters import SHARES, TITLES
from metaeval.analyses.method_ranking.result import RankedUnit, RankingInScope
from tests.metaeval.analyses.saying import MANY, REASONS, bounds_of, faults, filled, made, pick, said

NAMES = ("Alpha", "Beta", "Gamma", "Delta")


@st.composite
def rankings(draw: st.DrawFn, method: str, names: list[str]) -> Any:
    if not names or not draw(st.integers(0, 4)):
        return filled(RankingInScope, scope="pooled", method=method, reason=draw(REASONS), excluded=names)
    sizes = sorted(draw(st.lists(st.sampled_from([0.2, 0.5, 0.5, 0.997]), min_size=len(names), max_size=len(names))))[
        ::-1
    ]
    units = []
    for name, strength in zip(draw(st.permutations(names)), sizes, strict=True):
        low, high = draw(bounds_of(strength, low=0, high=1))
        units.append(
            filled(
                RankedUnit,
                name=name,
                strength=strength,
                interval=filled(BootstrapInterval, low=low, high=high, level=0.95),
                kept=draw(st.sampled_from([None, 0.4, 0.949, 0.95, 1.0])),
            )
        )
    return filled(RankingInScope, scope="pooled", method=method, systems=units, excluded=pick(draw, [[], ["Omega"]]))


@st.composite
def results(draw: st.DrawFn) -> Any:
    names = list(NAMES[: draw(st.integers(0, len(NAMES)))])
    methods = draw(st.lists(st.sampled_from(list(TITLES)), min_size=1, unique=True))
    return made("method_ranking", rankings=[draw(rankings(method, names)) for method in methods])


def firsts(ranking: Any) -> list[str]:
    return [one.name for one in ranking.systems if one.strength == ranking.systems[0].strength]


def contradictions(result: Any, answer: str) -> list[str]:
    known = [row for row in result.rankings if row.systems]
    if not known:
        return [] if answer.startswith("There is no ranking") else ["there is no ranking"]
    found, head = [], answer.partition("\n")[0]
    best = known[0].systems[0]
    named = re.findall("|".join(NAMES), head)
    if not set(named) <= set(firsts(known[0])):
        found.append("another stands first")
    if len(known[0].systems) > 1 and ("share first place" in head) != (len(firsts(known[0])) > 1):
        found.append("whether first place is shared")
    written = share(best.strength) if known[0].method in SHARES else number(best.strength)
    if written not in head:
        found.append("the strength is not the table's")
    if "comes first" in head:
        is_settled = best.kept is not None and best.kept >= 0.95
        if is_settled != bool(re.search("it stays first in (?!only|fewer)", head)):
            found.append("whether its place is settled")
    same = [row for row in known[1:] if firsts(row) == firsts(known[0])]
    if len(known[0].systems) > 1 and ("the same first" in answer) != (len(known) > 1 and len(same) == len(known) - 1):
        found.append("whether other rankings agree")
    if (len(known) < len(result.rankings)) != ("undefined" in answer):
        found.append("what is undefined")
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
    if "its place is not settled" in answer:
        assert contradictions(result, answer.replace("first in only", "first in").replace("fewer than ", "")) != []
    if "share first place" in answer:
        assert contradictions(result, answer.replace("share first place", "comes first")) != []
