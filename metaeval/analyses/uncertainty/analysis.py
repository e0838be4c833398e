"""Human uncertainty and machines: the stratified tables and perception charts of Elangovan et al. (2025)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from annotations.ground.errors import naming
from metaeval.analyses.base.registry import AnalysisError, analysis
from metaeval.analyses.base.wording import PlainWords
from metaeval.analyses.base.work import Plan, Purpose, Work, root_stream
from metaeval.analyses.inputs import DatasetInputs, StudyInputs, SubjectKind, VotesInputs
from metaeval.analyses.inputs.parts import Exclusion
from metaeval.analyses.uncertainty.agreement import (
    ContinuousMachine,
    MachineAgreement,
    PartitionedItems,
    PeopleAgreement,
)
from metaeval.analyses.uncertainty.labelled_items import LabelledItems, Machine, labelled_items
from metaeval.analyses.uncertainty.parameters import Uncertainty
from metaeval.analyses.uncertainty.result import PeopleStrata, UncertaintyFindings, UncertaintyResult, answer, tables_of
from metaeval.sampling import stream
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
    words=PlainWords(
        question="Do machines agree with people as well as people agree with each other?",
        group="The experts",
        shows="How far machines agree with people, and people with each other, where people are certain and "
        "where they are not. It needs texts that at least two people have judged.",
        place=10,
        needs={SubjectKind.STUDY: ("preferences",), SubjectKind.DATASET: ("annotations",)},
        compared=("units", "systems", "label", "metrics", "nearness", "partitions", "include_pilot"),
        statistics=("least_annotations", "resamples", "level", "draws"),
        answer=answer,
    ),
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
    every = labelled_items(inputs, parameters)
    root = root_stream(seed, Purpose.UNCERTAINTY)
    work.stage("Partitions", until=0.3)
    sets, compared = _compared(every, parameters)
    people = [PeopleAgreement(items, parameters) for items in sets]
    machines = []
    for place, (machine, items) in enumerate(compared):
        with naming(machine.name):
            steps = work.part(place, len(compared), f"Partitions: {place} of {len(compared)} machines")
            machines.append(MachineAgreement(machine, items, parameters, seed=stream(root, 0), steps=steps))
    continuous = [
        ContinuousMachine(machine, items, every.points, every.titles, parameters)
        for machine, items in compared
        if every.points is not None and machine.values is not None
    ]
    plans: dict[str, Plan] = {}
    for group in people:
        plans |= group.plans(stream(root, 1))
    for agreement in machines:
        plans |= agreement.plans(stream(root, 1))
    for numbers in continuous:
        plans |= numbers.plans(stream(root, 2))
    work.stage("Resampling")
    replicates = work.run(plans)
    findings = UncertaintyFindings(
        items=every.items,
        people=every.people,
        labels=list(every.titles),
        scale=every.scale,
        machines=[machine.described() for machine in machines],
        people_strata=[
            PeopleStrata(
                machines=[machine.machine.name for machine in machines if machine.items is group.items],
                rows=group.rows(replicates),
            )
            for group in people
        ],
        strata=[row for machine in machines for row in machine.rows(replicates)],
        perception=[part.perception(every.titles) for part in (machines or sets)],
        continuous=[row for numbers in continuous for row in numbers.rows(replicates)],
        tables=[],
        counts={"human_judgements": len(every.human.item), "items": len(every.human.items)},
        exclusions=[*every.exclusions, *_not_labelled(every, machines)],
        notes=[*every.notes, *([] if machines else [ALONE]), _about_ties(every, parameters)],
    )
    return findings.model_copy(update={"tables": tables_of(findings, level=parameters.level)})


def _compared(
    every: LabelledItems, parameters: Uncertainty
) -> tuple[list[PartitionedItems], list[tuple[Machine, PartitionedItems]]]:
    """The sets of items that machines labelled, and every machine with its own; all items if there is no machine."""
    if not every.machines:
        return [PartitionedItems.of(every, np.arange(len(every.human.items)), parameters, 0)], []
    sets: dict[bytes, PartitionedItems] = {}
    compared: list[tuple[Machine, PartitionedItems]] = []
    for machine in every.machines:
        places = paired(every.human, machine.annotations).places
        if not len(places):
            continue
        key = places.tobytes()
        if key not in sets:
            sets[key] = PartitionedItems.of(every, places, parameters, len(sets))
        compared.append((machine, sets[key]))
    if not compared:
        raise AnalysisError(
            "No item has both human and machine judgements. Choose other systems, or require fewer judgements."
        )
    return list(sets.values()), compared


def _not_labelled(every: LabelledItems, machines: Sequence[MachineAgreement]) -> list[Exclusion]:
    """Items that a machine did not label, also of machines that labelled none."""
    labelled = {machine.machine.name: len(machine.items.human.items) for machine in machines}
    counts = {machine.name: len(every.human.items) - labelled.get(machine.name, 0) for machine in every.machines}
    return [
        Exclusion(what=every.items, machine=name, count=count, reason=f"{name} did not label them")
        for name, count in counts.items()
        if count
    ]


def _about_ties(every: LabelledItems, parameters: Uncertainty) -> str:
    """How tied majorities and medians were resolved."""
    if every.scale == "ordinal":
        rule = "the lower of the two middle labels is people’s median"
    elif parameters.ties == "first given":
        rule = "the one of the most frequent labels that was given first stands for people"
    else:
        rule = "the most frequent label that comes first in the label set stands for people"
    undecided = int(typical_labels(every.human, every.scale).undecided.sum())
    return f"If people are undecided, {rule}; this concerns {undecided:,} of {len(every.human.items):,} {every.items}."
