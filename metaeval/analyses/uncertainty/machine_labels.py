"""People's labels of items beside machines' labels of the same items, for any subject of an analysis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from annotations.ground.arrays import Codes, Mask, Matrix, Vector, absent_rows
from annotations.ground.system_names import system_name
from metaeval.analyses.base.registry import AnalysisError
from metaeval.analyses.inputs import DatasetInputs, StudyInputs, VotesInputs
from metaeval.analyses.inputs.datasets import Annotated
from metaeval.analyses.inputs.judged_items import VOTES, judged_items, oriented
from metaeval.analyses.inputs.parts import Exclusion
from metaeval.analyses.uncertainty.machine_parameters import MachineParameters
from metaeval.analyses.uncertainty.machine_values import PREFERENCE_POINTS, expected_values
from metaeval.analyses.uncertainty.metric_judges import judged_by_metrics
from metaeval.stats.agreement import Annotations, SetAnnotations
from metaeval.stats.uncertainty import Scale, typical_labels

OTHER_SYSTEMS = "votes on other systems"

HALF = 0.5
"""A system says that a single label applies if its probability is above this."""


@dataclass(frozen=True, eq=False)
class Machine:
    """One machine, or several whose labels are combined: its labels of the same items, by name.

    `values` are its numbers, one per item of `annotations`, NaN where it has none; None: it only gives labels.
    """

    name: str
    annotations: Annotations
    values: Vector | None = None


@dataclass(frozen=True, eq=False)
class Sides:
    """What people said about items, and what machines say.

    `items` says what the items are (instances, decisions, comparisons), `people` what the people are called; `titles`
    names the labels, in order; `typical` is people's majority or median of each item, as a position among the labels.
    `points` are the labels as numbers, to compare with machines' numbers; None: no machine gives numbers.
    """

    items: str
    people: str
    human: Annotations
    machines: tuple[Machine, ...]
    titles: tuple[str, ...]
    scale: Scale
    typical: Codes
    exclusions: tuple[Exclusion, ...] = ()
    notes: tuple[str, ...] = ()
    points: Vector | None = None


def sides(inputs: StudyInputs | DatasetInputs | VotesInputs, parameters: MachineParameters) -> Sides:
    """People and machines on the same items.

    For a dataset: its annotations, and the most probable label of every system (the first of equally probable ones,
    even on an ordinal scale). If people give sets of labels, an item is one decision: whether a label applies to an
    instance; a system says yes if its probability is above 0.5. With `label`, everything is about that label or
    another. For votes: those of people and of machines. For a study: the preferences of the experts, and those of
    metrics (`metric_judges`). Two kinds of machines give numbers: systems on a scale with points (their expected
    values), and metrics (how much closer a study's first side is). Raises `AnalysisError` if nobody said anything that
    counts.
    """
    if isinstance(inputs, DatasetInputs):
        found = _of_dataset(inputs, parameters)
    elif isinstance(inputs, VotesInputs):
        found = _of_votes(inputs, parameters)
    else:
        found = _of_study(inputs, parameters)
    sizes = found.human.table.sizes
    kept = np.flatnonzero(sizes >= parameters.least_annotations)
    if not len(kept):
        raise AnalysisError(
            f"No item has {parameters.least_annotations} human judgements that count, so nothing can be "
            "said about people's uncertainty. Collect or import more, or require fewer."
        )
    left = int((sizes < parameters.least_annotations).sum())
    reason = f"fewer than {parameters.least_annotations} human judgements"
    exclusion = (Exclusion(what=found.items, count=left, reason=reason),) if left else ()
    human = found.human.only(kept)
    return replace(
        found,
        human=human,
        typical=typical_labels(human, found.scale, ties=parameters.ties).codes,
        exclusions=(*found.exclusions, *exclusion),
    )


def _of_dataset(data: DatasetInputs, parameters: MachineParameters) -> Sides:
    found = judged_items(data)
    if not found or not len(found[0].annotations.item):
        raise AnalysisError(
            f"The dataset {data.slug} has judgement distributions but does not say how many people gave "
            "which label, so their uncertainty cannot be told from a system's. Import its annotations."
        )
    annotations, exclusions = found[0].annotations, found[0].exclusions
    groups = _groups(data, parameters)
    annotations, left = _predicted_items(data, annotations, [system for part in groups.values() for system in part])
    exclusions = (*exclusions, *left)
    places = np.asarray(annotations.items, dtype=np.int64)
    items = "instances"
    scale: Scale = "ordinal" if data.task == "ordinal" else "nominal"
    points: Vector | None = None
    if parameters.label is not None:
        human, machines, titles = _one_label(data, annotations, groups, parameters.label, places)
        scale = "nominal"
    elif isinstance(annotations, SetAnnotations):
        human, machines, titles = _decisions(data, annotations, groups, places)
        items, scale = "decisions", "nominal"
    else:
        human, titles = annotations, tuple(data.labels)
        points = np.asarray(data.values) if scale == "ordinal" and data.values is not None else None
        machines = [
            _of_systems([np.asarray(data.Q[system])[places] for system in systems], name, human, points)
            for name, systems in groups.items()
        ]
    return Sides(items, "annotators", human, tuple(machines), titles, scale, _no_codes(), exclusions, points=points)


def _predicted_items(
    data: DatasetInputs, annotations: Annotated, systems: Sequence[str]
) -> tuple[Annotated, list[Exclusion]]:
    """The annotations of the instances for which all of the systems have a prediction, and what this leaves out."""
    places = np.asarray(annotations.items, dtype=np.int64)
    known = np.ones(len(places), dtype=np.bool_)
    for system in systems:
        if system in data.absent:
            known &= ~absent_rows(np.asarray(data.Q[system]))[places]
    if known.all():
        return annotations, []
    if not known.any():
        raise AnalysisError(
            "There is no instance for which all of these systems predict something. Name fewer systems."
        )
    return annotations.only(np.flatnonzero(known)), [
        Exclusion(what="instances", count=int((~known).sum()), reason="not all of the systems predicted them"),
        *data.absences(systems),
    ]


def _groups(data: DatasetInputs, parameters: MachineParameters) -> dict[str, list[str]]:
    """The systems whose labels are combined, by name."""
    _check_systems(parameters.systems, data.systems)
    groups: dict[str, list[str]] = {}
    for name, origin in zip(data.systems, data.origins, strict=True):
        if parameters.systems and name not in parameters.systems:
            continue
        method = system_name(origin["model"], origin["method"]) or name
        together = {"methods": method, "each": name, "all": "All systems"}[parameters.units]
        groups.setdefault(together, []).append(name)
    return {systems[0] if len(systems) == 1 else name: systems for name, systems in groups.items()}


def _check_systems(named: Sequence[str], known: Sequence[str]) -> None:
    unknown = [name for name in named if name not in known]
    if unknown:
        raise AnalysisError(
            f"No system is called {unknown[0]!r}. Systems: {', '.join(known) or 'there are none'}.", systems=list(known)
        )


def _of_systems(predicted: Sequence[Matrix], name: str, human: Annotations, points: Vector | None) -> Machine:
    """The most probable labels of systems and, if labels are points, the mean of their expected values."""
    machine = _machine(name, [Q.argmax(axis=1) for Q in predicted], human)
    return machine if points is None else replace(machine, values=expected_values(predicted, points))


def _machine(name: str, labels: list[Codes], human: Annotations) -> Machine:
    """A machine that gives every item of `human` one label in each of the columns."""
    items = len(human.items)
    return Machine(
        name,
        replace(
            human,
            item=np.tile(np.arange(items), len(labels)),
            annotator=np.repeat(np.arange(len(labels)), items),
            label=np.concatenate(labels).astype(np.int64),
            annotators=np.arange(len(labels)),
            missing=0,
        ),
    )


def _one_label(
    data: DatasetInputs,
    annotations: Annotations | SetAnnotations,
    groups: dict[str, list[str]],
    label: str,
    places: Codes,
) -> tuple[Annotations, list[Machine], tuple[str, ...]]:
    """This label or another, as a nominal scale of two."""
    if label not in data.labels:
        raise AnalysisError(
            f"No label is called {label!r}. Labels: {', '.join(data.labels)}.", labels=list(data.labels)
        )
    k = data.labels.index(label)
    as_sets = annotations if isinstance(annotations, SetAnnotations) else annotations.one_hot()
    human = as_sets.binary(as_sets.labels[k])

    def says(system: str) -> Codes:
        Q = np.asarray(data.Q[system])[places]
        yes = Q[:, k] > HALF if data.task == "multilabel" else Q.argmax(axis=1) == k
        return yes.astype(np.int64)

    machines = [_machine(name, [says(system) for system in systems], human) for name, systems in groups.items()]
    return human, machines, (f"not {label}", label)


def _decisions(
    data: DatasetInputs, annotations: SetAnnotations, groups: dict[str, list[str]], places: Codes
) -> tuple[Annotations, list[Machine], tuple[str, ...]]:
    """Whether each label applies to each instance: an item is an instance and a label."""
    given = annotations.members[annotations.chosen]
    count = given.shape[1]
    every = np.arange(count)
    human = Annotations(
        item=(annotations.item[:, None] * count + every).ravel(),
        annotator=None if annotations.annotator is None else np.repeat(annotations.annotator, count),
        label=given.ravel().astype(np.int64),
        items=(places[:, None] * count + every).ravel(),
        annotators=annotations.annotators,
        labels=(False, True),
    )

    def says(system: str) -> Codes:
        return (np.asarray(data.Q[system])[places] > HALF).ravel().astype(np.int64)

    machines = [_machine(name, [says(system) for system in systems], human) for name, systems in groups.items()]
    return human, machines, ("does not apply", "applies")


def _of_votes(votes: VotesInputs, parameters: MachineParameters) -> Sides:
    low, high, code = oriented(votes)
    machine = votes.is_machine[votes.judge]
    inside = np.ones(len(votes), dtype=np.bool_)
    _check_systems(parameters.systems, votes.systems)
    if parameters.systems:
        places = [place for place, name in enumerate(votes.systems) if name in parameters.systems]
        if len(places) < 2:
            raise AnalysisError("A vote is between two systems; name at least 2 of those that were voted on, or none.")
        inside = np.isin(low, places) & np.isin(high, places)
    items, item = np.unique(np.stack([low, high, votes.instance], axis=1), axis=0, return_inverse=True)

    def of(kept: Mask) -> Annotations:
        return Annotations.from_columns(
            item.ravel()[kept],
            [votes.judges[place] for place in votes.judge[kept]],
            [VOTES[place] for place in code[kept]],
            labels=VOTES,
            items=range(len(items)),
        )

    used = np.unique(votes.judge[machine & inside]).tolist()
    alone = [Machine(votes.judges[judge], of((votes.judge == judge) & inside)) for judge in used]
    together = parameters.units == "all" and len(used) > 1
    machines = [Machine("All machines", of(machine & inside))] if together else alone
    two = np.unique(np.concatenate([low[inside], high[inside]]))
    titles = (votes.systems[two[0]], votes.systems[two[1]], "tie") if len(two) == 2 else VOTES
    left = int((~inside).sum())
    exclusions = (Exclusion(what="votes", count=left, reason=OTHER_SYSTEMS),) if left else ()
    human = of(~machine & inside)
    return Sides(
        "comparisons",
        "judges",
        human.only(np.flatnonzero(human.table.sizes > 0)),
        tuple(machines),
        tuple(titles),
        "nominal",
        _no_codes(),
        exclusions,
        ()
        if len(two) == 2
        else (("When two systems are compared, “first” is the one whose name comes first in the alphabet."),),
    )


def _of_study(study: StudyInputs, parameters: MachineParameters) -> Sides:
    found = judged_by_metrics(study, parameters)
    return Sides(
        "comparisons",
        "experts",
        found.human,
        tuple(Machine(name, labels, found.values[name]) for name, labels in found.machines.items()),
        tuple(map(str, found.human.labels)),
        "nominal",
        _no_codes(),
        found.exclusions,
        found.notes,
        PREFERENCE_POINTS,
    )


def _no_codes() -> Codes:
    return np.zeros(0, dtype=np.int64)
