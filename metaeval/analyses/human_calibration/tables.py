"""The tables of the analysis of calibration to human judgements."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from metaeval import metrics
from metaeval.analyses.base.table import Row, Table, column, table
from metaeval.analyses.human_calibration.measures import TITLES
from metaeval.analyses.human_calibration.parameters import HumanCalibration
from metaeval.analyses.human_calibration.result import (
    CalibratedEntry,
    CalibrationMeasure,
    CalibrationOverRuns,
    ErrorKind,
    HumanCalibrationFindings,
    SignedErrors,
)
from metaeval.analyses.inputs.parts import Number

LEGEND = (
    "ECE: expected calibration error against the majority; RankCS: share of instances whose labels are "
    "in the same order as people’s; |EntCE| and EntCE: difference of the entropies from people’s, in "
    "nats (negative: more certain than people); DistCE: total variation distance from people. For "
    "accuracy and RankCS, higher is better; for all others, closer to 0."
)
ERRORS: dict[ErrorKind, str] = {"distribution": "DistCE", "entropy": "EntCE"}


def tables_of(found: HumanCalibrationFindings, parameters: HumanCalibration) -> list[Table]:
    """All measures (Table 1), means over runs, errors compared with people's (Table 2), labels, temperatures, bins."""
    tables = [_measures(found.entries)]
    if any(group.runs > 1 for group in found.groups):
        tables.append(_runs(found.groups))
    if found.reference is not None:
        tables.append(_compared(found.entries, found.reference, parameters))
    tables.append(_classwise(found.entries, found.labels))
    tables += _signed(found.entries, found.labels)
    if any(entry.temperatures for entry in found.entries):
        tables.append(_temperatures(found.entries, parameters, found.fitted_on))
    tables.append(_reliability(found.entries))
    return tables


def _measures(entries: Sequence[CalibratedEntry]) -> Table:
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
                "name": entry.name,
                "instances": entry.instances,
                **_cells(entry.measures),
                "notes": _note(entry),
            }
            for entry in entries
        ],
        notes=[LEGEND],
    )


def _cells(measures: Mapping[CalibrationMeasure, Number], ending: str = "") -> Row:
    return {f"{name}{ending}": value for name, value in measures.items()}


def _note(entry: CalibratedEntry) -> str:
    if entry.reason:
        return f"undefined: {entry.reason}"
    return {"people": "a sub-sample of the people, against all of them", "oracle": "people themselves"}.get(
        entry.kind, ""
    )


def _runs(groups: Sequence[CalibrationOverRuns]) -> Table:
    columns = [column("model", "Model"), column("method", "Method"), column("runs", "Runs")]
    for key, title in TITLES.items():
        columns += [column(key, "mean", group=title), column(f"{key}_sd", "SD", group=title)]
    return table(
        "runs",
        "Means over runs",
        [*columns, column("notes", "Notes")],
        [
            {
                "model": group.model,
                "method": group.method,
                "runs": group.runs,
                **_cells(group.means),
                **_cells(group.deviations, ending="_sd"),
                "notes": "" if group.runs > 1 else "SD undefined: one run",
            }
            for group in groups
        ],
        notes=["SD divides by the number of runs minus 1."],
    )


def _compared(entries: Sequence[CalibratedEntry], reference: str, parameters: HumanCalibration) -> Table:
    columns = [column("name", "Predicted by")]
    for key, title in ERRORS.items():
        columns += [column(f"{key}_kl", "KL", group=title), column(f"{key}_tvd", "TVD", group=title)]
    return table(
        "errors",
        f"How far the distribution of errors is from that of {reference}",
        [*columns, column("notes", "Notes")],
        [_compared_row(entry) for entry in entries if entry.compared],
        notes=[
            f"{reference}: {parameters.sample_size} of every instance’s votes, drawn at random, against "
            f"all of them. For histograms of {parameters.histogram_bins} bins: Kullback-Leibler "
            f"divergence from {reference} in nats, and total variation distance."
        ],
    )


