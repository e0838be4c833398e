"""The tables of the systems' scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from metaeval.analyses.base.saying import inside
from metaeval.analyses.base.table import Cell, Column, Row, Table, column, table
from metaeval.analyses.system_scores.collapse import DEFINED, collapse_in_words
from metaeval.analyses.system_scores.result import ComparedMetric, RankedMethod, RunsOfMetric, ScoredMethod
from metaeval.analyses.system_scores.result import SystemScoresFindings as Findings

OVER_RUNS = "Runs are seeds of one training set, so the interval is about seeds, not about texts."


def tables_of(found: Findings) -> list[Table]:
    """Means and deviations over runs, differences from the baseline (Table 7), every system alone, and mean ranks."""
    tables = [_means(found)]
    if found.baseline is not None:
        tables.append(_differences(found, found.baseline))
    tables.append(_systems(found))
    return [*tables, _ranks(found.metrics, found.ranks)] if found.ranks else tables


def _named(found: Findings) -> list[Column]:
    with_dataset = any(group.dataset for group in found.groups)
    return [*([column("dataset", "Dataset")] * with_dataset), column("model", "Model"), column("method", "Method")]


def _means(found: Findings) -> Table:
    several = any(group.runs > 1 for group in found.groups)
    columns = [*_named(found), column("runs", "Runs", detail=not several)]
    for metric in found.metrics:
        columns.append(column(metric.name, "mean" if several else metric.title, group=metric.title * several))
        if several:
            columns.append(column(f"{metric.name}_sd", "SD", group=metric.title))
    collapsed = [f"{one}." for one in collapse_in_words(found, most=len(found.collapsed))]
    return table(
        "means",
        "Metrics of the systems: means over runs",
        [*columns, column("notes", "Notes")],
        [
            _row(group, lambda summary: summary.mean)
            | {f"{name}_sd": summary.deviation for name, summary in group.metrics.items()}
            | {"notes": _notes(found.metrics, {name: summary.reason for name, summary in group.metrics.items()})}
            for group in found.groups
        ],
        notes=[
            *_directions(found.metrics),
            *_pairs(found.metrics),
            *_partly_defined(found),
            *collapsed,
            *([DEFINED] if collapsed else []),
        ],
    )


def _partly_defined(found: Findings) -> list[str]:
    """The means that are over some runs only, since the metric is undefined in the others."""
    return [
        f"{metric.title} of {' / '.join(filter(None, (group.dataset, group.model, group.method)))}: over "
        f"{group.metrics[metric.name].runs} of {group.runs} runs; in the others it is undefined."
        for group in found.groups
        for metric in found.metrics
        if 0 < group.metrics[metric.name].runs < group.runs
    ]


def _differences(found: Findings, baseline: str) -> Table:
    """The differences, each with its interval if any has one."""
    shown = [group for group in found.groups if group.method != baseline]
    without = [one for group in shown for one in group.metrics.values() if one.low is None and one.interval_reason]
    has_intervals = any(one.low is not None for group in shown for one in group.metrics.values())
    columns, notes = _named(found), _directions(found.metrics)
    for metric in found.metrics:
        columns.append(column(metric.name, metric.title, group=metric.title * has_intervals))
        if has_intervals:
            level = f"{100 * (found.level or 0.0):g}%"
            columns.append(column(f"{metric.name}_low", f"{level} low", group=metric.title))
            columns.append(column(f"{metric.name}_high", f"{level} high", group=metric.title))
    if has_intervals:
        notes += [
            f"A difference is the mean over the runs of each run minus the mean of the runs of {baseline}; Welch’s "
            f"interval. {OVER_RUNS}"
        ]
    reasons = dict.fromkeys(one.interval_reason for one in without if not one.difference_reason)
    if reasons:
        notes.append(f"{'Without' if has_intervals else 'No'} interval: {', or '.join(reasons)}.")
    return table(
        "differences",
        f"Differences from {baseline}, within each model",
        [*columns, column("notes", "Notes")],
        [
            _row(group, lambda summary: summary.difference)
            | {f"{name}_low": summary.low for name, summary in group.metrics.items()}
            | {f"{name}_high": summary.high for name, summary in group.metrics.items()}
            | {"notes": _notes(found.metrics, {name: one.difference_reason for name, one in group.metrics.items()})}
            for group in shown
        ],
        notes=[*notes, *_pairs(found.metrics)],
    )


def _systems(found: Findings) -> Table:
    return table(
        "systems",
        "Metrics of every system",
        [
            *_named(found),
            column("run", "Run"),
            *(column(metric.name, metric.title) for metric in found.metrics),
            column("notes", "Notes"),
        ],
        [
            {
                "dataset": system.dataset,
                "model": system.model,
                "method": system.method,
                "run": system.run,
                **{name: measured.value for name, measured in system.metrics.items()},
                "notes": _notes(found.metrics, {name: measured.reason for name, measured in system.metrics.items()}),
            }
            for system in found.systems
        ],
        notes=_pairs(found.metrics),
    )


def _ranks(metrics: Sequence[ComparedMetric], ranks: Sequence[RankedMethod]) -> Table:
    return table(
        "ranks",
        "Methods by mean rank",
        [
            column("name", "Method"),
            column("rank", "Mean rank"),
            column("rankings", "Rankings", detail=True),
            column("degenerate", "Last, degenerate"),
            *(column(f"rank_{metric.name}", metric.title) for metric in metrics),
            column("notes", "Notes"),
        ],
        [
            {
                "name": one.name,
                "rank": one.rank,
                "rankings": one.rankings,
                "degenerate": one.degenerate,
                **{f"rank_{name}": rank for name, rank in one.by_metric.items()},
                "notes": f"undefined: {one.reason}" if one.reason else "",
            }
            for one in ranks
        ],
        notes=[
            "Each metric ranks the methods of each model and dataset (1 is best), and the ranks are "
            "averaged; equal values share a rank. A method is degenerate, and ranks last, if the metric "
            "is undefined or the prediction is the same for every instance. It is not ranked if a model "
            "lacks it."
        ],
    )


def _row(group: ScoredMethod, cell: Callable[[RunsOfMetric], Cell]) -> Row:
    measured = {name: cell(summary) for name, summary in group.metrics.items()}
    named = {"dataset": group.dataset, "model": group.model, "method": group.method}
    return {**named, "runs": group.runs, **measured}


def _pairs(metrics: Sequence[ComparedMetric]) -> list[str]:
    """Which metric is in a column of two."""
    pairs = [inside(metric.title).split(" or ") for metric in metrics if metric.multilabel]
    if not pairs:
        return []
    first, second = (" and ".join(names) for names in zip(*pairs, strict=True))
    return [f"Where a text has one label: {first}; where it may have several: {second}."]


def _notes(metrics: Sequence[ComparedMetric], reasons: Mapping[str, str]) -> str:
    """Each reason once, with its metrics."""
    about: dict[str, list[str]] = {}
    for metric in metrics:
        reason = reasons[metric.name]
        if reason:
            about.setdefault(reason, []).append(metric.title)
    everything = len(metrics)
    return "; ".join(
        f"undefined: {reason}" if len(titles) == everything else f"{', '.join(titles)} undefined: {reason}"
        for reason, titles in about.items()
    )


def _directions(metrics: Sequence[ComparedMetric]) -> list[str]:
    lower = [metric.title for metric in metrics if metric.orientation == "lower"]
    if not lower:
        return ["Higher is better."]
    return (
        [f"Lower is better: {', '.join(lower)}. For all others higher is better."]
        if len(lower) < len(metrics)
        else ["Lower is better."]
    )
