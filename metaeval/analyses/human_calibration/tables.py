"""The tables of the analysis of calibration to human judgements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from metaeval import metrics
from metaeval.analyses.base.tables import column, table
from metaeval.analyses.human_calibration.measures import TITLES
from metaeval.analyses.human_calibration.parameters import HumanCalibration

LEGEND = (
    "ECE: expected calibration error against the majority; RankCS: share of instances whose labels are in the same "
    "order as people’s; |EntCE| and EntCE: difference of the entropies from people’s, in nats (negative: surer than "
    "people); DistCE: total variation distance from people. Higher is better of accuracy and RankCS, nearer to 0 of "
    "all others."
)
ERRORS = {"distribution": "DistCE", "entropy": "EntCE"}


def tables_of(result: Mapping[str, Any], parameters: HumanCalibration) -> list[dict[str, Any]]:
    """Measures of everything (Table 1), means over runs, errors compared with people's (Table 2), labels,
    temperatures, bins."""
    entries = result["entries"]
    tables = [_measures(entries)]
    if any(group["runs"] > 1 for group in result["groups"]):
        tables.append(_runs(result["groups"]))
    if result["reference"] is not None:
        tables.append(_compared(entries, result["reference"], parameters))
    tables.append(_classwise(entries, result["labels"]))
    if any(entry["temperatures"] for entry in entries):
        tables.append(_temperatures(entries, parameters))
    tables.append(_reliability(entries))
    return tables


def _measures(entries: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return table(
        "calibration",
        "Calibration to human judgements",
        [
            column("name", "Predicted by"),
            column("instances", "Instances", detail=True),
            *(column(key, title) for key, title in TITLES.items()),
            column("notes", "Notes"),
        ],
        [
            {
                "name": entry["name"],
                "instances": entry["instances"],
                **entry["measures"],
                "notes": _note(entry),
            }
            for entry in entries
        ],
        notes=[LEGEND],
    )


def _note(entry: Mapping[str, Any]) -> str:
    if entry["reason"]:
        return f"undefined: {entry['reason']}"
    return {"people": "a sub-sample of the people, against all of them", "oracle": "people themselves"}.get(
        entry["kind"], ""
    )


def _runs(groups: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    columns = [column("model", "Model"), column("method", "Method"), column("runs", "Runs")]
    for key, title in TITLES.items():
        columns += [column(key, "mean", group=title), column(f"{key}_sd", "SD", group=title)]
    return table(
        "runs",
        "Means over runs",
        [*columns, column("notes", "Notes")],
        [
            {key: group[key] for key in ("model", "method", "runs")}
            | group["means"]
            | {f"{key}_sd": value for key, value in group["deviations"].items()}
            | {"notes": "" if group["runs"] > 1 else "SD undefined: one run"}
            for group in groups
        ],
        notes=["SD divides by the number of runs - 1."],
    )


def _compared(entries: Sequence[Mapping[str, Any]], reference: str, parameters: HumanCalibration) -> dict[str, Any]:
    columns = [column("name", "Predicted by")]
    for key, title in ERRORS.items():
        columns += [column(f"{key}_kl", "KL", group=title), column(f"{key}_tvd", "TVD", group=title)]
    return table(
        "errors",
        f"How far the errors’ distribution is from that of {reference}",
        [*columns, column("notes", "Notes")],
        [
            {
                "name": entry["name"],
                **{
                    f"{key}_{measure}": entry["compared"][key][measure]["value"]
                    for key in ERRORS
                    for measure in ("kl", "tvd")
                },
                "notes": "; ".join(
                    f"KL of {title} undefined: {entry['compared'][key]['kl']['reason']}"
                    for key, title in ERRORS.items()
                    if entry["compared"][key]["kl"]["reason"]
                ),
            }
            for entry in entries
            if entry["compared"]
        ],
        notes=[
            f"{reference}: {parameters.sample_size} of every instance’s votes, drawn at random, against all of them. "
            f"Of histograms of {parameters.histogram_bins} bins: Kullback-Leibler divergence from {reference} in nats, "
            "and total variation distance."
        ],
    )


def _classwise(entries: Sequence[Mapping[str, Any]], labels: Sequence[str]) -> dict[str, Any]:
    return table(
        "classwise",
        "Class-wise expected calibration error of every label",
        [column("name", "Predicted by"), *(column(f"label_{k}", label) for k, label in enumerate(labels))],
        [
            {"name": entry["name"], **{f"label_{k}": value for k, value in enumerate(entry["classwise"])}}
            for entry in entries
        ],
    )


def _temperatures(entries: Sequence[Mapping[str, Any]], parameters: HumanCalibration) -> dict[str, Any]:
    by_grid = parameters.scaling == "grid"
    folds = max(len(entry["temperatures"]) for entry in entries)
    return table(
        "temperatures",
        "Temperatures",
        [
            column("name", "System"),
            *(column(f"fold_{k}", f"Fold {k + 1}" if folds > 1 else "Temperature") for k in range(folds)),
            column("notes", "Notes"),
        ],
        [
            {
                "name": entry["name"],
                **{f"fold_{k}": value for k, value in enumerate(entry["temperatures"])},
                "notes": _note(entry),
            }
            for entry in entries
            if entry["temperatures"]
        ],
        notes=[
            f"Chosen from a grid by the least {metrics.get(parameters.criterion).title.lower()}"
            + (" on the instances of the other folds." if parameters.folds > 1 else " on the same instances.")
        ]
        if by_grid
        else [],
    )


def _reliability(entries: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return table(
        "reliability",
        "How often the most probable label is people’s majority, by its probability",
        [
            column("name", "Predicted by"),
            column("low", "Above"),
            column("high", "up to"),
            column("instances", "Instances"),
            column("confidence", "Mean probability"),
            column("accuracy", "Majority hit", kind="share"),
        ],
        [{"name": entry["name"], **bin_} for entry in entries for bin_ in entry["reliability"] if bin_["instances"]],
        notes=["Bins without instances are not listed."],
    )
