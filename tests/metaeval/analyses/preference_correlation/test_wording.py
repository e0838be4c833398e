"""No sentence of the answer contradicts the tables that it is based on, whatever they contain."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from metaeval.analyses.base.registry import analyses
from metaeval.analyses.base.wording import SPELLED, number, p_value
from tests.metaeval.analyses.preference_correlation.crossed import analysed, crossed, named_study
from tests.metaeval.analyses.saying import CORRELATIONS, MANY, P_VALUES, REASONS, faults, made, pick, rejects, said

TITLES = ("Alpha", "Beta", "Gamma", "Delta", "Epsilon")
EXCHANGED = ["systems", "within model", "methods jointly", "models jointly", "models and methods"]
STATISTICS = ["overall", "within models"]


@st.composite
def results(draw: st.DrawFn) -> Any:
    """Results with ties, nothing significant, few systems, metrics of which lower is better, and undefined values."""
    titles = TITLES[: draw(st.integers(1, len(TITLES)))]
    metrics = [
        {"name": title.lower(), "title": title, "orientation": pick(draw, ["higher", "lower"]), "range": [0, 1]}
        for title in titles
    ]
    statistic = pick(draw, STATISTICS)
    rows = [draw(correlations(metric["name"], statistic, len(metrics))) for metric in metrics]
    sign = {metric["name"]: 1 if metric["orientation"] == "higher" else -1 for metric in metrics}
    pairs = [draw(comparisons(first, second, sign)) for place, first in enumerate(rows) for second in rows[place + 1 :]]
    others = [
        {"values": values, "instances": "all", "is_confounded": False, "metrics": {}, "exclusions": []}
        | {"correlations": [draw(correlations(row["metric"], statistic, len(metrics))) for row in rows]}
        for values in draw(st.lists(st.sampled_from(["exact", "shown"]), unique=True))
    ]
    return made(
        "preference_correlation",
        metrics=metrics,
        systems=[],
        lines={},
        correlations=rows,
        comparisons=pairs,
        others=others,
        values=pick(draw, ["exact", "shown"]),
        instances=pick(draw, ["all", "all", "judged"]),
        unit=draw(st.none() | units(statistic)),
        sensitivity=draw(sensitivities(rows)),
    )


@st.composite
def correlations(draw: st.DrawFn, metric: str, statistic: str, count: int) -> dict[str, Any]:
    value = draw(CORRELATIONS)
    p = None if value is None else draw(P_VALUES)
    low, high = (
        (None, None) if value is None or draw(st.booleans()) else (max(-1.0, value - 0.3), min(1.0, value + 0.2))
    )
    bounds = {"low": low, "high": high, "level": 0.95, "method": "jackknife", "statistic": pick(draw, STATISTICS)}
    bounds |= {"over": ["methods"], "standard_error": None, "notes": [], "reason": "" if low is not None else "few"}
    return {
        "metric": metric,
        "coefficient": "pearson",
        "value": value,
        "statistic": statistic,
        "n": 8,
        "p_value": p,
        "p_error": 0.0,
        "p_family": p,
        "alternative": pick(draw, ["two-sided", "two-sided", "greater"]),
        "two_sided": "double",
        "exact": True,
        "permutations": 100,
        "count_greater_equal": 0,
        "count_less_equal": 0,
        "count_magnitude": 0,
        "excluded": pick(draw, [[], [], ["A system"]]),
        "reason": "" if value is not None else draw(REASONS),
        "p_holm": None if p is None else min(1.0, p * count),
        "p_bh": p,
        "interval": draw(st.none() | st.just(bounds)),
    }


@st.composite
def comparisons(draw: st.DrawFn, first: dict[str, Any], second: dict[str, Any], sign: dict[str, int]) -> dict[str, Any]:
    """A pair, tested by its units or not. On the systems that both have, the difference may be a different one."""
    known = first["value"] is not None and second["value"] is not None
    difference = sign[first["metric"]] * first["value"] - sign[second["metric"]] * second["value"] if known else None
    if known and (first["excluded"] or second["excluded"]) and draw(st.booleans()):
        difference = -difference
    by_units = {"test": "jackknife", "statistic": "overall", "first": first["value"], "second": second["value"]}
    by_units |= {
        "low": None,
        "high": None,
        "t": None,
        "p_error": 0.0,
        "units": 8,
        "left_out": "methods",
        "exchanges": 0,
    }
    by_units |= {"difference": difference, "p_value": None, "p_holm": draw(P_VALUES) if known else None, "reason": ""}
    return {
        "coefficient": "pearson",
        "first": first["metric"],
        "second": second["metric"],
        **dict.fromkeys(("first_value", "second_value", "difference", "t", "p_value", "p_value_holm")),
        **dict.fromkeys(("exchange_p", "exchange_error", "exchange_exact", "exchange_p_holm")),
        "n": 8,
        "reason": "",
        "notes": [],
        "excluded": [],
        "exchanges": 0,
        "exchange_reason": "",
        "by_units": pick(draw, [by_units, by_units, by_units, None]),
    }


@st.composite
def units(draw: st.DrawFn, statistic: str) -> dict[str, Any]:
    return {
        "exchangeable": pick(draw, EXCHANGED),
        "by_default": True,
        "words": "Anything.",
        "statistic": statistic,
        "models": draw(st.integers(1, 3)),
        "methods": 4,
        "possible": 24,
        "smallest_p": 0.083,
        "cannot_reject": pick(draw, ["", "It cannot."]),
        "beside": "",
        "few": "",
    }


@st.composite
def sensitivities(draw: st.DrawFn, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    kinds = ["method left out", "model left out", "system left out", "one model", "both", "identical", "exchangeable"]
    named = [(kind, f"{kind.split()[0].capitalize()}{turn}") for kind in kinds for turn in range(2)]
    named += [("given away", "left out"), ("values", "exact x all"), ("values", "shown x all")]
    chosen = draw(st.lists(st.sampled_from(named), max_size=6, unique=True))
    return [
        {
            "kind": kind,
            "name": name,
            "is_asked": False,
            "cannot_reject": draw(st.booleans()),
            "rows": [
                {"metric": row["metric"], "coefficient": "pearson", "n": 7, "p_error": 0.0, "reason": ""}
                | {"value": draw(CORRELATIONS), "p_value": draw(P_VALUES)}
                for row in rows
            ],
        }
        for kind, name in chosen
    ]


class Table:
    """The content of the tables, read independently."""

    def __init__(self, result: Any) -> None:
        self.result = result
        sign = {one.name: 1 if one.orientation == "higher" else -1 for one in result.metrics}
        self.rows = {row.metric: row for row in result.correlations if row.value is not None}
        self.agreement = {name: sign[name] * row.value for name, row in self.rows.items()}
        self.top = max(self.agreement.values(), default=None)
        self.highest = [name for name, value in self.agreement.items() if value == self.top]

    def tests(self, one: str, other: str) -> Any:
        return next(row.by_units for row in self.result.comparisons if {row.first, row.second} == {one, other})

    def is_better(self, one: str, other: str) -> bool:
        """Whether the first is found to be better than the other."""
        pair = next(row for row in self.result.comparisons if {row.first, row.second} == {one, other})
        found = pair.by_units
        if found is None or not rejects(found.p_holm) or not found.difference:
            return False
        return bool((found.difference > 0) == (pair.first == one))

    def changing(self, metric: str) -> list[Any]:
        """The variations in which the sign or the side of .05 changes."""
        asked, found = self.rows[metric], []
        for variation in self.result.sensitivity:
            row = next(row for row in variation.rows if row.metric == metric)
            if row.value is None or (variation.kind == "exchangeable" and variation.cannot_reject):
                continue
            other_sign = row.value * asked.value <= 0 and row.value != asked.value
            both = None not in (row.p_value, asked.p_value)
            if other_sign or (both and rejects(row.p_value) != rejects(asked.p_value)):
                found.append(variation)
        return found


def contradictions(result: Any, answer: str) -> list[str]:
    """What the sentences claim that the tables do not."""
    table = Table(result)
    if table.top is None:
        return [] if answer.startswith("No metric can be compared") else ["nothing is defined"]
    head = next((name for name in table.highest if name.capitalize() in answer), None)
    if head is None:
        return ["it is not about a metric that stands highest"]
    return [*_headline(table, head, answer), *_figures(table, head, answer), *_details(table, head, answer)]


def _headline(table: Table, head: str, answer: str) -> list[str]:
    found, others = [], [name for name in table.agreement if name != head]
    is_none = re.search("^(None of the|Neither of the)|does not agree", answer)
    if bool(is_none) != (table.top <= 0):
        found.append("none agrees, or one does")
    if "agrees best" in answer:
        if not all(table.is_better(head, other) for other in others):
            found.append("it is not told apart from every other one")
        if table.top <= 0 or not rejects(table.rows[head].p_holm):
            found.append("it does not agree itself")
    level = re.search(r"^(.*?) have the same", answer)
    if bool(level) != (len(table.highest) > 1 and table.top > 0):
        found.append("ties are not told as ties")
    if level and any(title.capitalize() in level.group(1) for title in set(table.agreement) - set(table.highest)):
        found.append("not all of these stand highest")
    for listed in re.findall(r"told apart(?: from 0, nor)? from ((?!0)[^.;]*)[.;]", answer):
        for other in re.findall("|".join(TITLES), listed):
            tests = table.tests(head, other.lower())
            if "cannot be told" in answer and tests and rejects(tests.p_holm) and tests.difference:
                found.append(f"{other} is told apart")
    if "from any of the" in answer and any(table.is_better(head, other) for other in others):
        found.append("it is told apart from some")
    if "cannot be told apart from 0" in answer and rejects(table.rows[head].p_holm):
        found.append("it is told apart from 0")
    return found


def _figures(table: Table, head: str, answer: str) -> list[str]:
    row, found = table.rows[head], []
    if f"r = {number(row.value)}" not in answer:
        found.append("the value is not the table's")
    p = row.p_value if len(table.rows) == 1 and row.p_holm is None else row.p_holm
    if p is not None and p_value(p) not in answer:
        found.append("the p-value is not the corrected one")
    if p is None and "not tested" not in answer:
        found.append("that nothing was tested is not said")
    if row.interval and row.interval.low is not None:
        if f"95% interval {number(row.interval.low)} to {number(row.interval.high)}" not in answer:
            found.append("the interval is not the table's")
        if (row.interval.statistic != row.statistic) != ("of the correlation" in answer):
            found.append("of which correlation the interval is")
    return found


def _details(table: Table, head: str, answer: str) -> list[str]:
    result, found = table.result, []
    if ("optimistic" in answer) != (len(table.rows) > 1):
        found.append("the largest of several is optimistic")
    undefined = [row.metric for row in result.correlations if row.value is None]
    if bool(undefined) != bool(re.search(r"\b(is|are) undefined", answer.replace("it is undefined", ""))):
        found.append("what is undefined")
    tested = table.rows[head].p_value is not None and result.unit is not None
    if tested != ("permuting" in answer):
        found.append("what was exchanged")
    changing = table.changing(head)
    is_told = bool(re.search("does not hold|holds in (none|all but)", answer))
    if is_told != bool(changing):
        found.append("whether it holds")
    for count in re.findall(r"holds in all but (\w+) of", answer):
        found += [] if SPELLED.index(count) == len(changing) else ["in how many variations it does not hold"]
    if 0 < len(changing) <= 4:
        names = [one.name for one in changing if one.kind not in {"values", "given away"}]
        found += [f"{name} is not named" for name in names if name not in answer]
    return found


@MANY
@given(results())
def test_no_sentence_contradicts_its_table_and_a_claim_that_is_too_strong_would_be_seen(result: Any) -> None:
    answer = said(result)
    assert contradictions(result, answer) == [], answer
    assert faults(answer) == [], answer
    if "has the highest correlation" in answer:
        assert contradictions(result, answer.replace("has the highest correlation", "agrees best")) != []
    if "does not hold" in answer:
        assert contradictions(result, answer.replace("does not hold", "holds")) != []
    if "holds in all but" in answer:
        assert contradictions(result, re.sub("holds in all but [^.]*:", "holds in each:", answer)) != []
    assert contradictions(result, answer.replace("optimistic", "right")) != [] or "optimistic" not in answer
    assert faults(f"{answer} This proves it..") != []


DESIGNS = {
    "three systems of one model": [("A", "x"), ("A", "y"), ("A", "z")],
    "four methods in two models": crossed(2, 4),
    "six methods in two models, one missing": crossed(2, 6, holes=(("model 1", "method f"),)),
    "models with methods of their own": [("A", "u"), ("A", "v"), ("A", "w"), ("B", "x"), ("B", "y"), ("B", "z")],
}


@pytest.mark.parametrize("names", DESIGNS.values(), ids=DESIGNS)
@pytest.mark.parametrize("metrics", [["soft_accuracy", "po_jsd"], ["js_distance", "po_jsd"], ["po_jsd"]])
def test_results_that_were_computed_are_not_contradicted_either(
    names: list[tuple[str, str]], metrics: list[str]
) -> None:
    found = json.dumps(analysed(named_study(names), metrics=metrics, coefficients=["pearson"], permutations=500))
    for metric, title in zip(json.loads(found)["metrics"], TITLES, strict=False):
        found = re.sub(rf"\b{metric['name']}\b", title.lower(), found)
        found = found.replace(f'"title": "{metric["title"]}"', f'"title": "{title}"')
    result = analyses.get("preference_correlation").read(json.loads(found))
    answer = said(result)
    assert contradictions(result, answer) == [], answer
    assert faults(answer) == [], answer


def test_the_largest_of_six_correlations_of_a_half_averages_64() -> None:
    """The conditions: 25 systems, normal values; every metric's true r is .5, and so is that of any two metrics."""
    random = np.random.default_rng(12)
    studies, systems, metrics, r, between = 20_000, 25, 6, 0.5, 0.5
    preference = random.standard_normal((studies, systems, 1))
    shared = random.standard_normal((studies, systems, 1))
    own = random.standard_normal((studies, systems, metrics))
    scores = r * preference + np.sqrt(between - r**2) * shared + np.sqrt(1 - between) * own
    scores -= scores.mean(axis=1, keepdims=True)
    preference -= preference.mean(axis=1, keepdims=True)
    found = (scores * preference).sum(axis=1) / np.sqrt((scores**2).sum(axis=1) * (preference**2).sum(axis=1))
    assert found.mean() == pytest.approx(0.5, abs=0.01)
    assert found.max(axis=1).mean() == pytest.approx(0.64, abs=0.003)


@given(results())
def test_where_nothing_is_defined_the_reason_is_the_one_of_most_metrics(result: Any) -> None:
    assume(len(result.correlations) > 2)
    first, *others = (row.model_copy(update={"value": None}) for row in result.correlations)
    rows = [
        first.model_copy(update={"reason": "all values of alpha are equal"}),
        *(row.model_copy(update={"reason": "every expert chose the same side"}) for row in others),
    ]
    answer = said(result.model_copy(update={"correlations": rows}))
    assert answer == "No metric can be compared with the experts’ choices: every expert chose the same side."
