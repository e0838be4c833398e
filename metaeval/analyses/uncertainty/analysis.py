"""Human uncertainty and machines: the stratified tables and perception charts of Elangovan et al. (2025)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from annotations.ground.errors import naming
from metaeval.analyses.base.registry import AnalysisError, analysis
from metaeval.analyses.base.work import Plan, Purpose, Work, root_stream
from metaeval.analyses.inputs import DatasetInputs, StudyInputs, VotesInputs
from metaeval.analyses.inputs.parts import Exclusion
from metaeval.analyses.uncertainty.continuous import ContinuousMachine
from metaeval.analyses.uncertainty.machine_labels import Machine, Sides, sides
from metaeval.analyses.uncertainty.machines import MachineAgreement
from metaeval.analyses.uncertainty.parameters import Uncertainty
from metaeval.analyses.uncertainty.partitioned_items import PartitionedItems
from metaeval.analyses.uncertainty.people import PeopleAgreement
from metaeval.analyses.uncertainty.perception import perception_of
from metaeval.analyses.uncertainty.result import PeopleStrata, UncertaintyFindings, UncertaintyResult
from metaeval.analyses.uncertainty.tables import tables_of
from metaeval.analyses.uncertainty.wording import WORDS
from metaeval.sampling import Replicates, Steps, stream
from metaeval.stats.uncertainty import paired, typical_labels

ALONE = "No machine labels these items: people's agreement is shown beside that of random labellers only."


@analysis(
    title="How well do machines agree with people, given how far people agree?",
    subjects=["study", "dataset", "votes"],
    parameters=Uncertainty,
    result=UncertaintyResult,
    version=2,
    figures=["uncertainty_strata", "uncertainty_perception", "uncertainty_values"],
    example={"resamples": 100, "draws": 10, "units": "all"},
    words=WORDS,
)
def uncertainty(
    inputs: StudyInputs | DatasetInputs | VotesInputs, parameters: Uncertainty, seed: int, work: Work
) -> UncertaintyFindings:
    """Compares machines with people, separately for items on which people agree and on which they do not.

    In each partition of the items: how much people agree among themselves (HH), machines among themselves (MM),
    people's majority or median with the machine's (H^w M^w), and one random person with it (H'M^w); binned
    Jensen-Shannon divergence; and what random labellers get. For machines that give numbers: how these correlate with
    people's labels, and how they are distributed for each label. Alphas have bootstrap intervals over items; those of
    HH, H^w M^w and their difference draw the same items. Source: Elangovan et al. (2025); see
    `metaeval.stats.uncertainty`.
    """
    found = sides(inputs, parameters)
    root = root_stream(seed, Purpose.UNCERTAINTY)
    work.stage("Partitions", until=0.3)
    labelled = _labelled(found, parameters)
    people = [PeopleAgreement.of(items, parameters) for items in dict.fromkeys(items for _, items in labelled)]
    machines = []
    for at, (labels, items) in enumerate(labelled):
        if labels is not None:
            with naming(labels.name):
                steps = _steps(work, at, len(labelled))
                machines.append(MachineAgreement.of(labels, items, parameters, seed=stream(root, 0), steps=steps))
    continuous = ContinuousMachine.of_each(found, labelled, parameters)
    plans: dict[str, Plan] = {}
    for one in people:
        plans |= one.plans(stream(root, 1))
    for machine in machines:
        plans |= machine.plans(stream(root, 1))
    for numbers in continuous:
        plans |= numbers.plans(stream(root, 2))
    work.stage("Resampling")
    findings = _findings(found, people, machines, continuous, replicates=work.run(plans), parameters=parameters)
    return findings.model_copy(update={"tables": tables_of(findings, level=parameters.level)})


def _labelled(found: Sides, parameters: Uncertainty) -> list[tuple[Machine | None, PartitionedItems]]:
    """Every machine with the items on which it is compared with people; all items if there is no machine. Machines that
    labelled the same items share them."""
    if not found.machines:
        return [(None, PartitionedItems.of(found, np.arange(len(found.human.items)), parameters, 0))]
    known: dict[bytes, PartitionedItems] = {}
    labelled: list[tuple[Machine | None, PartitionedItems]] = []
    for machine in found.machines:
        places = paired(found.human, machine.annotations).places
        if not len(places):
            continue
        key = places.tobytes()
        if key not in known:
            known[key] = PartitionedItems.of(found, places, parameters, len(known))
        labelled.append((machine, known[key]))
    if not labelled:
        raise AnalysisError(
            "No item has both human and machine judgements. Choose other systems, or require fewer judgements."
        )
    return labelled


def _steps(work: Work, place: int, machines: int) -> Steps:
    """The progress of one of the machines."""
    words = f"Partitions: {place} of {machines} machines"
    return lambda done, total: work.step(place * total + done, machines * total, words)


def _findings(
    found: Sides,
    people: Sequence[PeopleAgreement],
    machines: Sequence[MachineAgreement],
    continuous: Sequence[ContinuousMachine],
    *,
    replicates: Mapping[str, Replicates],
    parameters: Uncertainty,
) -> UncertaintyFindings:
    """Everything except the tables."""
    return UncertaintyFindings(
        items=found.items,
        people=found.people,
        labels=list(found.titles),
        scale=found.scale,
        machines=[machine.described() for machine in machines],
        people_strata=[
            PeopleStrata(
                machines=[machine.machine.name for machine in machines if machine.items is one.items],
                rows=one.rows(replicates),
            )
            for one in people
        ],
        strata=[row for machine in machines for row in machine.rows(replicates)],
        perception=perception_of(found.titles, people[0].items, machines),
        continuous=[row for numbers in continuous for row in numbers.rows(replicates)],
        tables=[],
        counts={"human_judgements": len(found.human.item), "items": len(found.human.items)},
        exclusions=[*found.exclusions, *_left_out(found, machines)],
        notes=[*found.notes, *([] if machines else [ALONE]), _settled(found, parameters)],
    )


def _left_out(found: Sides, machines: Sequence[MachineAgreement]) -> list[Exclusion]:
    """Items that a machine did not label, and machines that labelled none."""
    everything = len(found.human.items)
    labelled = {machine.machine.name: len(machine.items.human.items) for machine in machines}
    left = {machine.name: everything - labelled.get(machine.name, 0) for machine in found.machines}
    return [
        Exclusion(what=found.items, machine=name, count=count, reason=f"{name} did not label them")
        for name, count in left.items()
        if count
    ]


def _settled(found: Sides, parameters: Uncertainty) -> str:
    """How tied majorities and medians were resolved."""
    if found.scale == "ordinal":
        rule = "the lower of the two middle labels is people’s median"
    elif parameters.ties == "first given":
        rule = "the one of the most frequent labels that was given first stands for people"
    else:
        rule = "the most frequent label that comes first in the label set stands for people"
    undecided = int(typical_labels(found.human, found.scale).undecided.sum())
    return f"If people are undecided, {rule}; this concerns {undecided:,} of {len(found.human.items):,} {found.items}."
