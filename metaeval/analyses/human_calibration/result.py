"""The results of the analysis of calibration to human judgements, their tables, and the answer in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from metaeval import metrics
from metaeval.analyses.base.result import Findings, MeasuredValue, Result
from metaeval.analyses.base.table import InTable, Reason, Row, Share, Table, column, table, table_of
from metaeval.analyses.base.wording import answered, because, listed, number, sentence, spelled, undefined
from metaeval.analyses.human_calibration.parameters import HumanCalibration
from metaeval.analyses.inputs.parts import Number, Part

Kind = Literal["oracle", "people", "system", "scaled"]
CalibrationMeasure = Literal["accuracy", "ece", "classwise_ece", "ranking", "entropy", "entropy_signed", "distribution"]
ErrorKind = Literal["distribution", "entropy"]

TITLES: dict[CalibrationMeasure, str] = {
    "accuracy": "Accuracy",
    "ece": "ECE",
    "classwise_ece": "Class-wise ECE",
    "ranking": "RankCS",
    "entropy": "|EntCE|",
    "entropy_signed": "EntCE",
    "distribution": "DistCE",
}
"""As in the paper; `entropy_signed` is the mean of EntCE with its sign, negative where the system is more certain."""
ERRORS: dict[ErrorKind, str] = {"distribution": "DistCE", "entropy": "EntCE"}
PEOPLE: dict[Kind, str] = {
    "people": "a sub-sample of the people, against all of them",
    "oracle": "people themselves",
    "system": "",
    "scaled": "",
}


class ErrorShares(Part):
    """The distribution of the instances' errors: the share in each of equal bins."""

    edges: list[float]
    shares: list[float]


class SignedErrors(ErrorShares):
    """The distribution of predicted minus people's shares, for one label or guess: above 0, the system gives more."""

    mean: float
    magnitude: float = Field(description="Mean of the absolute errors.")


class ComparedErrors(Part):
    """How far the distribution of errors is from that of resampled people."""

    kl: MeasuredValue
    tvd: MeasuredValue


class BinOfReliability(Part):
    """The instances whose most probable label has a probability between `low` and `high`."""

    low: float = Field(title="Above")
    high: float = Field(title="up to")
    instances: int = Field(title="Instances")
    confidence: Annotated[Number, InTable(note="Bins without instances are not listed.")] = Field(
        title="Mean probability"
    )
    accuracy: Share = Field(
        title="Majority hit", description="How often the most probable label is people's majority label."
    )


class CalibratedEntry(Part):
    """Something that predicts, and how well it is calibrated: a system (unscaled or scaled), people, or a
    sub-sample."""

    name: str = Field(title="Predicted by")
    kind: Annotated[Kind, InTable(words=PEOPLE, remark="{}")]
    model: str
    method: str
    run: str
    temperatures: list[Number] = Field(description="One per fold; none if it is not scaled.")
    reason: Reason = Field(description="Why nothing could be measured; empty if it could be.")
    instances: Annotated[int, InTable(detail=True)] = Field(title="Instances")
    measures: dict[CalibrationMeasure, Number]
    classwise: list[Number] = Field(description="The class-wise error of every label.")
    histograms: dict[ErrorKind, ErrorShares] | None
    compared: dict[ErrorKind, ComparedErrors] | None
    reliability: list[BinOfReliability]
    by_label: list[SignedErrors] = Field(default=[], description="Errors of every label; empty in earlier results.")
    by_guess: list[SignedErrors] = Field(
        default=[],
        description=(
            "Errors of the label that the prediction gives the highest probability, of the next one, and so on."
        ),
    )


class CalibrationOverRuns(Part):
    """Means and standard deviations of the measures over the runs of a model and method."""

    model: str = Field(title="Model")
    method: str = Field(title="Method")
    runs: Annotated[int, InTable(note="SD divides by the number of runs minus 1.")] = Field(title="Runs")
    means: dict[CalibrationMeasure, Number]
    deviations: dict[CalibrationMeasure, Number]


class HumanCalibrationFindings(Findings):
    """How well everything that predicts is calibrated to people."""

    entries: list[CalibratedEntry]
    groups: list[CalibrationOverRuns]
    labels: list[str]
    reference: str | None = Field(description="The sub-sample of people with whose errors the others are compared.")
    reference_reason: str = Field(description="Why there is none; empty if there is one.")
    fitted_on: str = Field(
        default="",
        description="The slug of the dataset on which temperatures were chosen; empty if it is the "
        "judged one, as in all earlier results.",
    )


class HumanCalibrationResult(HumanCalibrationFindings, Result):
    """Calibration to human judgements."""

    analysis: Literal["human_calibration"]


