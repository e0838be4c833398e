"""What the metrics say about the systems: as a question, and its answer in sentences."""

from __future__ import annotations

from collections.abc import Sequence

from metaeval.analyses.base.asked_questions import PlainWords
from metaeval.analyses.base.saying import (
    answered,
    because,
    counted,
    inside,
    listed,
    name,
    number,
    sentence,
    spelled,
    undefined,
)
from metaeval.analyses.inputs import SubjectKind
from metaeval.analyses.system_scores.result import RankedMethod, SystemScoresResult, collapse_in_words

MOST_VALUES = 6
"""The maximum number of a single method's values in a sentence."""


def answer(result: SystemScoresResult) -> str:
    """The method with the best mean rank over all metrics, and how much its rank depends on the metric.

    Ranks are counted, not tested, and the answer says so.
    """
    ranked = [row for row in result.ranks if row.rank is not None]
    if not ranked:
        return _without_ranks(result)
    collapsed = collapse_in_words(result)
    first = [row for row in ranked if row.rank == ranked[0].rank]
    untested = "no test compares the methods" if len(ranked) > 1 else ""
    beyond = _against_baseline(result, first[0].name) if len(first) == 1 else ""
    caution = sentence([*_beside(result, ranked), beyond, *collapsed, untested])
    if len(ranked) == 1:
        return answered(f"There is only {name(first[0].name)} to rank: {_figures(first[0])}.", caution)
    of = f"Of {spelled(len(ranked))} methods"
    if len(first) > 1:
        rank = number(first[0].rank or 0.0)
        return answered(f"{of}, {listed([row.name for row in first])} share the best mean rank: {rank}.", caution)
    return answered(
        f"{of}, {name(first[0].name)} has the best mean rank over all metrics: {_figures(first[0])}.", caution
    )


def _figures(row: RankedMethod) -> str:
    by_metric = [rank for rank in row.by_metric.values() if rank is not None]
    spread = ""
    if len(by_metric) > 1:
        low, high = number(min(by_metric), 1), number(max(by_metric), 1)
        spread = f", {low} by every metric" if min(by_metric) == max(by_metric) else f", from {low} to {high} by metric"
    return f"{number(row.rank or 0.0)} over {counted(row.rankings, 'ranking')}{spread}"


def _beside(result: SystemScoresResult, ranked: Sequence[RankedMethod]) -> list[str]:
    """The metrics by which another is first, methods that rank last for lack of values, and those without a rank."""
    best, clauses = ranked[0], []
    titles = {metric.name: metric.title for metric in result.metrics}
    if len(ranked) > 1 and ranked[1].rank != best.rank:
        elsewhere = []
        for metric, own in best.by_metric.items():
            others = [row.by_metric.get(metric) for row in ranked[1:]]
            ranks = [rank for rank in others if rank is not None]
            if own is not None and ranks and min(ranks) < own:
                elsewhere.append(inside(titles.get(metric, metric)))
        if elsewhere:
            clauses.append(f"by {listed(elsewhere)}, another method ranks higher")
    if best.degenerate:
        clauses.append(
            f"in {counted(best.degenerate, 'ranking')}, {name(best.name)} ranks last because it is "
            "undefined there or predicts the same for every text"
        )
    without = [row for row in result.ranks if row.rank is None]
    return [*clauses, undefined([f"the rank of {name(row.name)}" for row in without], [row.reason for row in without])]


def _against_baseline(result: SystemScoresResult, best: str) -> str:
    """In how many datasets, models and metrics the best method is better than the baseline, and how often seeds alone
    do not explain it."""
    if result.baseline is None or best == result.baseline or result.level is None:
        return ""
    lower = {metric.name for metric in result.metrics if metric.orientation == "lower"}
    compared = [
        (-1 if metric in lower else 1, runs)
        for group in result.groups
        if group.method == best
        for metric, runs in group.metrics.items()
        if runs.difference is not None
    ]
    if not compared:
        return ""
    better = [(sign, runs) for sign, runs in compared if runs.difference is not None and sign * runs.difference > 0]
    ends = [(sign, runs.low, runs.high) for sign, runs in better]
    beyond = sum(low is not None and high is not None and min(sign * low, sign * high) > 0 for sign, low, high in ends)
    of = counted(len(compared), "comparison")
    lead = f"{name(best)} is better than {name(result.baseline)} in {len(better)} of {of}"
    if all(runs.low is None for _, runs in compared):
        return f"{lead}, without intervals, which take two runs of each"
    level = f"{100 * result.level:g}%"
    return f"{lead}, and in {beyond} the {level} interval, which is over runs and not over texts, leaves out 0"


def _without_ranks(result: SystemScoresResult) -> str:
    """With one method, there is nothing to rank, but its values are known."""
    reasons = [row.reason for row in result.ranks if row.reason]
    if reasons or len(result.groups) != 1:
        reason = reasons[0] if reasons else "the result has no ranks of at least 2 methods"
        return f"No method is ranked: {because(reason)}"
    group = result.groups[0]
    titles = {metric.name: metric.title for metric in result.metrics}
    called = name(" / ".join(part for part in (group.model, group.method) if part))
    shown = {titles[metric]: runs for metric, runs in group.metrics.items() if metric in titles}
    values = [f"{inside(title)} {number(runs.mean)}" for title, runs in shown.items() if runs.mean is not None]
    lacking = {title: runs.reason for title, runs in shown.items() if runs.mean is None}
    if len(values) > MOST_VALUES:
        values = [*values[:MOST_VALUES], f"and {counted(len(values) - MOST_VALUES, 'other metric')}"]
    more = sentence([undefined([*lacking], [*lacking.values()]), *collapse_in_words(result)])
    if not values:
        return answered(f"There is only 1 method, {called}, and no metric is defined for it.", more)
    return answered(f"There is only {called}, so nothing is ranked: {', '.join(values)}.", more)


WORDS = PlainWords(
    question="Which system is best by the metrics?",
    group="The systems",
    shows="Every system’s value by every metric, and the methods by their mean rank. It needs predictions of systems; "
    "no expert has to answer for it.",
    place=0,
    needs={SubjectKind.STUDY: ("systems",), SubjectKind.DATASET: ("systems",)},
    compared=("metrics", "baseline"),
    answer=answer,
)
