"""Does systems' uncertainty match people's? Calibration to human judgements: Baan et al. (2022), Table 1."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from annotations.ground.arrays import Codes, Integers, Matrix, Vector
from annotations.ground.errors import naming
from metaeval import metrics
from metaeval.analyses.base.registry import AnalysisError, analysis
from metaeval.analyses.base.wording import PlainWords
from metaeval.analyses.base.work import Plan, Purpose, Work, root_stream
from metaeval.analyses.human_calibration.parameters import HumanCalibration
from metaeval.analyses.human_calibration.result import (
    TITLES,
    CalibratedEntry,
    CalibrationMeasure,
    CalibrationOverRuns,
    ComparedErrors,
    ErrorKind,
    ErrorShares,
    HumanCalibrationFindings,
    HumanCalibrationResult,
    Kind,
    SignedErrors,
    answer,
    tables_of,
)
from metaeval.analyses.human_calibration.temperatures import (
    Temperatures,
    TemperatureSearch,
    datasets_of,
    predicted_places,
    scaled_by_fold,
)
from metaeval.analyses.inputs import DatasetInputs, DatasetsInputs, SubjectKind
from metaeval.analyses.inputs.parts import Exclusion, Number
from metaeval.metrics import DistributionError
from metaeval.metrics.resampling import resampled_humans_plan
from metaeval.sampling import Replicates, stream
from metaeval.stats.agreement import Annotations
from metaeval.stats.welch import standard_deviation

SAME_INSTANCES = "Temperatures are chosen and judged on the same instances, which makes them look better than they are."
NO_SAY = "they have no say in its temperature"
PEOPLE = "people"


@analysis(
    title="Are systems as uncertain as people?",
    subjects=["dataset", "datasets"],
    parameters=HumanCalibration,
    result=HumanCalibrationResult,
    figures=["calibration_errors", "calibration_reliability", "calibration_labels"],
    version=2,
    example={"sample_size": 3, "scaling": "one"},
    words=PlainWords(
        question="Are the systems as uncertain as people?",
        group="The systems",
        shows="How far each system’s distributions are from people’s, compared with how much people’s own "
        "votes vary. It needs predictions of systems.",
        place=20,
        needs={SubjectKind.DATASET: ("systems",)},
        compared=("systems", "scaling", "fitted_on"),
        statistics=("temperature", "sample_size", "samples"),
        answer=answer,
    ),
)
def human_calibration(
    inputs: DatasetInputs | DatasetsInputs, parameters: HumanCalibration, seed: int, work: Work
) -> HumanCalibrationFindings:
    """Measures how well systems' probabilities are calibrated to human judgements, instance by instance.

    DistCE is the total variation distance between a prediction and people's judgements of its instance, EntCE the
    difference of their entropies in nats, RankCS the share of instances whose labels are in the same order; they
    replace ECE, which is against the majority only. People themselves (the oracle) and sub-samples of them show what is
    attainable; histograms show the distribution of errors overall, label by label and guess by guess.

    With two datasets, one is judged, at temperatures chosen on the other: systems are matched by name, and the labels
    may differ, since a temperature does not depend on them.

    Source: Baan et al. (2022); see `metaeval.metrics.calibration`.
    """
    data, fitted_on = datasets_of(inputs, parameters)
    root = root_stream(seed, Purpose.HUMAN_CALIBRATION)
    systems = parameters.systems or list(data.systems)
    size, times = parameters.sample_size, parameters.samples
    votes = votes_of(data, size)
    search = TemperatureSearch(data, fitted_on, parameters, stream(root, 0))
    plans: dict[str, Plan] = {}
    if len(votes.places):
        plans[PEOPLE] = resampled_humans_plan(votes.counts, size=size, n_resamples=times, seed=stream(root, 1))
    work.stage("Resampling people and searching temperatures", until=0.6)
    replicates: Mapping[str, Replicates] = work.run(plans | search.plans(systems))
    people = list(people_entries(data, votes, replicates.get(PEOPLE)))
    entries = [
        *people,
        *(entry for name in systems for entry in system_entries(data, name, search.temperatures(name, replicates))),
    ]
    reference = Reference(data, people[1], parameters.histogram_bins) if len(people) > 1 else None
    work.stage("Calibration")
    rows = []
    for number, entry in enumerate(entries):
        work.step(number, len(entries), f"Calibration: {number} of {len(entries)}")
        with naming(entry.name):
            rows.append(calibrated(data, entry, parameters, reference))
    work.step(1, 1)
    findings = HumanCalibrationFindings(
        entries=rows,
        groups=over_runs(rows),
        labels=list(data.labels),
        reference=reference.name if reference else None,
        reference_reason=votes.reason,
        fitted_on=fitted_on.slug if fitted_on else "",
        counts={**data.counts, "resampled_instances": len(votes.places)},
        exclusions=_exclusions(data, fitted_on, systems, votes, rows),
        notes=_notes(data, fitted_on, parameters),
        tables=[],
    )
    return findings.model_copy(update={"tables": tables_of(findings, parameters)})


def _notes(data: DatasetInputs, fitted_on: DatasetInputs | None, parameters: HumanCalibration) -> list[str]:
    if fitted_on:
        return [
            f"Temperatures are chosen on the dataset {fitted_on.slug}; everything is judged on the dataset {data.slug}."
        ]
    return [SAME_INSTANCES] if parameters.scaling == "grid" and parameters.folds == 1 else []


def _exclusions(
    data: DatasetInputs,
    fitted_on: DatasetInputs | None,
    systems: Sequence[str],
    votes: CountedVotes,
    rows: Sequence[CalibratedEntry],
) -> list[Exclusion]:
    """What was left out; with two datasets, each entry says of which."""
    exclusions = data.absences(systems)
    exclusions += [Exclusion(what="system", system=row.name, count=1, reason=row.reason) for row in rows if row.reason]
    count = len(data.P) - len(votes.places)
    if count:
        reason = votes.reason or "too few votes to sub-sample people"
        exclusions.append(Exclusion(what="instances", of="the resampled people", count=count, reason=reason))
    if fitted_on is None:
        return exclusions
    return [exclusion.model_copy(update={"dataset": data.slug}) for exclusion in exclusions] + [
        absence.model_copy(update={"reason": f"{absence.reason}: {NO_SAY}", "dataset": fitted_on.slug})
        for absence in fitted_on.absences(systems)
    ]


UNKNOWN_VOTES = "it is not known how many people gave which label, so people cannot be resampled"

Errors = Mapping[ErrorKind, Vector]
"""The errors of every instance: DistCE in [0, 1], EntCE in [-log K, log K]."""


class CountedVotes(NamedTuple):
    """Counts (instances, labels) of the instances that have enough votes to sub-sample, and their places; if there are
    none, the reason."""

    counts: Integers
    places: Codes
    reason: str


def votes_of(data: DatasetInputs, least: int) -> CountedVotes:
    """The votes that can be sub-sampled; `least`: how many an instance needs."""
    annotations = data.annotations
    counts = np.zeros((len(data.P), len(data.labels)), dtype=np.int64)
    if not isinstance(annotations, Annotations):
        return CountedVotes(counts[:0], np.zeros(0, dtype=np.int64), UNKNOWN_VOTES)
    np.add.at(counts, (np.asarray(annotations.items, dtype=np.int64)[annotations.item], annotations.label), 1)
    places = np.flatnonzero(counts.sum(axis=1) >= least)
    return CountedVotes(counts[places], places, "" if len(places) else f"no instance has {least} votes")


@dataclass(frozen=True, eq=False)
class Entry:
    """Something that predicts: a system, unscaled or scaled, people themselves, or a sub-sample of them.

    `Q` returns its distributions for the instances at `places`.
    """

    name: str
    kind: Kind
    Q: Callable[[], Matrix]
    places: Codes
    model: str = ""
    method: str = ""
    run: str = ""
    temperatures: tuple[float, ...] = ()
    reason: str = ""


def people_entries(data: DatasetInputs, votes: CountedVotes, shares: Replicates | None) -> Iterator[Entry]:
    """People themselves, and sub-samples of them."""
    yield Entry("People (oracle)", "oracle", lambda: data.P, np.arange(len(data.P)))
    for number, sample in enumerate([] if shares is None else shares, start=1):
        yield Entry(f"H{number}", "people", partial(np.asarray, sample), votes.places, run=str(number))


def system_entries(data: DatasetInputs, name: str, temperatures: Temperatures | None) -> Iterator[Entry]:
    """The system unscaled and, if it has temperatures, scaled."""
    origin = data.origins[data.systems.index(name)]
    model, method, run = origin["model"], origin["method"], origin["run"]
    places = predicted_places(data, name)
    yield Entry(name, "system", lambda: data.Q[name][places], places, model, method, run)
    if temperatures is not None:
        yield Entry(
            f"{name} · {temperatures.origin}",
            "scaled",
            lambda: scaled_by_fold(data.Q[name][places], temperatures.fold[places], temperatures.of_folds),
            places,
            model,
            f"{method} · {temperatures.origin}" if method else temperatures.origin,
            run,
            temperatures.of_folds,
            temperatures.reason,
        )


class Reference:
    """The sub-sample of people with whose errors all others are compared."""

    def __init__(self, data: DatasetInputs, entry: Entry, bins: int) -> None:
        self.name, self.places = entry.name, entry.places
        self._labels, self._bins = len(data.labels), bins
        self._histograms = _histograms(_errors(data.P[entry.places], entry.Q()), self._labels, bins)

    def compared(self, entry: Entry, errors: Errors) -> dict[ErrorKind, ComparedErrors] | None:
        """The distributions of errors on these instances, compared; None if there is nothing to compare."""
        shared = np.isin(entry.places, self.places)
        if entry.name == self.name or entry.kind == "oracle" or not shared.any():
            return None
        histograms = _histograms({kind: values[shared] for kind, values in errors.items()}, self._labels, self._bins)
        return {
            kind: ComparedErrors.from_found(metrics.compare_errors(self._histograms[kind], histogram))
            for kind, histogram in histograms.items()
        }


def calibrated(
    data: DatasetInputs, entry: Entry, parameters: HumanCalibration, reference: Reference | None
) -> CalibratedEntry:
    """An entry with its measures. Raises `AnalysisError` if its predictions are no distributions."""
    described: dict[str, object] = {
        key: getattr(entry, key) for key in ("name", "kind", "model", "method", "run", "temperatures", "reason")
    }
    if entry.reason:
        nothing = {"instances": 0, "measures": dict.fromkeys(TITLES), "classwise": [None] * len(data.labels)}
        return CalibratedEntry.model_validate(
            described | nothing | {"histograms": None, "compared": None, "reliability": []}
        )
    P, Q = data.P[entry.places], entry.Q()
    bins, ties, spread = parameters.bins, parameters.ece_ties, parameters.histogram_bins
    try:
        errors = _errors(P, Q)
        return CalibratedEntry.model_validate(
            described
            | {
                "instances": len(P),
                "measures": _measures(P, Q, parameters),
                "classwise": metrics.classwise_errors(P, Q, bins=bins, ties=ties, zeros=parameters.zeros),
                "histograms": {
                    kind: ErrorShares.from_found(histogram)
                    for kind, histogram in _histograms(errors, len(data.labels), spread).items()
                },
                "compared": None if reference is None else reference.compared(entry, errors),
                "reliability": [vars(bin_) for bin_ in metrics.reliability(P, Q, bins=bins, ties=ties)],
                "by_label": _signed_errors(metrics.label_calibration_errors(P, Q), spread),
                "by_guess": _signed_errors(metrics.guess_calibration_errors(P, Q), spread),
            }
        )
    except DistributionError as error:
        raise AnalysisError(f"The calibration of {entry.name} cannot be measured: {error}.") from error


def _measures(P: Matrix, Q: Matrix, parameters: HumanCalibration) -> dict[CalibrationMeasure, Number]:
    bins, ties = parameters.bins, parameters.ece_ties
    return {
        "accuracy": float(metrics.accuracy(P, Q, ties=parameters.accuracy_ties)),
        "ece": float(metrics.expected_calibration_error(P, Q, bins=bins, ties=ties)),
        "classwise_ece": float(metrics.classwise_ece(P, Q, bins=bins, ties=ties, zeros=parameters.zeros)),
        "ranking": float(metrics.ranking_calibration_score(P, Q)),
        "entropy": float(metrics.entropy_calibration_error(P, Q)),
        "entropy_signed": float(metrics.entropy_calibration_errors(P, Q).mean()),
        "distribution": float(metrics.distribution_calibration_error(P, Q)),
    }


def _errors(P: Matrix, Q: Matrix) -> Errors:
    """The errors of every instance, within their bounds despite rounding."""
    most = math.log(P.shape[1])
    return {
        "distribution": np.clip(metrics.distribution_calibration_errors(P, Q), 0.0, 1.0),
        "entropy": np.clip(metrics.entropy_calibration_errors(P, Q), -most, most),
    }


def _histograms(errors: Errors, labels: int, bins: int) -> dict[ErrorKind, metrics.ErrorHistogram]:
    most = math.log(labels)
    return {
        "distribution": metrics.error_histogram(errors["distribution"], bins=bins),
        "entropy": metrics.error_histogram(errors["entropy"], bins=bins, span=(-most, most)),
    }


def _signed_errors(errors: Matrix, bins: int) -> list[SignedErrors]:
    """The distribution of every column's errors (instances, labels or guesses) between -1 and 1."""
    return [
        SignedErrors.from_found(
            metrics.error_histogram(column, bins=bins, span=(-1.0, 1.0)),
            mean=float(column.mean()),
            magnitude=float(np.abs(column).mean()),
        )
        for column in np.clip(errors, -1.0, 1.0).T
    ]


def over_runs(entries: Sequence[CalibratedEntry]) -> list[CalibrationOverRuns]:
    """Means and standard deviations (n - 1) of the measures over the runs of a model and method."""
    groups: dict[tuple[str, str], list[CalibratedEntry]] = {}
    for entry in entries:
        if entry.kind in {"system", "scaled"} and not entry.reason:
            groups.setdefault((entry.model, entry.method), []).append(entry)
    rows = []
    for (model, method), runs in groups.items():
        values = {key: np.array([run.measures[key] for run in runs], dtype=np.float64) for key in TITLES}
        rows.append(
            CalibrationOverRuns(
                model=model,
                method=method,
                runs=len(runs),
                means={key: float(column.mean()) for key, column in values.items()},
                deviations={
                    key: standard_deviation(column) if len(runs) > 1 else None for key, column in values.items()
                },
            )
        )
    return rows