def tables_of(findings: HumanCalibrationFindings, parameters: HumanCalibration) -> list[Table]:
    """All measures (Table 1), means over runs, errors compared with people's (Table 2), labels, temperatures, bins."""
    entries, labels = findings.entries, findings.labels
    name = column("name", "Predicted by")
    tables = [
        table_of(
            "calibration",
            "Calibration to human judgements",
            CalibratedEntry,
            [(entry, {str(key): value for key, value in entry.measures.items()}) for entry in entries],
            ["name", "instances", *(column(key, title) for key, title in TITLES.items())],
            notes=[
                "ECE: expected calibration error against the majority; RankCS: share of instances whose labels are "
                "in the same order as people’s; |EntCE| and EntCE: difference of the entropies from people’s, in "
                "nats (negative: more certain than people); DistCE: total variation distance from people. For "
                "accuracy and RankCS, higher is better; for all others, closer to 0."
            ],
        )
    ]
    if any(group.runs > 1 for group in findings.groups):
        tables.append(_over_runs(findings.groups))
    if findings.reference is not None:
        tables.append(_compared(entries, findings.reference, parameters))
    tables.append(
        table(
            "classwise",
            "Class-wise expected calibration error of every label",
            [name, *(column(f"label_{k}", label) for k, label in enumerate(labels))],
            [
                {"name": entry.name} | {f"label_{k}": value for k, value in enumerate(entry.classwise)}
                for entry in entries
            ],
        )
    )
    note = (
        "Predicted minus people’s share, mean over instances (above 0: the system gives more), and its mean magnitude."
    )
    order = "Guess 1: the label that the prediction gives the highest probability; the first one if several are equal."
    guesses = [f"Guess {number}" for number in range(1, len(labels) + 1)]
    by_label, by_guess = [entry.by_label for entry in entries], [entry.by_guess for entry in entries]
    tables += [
        _signed_errors("label_errors", "Errors of every label", labels, entries, by_label, notes=[note]),
        _signed_errors("guess_errors", "Errors of every guess", guesses, entries, by_guess, notes=[note, order]),
    ]
    if any(entry.temperatures for entry in entries):
        tables.append(_temperatures(entries, parameters, findings.fitted_on))
    tables.append(
        table_of(
            "reliability",
            "How often the most probable label is people’s majority label, by its probability",
            BinOfReliability,
            [({"name": entry.name}, bin_) for entry in entries for bin_ in entry.reliability if bin_.instances],
            [name, "low", "high", "instances", "confidence", "accuracy"],
        )
    )
    return tables


def _over_runs(groups: Sequence[CalibrationOverRuns]) -> Table:
    columns = [
        entry
        for key, title in TITLES.items()
        for entry in (column(key, "mean", group=title), column(f"{key}_sd", "SD", group=title))
    ]
    cells = [
        group.means
        | {f"{key}_sd": value for key, value in group.deviations.items()}
        | {"notes": "" if group.runs > 1 else "SD undefined: one run"}
        for group in groups
    ]
    return table_of(
        "runs",
        "Means over runs",
        CalibrationOverRuns,
        list(zip(groups, cells, strict=True)),
        ["model", "method", "runs", *columns, column("notes", "Notes")],
    )


def _compared(entries: Sequence[CalibratedEntry], reference: str, parameters: HumanCalibration) -> Table:
    columns = [column("name", "Predicted by")]
    for key, title in ERRORS.items():
        columns += [column(f"{key}_kl", "KL", group=title), column(f"{key}_tvd", "TVD", group=title)]
    rows: list[Row] = []
    for entry in entries:
        row: Row = {"name": entry.name}
        reasons = []
        for key, compared in (entry.compared or {}).items():
            row |= {f"{key}_kl": compared.kl.value, f"{key}_tvd": compared.tvd.value}
            reasons += [f"KL of {ERRORS[key]} undefined: {compared.kl.reason}"] if compared.kl.reason else []
        rows += [row | {"notes": "; ".join(reasons)}] if entry.compared else []
    return table(
        "errors",
        f"How far the distribution of errors is from that of {reference}",
        [*columns, column("notes", "Notes")],
        rows,
        notes=[
            f"{reference}: {parameters.sample_size} of every instance’s votes, drawn at random, against "
            f"all of them. For histograms of {parameters.histogram_bins} bins: Kullback-Leibler "
            f"divergence from {reference} in nats, and total variation distance."
        ],
    )


