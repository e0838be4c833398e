"""The results of the analysis of the systems' scores, their tables, and the answer in sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from pydantic import Field

from metaeval.analyses.base.result import DescribedMetric, Findings, MeasuredValue, Result
from metaeval.analyses.base.table import NOTES, Column, InTable, Reason, Row, Table, column, table_of
from metaeval.analyses.base.wording import (
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
from metaeval.analyses.inputs.parts import Number, Part

Collapse = Literal["", "nothing", "same"]
"""Empty: it did not collapse; it predicts no label for any text; it predicts the same for every text."""
NEGLIGIBLE = 0.01
"""A trained network never predicts exactly 0, and never exactly the same: smaller shares and differences are none."""
MOST_NAMED = 3
"""The maximum number of collapsed methods named in a sentence or a caption; a table's notes name all of them."""


class ComparedMetric(DescribedMetric):
    """A metric, or a pair of them that stand in one column for datasets of different kinds of task."""

    multilabel: str = Field(
        default="",
        description="The metric in its place where texts have several labels: micro F1 for accuracy. Values are under "
        "the name of the first.",
    )


class RunsOfMetric(Part):
    """A metric over the runs of a model and method."""

    mean: Number
    deviation: Number = Field(description="Standard deviation over the runs; it divides by the number of runs minus 1.")
    runs: int = Field(description="In which the metric is defined.")
    difference: Number = Field(
        description="Of the mean from the baseline's mean in the same model: each run minus that mean, averaged."
    )
    reason: str
    deviation_reason: str
    difference_reason: str
    low: Number = Field(default=None, description="Of Welch's confidence interval of the difference, over the runs.")
    high: Number = None
    interval_reason: str = Field(default="", description="Why there is no interval; empty in earlier results.")


class OfMethod(Part):
    """What a model and method have."""

    model: str = Field(title="Model")
    method: str = Field(title="Method")
    dataset: str = Field(default="", title="Dataset", description="With several datasets, which one.")


class ScoredMethod(OfMethod):
    """A model and method: its mean, deviation and difference by every metric."""

    runs: int
    metrics: dict[str, RunsOfMetric]


class ScoredSystem(OfMethod):
    """A system, which is one run of a model and method, by every metric."""

    system: str
    run: str = Field(title="Run")
    metrics: dict[str, MeasuredValue]
    collapse: Collapse = Field(default="", description="Whether it predicts no label at all, or always the same.")


class CollapsedMethod(Part):
    """A model and method with runs that predict no label for any text, or the same for every text."""

    dataset: str = Field(description="With several datasets, which one.")
    model: str
    method: str
    collapse: Collapse
    runs: int = Field(description="How many of its runs collapsed like this.")
    of: int = Field(description="How many runs it has.")


class RankedMethod(Part):
    """A method (a model, if no method is named), and its mean rank over datasets, models and metrics."""

    name: str = Field(title="Method")
    rank: Annotated[
        Number,
        InTable(
            note="Each metric ranks the methods of each model and dataset (1 is best), and the ranks are "
            "averaged; equal values share a rank. A method is degenerate, and ranks last, if the metric "
            "is undefined or the prediction is the same for every instance. It is not ranked if a model "
            "lacks it."
        ),
    ] = Field(title="Mean rank")
    rankings: Annotated[int, InTable(detail=True)] = Field(
        title="Rankings", description="How many rankings are averaged: one per dataset, model and metric."
    )
    degenerate: int = Field(title="Last, degenerate", description="In how many of them it ranks last.")
    by_metric: dict[str, Number] = Field(description="Mean rank by each metric.")
    reason: Reason


class SystemScoresFindings(Findings):
    """What the metrics say."""

    metrics: list[ComparedMetric]
    baseline: str | None
    groups: list[ScoredMethod]
    systems: list[ScoredSystem]
    datasets: list[str] = Field(default=[], description="With several datasets, their slugs.")
    ranks: list[RankedMethod] = Field(default=[], description="The best first; empty in earlier results.")
    level: Number = Field(default=None, description="Confidence level of the intervals; null in earlier results.")
    collapsed: list[CollapsedMethod] = []


