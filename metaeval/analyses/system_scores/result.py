"""The results of the analysis of the systems' scores, and their tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from pydantic import Field

from metaeval.analyses.base.measured import DescribedMetric, MeasuredValue
from metaeval.analyses.base.result import Findings, Result
from metaeval.analyses.base.saying import counted, inside, name, spelled
from metaeval.analyses.base.table import NOTES, Column, InTable, Reason, Row, Table, column, table_of
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
