"""Does systems' uncertainty match people's? Calibration to human judgements: Baan et al. (2022)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from annotations.ground.arrays import Places
from annotations.ground.errors import naming
from metaeval import metrics
from metaeval.analyses.base.registry import AnalysisError, analysis
from metaeval.analyses.base.work import Plan, Purpose, Work, root_stream
from metaeval.analyses.human_calibration import measures as measuring
from metaeval.analyses.human_calibration.choosing import Choosing
from metaeval.analyses.human_calibration.entries import (
    CountedVotes,
    Entry,
    people_entries,
    system_entries,
    votes_of,
)
from metaeval.analyses.human_calibration.judging import Judging, judging_of
from metaeval.analyses.human_calibration.measures import TITLES, over_runs
from metaeval.analyses.human_calibration.parameters import HumanCalibration
from metaeval.analyses.human_calibration.result import (
    CalibratedEntry,
    ComparedErrors,
    ErrorKind,
    ErrorShares,
    HumanCalibrationFindings,
    HumanCalibrationResult,
)
from metaeval.analyses.human_calibration.tables import tables_of
from metaeval.analyses.human_calibration.wording import WORDS
from metaeval.analyses.inputs import DatasetInputs, DatasetsInputs
from metaeval.analyses.inputs.parts import Exclusion
from metaeval.metrics import DistributionError
from metaeval.metrics.resampling import resampled_humans_plan
from metaeval.sampling import Replicates, stream

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
    words=WORDS,
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
    judging = judging_of(inputs, parameters)
    data = judging.data
    root = root_stream(seed, Purpose.HUMAN_CALIBRATION)
    chosen = parameters.systems or list(data.systems)
    votes, without = votes_of(data, parameters)
    choosing = Choosing(judging, parameters, stream(root, 0))
    plans = {**_resampled(votes, parameters, stream(root, 1)), **choosing.plans(chosen)}
    work.stage("Resampling people and searching temperatures", until=0.6)
    replicates: Mapping[str, Replicates] = work.run(plans)
    entries = [
        *people_entries(data, votes, replicates.get(PEOPLE)),
        *(entry for name in chosen for entry in system_entries(data, name, choosing.chosen(name, replicates))),
    ]
    reference = _reference(data, entries, parameters)
    answers = _calibrated(data, entries, reference, parameters, work)
    found = HumanCalibrationFindings(
        entries=answers,
        groups=over_runs([row for row in answers if row.kind in {"system", "scaled"} and not row.reason]),
        labels=list(data.labels),
        reference=reference.name if reference else None,
        reference_reason=without,
        fitted_on=judging.slug_fitted_on,
        counts={**data.counts, "resampled_instances": len(votes.places)},
        exclusions=_exclusions(judging, chosen, votes, answers, without),
        notes=_notes(judging, parameters),
        tables=[],
    )
    return found.model_copy(update={"tables": tables_of(found, parameters)})


def _resampled(votes: CountedVotes, parameters: HumanCalibration, seed: np.random.SeedSequence) -> dict[str, Plan]:
    """Sub-samples of people, if there are enough."""
    if not len(votes.places):
        return {}
    size, times = parameters.sample_size, parameters.samples
    return {PEOPLE: resampled_humans_plan(votes.counts, size=size, n_resamples=times, seed=seed)}


def _notes(judging: Judging, parameters: HumanCalibration) -> list[str]:
    if judging.fitted_on:
        return [
            f"Temperatures are chosen on the dataset {judging.fitted_on.slug}; everything is judged on the dataset "
            f"{judging.data.slug}."
        ]
    return [SAME_INSTANCES] if parameters.scaling == "grid" and parameters.folds == 1 else []


@dataclass(frozen=True, eq=False)
class Reference:
    """The sub-sample of people whose errors are the reference for all others, and its instances."""

    name: str
    places: Places
    histograms: Mapping[ErrorKind, metrics.ErrorHistogram]


def _reference(data: DatasetInputs, entries: Sequence[Entry], parameters: HumanCalibration) -> Reference | None:
    first = next((entry for entry in entries if entry.kind == "people"), None)
    if first is None or first.places is None:
        return None
    errors = measuring.errors_of(data.P[first.places], first.Q())
    return Reference(
        first.name, first.places, measuring.histograms(errors, len(data.labels), parameters.histogram_bins)
    )


def _calibrated(
    data: DatasetInputs,
    entries: Sequence[Entry],
    reference: Reference | None,
    parameters: HumanCalibration,
    work: Work,
) -> list[CalibratedEntry]:
    """Every entry with its measures."""
    work.stage("Calibration")
    answers = []
    for number, entry in enumerate(entries):
        work.step(number, len(entries), f"Calibration: {number} of {len(entries)}")
        with naming(entry.name):
            answers.append(_undefined(data, entry) if entry.reason else _measured(data, entry, parameters, reference))
    work.step(1, 1)
    return answers


def _undefined(data: DatasetInputs, entry: Entry) -> CalibratedEntry:
    return CalibratedEntry(
        name=entry.name,
        kind=entry.kind,
        model=entry.model,
        method=entry.method,
        run=entry.run,
        temperatures=list(entry.temperatures),
        reason=entry.reason,
        instances=0,
        measures=dict.fromkeys(TITLES),
        classwise=[None] * len(data.labels),
        histograms=None,
        compared=None,
        reliability=[],
    )


def _measured(
    data: DatasetInputs, entry: Entry, parameters: HumanCalibration, reference: Reference | None
) -> CalibratedEntry:
    P, Q = data.P if entry.places is None else data.P[entry.places], entry.Q()
    try:
        errors = measuring.errors_of(P, Q)
        measures = measuring.measures_of(P, Q, parameters)
        classwise = measuring.classwise(P, Q, parameters)
        reliability = measuring.reliability_rows(P, Q, parameters)
        by_label, by_guess = metrics.label_calibration_errors(P, Q), metrics.guess_calibration_errors(P, Q)
    except DistributionError as error:
        raise AnalysisError(f"The calibration of {entry.name} cannot be measured: {error}.") from error
    shown = measuring.histograms(errors, len(data.labels), parameters.histogram_bins)
    return CalibratedEntry(
        name=entry.name,
        kind=entry.kind,
        model=entry.model,
        method=entry.method,
        run=entry.run,
        temperatures=list(entry.temperatures),
        reason="",
        instances=len(P),
        measures=measures,
        classwise=classwise.tolist(),
        histograms={name: ErrorShares.from_found(histogram) for name, histogram in shown.items()},
        compared=_compared(data, entry, errors, parameters, reference),
        reliability=reliability,
        by_label=measuring.signed_errors(by_label, parameters.histogram_bins),
        by_guess=measuring.signed_errors(by_guess, parameters.histogram_bins),
    )


def _compared(
    data: DatasetInputs,
    entry: Entry,
    errors: measuring.Errors,
    parameters: HumanCalibration,
    reference: Reference | None,
) -> dict[ErrorKind, ComparedErrors] | None:
    """The distributions of errors compared with those of the sub-sample of people, on its instances."""
    if reference is None or entry.name == reference.name or entry.kind == "oracle":
        return None
    if entry.kind != "people":
        places = np.arange(len(data.P)) if entry.places is None else entry.places
        shared = np.isin(places, reference.places)
        if not shared.any():
            return None
        errors = measuring.Errors(errors.distribution[shared], errors.entropy[shared])
    shown = measuring.histograms(errors, len(data.labels), parameters.histogram_bins)
    return {
        name: ComparedErrors.from_found(metrics.compare_errors(reference.histograms[name], histogram))
        for name, histogram in shown.items()
    }


def _exclusions(
    judging: Judging, chosen: Sequence[str], votes: CountedVotes, answers: Sequence[CalibratedEntry], without: str
) -> list[Exclusion]:
    """What was left out; with two datasets, each entry says of which."""
    data, fitted_on = judging.data, judging.fitted_on
    listed = data.absences(chosen)
    listed += [Exclusion(what="system", system=row.name, count=1, reason=row.reason) for row in answers if row.reason]
    left = len(data.P) - len(votes.places)
    if left:
        reason = without or "too few votes to sub-sample people"
        listed.append(Exclusion(what="instances", of="the resampled people", count=left, reason=reason))
    if fitted_on is None:
        return listed
    unseen = [one.model_copy(update={"reason": f"{one.reason}: {NO_SAY}"}) for one in fitted_on.absences(chosen)]
    return [_of(data, one) for one in listed] + [_of(fitted_on, one) for one in unseen]


def _of(data: DatasetInputs, exclusion: Exclusion) -> Exclusion:
    return exclusion.model_copy(update={"dataset": data.slug})