def _compared_row(entry: CalibratedEntry) -> Row:
    cells: Row = {}
    notes = []
    for key, compared in (entry.compared or {}).items():
        cells |= {f"{key}_kl": compared.kl.value, f"{key}_tvd": compared.tvd.value}
        if compared.kl.reason:
            notes.append(f"KL of {ERRORS[key]} undefined: {compared.kl.reason}")
    return {"name": entry.name, **cells, "notes": "; ".join(notes)}


def _classwise(entries: Sequence[CalibratedEntry], labels: Sequence[str]) -> Table:
    return table(
        "classwise",
        "Class-wise expected calibration error of every label",
        [column("name", "Predicted by"), *(column(f"label_{k}", label) for k, label in enumerate(labels))],
        [{"name": entry.name, **{f"label_{k}": value for k, value in enumerate(entry.classwise)}} for entry in entries],
    )


def _signed(entries: Sequence[CalibratedEntry], labels: Sequence[str]) -> list[Table]:
    """Predicted minus people's shares, label by label and guess by guess."""
    guesses = [f"Guess {number}" for number in range(1, len(labels) + 1)]
    about = (
        "Predicted minus people’s share, mean over instances (above 0: the system gives more), and its mean magnitude."
    )
    order = "Guess 1: the label that the prediction gives the highest probability; the first one if several are equal."
    return [
        _signed_table(
            "label_errors", "Errors of every label", labels, entries, errors=lambda entry: entry.by_label, notes=[about]
        ),
        _signed_table(
            "guess_errors",
            "Errors of every guess",
            guesses,
            entries,
            errors=lambda entry: entry.by_guess,
            notes=[about, order],
        ),
    ]


def _signed_table(
    name: str,
    title: str,
    columns: Sequence[str],
    entries: Sequence[CalibratedEntry],
    *,
    errors: Callable[[CalibratedEntry], Sequence[SignedErrors]],
    notes: Sequence[str],
) -> Table:
    shown = [column("name", "Predicted by")]
    for k, words in enumerate(columns):
        shown += [column(f"mean_{k}", "mean", group=words), column(f"magnitude_{k}", "magnitude", group=words)]
    rows: list[Row] = []
    for entry in entries:
        row: Row = {"name": entry.name}
        for k, found in enumerate(errors(entry)):
            row |= {f"mean_{k}": found.mean, f"magnitude_{k}": found.magnitude}
        rows.append(row | {"notes": _note(entry) if entry.reason else ""})
    return table(name, title, [*shown, column("notes", "Notes")], rows, notes=notes)


def _temperatures(entries: Sequence[CalibratedEntry], parameters: HumanCalibration, fitted_on: str) -> Table:
    folds = max(len(entry.temperatures) for entry in entries)
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
                "name": entry.name,
                **{f"fold_{k}": value for k, value in enumerate(entry.temperatures)},
                "notes": _note(entry),
            }
            for entry in entries
            if entry.temperatures
        ],
        notes=[_chosen(parameters, fitted_on)] if parameters.scaling == "grid" else [],
    )


def _chosen(parameters: HumanCalibration, fitted_on: str) -> str:
    criterion = metrics.get(parameters.criterion).title.lower()
    if fitted_on:
        where = f"on the dataset {fitted_on}"
    else:
        where = "on the instances of the other folds" if parameters.folds > 1 else "on the same instances"
    return f"Chosen from a grid by the lowest {criterion} {where}."


def _reliability(entries: Sequence[CalibratedEntry]) -> Table:
    return table(
        "reliability",
        "How often the most probable label is people’s majority label, by its probability",
        [
            column("name", "Predicted by"),
            column("low", "Above"),
            column("high", "up to"),
            column("instances", "Instances"),
            column("confidence", "Mean probability"),
            column("accuracy", "Majority hit", kind="share"),
        ],
        [{"name": entry.name, **bin_.plain()} for entry in entries for bin_ in entry.reliability if bin_.instances],
        notes=["Bins without instances are not listed."],
    )
