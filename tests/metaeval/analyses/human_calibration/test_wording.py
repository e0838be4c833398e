"""The answer on which systems are more certain than people, and which is closest, agrees with the numbers."""

from __future__ import annotations

import re
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from metaeval.analyses.base.wording import SPELLED, number
from metaeval.analyses.human_calibration.result import CalibratedEntry
from tests.metaeval.analyses.saying import MANY, REASONS, faults, filled, made, pick, said

NAMES = ("Alpha", "Beta", "Gamma", "Delta")
DISTANCES = st.sampled_from([0.0, 0.12, 0.12, 0.5, None])
SIGNED = st.sampled_from([-0.4, -0.01, 0.0, 0.2, None])


@st.composite
def results(draw: st.DrawFn) -> Any:
    entries = []
    for name in NAMES[: draw(st.integers(0, len(NAMES)))]:
        measures = {"distribution": draw(DISTANCES), "entropy_signed": draw(SIGNED)}
        reason = draw(REASONS) if None in measures.values() else ""
        entries.append(filled(CalibratedEntry, name=name, kind="system", measures=measures, reason=reason))
    drawn = draw(st.lists(st.sampled_from([0.08, 0.09, None]), max_size=2))
    entries += [filled(CalibratedEntry, name="H", kind="people", measures={"distribution": one}) for one in drawn]
    return made("human_calibration", entries=pick(draw, [entries, entries[::-1]]))


def contradictions(result: Any, answer: str) -> list[str]:
    systems = [one for one in result.entries if one.kind == "system"]
    distances = {one.name: one.measures["distribution"] for one in systems}
    known = {name: value for name, value in distances.items() if value is not None}
    signed = [one.measures["entropy_signed"] for one in systems if one.measures["entropy_signed"] is not None]
    if not known and not signed:
        return [] if answer.startswith("No system can be compared") else ["nothing is known"]
    found = []
    nearest = [name for name, value in known.items() if value == min(known.values())]
    named = re.search(r"(?:distributions of )(.*?),? (?:which )?differ", answer)
    if known and (named is None or re.findall("|".join(NAMES), named.group(1)) != nearest):
        found.append("another is nearest")
    if known and number(min(known.values())) not in answer:
        found.append("the distance is not the table's")
    surer = sum(value < 0 for value in signed)
    if counted := re.search(r"(\w+) (?:is|are) more certain than people", answer):
        told = counted.group(1)
        if len(signed) > 1 and told in SPELLED[1:] and told != SPELLED[surer]:
            found.append("so many are not surer")
        if len(signed) == 1 and surer != 1:
            found.append("it is not surer")
    if re.search("(All|Both)[^;]* more certain", answer) and surer != len(signed):
        found.append("not all are surer")
    if re.search("(All|Both)[^;]* less certain", answer) and sum(value > 0 for value in signed) != len(signed):
        found.append("not all are less certain")
    if bool(len(known) < len(systems)) != ("undefined" in answer):
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
    if re.match("Of .* systems", answer):
        assert (
            contradictions(
                result, re.sub("^Of (.*?) systems", r"All \1 systems are more certain than people; of them", answer)
            )
            != []
        )
