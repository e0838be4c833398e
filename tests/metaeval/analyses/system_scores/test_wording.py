"""The method with the best mean rank is that of the table, ties are mentioned, and nothing is called tested."""

from __future__ import annotations

import re
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from metaeval.analyses.base.wording import number
from metaeval.analyses.system_scores.result import (
    CollapsedMethod,
    ComparedMetric,
    RankedMethod,
    RunsOfMetric,
    ScoredMethod,
)
from tests.metaeval.analyses.saying import MANY, REASONS, faults, filled, made, said

NAMES = ("Alpha", "Beta", "Gamma", "Delta")
METRICS = ("One", "Two")


@st.composite
def results(draw: st.DrawFn) -> Any:
    names = NAMES[: draw(st.integers(0, len(NAMES)))]
    ranks = []
    for name in names if len(names) > 1 else ():
        rank = draw(st.sampled_from([1.0, 1.5, 1.5, 2.25, None]))
        by_metric = {metric: draw(st.sampled_from([1.0, 2.0, None])) for metric in METRICS}
        ranks.append(
            filled(
                RankedMethod,
                name=name,
                rank=rank,
                rankings=0 if rank is None else 6,
                degenerate=draw(st.sampled_from([0, 0, 2])),
                by_metric=by_metric,
                reason="" if rank is not None else "it never stands beside another method",
            )
        )
    metrics = [filled(ComparedMetric, name=name, title=name, range=[0, 1]) for name in METRICS]
    groups = []
    for name in names:
        scores = {}
        for metric in METRICS:
            mean = draw(st.sampled_from([None, 0.5, 0.71]))
            difference, width = draw(st.sampled_from([None, -0.2, 0.0, 0.1])), draw(st.sampled_from([None, 0.05, 0.4]))
            if difference is None or mean is None:
                difference = width = None
            scores[metric] = filled(
                RunsOfMetric,
                mean=mean,
                reason="" if mean is not None else draw(REASONS),
                difference=difference,
                low=None if width is None else difference - width,
                high=None if width is None else difference + width,
            )
        groups.append(filled(ScoredMethod, model="Model", method=name, metrics=scores))
    ordered = sorted(ranks, key=lambda row: 9 if row.rank is None else row.rank)
    collapsed = [
        filled(
            CollapsedMethod,
            method=name,
            model="Model",
            collapse=draw(st.sampled_from(["nothing", "same"])),
            runs=runs,
            of=3,
        )
        for name in names
        if (runs := draw(st.sampled_from([0, 0, 1, 3])))
    ]
    baseline = draw(st.sampled_from([None, *names]))
    return made(
        "system_scores",
        metrics=metrics,
        groups=groups,
        ranks=ordered,
        baseline=baseline,
        level=0.95,
        collapsed=collapsed,
    )


def contradictions(result: Any, answer: str) -> list[str]:
    ranked = [row for row in result.ranks if row.rank is not None]
    head = answer.partition("\n")[0]
    if not ranked:
        return [] if re.match("No method is ranked|There is only", answer) else ["nothing is ranked"]
    found = []
    top = [row.name for row in ranked if row.rank == ranked[0].rank]
    if len(ranked) > 1 and re.findall("|".join(NAMES), head) != top:
        found.append("another has the best rank")
    if ("share the best mean rank" in head) != (len(top) > 1):
        found.append("whether it is shared")
    if number(ranked[0].rank) not in head:
        found.append("the rank is not the table's")
    if len(top) == 1 and len(ranked) > 1:
        own = ranked[0].by_metric
        higher = {
            metric
            for metric in METRICS
            for row in ranked[1:]
            if None not in (own[metric], row.by_metric[metric]) and row.by_metric[metric] < own[metric]
        }
        told = re.search(r"[Bb]y ([^;]*), another method ranks higher", answer)
        if higher != set(re.findall("|".join(METRICS), told.group(1)) if told else ()):
            found.append("by which metrics another ranks higher")
    if (len(ranked) < len(result.ranks)) != ("undefined" in answer.replace("is undefined there", "")):
        found.append("what is undefined")
    if len(ranked) > 1 and "no test compares" not in answer.lower():
        found.append("that nothing is tested")
    return [*found, *about_collapse(result, answer), *about_the_baseline(result, answer, top)]


def about_collapse(result: Any, answer: str) -> list[str]:
    told = re.findall(rf"({'|'.join(NAMES)}) predicts (no label|the same) [^;]*?in (all|1 of) 3 runs", answer)
    kinds = {"no label": "nothing", "the same": "same"}
    known = {(one.method, one.collapse, one.runs) for one in result.collapsed}
    found = [
        f"{method} did not collapse like that"
        for method, what, runs in told
        if (method, kinds[what], 3 if runs == "all" else 1) not in known
    ]
    more = "other methods collapsed" in answer
    if (len(told) == len(result.collapsed)) == more or bool(result.collapsed) != bool(told):
        found.append("which methods collapsed")
    return found


def about_the_baseline(result: Any, answer: str, top: list[str]) -> list[str]:
    told = re.search(r"is better than (\w+) in (\d) of (\d) comparisons?(?:, and in (\d) the)?", answer)
    compared = [
        one
        for group in result.groups
        if group.method == top[0]
        for one in group.metrics.values()
        if one.difference is not None
    ]
    if result.baseline is None or len(top) > 1 or top[0] == result.baseline or not compared:
        return ["a baseline that is not there"] if told else []
    if told is None:
        return ["the baseline"]
    beyond = sum(one.low is not None and one.low > 0 for one in compared)
    has_intervals = any(one.low is not None for one in compared)
    expected = (result.baseline, sum(one.difference > 0 for one in compared), len(compared))
    said = (told[1], int(told[2]), int(told[3]))
    return [] if said == expected and told[4] == (str(beyond) if has_intervals else None) else ["the differences"]


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
    if "share the best mean rank" in answer:
        assert contradictions(result, answer.replace("share the", "has the")) != []
    if "another method ranks higher" in answer:
        assert contradictions(result, re.sub("[Bb]y [^;]*, another method ranks higher", "it is first", answer)) != []
