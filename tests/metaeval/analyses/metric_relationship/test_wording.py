"""The pairs of metrics with the strongest and weakest correlation are those of the table."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from metaeval.analyses.base.wording import number
from metaeval.analyses.metric_relationship.result import NamedMetric, RelationOfMetrics, RelationsInSetting
from tests.metaeval.analyses.saying import CORRELATIONS, MANY, REASONS, faults, filled, made, said

NAMES = ("Alpha", "Beta", "Gamma", "Delta")


@st.composite
def results(draw: st.DrawFn) -> Any:
    names = NAMES[: draw(st.integers(1, len(NAMES)))]
    is_simulated = draw(st.booleans())
    settings = []
    for _ in range(draw(st.integers(1, 3)) if is_simulated else 1):
        rows = []
        for one, other in combinations(names, 2):
            value = draw(CORRELATIONS)
            reason = "" if value is not None else draw(REASONS)
            error = 0.01 if is_simulated and value is not None else None
            rows.append(filled(RelationOfMetrics, a=one, b=other, n=26, value=value, error=error, reason=reason))
        alpha = 10.0 if is_simulated else None
        settings.append(filled(RelationsInSetting, setting="A setting", alpha=alpha, beta=alpha, relations=rows))
    metrics = [filled(NamedMetric, name=name, title=name) for name in names]
    return made("metric_relationship", metrics=metrics, settings=settings)


def contradictions(result: Any, answer: str) -> list[str]:
    rows = result.settings[0].relations
    known = [row for row in rows if row.value is not None]
    if not known:
        return [] if answer.startswith("No two metrics can be compared") else ["nothing is known"]
    sizes, found = [abs(row.value) for row in known], []
    head = answer.partition("\n")[0]
    strongest = [row for row in known if abs(row.value) == max(sizes)]
    weakest = [row for row in known if abs(row.value) == min(sizes)]
    if "the weakest" in head:
        first, _, second = head.partition("; the weakest")
        for part, rows_of in ((first, strongest), (second, weakest)):
            if not any(f"{row.a} with {row.b}" in part and f": {number(row.value)}" in part for row in rows_of):
                found.append("it is another pair")
            if (len(rows_of) > 1) != ("other pair" in part):
                found.append("whether there are others")
    elif len(set(sizes)) > 1:
        found.append("they are not all alike")
    if ("simulated datasets" in head) != result.settings[0].is_simulated:
        found.append("whether they are simulated")
    if (len(known) < len(rows)) != ("undefined" in answer):
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
    if "the strongest correlation" in answer:
        swapped = answer.replace("strongest", "*").replace("weakest", "strongest").replace("*", "weakest")
        assert contradictions(result, swapped) != []