class SystemScoresResult(SystemScoresFindings, Result):
    """The scores of systems by all metrics."""

    analysis: Literal["system_scores"]


def collapse_in_words(result: SystemScoresFindings, *, most: int = MOST_NAMED) -> list[str]:
    """What collapsed, each in words, without a full stop; of many, the last says how many more.

    The model is named if there are several.
    """
    several = len({system.model for system in result.systems}) > 1
    clauses = [_collapsed(method, with_model=several) for method in result.collapsed]
    if len(clauses) <= most:
        return clauses
    more = len(clauses) - most + 1
    return [*clauses[: most - 1], f"{spelled(more)} other methods collapsed, which the notes of the first table name"]


def _collapsed(collapsed: CollapsedMethod, *, with_model: bool) -> str:
    who = name(collapsed.method or collapsed.model)
    if with_model and collapsed.method:
        who += f" of {name(collapsed.model)}"
    what = "no label for any text" if collapsed.collapse == "nothing" else "the same for every text"
    if collapsed.of == 1:
        runs = ""
    elif collapsed.runs == collapsed.of:
        runs = f" in all {collapsed.of} runs"
    else:
        runs = f" in {collapsed.runs} of {counted(collapsed.of, 'run')}"
    where = f" on {name(collapsed.dataset)}" if collapsed.dataset else ""
    return f"{who} predicts {what}{runs}{where}: it collapsed"


def tables_of(findings: SystemScoresFindings) -> list[Table]:
    """Means and deviations over runs, differences from the baseline (Table 7), every system alone, and mean ranks."""
    metrics = findings.metrics
    dataset = ["dataset"] * any(group.dataset for group in findings.groups)
    pairs = [inside(metric.title).split(" or ") for metric in metrics if metric.multilabel]
    kinds = []
    if pairs:
        first, second = (" and ".join(names) for names in zip(*pairs, strict=True))
        kinds = [f"Where a text has one label: {first}; where it may have several: {second}."]
    tables = [_means(findings, dataset, kinds)]
    if findings.baseline is not None:
        tables.append(_differences(findings, findings.baseline, dataset, kinds))
    tables.append(
        table_of(
            "systems",
            "Metrics of every system",
            ScoredSystem,
            [
                (
                    system,
                    {metric: measured.value for metric, measured in system.metrics.items()},
                    _notes(metrics, {metric: measured.reason for metric, measured in system.metrics.items()}),
                )
                for system in findings.systems
            ],
            [
                *(*dataset, "model", "method", "run"),
                *(column(metric.name, metric.title) for metric in metrics),
                column(NOTES, "Notes"),
            ],
            notes=kinds,
        )
    )
    if findings.ranks:
        by_metric = [column(f"rank_{metric.name}", metric.title) for metric in metrics]
        tables.append(
            table_of(
                "ranks",
                "Methods by mean rank",
                RankedMethod,
                [(row, {f"rank_{metric}": rank for metric, rank in row.by_metric.items()}) for row in findings.ranks],
                ["name", "rank", "rankings", "degenerate", *by_metric],
            )
        )
    return tables


