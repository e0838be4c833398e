"""Does systems' uncertainty match people's? Calibration to human judgements: Baan et al. (2022)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from annotations.ground.errors import naming
from metaeval.analyses.base.registry import analysis
from metaeval.analyses.base.wording import PlainWords
from metaeval.analyses.base.work import Plan, Purpose, Work, root_stream
from metaeval.analyses.human_calibration.measures import (
    CountedVotes,
    Reference,
    calibrated,
    over_runs,
    people_entries,
    system_entries,
    votes_of,
)
from metaeval.analyses.human_calibration.parameters import HumanCalibration
from metaeval.analyses.human_calibration.result import (
    CalibratedEntry,
    HumanCalibrationFindings,
    HumanCalibrationResult,
    answer,
    tables_of,
)
from metaeval.analyses.human_calibration.temperatures import TemperatureSearch, datasets_of
from metaeval.analyses.inputs import DatasetInputs, DatasetsInputs, SubjectKind
from metaeval.analyses.inputs.parts import Exclusion
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
