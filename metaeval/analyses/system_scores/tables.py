"""The tables of the systems' scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from metaeval.analyses.base.tables import column, table


def tables_of(
    metrics: Sequence[dict[str, Any]],
    groups: Sequence[dict[str, Any]],
    systems: Sequence[dict[str, Any]],
    *,
    baseline: str | None,
) -> list[dict[str, Any]]:
    """Means and deviations over runs, differences from the baseline (Table 7), and every system alone."""
    named = [column("model", "Model"), column("method", "Method")]
    several = any(group["runs"] > 1 for group in groups)
    means = [*named, column("runs", "Runs", detail=not several)]
    for metric in metrics:
        means.append(column(metric["name"], "mean" if several else metric["title"], group=metric["title"] * several))
        if several:
            means.append(column(f"{metric['name']}_sd", "SD", group=metric["title"]))
    tables = [
        table(
            "means",
            "Metrics of the systems: means over runs",
            [*means, column("notes", "Notes")],
            [
                _row(group, "mean") | _deviations(group) | {"notes": _notes(metrics, group, "reason")}
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
                [*named, *(column(metric["name"], metric["title"]) for metric in metrics), column("notes", "Notes")],
                [
                    _row(group, "difference") | {"notes": _notes(metrics, group, "difference_reason")}
                    for group in groups
                    if group["method"] != baseline
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
                *(column(metric["name"], metric["title"]) for metric in metrics),
                column("notes", "Notes"),
            ],
            [
                {
                    **{key: system[key] for key in ("model", "method", "run")},
                    **{name: value["value"] for name, value in system["metrics"].items()},
                    "notes": _notes(metrics, system, "reason"),
                }
                for system in systems
            ],
        )
    )
    return tables


def _row(group: dict[str, Any], key: str) -> dict[str, Any]:
    return {
        "model": group["model"],
        "method": group["method"],
        "runs": group["runs"],
        **{name: value[key] for name, value in group["metrics"].items()},
    }


def _deviations(group: dict[str, Any]) -> dict[str, Any]:
    return {f"{name}_sd": value["deviation"] for name, value in group["metrics"].items()}


def _notes(metrics: Sequence[dict[str, Any]], row: dict[str, Any], key: str) -> str:
    """Each reason once, with the metrics that it is about."""
    about: dict[str, list[str]] = {}
    for metric in metrics:
        reason = row["metrics"][metric["name"]].get(key)
        if reason:
            about.setdefault(reason, []).append(metric["title"])
    everything = len(metrics)
    return "; ".join(
        f"undefined: {reason}" if len(titles) == everything else f"{', '.join(titles)} undefined: {reason}"
        for reason, titles in about.items()
    )


def _directions(metrics: Sequence[dict[str, Any]]) -> list[str]:
    lower = [metric["title"] for metric in metrics if metric["orientation"] == "lower"]
    if not lower:
        return ["Higher is better."]
    return (
        [f"Lower is better: {', '.join(lower)}. Of all others higher is better."]
        if len(lower) < len(metrics)
        else ["Lower is better."]
    )
