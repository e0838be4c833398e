"""A machine is said to agree more or less than people do only if the interval of the difference says so."""

from __future__ import annotations

import re
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from metaeval.analyses.base.wording import number
from metaeval.analyses.uncertainty.result import ComparedAlphas, MachineStratum, PeopleStrata, PeopleStratum
from tests.metaeval.analyses.saying import CORRELATIONS, MANY, REASONS, bounds_of, faults, filled, made, pick, said

NAMES = ("Alpha", "Beta", "Gamma")
VERDICTS = {"less than with the machine": 1, "more than with the machine": -1, "cannot be told apart from that": 0}


@st.composite
def results(draw: st.DrawFn) -> Any:
    people = draw(CORRELATIONS)
    strata = []
    for name in NAMES[: draw(st.integers(0, len(NAMES)))]:
        typical = draw(CORRELATIONS)
        low, high = draw(bounds_of(typical, low=-1, high=1))
        difference = None if None in (typical, people) else people - typical
        difference_low, difference_high = draw(bounds_of(difference, low=-2, high=2))
        alpha = filled(
            ComparedAlphas,
            people=people,
            typical=typical,
            difference=difference,
            reasons={} if typical is not None else {"typical": draw(REASONS)},
            typical_low=low,
            typical_high=high,
            difference_low=difference_low,
            difference_high=difference_high,
        )
        strata.append(filled(MachineStratum, grouping="all", machine=name, alpha=alpha))
    low, high = draw(bounds_of(people, low=-1, high=1))
    row = filled(PeopleStratum, grouping="all", alpha=people, low=low, high=high, reason=draw(REASONS))
    rows = pick(draw, [[filled(PeopleStrata, rows=[row])], []])
    return made("uncertainty", people="experts", items="instances", strata=strata, people_strata=rows)


def contradictions(result: Any, answer: str) -> list[str]:
    known = [row for row in result.strata if row.alpha.typical is not None]
    if not known:
        return [] if re.match("There is no machine|No machine|Agreement is undefined", answer) else ["nothing is known"]
    found, head = [], answer.partition("\n")[0]
    top = max(row.alpha.typical for row in known)
    best = [row for row in known if row.alpha.typical == top]
    if re.findall("|".join(NAMES), head) != [row.machine for row in best]:
        found.append("another stands highest")
    if number(top) not in head:
        found.append("the value is not the table's")
    alpha = best[0].alpha
    told = [sign for words, sign in VERDICTS.items() if words in answer]
    is_bounded = alpha.difference_low is not None
    sign = 0 if not is_bounded else 1 if alpha.difference_high < 0 else -1 if alpha.difference_low > 0 else 0
    if told != ([sign] if is_bounded and alpha.people is not None else []):
        found.append("whether it is more or less than among people")
    if len(known) > 1 and "optimistic" not in answer:
        found.append("the highest of several is optimistic")
    if (len(known) < len(result.strata) or alpha.people is None) != ("undefined" in answer):
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
    if "which cannot be told apart from that" in answer:
        strong = answer.replace("which cannot be told apart from that with", "less than with")
        assert contradictions(result, strong) != []
