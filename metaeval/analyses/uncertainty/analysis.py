"""Human uncertainty and machines: the stratified tables and perception charts of Elangovan et al. (2025)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from annotations.arrays import Integers
from metaeval.analyses.base import seeding
from metaeval.analyses.base.registry import AnalysisError, analysis
from metaeval.analyses.base.work import Plan, Work
from metaeval.analyses.inputs import DatasetInputs, StudyInputs, VotesInputs
from metaeval.analyses.uncertainty.machine_labels import Machine, Sides, sides
from metaeval.analyses.uncertainty.parameters import Uncertainty
from metaeval.analyses.uncertainty.strata import Frame
from metaeval.analyses.uncertainty.tables import tables_of
from metaeval.sampling import Replicates, stream
from metaeval.stats.agreement import Measure
from metaeval.stats.uncertainty import BinnedDivergence, Stratum, paired, typical_labels

ALONE = "No machine labels these items: people's agreement stands beside that of random labellers only."


@analysis(
    title="How well do machines agree with people, given how far people agree?",
    subjects=["study", "dataset", "votes"],
    parameters=Uncertainty,
    figures=["uncertainty_strata", "uncertainty_perception"],
    example={"resamples": 100, "draws": 10, "units": "all"},
)
def uncertainty(
    inputs: StudyInputs | DatasetInputs | VotesInputs, parameters: Uncertainty, seed: int, work: Work
) -> dict[str, Any]:
    """Compares machines with people apart for items on which people agree and on which they do not.

    In each partition of the items: how far people agree among themselves (HH), machines among themselves (MM), people's
    majority or median with the machine's (H^w M^w), and one random person with it (H'M^w); binned Jensen-Shannon
    divergence; and what random labellers get. Alphas have bootstrap intervals over items; those of HH, H^w M^w and
    their difference draw the same items. Source: Elangovan et al. (2025); see `metaeval.stats.uncertainty`.
    """
    found = sides(inputs, parameters)
    root = seeding.root(seed, seeding.Purpose.UNCERTAINTY)
    work.stage("Partitions", until=0.3)
    frames, machines = _frames(found, parameters)
    strata: dict[str, list[Stratum]] = {}
    measures: dict[str, Sequence[Measure]] = {}
    for number, (machine, frame) in enumerate(machines):

        def told(done: int, total: int, at: int = number) -> None:
            work.step(at * total + done, len(machines) * total, f"Partitions: {at} of {len(machines)} machines")

        strata[machine.name] = frame.strata(machine, stream(root, 0), told)
        measures[machine.name] = frame.compared(machine)
    plans: dict[str, Plan] = {}
    for frame in frames:
        mine = {machine.name: measures[machine.name] for machine, its in machines if its is frame}
        plans |= frame.plans(mine, stream(root, 1))
    work.stage("Resampling")
    replicates: Mapping[str, Replicates] = work.run(plans)
    people = [
        {"machines": [machine.name for machine, its in machines if its is frame], "rows": frame.people_rows(replicates)}
        for frame in frames
    ]
    rows = [row for machine, frame in machines for row in frame.machine_rows(machine, strata[machine.name], replicates)]
    answer = {
        "items": found.items,
        "people": found.people,
        "labels": list(found.titles),
        "scale": found.scale,
        "machines": [_described(machine, frame, strata[machine.name][0]) for machine, frame in machines],
        "people_strata": people,
        "strata": rows,
        "perception": _perception(found, frames, {name: found[0].divergence for name, found in strata.items()}),
    }
    return {
        **answer,
        "tables": tables_of(answer, level=parameters.level),
        "counts": {"human_judgements": len(found.human.item), "items": len(found.human.items)},
        "exclusions": [*(left.plain() for left in found.exclusions), *_left_out(found, machines)],
        "notes": [*found.notes, *([] if machines else [ALONE]), _settled(found, parameters)],
    }


def _frames(found: Sides, parameters: Uncertainty) -> tuple[list[Frame], list[tuple[Machine, Frame]]]:
    """The sets of items on which machines are compared with people, and which machine goes with which."""
    if not found.machines:
        return [Frame(found, np.arange(len(found.human.items)), parameters, 0)], []
    frames: dict[bytes, Frame] = {}
    machines = []
    for machine in found.machines:
        places = _common(found, machine)
        if not len(places):
            continue
        key = places.tobytes()
        if key not in frames:
            frames[key] = Frame(found, places, parameters, len(frames))
        machines.append((machine, frames[key]))
    if not machines:
        raise AnalysisError("No item has both human and machine judgements. Choose other systems, or ask for fewer.")
    return list(frames.values()), machines


def _common(found: Sides, machine: Machine) -> Integers:
    return paired(found.human, machine.annotations).places


def _described(machine: Machine, frame: Frame, everything: Stratum) -> dict[str, Any]:
    sizes = machine.annotations.table.sizes
    return {
        "name": machine.name,
        "items": len(frame.human.items),
        "most_labels_an_item": int(sizes.max()),
        "binned_divergence": everything.divergence.value,
        "pooled_divergence": everything.divergence.pooled,
    }


def _perception(found: Sides, frames: Sequence[Frame], of: Mapping[str, BinnedDivergence]) -> list[dict[str, Any]]:
    """Of each machine (or of people alone) the bins: how people and the machine spread their labels in each."""
    if not of:
        return [{"machine": None, "binned": math.nan, "pooled": math.nan, "bins": _people_bins(found, frames[0])}]
    return [
        {
            "machine": name,
            "binned": divergence.value,
            "pooled": divergence.pooled,
            "bins": [
                {
                    "label": found.titles[place],
                    "items": bin_.n_items,
                    "share": bin_.share,
                    "value": bin_.value,
                    "human": bin_.human,
                    "machine": bin_.machine,
                    "human_typical": bin_.human_typical,
                    "machine_typical": bin_.machine_typical,
                    "reason": bin_.reason,
                }
                for place, bin_ in enumerate(divergence.bins)
            ],
        }
        for name, divergence in of.items()
    ]


def _people_bins(found: Sides, frame: Frame) -> list[dict[str, Any]]:
    human, count = frame.human, len(found.titles)
    rows = []
    for place, title in enumerate(found.titles):
        inside = frame.typical == place
        size = int(inside.sum())
        said = np.bincount(human.label[inside[human.item]], minlength=count)
        shares = said / max(1, said.sum())
        rows.append(
            {
                "label": title,
                "items": size,
                "share": size / len(inside),
                "value": math.nan,
                "human": shares,
                "machine": None,
                "human_typical": np.eye(count)[place] * bool(size),
                "machine_typical": None,
                "reason": "there is no machine" if size else "no item has this typical label",
            }
        )
    return rows


def _left_out(found: Sides, machines: Sequence[tuple[Machine, Frame]]) -> list[dict[str, Any]]:
    """Items that a machine did not label, and machines that labelled none."""
    used = {machine.name: frame for machine, frame in machines}
    listed = []
    for machine in found.machines:
        labelled = len(used[machine.name].human.items) if machine.name in used else 0
        if labelled < len(found.human.items):
            left = {"what": found.items, "machine": machine.name, "count": len(found.human.items) - labelled}
            listed.append(left | {"reason": f"{machine.name} did not label them"})
    return listed


def _settled(found: Sides, parameters: Uncertainty) -> str:
    """How undecided majorities and medians were settled."""
    if found.scale == "ordinal":
        rule = "people's median is a label: of two middle labels the lower one"
    elif parameters.ties == "first given":
        rule = "of several most frequent labels that which was given first stands for people"
    else:
        rule = "of several most frequent labels the first in the order of the labels stands for people"
    undecided = int(typical_labels(found.human, found.scale).undecided.sum())
    return f"Where people are undecided, {rule}; this is so for {undecided} of {len(found.human.items)} {found.items}."
