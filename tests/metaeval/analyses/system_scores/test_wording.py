"""The method with the best mean rank is that of the table, ties are mentioned, and nothing is called tested."""

from __future__ import annotations

import re
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from metaeval.analyses.base.measured import DescribedMetric
from metaeval.analyses.base.saying import number
from metaeval.analyses.system_scores.result import RankedMethod, RunsOfMetric, ScoredMethod
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
    metrics = [filled(DescribedMetric, name=name, title=name, range=[0, 1]) for name in METRICS]
    groups = []
    for name in names:
        scores = {}
        for metric in METRICS:
            mean = draw(st.sampled_from([None, 0.5, 0.71]))
            scores[metric] = filled(RunsOfMetric, mean=mean, reason="" if mean is not None else draw(REASONS))
        groups.append(filled(ScoredMethod, model="Model", method=name, metrics=scores))
    ordered = sorted(ranks, key=lambda row: 9 if row.rank is None else row.rank)
    return made("system_scores", metrics=metrics, groups=groups, ranks=ordered)


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
    if "share the best mean rank" in answer:
        assert contradictions(result, answer.replace("share the", "has the")) != []
    if "another method ranks higher" in answer:
        assert contradictions(result, re.sub("[Bb]y [^;]*, another method ranks higher", "it is first", answer)) != []