def _signed_errors(
    name: str,
    title: str,
    groups: Sequence[str],
    entries: Sequence[CalibratedEntry],
    errors: Sequence[Sequence[SignedErrors]],
    *,
    notes: Sequence[str],
) -> Table:
    """Predicted minus people's shares, label by label or guess by guess."""
    columns = [column("name", "Predicted by")]
    for k, group in enumerate(groups):
        columns += [column(f"mean_{k}", "mean", group=group), column(f"magnitude_{k}", "magnitude", group=group)]
    rows: list[Row] = []
    for entry, errors_of_entry in zip(entries, errors, strict=True):
        row: Row = {"name": entry.name, "notes": f"undefined: {entry.reason}" if entry.reason else ""}
        for k, error in enumerate(errors_of_entry):
            row |= {f"mean_{k}": error.mean, f"magnitude_{k}": error.magnitude}
        rows.append(row)
    return table(name, title, [*columns, column("notes", "Notes")], rows, notes=notes)


def _temperatures(entries: Sequence[CalibratedEntry], parameters: HumanCalibration, fitted_on: str) -> Table:
    folds = max(len(entry.temperatures) for entry in entries)
    instances = "the instances of the other folds" if parameters.folds > 1 else "the same instances"
    data = f"the dataset {fitted_on}" if fitted_on else instances
    criterion = metrics.get(parameters.criterion).title.lower()
    return table_of(
        "temperatures",
        "Temperatures",
        CalibratedEntry,
        [
            (entry, {f"fold_{k}": temperature for k, temperature in enumerate(entry.temperatures)})
            for entry in entries
            if entry.temperatures
        ],
        ["name", *(column(f"fold_{k}", f"Fold {k + 1}" if folds > 1 else "Temperature") for k in range(folds))],
        titles={"name": "System"},
        notes=[f"Chosen from a grid by the lowest {criterion} on {data}."] if parameters.scaling == "grid" else [],
    )


def answer(result: HumanCalibrationResult) -> str:
    """How many systems are more certain than people on average; then which is closest to people's distributions.

    Nothing here tests one system against another, so only numbers are compared.
    """
    systems = [entry for entry in result.entries if entry.kind == "system"]
    signed = _values(systems, "entropy_signed")
    distances = {entry.name: value for entry, value in _values(systems, "distribution")}
    if not signed and not distances:
        return f"No system can be compared with people: {because(next((entry.reason for entry in systems), ''))}"
    nearest = _nearest(result, distances)
    lacking = [entry for entry in systems if entry.name not in distances]
    caution = sentence(
        [
            "no test compares the systems" if len(distances) > 1 else "",
            undefined([entry.name for entry in lacking], [entry.reason for entry in lacking]),
        ]
    )
    if not signed:
        return answered(sentence([nearest]), caution)
    return answered(_surer([value for _, value in signed], signed[0][0].name), sentence([nearest]), caution)


def _surer(values: Sequence[float], only: str) -> str:
    """Above 0, a system's entropy is higher than people's: it is less certain."""
    figures = f"mean entropy minus people’s: {_range(values)} nats"
    if len(values) == 1:
        than = (
            "more certain than people"
            if values[0] < 0
            else "less certain than people"
            if values[0] > 0
            else "as certain as people"
        )
        return f"On average, {listed([only])} is {than} ({figures})."
    surer, less = sum(value < 0 for value in values), sum(value > 0 for value in values)
    exactly = len(values) - surer - less
    if surer == len(values) or less == len(values):
        which = "Both" if len(values) == 2 else f"All {spelled(len(values))}"
        return f"{which} systems are {'more' if surer else 'less'} certain than people on average ({figures})."
    parts = [
        f"{spelled(surer) if surer else 'none'} {_are(surer)} more certain than people",
        f"{spelled(less) if less else 'none'} {_are(less)} less certain",
    ]
    if exactly:
        parts.append(f"{spelled(exactly)} {_are(exactly)} just as certain")
    return f"Of {spelled(len(values))} systems, {listed(parts)} on average ({figures})."


def _nearest(result: HumanCalibrationResult, distances: dict[str, float]) -> str:
    if not distances:
        return ""
    near = min(distances.values())
    best = [name for name, value in distances.items() if value == near]
    own = [value for _, value in _values([entry for entry in result.entries if entry.kind == "people"], "distribution")]
    beside = f", and people’s own votes, drawn again, by {_range(own)}" if own else ""
    differ = f"differ from people’s by {number(near)} on average (0 would be the same){beside}"
    if len(distances) == 1:
        return f"the distributions of {listed(best)} {differ}"
    return f"closest to people’s are the distributions of {listed(best)}, which {differ}"


def _values(entries: Sequence[CalibratedEntry], measure: CalibrationMeasure) -> list[tuple[CalibratedEntry, float]]:
    values = [(entry, entry.measures.get(measure)) for entry in entries]
    return [(entry, value) for entry, value in values if value is not None]


def _range(values: Sequence[float]) -> str:
    low, high = number(min(values)), number(max(values))
    return low if low == high else f"{low} to {high}"


def _are(count: int) -> str:
    return "is" if count in {0, 1} else "are"
