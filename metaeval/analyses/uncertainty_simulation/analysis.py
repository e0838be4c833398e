"""Agreement against the share of certain items, simulated or in subsets of real data: Elangovan et al. (2025), Figures
1, 2 and 5."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from metaeval.analyses.base.registry import AnalysisError, analysis
from metaeval.analyses.base.wording import PlainWords
from metaeval.analyses.base.work import Purpose, Work, root_stream
from metaeval.analyses.inputs import DatasetInputs, NoInputs, StudyInputs, SubjectKind, VotesInputs
from metaeval.analyses.uncertainty.labelled_items import LabelledItems, Machine, labelled_items
from metaeval.analyses.uncertainty.parameters import MachineParameters
from metaeval.analyses.uncertainty_simulation.result import (
    RANDOM,
    CertaintyCurve,
    CertaintyPoint,
    UncertaintySimulationFindings,
    UncertaintySimulationResult,
    answer,
    tables_of,
)
from metaeval.sampling import Replicates, stream
from metaeval.stats.agreement import Annotations
from metaeval.stats.uncertainty import (
    CurvePoint,
    Uncertain,
    paired,
    partitions_by_agreement,
    random_labeller,
    simulated_curve,
    subset_curve,
)

Accuracy = Annotated[float, Field(ge=0, le=1)]


class UncertaintySimulation(MachineParameters):
    """Parameters of `uncertainty_simulation`."""

    steps: int = Field(default=10, ge=1, le=100, title="Steps")
    """Into how many steps the share of certain items is divided."""
    repeats: int = Field(default=100, ge=2, le=10_000, title="Repeats")
    """How many simulations or subsets to draw for every share."""
    subset: int = Field(default=100, ge=2, le=100_000, title="Items per subset")
    """For real data: how many items are drawn."""
    items: int = Field(default=200, ge=2, le=100_000, title="Items")
    """For a simulation: how many items people label."""
    annotators: int = Field(default=3, ge=2, le=1000, title="Annotators")
    """For a simulation: how many people label every item."""
    label_count: int = Field(default=5, ge=2, le=100, title="Labels")
    """For a simulation: how many labels there are."""
    scale: Literal["nominal", "ordinal"] = Field(default="nominal", title="Scale")
    """For a simulation: whether the labels are points on a scale."""
    uncertain: Uncertain = Field(default="each draws", title="Uncertain items")
    """For a simulation: on an item about which people are uncertain, each draws a label, or all give different ones, as
    in Elangovan et al. (2025); that needs at least as many labels as annotators."""
    accuracies: list[Accuracy] = Field(default=[0.9], max_length=5, title="Accuracies")
    """For a simulation: how often machines give the correct label for an item about which people are certain; other
    items they label at random. The random labeller is always included."""


Curve = Callable[[Sequence[float]], tuple[CurvePoint, ...]]


@analysis(
    title="What does human uncertainty do to agreement with a machine?",
    subjects=["nothing", "dataset", "votes", "study"],
    parameters=UncertaintySimulation,
    result=UncertaintySimulationResult,
    version=2,
    figures=["uncertainty_curves"],
    example={"steps": 2, "repeats": 3, "subset": 6, "items": 30},
    words=PlainWords(
        question="How much can people’s uncertainty hide about a machine?",
        group="Planning",
        shows="Agreement with a machine, and among people, as people are certain about more and more of the "
        "texts. It needs nothing: without data, it is a simulation.",
        place=20,
        needs={SubjectKind.STUDY: ("preferences",), SubjectKind.DATASET: ("annotations",)},
        compared=("units", "systems", "label", "metrics", "accuracies", "include_pilot"),
        statistics=("steps", "repeats", "subset", "items", "annotators", "label_count", "scale", "uncertain"),
        answer=answer,
    ),
)
def uncertainty_simulation(
    inputs: NoInputs | DatasetInputs | VotesInputs | StudyInputs,
    parameters: UncertaintySimulation,
    seed: int,
    work: Work,
) -> UncertaintySimulationFindings:
    """Shows how agreement depends on the share of items about which people are certain, in simulations or in data.

    In simulations, all annotators give the same label on a certain item; on others, each draws their own, or all give
    different ones (`uncertain`). In data, random subsets of items are drawn, with a given share of certain ones (on
    which everyone gives the same label). Krippendorff's alpha among people (HH), of their majority or median with a
    machine (H^w M^w), and of all but one of them with that one (H^w H'): means and standard deviations over repeats. If
    few items are certain, even the random labeller seems to agree with people as much as they do with each other.
    """
    root = root_stream(seed, Purpose.UNCERTAINTY_CURVES)
    shares = [step / parameters.steps for step in range(parameters.steps + 1)]
    work.stage("Reading", until=0.05)
    data = None if isinstance(inputs, NoInputs) else labelled_items(inputs, parameters)
    lines = _simulated(parameters, stream(root, 0)) if data is None else _of_data(data, parameters, root)
    work.stage("Repeating")
    values = work.run({name: CurvePlan(line, shares) for name, line in lines.items()})
    curves = []
    for name in lines:
        reasons = [""] * len(shares) if data is None else _too_few(data, name, shares, parameters)
        points = [_point(*row) for row in zip(shares, values[name], reasons, strict=True)]
        curves.append(CertaintyCurve(name=name, points=points, below_from=_below_from(points)))
    return UncertaintySimulationFindings(
        machines=curves,
        scale=parameters.scale if data is None else data.scale,
        items="items" if data is None else data.items,
        tables=tables_of(curves),
        exclusions=[] if data is None else list(data.exclusions),
        notes=[] if data is None else list(data.notes),
    )


class CurvePlan:
    """One point of a curve per block: three means, their standard deviations, repeats, and how many had no value."""

    def __init__(self, curve: Curve, shares: Sequence[float]) -> None:
        self._curve = curve
        self.blocks = tuple(shares)

    def block(self, number: int) -> Replicates:
        (point,) = self._curve([self.blocks[number]])
        means = point.among_humans, point.with_machine, point.with_person
        spreads = point.among_humans_sd, point.with_machine_sd, point.with_person_sd
        return np.array([*means, *spreads, point.n_resamples, point.undefined])

    def merged(self, blocks: Sequence[Replicates]) -> Replicates:
        return np.stack(blocks)


def _simulated(parameters: UncertaintySimulation, seed: np.random.SeedSequence) -> dict[str, Curve]:
    if parameters.uncertain == "all differ" and parameters.label_count < parameters.annotators:
        raise AnalysisError(
            f"{parameters.annotators} annotators cannot all give different labels if there are only "
            f"{parameters.label_count}. Take fewer annotators or more labels."
        )

    def curve(accuracy: float | None) -> Curve:
        return lambda shares: simulated_curve(
            items=parameters.items,
            annotators=parameters.annotators,
            labels=parameters.label_count,
            shares=shares,
            accuracy=accuracy,
            scale=parameters.scale,
            uncertain=parameters.uncertain,
            ties=parameters.ties,
            n_resamples=parameters.repeats,
            seed=seed,
        )

    named = {f"Right on {100 * accuracy:g}% of certain items": accuracy for accuracy in parameters.accuracies}
    return {RANDOM: curve(None), **{name: curve(accuracy) for name, accuracy in named.items()}}


def _of_data(data: LabelledItems, parameters: UncertaintySimulation, root: np.random.SeedSequence) -> dict[str, Curve]:
    """The random labeller and every machine, on the same subsets if they label the same items."""

    def curve(machine: Annotations) -> Curve:
        return lambda shares: subset_curve(
            data.human,
            machine,
            data.scale,
            shares=shares,
            size=parameters.subset,
            ties=parameters.ties,
            n_resamples=parameters.repeats,
            seed=stream(root, 1),
        )

    machines = (Machine(RANDOM, random_labeller(data.human, seed=stream(root, 2))), *data.machines)
    return {machine.name: curve(machine.annotations) for machine in machines}


def _too_few(data: LabelledItems, name: str, shares: Sequence[float], parameters: UncertaintySimulation) -> list[str]:
    """Why there is no subset with each share of certain items; empty if there is one."""
    machine = next((machine for machine in data.machines if machine.name == name), None)
    human = data.human if machine is None else paired(data.human, machine.annotations).human
    certain = len(partitions_by_agreement(human, data.scale)[1].items)
    others = len(human.items) - certain
    reasons = []
    for share in shares:
        of_certain = round(share * parameters.subset)
        of_others = parameters.subset - of_certain
        is_enough = of_certain <= certain and of_others <= others
        lack = f"{certain} certain and {others} uncertain items, {of_certain} and {of_others} wanted"
        reasons.append("" if is_enough else lack)
    return reasons


def _point(share: float, row: Replicates, too_few: str) -> CertaintyPoint:
    people, machine, person, people_sd, machine_sd, person_sd, repeats, undefined = row.tolist()
    return CertaintyPoint(
        share=share,
        people=people,
        machine=machine,
        people_sd=people_sd,
        machine_sd=machine_sd,
        person=person,
        person_sd=person_sd,
        repeats=int(repeats),
        undefined=int(undefined),
        reason=too_few or ("alpha is undefined in every repeat" if math.isnan(people) else ""),
    )


def _below_from(points: Sequence[CertaintyPoint]) -> float | None:
    """The smallest share from which the machine agrees less with people than they do among themselves."""
    below = None
    for point in reversed(points):
        if point.people is None:
            continue
        if point.machine is None or not point.machine < point.people:
            break
        below = point.share
    return below