def _means(findings: SystemScoresFindings, dataset: Sequence[str], kinds: Sequence[str]) -> Table:
    metrics = findings.metrics
    several = any(group.runs > 1 for group in findings.groups)
    columns: list[str | Column] = [*dataset, "model", "method", column("runs", "Runs", detail=not several)]
    for metric in metrics:
        columns.append(column(metric.name, "mean" if several else metric.title, group=metric.title * several))
        if several:
            columns.append(column(f"{metric.name}_sd", "SD", group=metric.title))
    partly_defined = [
        f"{metric.title} of {' / '.join(filter(None, (group.dataset, group.model, group.method)))}: over "
        f"{group.metrics[metric.name].runs} of {group.runs} runs; in the others it is undefined."
        for group in findings.groups
        for metric in metrics
        if 0 < group.metrics[metric.name].runs < group.runs
    ]
    collapsed = [f"{clause}." for clause in collapse_in_words(findings, most=len(findings.collapsed))]
    if collapsed:
        collapsed.append(
            f"A run collapsed if none of the shares that it predicts differs by {NEGLIGIBLE} or more between texts; it "
            f"predicts no label if all are below {NEGLIGIBLE}."
        )
    return table_of(
        "means",
        "Metrics of the systems: means over runs",
        ScoredMethod,
        [
            (
                group,
                {metric: runs.mean for metric, runs in group.metrics.items()},
                {f"{metric}_sd": runs.deviation for metric, runs in group.metrics.items()},
                _notes(metrics, {metric: runs.reason for metric, runs in group.metrics.items()}),
            )
            for group in findings.groups
        ],
        [*columns, column(NOTES, "Notes")],
        notes=[*_directions(metrics), *kinds, *partly_defined, *collapsed],
    )


def _differences(findings: SystemScoresFindings, baseline: str, dataset: Sequence[str], kinds: Sequence[str]) -> Table:
    """The differences, each with its interval if any has one."""
    metrics = findings.metrics
    groups = [group for group in findings.groups if group.method != baseline]
    every = [runs for group in groups for runs in group.metrics.values()]
    has_intervals = any(runs.low is not None for runs in every)
    level = f"{100 * (findings.level or 0.0):g}%"
    columns: list[str | Column] = [*dataset, "model", "method"]
    for metric in metrics:
        columns.append(column(metric.name, metric.title, group=metric.title * has_intervals))
        if has_intervals:
            columns.append(column(f"{metric.name}_low", f"{level} low", group=metric.title))
            columns.append(column(f"{metric.name}_high", f"{level} high", group=metric.title))
    notes = _directions(metrics)
    if has_intervals:
        notes.append(
            f"A difference is the mean over the runs of each run minus the mean of the runs of {baseline}; Welch’s "
            "interval. Runs are seeds of one training set, so the interval is about seeds, not about texts."
        )
    reasons = dict.fromkeys(runs.interval_reason for runs in every if runs.low is None and not runs.difference_reason)
    reasons.pop("", None)
    if reasons:
        notes.append(f"{'Without' if has_intervals else 'No'} interval: {', or '.join(reasons)}.")
    return table_of(
        "differences",
        f"Differences from {baseline}, within each model",
        ScoredMethod,
        [
            (
                group,
                {metric: runs.difference for metric, runs in group.metrics.items()},
                {f"{metric}_low": runs.low for metric, runs in group.metrics.items()},
                {f"{metric}_high": runs.high for metric, runs in group.metrics.items()},
                _notes(metrics, {metric: runs.difference_reason for metric, runs in group.metrics.items()}),
            )
            for group in groups
        ],
        [*columns, column(NOTES, "Notes")],
        notes=[*notes, *kinds],
    )


def _notes(metrics: Sequence[ComparedMetric], reasons: Mapping[str, str]) -> Row:
    """Each reason once, with its metrics."""
    titles_by_reason: dict[str, list[str]] = {}
    for metric in metrics:
        titles_by_reason.setdefault(reasons[metric.name], []).append(metric.title)
    notes = [
        f"undefined: {reason}" if len(titles) == len(metrics) else f"{', '.join(titles)} undefined: {reason}"
        for reason, titles in titles_by_reason.items()
        if reason
    ]
    return {NOTES: "; ".join(notes)}


def _directions(metrics: Sequence[ComparedMetric]) -> list[str]:
    lower = [metric.title for metric in metrics if metric.orientation == "lower"]
    if not lower:
        return ["Higher is better."]
    if len(lower) == len(metrics):
        return ["Lower is better."]
    return [f"Lower is better: {', '.join(lower)}. For all others higher is better."]


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
