"""The tables of the systems' scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from metaeval.analyses.base.measured import DescribedMetric
from metaeval.analyses.base.table import Cell, Row, Table, column, table
from metaeval.analyses.system_scores.result import RankedMethod, RunsOfMetric, ScoredMethod, ScoredSystem


def tables_of(
    metrics: Sequence[DescribedMetric],
    groups: Sequence[ScoredMethod],
    systems: Sequence[ScoredSystem],
    ranks: Sequence[RankedMethod],
    *,
    baseline: str | None,
) -> list[Table]:
    """Means and deviations over runs, differences from the baseline (Table 7), every system alone, and mean ranks."""
    datasets = any(group.dataset for group in groups)
    named = [*([column("dataset", "Dataset")] * datasets), column("model", "Model"), column("method", "Method")]
    several = any(group.runs > 1 for group in groups)
    means = [*named, column("runs", "Runs", detail=not several)]
    for metric in metrics:
        means.append(column(metric.name, "mean" if several else metric.title, group=metric.title * several))
        if several:
            means.append(column(f"{metric.name}_sd", "SD", group=metric.title))
    tables = [
        table(
            "means",
            "Metrics of the systems: means over runs",
            [*means, column("notes", "Notes")],
            [
                _row(group, lambda summary: summary.mean)
                | _deviations(group)
                | {"notes": _notes(metrics, {name: summary.reason for name, summary in group.metrics.items()})}
                for group in groups
            ],
            notes=_directions(metrics),
        )
    ]
    if baseline is not None:
        tables.append(
            table(
                "differences",
                f"Differences from {baseline}, within each model",
                [*named, *(column(metric.name, metric.title) for metric in metrics), column("notes", "Notes")],
                [
                    _row(group, lambda summary: summary.difference)
                    | {"notes": _notes(metrics, {name: one.difference_reason for name, one in group.metrics.items()})}
                    for group in groups
                    if group.method != baseline
                ],
                notes=_directions(metrics),
            )
        )
    tables.append(
        table(
            "systems",
            "Metrics of every system",
            [
                *named,
                column("run", "Run"),
                *(column(metric.name, metric.title) for metric in metrics),
                column("notes", "Notes"),
            ],
            [
                {
                    "dataset": system.dataset,
                    "model": system.model,
                    "method": system.method,
                    "run": system.run,
                    **{name: measured.value for name, measured in system.metrics.items()},
                    "notes": _notes(metrics, {name: measured.reason for name, measured in system.metrics.items()}),
                }
                for system in systems
            ],
        )
    )
    return [*tables, _ranks(metrics, ranks)] if ranks else tables


def _ranks(metrics: Sequence[DescribedMetric], ranks: Sequence[RankedMethod]) -> Table:
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


def _deviations(group: ScoredMethod) -> Row:
    return {f"{name}_sd": summary.deviation for name, summary in group.metrics.items()}


def _notes(metrics: Sequence[DescribedMetric], reasons: Mapping[str, str]) -> str:
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


def _directions(metrics: Sequence[DescribedMetric]) -> list[str]:
    lower = [metric.title for metric in metrics if metric.orientation == "lower"]
    if not lower:
        return ["Higher is better."]
    return (
        [f"Lower is better: {', '.join(lower)}. For all others higher is better."]
        if len(lower) < len(metrics)
        else ["Lower is better."]
    )
