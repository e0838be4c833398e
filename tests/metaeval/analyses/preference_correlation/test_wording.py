"""No sentence of the answer contradicts the tables that it is made from, whatever they hold."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from metaeval.analyses.base.asked_questions import MOST
from metaeval.analyses.base.saying import number
from metaeval.analyses.preference_correlation.wording import answer

NAMES = ("Alpha", "Beta", "Gamma", "Delta", "Epsilon")
P = st.sampled_from([0.0001, 0.001, 0.01, 0.049, 0.05, 0.2, 1.0, None])
VALUE = st.sampled_from([-1.0, -0.4, 0.0, 0.3, 0.5, 0.5, 0.71, 1.0, None])


@st.composite
def results(draw: st.DrawFn) -> Any:
    """Results with ties, nothing significant, few systems, metrics of which lower is better, and undefined values."""
    names = NAMES[: draw(st.integers(1, 5))]
    metrics = [
        SimpleNamespace(name=name.lower(), title=name, orientation=draw(st.sampled_from(["higher", "lower"])))
        for name in names
    ]
    sign = {one.name: 1 if one.orientation == "higher" else -1 for one in metrics}
    rows = []
    for metric in metrics:
        value = draw(VALUE)
        p = None if value is None else draw(P)
        bounds = SimpleNamespace(low=-0.2, high=0.9, level=0.95, statistic="overall")
        rows.append(
            SimpleNamespace(
                metric=metric.name,
                coefficient="pearson",
                value=value,
                statistic="overall",
                n=8,
                p_value=p,
                p_holm=None if p is None else min(1.0, p * len(names)),
                interval=draw(st.sampled_from([None, bounds])),
                reason="" if value is not None else "every system has the same value",
            )
        )
    comparisons = []
    for place, first in enumerate(rows):
        for second in rows[place + 1 :]:
            known = first.value is not None and second.value is not None
            difference = sign[first.metric] * first.value - sign[second.metric] * second.value if known else None
            units = SimpleNamespace(difference=difference, p_holm=draw(P) if known else None)
            comparisons.append(
                SimpleNamespace(
                    coefficient="pearson",
                    first=first.metric,
                    second=second.metric,
                    by_units=draw(st.sampled_from([units, units, None])),
                )
            )
    unit = SimpleNamespace(
        exchangeable=draw(st.sampled_from(["systems", "within model", "methods jointly"])),
        cannot_reject=draw(st.sampled_from(["", "It cannot."])),
        methods=4,
        models=2,
    )
    sensitivity = [
        SimpleNamespace(
            kind="method left out",
            name=f"without {turn}",
            cannot_reject=False,
            rows=[
                SimpleNamespace(metric=row.metric, coefficient="pearson", value=draw(VALUE), p_value=draw(P))
                for row in rows
            ],
        )
        for turn in range(draw(st.integers(0, 3)))
    ]
    return SimpleNamespace(
        coefficients=["pearson"],
        metrics=metrics,
        correlations=rows,
        comparisons=comparisons,
        unit=draw(st.sampled_from([None, unit])),
        sensitivity=sensitivity,
    )


def _agreement(result: Any) -> dict[str, float]:
    sign = {one.name: 1.0 if one.orientation == "higher" else -1.0 for one in result.metrics}
    return {row.metric: sign[row.metric] * row.value for row in result.correlations if row.value is not None}


def _pair(result: Any, one: str, other: str) -> Any:
    return next(row.by_units for row in result.comparisons if {row.first, row.second} == {one, other})


def _head(result: Any, said: str) -> str | None:
    """The metric that the first sentence is about; none where none agrees or nothing is known."""
    by_title = {one.title: one.name for one in result.metrics}
    found = re.match(r"(\w+)(?: \(lower is better\))?(?:,| and | has | agrees | have)", said)
    return by_title.get(found.group(1)) if found and not said.startswith("None") else None


def _named(result: Any, said: str, pattern: str) -> list[str]:
    """The metrics that a part of the sentences lists."""
    by_title = {one.title: one.name for one in result.metrics}
    parts = re.findall(pattern, said)
    return [by_title[name] for part in parts for name in re.findall(r"[A-Z]\w+", part)]


def _of_first(result: Any, said: str) -> list[str]:
    agreement, head = _agreement(result), _head(result, said)
    top = max(agreement.values())
    found = []
    if head is not None and agreement.get(head) != top:
        found.append("another metric stands higher")
    if ("None of" in said) != (top <= 0 and len(agreement) > 1):
        found.append("none agrees, or one does")
    level = _named(result, said, r"^(.*?) have the same")
    if any(agreement[name] != top for name in level):
        found.append("not all of these stand highest")
    values = [row.value for row in result.correlations if agreement.get(row.metric) == top]
    if not any(number(value) in said for value in values):
        found.append("the value is not the table's")
    return found


def _of_differences(result: Any, said: str) -> list[str]:
    agreement, head = _agreement(result), _head(result, said)
    top = max(agreement.values())
    found = []
    if "agrees best" in said:
        pairs = [_pair(result, str(head), other) for other in agreement if other != head]
        if any(pair is None or pair.p_holm is None or pair.p_holm >= 0.05 for pair in pairs):
            found.append("it is not told apart from every other one")
        if top <= 0 or sum(value == top for value in agreement.values()) > 1:
            found.append("it does not stand alone above 0")
    alike = _named(result, said, r"not told apart from ([^.]*)\.")
    return found + [f"{name} is told apart" for name in alike if _pair(result, str(head), name).p_holm < 0.05]


def _of_holding(result: Any, said: str) -> list[str]:
    if "Sign and decision are the same" not in said:
        return []
    agreement = _agreement(result)
    name = _head(result, said) or max(agreement, key=lambda one: agreement[one])
    best = next(row for row in result.correlations if row.metric == name)
    rows = [row for one in result.sensitivity for row in one.rows if row.metric == name and row.value is not None]
    crosses = [
        None not in (row.p_value, best.p_value) and (row.p_value < 0.05) != (best.p_value < 0.05) for row in rows
    ]
    return ["it does not hold"] if any(crosses) or any(row.value * best.value <= 0 for row in rows) else []


def contradictions(result: Any, said: str) -> list[str]:
    """What the sentences claim that the tables do not."""
    found = ["a word that no test can give"] if re.search(r"no relation|equal|significan|proves", said) else []
    if not _agreement(result):
        return found if said.startswith("No metric can be compared") else [*found, "nothing is defined"]
    return found + _of_first(result, said) + _of_differences(result, said) + _of_holding(result, said)


@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(results())
def test_no_sentence_contradicts_its_table(result: Any) -> None:
    said = answer(result)
    assert contradictions(result, said) == [], said
    assert len(said) <= MOST
    assert said.endswith(".")
    assert ".." not in said


@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(results())
def test_what_does_not_hold_is_named(result: Any) -> None:
    said = answer(result)
    if "Sign or decision change" in said:
        named = re.search(r"change with ([^;]*);", said)
        assert named is not None
        known = {variation.name for variation in result.sensitivity}
        assert set(re.findall(r"without \d", named.group(1))) <= known
        assert re.search(r"without \d|others", named.group(1))


@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(results())
def test_the_check_itself_sees_a_claim_that_is_too_strong(result: Any) -> None:
    said = answer(result)
    if "has the highest correlation" in said:
        assert contradictions(result, said.replace("has the highest correlation", "agrees best")) != []
