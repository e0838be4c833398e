"""Is the uncertainty of systems that of people? Calibration to human judgements: Baan et al. (2022)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from metaeval import metrics
from metaeval.analyses.base import seeding
from metaeval.analyses.base.registry import AnalysisError, analysis
from metaeval.analyses.base.work import Plan, Work
from metaeval.analyses.human_calibration import measures as measuring
from metaeval.analyses.human_calibration.entries import Entry, Places, Votes, people_entries, system_entries, votes_of
from metaeval.analyses.human_calibration.parameters import HumanCalibration
from metaeval.analyses.human_calibration.tables import tables_of
from metaeval.analyses.human_calibration.temperatures import TemperaturePlan, folds_of
from metaeval.analyses.inputs import DatasetInputs
from metaeval.metrics import DistributionError
from metaeval.metrics.resampling import resampled_humans_plan
from metaeval.sampling import Replicates, stream

SAME_INSTANCES = "Temperatures are chosen and judged on the same instances, which flatters them."


@analysis(
    title="Is the uncertainty of systems that of people?",
    subjects=["dataset"],
    parameters=HumanCalibration,
    figures=["calibration_errors", "calibration_reliability"],
    example={"sample_size": 3, "scaling": "one"},
)
def human_calibration(inputs: DatasetInputs, parameters: HumanCalibration, seed: int, work: Work) -> dict[str, Any]:
    """Measures how well the probabilities of systems are calibrated to human judgements, instance by instance.

    DistCE is the total variation distance of a prediction from the people of its instance, EntCE the difference of
    their entropies in nats, RankCS the share of instances whose labels are in the same order; ECE, against the majority
    only, is what they replace. People themselves (the oracle) and sub-samples of them show what could be reached;
    histograms show how the errors spread. Source: Baan et al. (2022); see `metaeval.metrics.calibration`.
    """
    _check(inputs, parameters)
    root = seeding.root(seed, seeding.Purpose.HUMAN_CALIBRATION)
    chosen = parameters.systems or list(inputs.systems)
    votes, without = votes_of(inputs, parameters)
    fold = folds_of(len(inputs.P), parameters.folds, stream(root, 0))
    plans: dict[str, Plan] = {}
    if len(votes.places):
        plans["people"] = resampled_humans_plan(
            votes.counts, size=parameters.sample_size, times=parameters.samples, seed=stream(root, 1)
        )
    if parameters.scaling == "grid":
        plans |= {
            f"temperature/{name}": TemperaturePlan(
                inputs.P, inputs.Q[name], fold, parameters.folds, parameters.criterion
            )
            for name in chosen
        }
    work.stage("Resampling people and searching temperatures", until=0.6)
    found: Mapping[str, Replicates] = work.run(plans)
    entries = [
        *people_entries(inputs, votes, found.get("people")),
        *(
            entry
            for name in chosen
            for entry in system_entries(
                inputs, name, parameters, fold=fold, along_the_grid=found.get(f"temperature/{name}")
            )
        ),
    ]
    work.stage("Calibration")
    reference = _reference(inputs, entries, parameters)
    answers = []
    for number, entry in enumerate(entries):
        work.step(number, len(entries), f"Calibration: {number} of {len(entries)}")
        answers.append(_answer(inputs, entry, parameters, reference))
    work.step(1, 1)
    runs = measuring.over_runs([row for row in answers if row["kind"] in {"system", "scaled"} and not row["reason"]])
    result = {
        "entries": answers,
        "groups": runs,
        "labels": list(inputs.labels),
        "reference": reference.name if reference else None,
        "reference_reason": without,
    }
    return {
        **result,
        "tables": tables_of(result, parameters),
        "counts": {"resampled_instances": len(votes.places)},
        "exclusions": _exclusions(inputs, votes, answers, without),
        "notes": [SAME_INSTANCES] if parameters.scaling == "grid" and parameters.folds == 1 else [],
    }


def _check(data: DatasetInputs, parameters: HumanCalibration) -> None:
    if data.task == "multilabel":
        raise AnalysisError(
            f"The dataset {data.slug} lets people give several labels, so that its rows are no distributions and "
            "have no entropy. Calibration to human judgements is about one label an instance."
        )
    unknown = [name for name in parameters.systems if name not in data.systems]
    if unknown:
        known = ", ".join(data.systems) or "there are none"
        raise AnalysisError(f"No system is called {unknown[0]!r}. Systems: {known}.", systems=list(data.systems))
    if not data.systems:
        raise AnalysisError(f"The dataset {data.slug} has no systems. Import predictions.")
    if parameters.scaling == "grid" and parameters.folds > len(data.P):
        raise AnalysisError(f"{parameters.folds} folds need as many instances, and there are {len(data.P)}.")


@dataclass(frozen=True, eq=False)
class Reference:
    """The sub-sample of people with whose errors those of others are compared, on its instances."""

    name: str
    places: Places
    histograms: Mapping[str, metrics.ErrorHistogram]


def _reference(data: DatasetInputs, entries: Sequence[Entry], parameters: HumanCalibration) -> Reference | None:
    first = next((entry for entry in entries if entry.kind == "people"), None)
    if first is None or first.places is None:
        return None
    errors = measuring.errors_of(data.P[first.places], first.Q())
    return Reference(
        first.name, first.places, measuring.histograms(errors, len(data.labels), parameters.histogram_bins)
    )


def _answer(
    data: DatasetInputs, entry: Entry, parameters: HumanCalibration, reference: Reference | None
) -> dict[str, Any]:
    row: dict[str, Any] = {
        "name": entry.name,
        "kind": entry.kind,
        "model": entry.model,
        "method": entry.method,
        "run": entry.run,
        "temperatures": list(entry.temperatures),
        "reason": entry.reason,
        "instances": 0,
        "measures": dict.fromkeys(measuring.TITLES, math.nan),
        "classwise": [math.nan] * len(data.labels),
        "histograms": None,
        "compared": None,
        "reliability": [],
    }
    if entry.reason:
        return row
    P, Q = data.P if entry.places is None else data.P[entry.places], entry.Q()
    try:
        errors = measuring.errors_of(P, Q)
        row |= {
            "instances": len(P),
            "measures": measuring.measures_of(P, Q, parameters),
            "classwise": measuring.classwise(P, Q, parameters),
            "reliability": measuring.reliability_rows(P, Q, parameters),
        }
    except DistributionError as error:
        raise AnalysisError(f"The calibration of {entry.name} cannot be measured: {error}.") from error
    shown = measuring.histograms(errors, len(data.labels), parameters.histogram_bins)
    row["histograms"] = {name: histogram.to_dict() for name, histogram in shown.items()}
    if reference is None or entry.name == reference.name or entry.kind == "oracle":
        return row
    if entry.places is None:  # compared on the instances that the reference has
        inside = measuring.Errors(errors.distribution[reference.places], errors.entropy[reference.places])
        shown = measuring.histograms(inside, len(data.labels), parameters.histogram_bins)
    row["compared"] = {
        name: metrics.compare_errors(reference.histograms[name], histogram).to_dict()
        for name, histogram in shown.items()
    }
    return row


def _exclusions(
    data: DatasetInputs, votes: Votes, answers: Sequence[Mapping[str, Any]], without: str
) -> list[dict[str, Any]]:
    listed = [
        {"what": "system", "system": row["name"], "count": 1, "reason": row["reason"]}
        for row in answers
        if row["reason"]
    ]
    left = len(data.P) - len(votes.places)
    if left:
        reason = without or "too few votes to sub-sample people"
        listed.append({"what": "instances", "of": "the resampled people", "count": left, "reason": reason})
    return listed
