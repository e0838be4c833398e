"""The tables of the systems' scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from metaeval.analyses.base.measured import DescribedMetric
from metaeval.analyses.base.table import Cell, Row, Table, column, table
from metaeval.analyses.system_scores.result import RunsOfMetric, ScoredMethod, ScoredSystem


def tables_of(
    metrics: Sequence[DescribedMetric],
    groups: Sequence[ScoredMethod],
    systems: Sequence[ScoredSystem],
    *,
    baseline: str | None,
) -> list[Table]:
    """Means and deviations over runs, differences from the baseline (Table 7), and every system alone."""
    named = [column("model", "Model"), column("method", "Method")]
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
    return tables


def _row(group: ScoredMethod, cell: Callable[[RunsOfMetric], Cell]) -> Row:
    measured = {name: cell(summary) for name, summary in group.metrics.items()}
    return {"model": group.model, "method": group.method, "runs": group.runs, **measured}


def _deviations(group: ScoredMethod) -> Row:
    return {f"{name}_sd": summary.deviation for name, summary in group.metrics.items()}


def _notes(metrics: Sequence[DescribedMetric], reasons: Mapping[str, str]) -> str:
    """Each reason once, with the metrics that it is about."""
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
        [f"Lower is better: {', '.join(lower)}. Of all others higher is better."]
        if len(lower) < len(metrics)
        else ["Lower is better."]
    )
