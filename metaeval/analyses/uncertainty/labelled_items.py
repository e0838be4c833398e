"""People's labels of items beside machines' labels of the same items, for any subject of an analysis."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from annotations.ground.arrays import Codes, Integers, Mask, Matrix, Vector, absent_rows
from annotations.ground.system_names import system_name
from metaeval import metrics
from metaeval.analyses.base.registry import AnalysisError
from metaeval.analyses.inputs import DatasetInputs, StudyInputs, VotesInputs
from metaeval.analyses.inputs.datasets import Annotated
from metaeval.analyses.inputs.judged_items import OF_SYSTEM, OF_TWO, VOTES, judged_items, order_note, oriented
from metaeval.analyses.inputs.parts import Exclusion
from metaeval.analyses.uncertainty.parameters import MachineParameters
from metaeval.metrics import DistributionError, Metric, WrongTaskError
from metaeval.stats.agreement import Annotations, SetAnnotations
from metaeval.stats.uncertainty import Scale, typical_labels

OTHER_SYSTEMS = "votes on other systems"

HALF = 0.5
"""A system says that a single label applies if its probability is above this."""

CLOSE = 1e-12
"""Values that differ only by rounding are equal."""

PREFERENCE_POINTS: Vector = np.array([1.0, -1.0, 0.0, 0.0])
"""The points of a preference for the first side, the second, both and neither (`judged_items.OF_TWO`, `OF_SYSTEM`).

A difference between two sides says which one is closer and by how much, not whether either is close: so both and
neither are the same point, that of no preference.
"""

Decide = Callable[[Matrix], Mask | Codes]
"""The labels that a system gives items, from its predictions."""


@dataclass(frozen=True, eq=False)
class Machine:
    """One machine, or several whose labels are combined: its labels of the same items, by name.

    `values` are its numbers, one per item of `annotations`, NaN where it has none; None: it only gives labels.
    """

    name: str
    annotations: Annotations
    values: Vector | None = None


@dataclass(frozen=True, eq=False)
class LabelledItems:
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
    scale: Scale = "nominal"
    exclusions: tuple[Exclusion, ...] = ()
    notes: tuple[str, ...] = ()
    points: Vector | None = None
    typical: Codes = field(default_factory=lambda: np.zeros(0, dtype=np.int64))


def labelled_items(inputs: StudyInputs | DatasetInputs | VotesInputs, parameters: MachineParameters) -> LabelledItems:
    """People and machines on the same items.

    For a dataset: its annotations, and the most probable label of every system (the first of equally probable ones,
    even on an ordinal scale). If people give sets of labels, an item is one decision: whether a label applies to an
    instance; a system says yes if its probability is above 0.5. With `label`, everything is about that label or
    another. For votes: those of people and of machines. For a study: the preferences of the experts, and those of
    metrics (`_of_study`). Two kinds of machines give numbers: systems on a scale with points (their expected
    values), and metrics (how much closer a study's first side is). Raises `AnalysisError` if nobody said anything that
    counts.
    """
    if isinstance(inputs, DatasetInputs):
        every = _of_dataset(inputs, parameters)
    elif isinstance(inputs, VotesInputs):
        every = _of_votes(inputs, parameters)
    else:
        every = _of_study(inputs, parameters)
    enough = every.human.table.sizes >= parameters.least_annotations
    if not enough.any():
        raise AnalysisError(
            f"No item has {parameters.least_annotations} human judgements that count, so nothing can be "
            "said about people's uncertainty. Collect or import more, or require fewer."
        )
    exclusions = every.exclusions
    if too_few := int((~enough).sum()):
        reason = f"fewer than {parameters.least_annotations} human judgements"
        exclusions = (*exclusions, Exclusion(what=every.items, count=too_few, reason=reason))
    human = every.human.only(np.flatnonzero(enough))
    typical = typical_labels(human, every.scale, ties=parameters.ties).codes
    return replace(every, human=human, typical=typical, exclusions=exclusions)


def _of_dataset(data: DatasetInputs, parameters: MachineParameters) -> LabelledItems:
    judged = judged_items(data)
    if not judged or not len(judged[0].annotations.item):
        raise AnalysisError(
            f"The dataset {data.slug} has judgement distributions but does not say how many people gave "
            "which label, so their uncertainty cannot be told from a system's. Import its annotations."
        )
    groups = _groups(data, parameters)
    systems = [system for group in groups.values() for system in group]
    annotations, without_prediction = _predicted_items(data, judged[0].annotations, systems)
    places = np.asarray(annotations.items, dtype=np.int64)
    items, points = "instances", None
    scale: Scale = "nominal"
    if parameters.label is not None:
        human, decide, titles = _one_label(data, annotations, parameters.label)
    elif isinstance(annotations, SetAnnotations):
        human, decide, titles = _decisions(annotations, places)
        items = "decisions"
    else:
        human, decide, titles = annotations, lambda Q: Q.argmax(axis=1), tuple(data.labels)
        if data.task == "ordinal":
            scale, points = "ordinal", None if data.values is None else np.asarray(data.values)
    machines = []
    for name, group in groups.items():
        predicted = [np.asarray(data.Q[system])[places] for system in group]
        labels = np.concatenate([decide(Q) for Q in predicted]).astype(np.int64)
        several = replace(
            human,
            item=np.tile(np.arange(len(human.items)), len(group)),
            annotator=np.repeat(np.arange(len(group)), len(human.items)),
            label=labels,
            annotators=np.arange(len(group)),
            missing=0,
        )
        machines.append(Machine(name, several, None if points is None else expected_values(predicted, points)))
    return LabelledItems(
        items=items,
        people="annotators",
        human=human,
        machines=tuple(machines),
        titles=titles,
        scale=scale,
        exclusions=(*judged[0].exclusions, *without_prediction),
        points=points,
    )


def expected_values(predicted: Sequence[Matrix], points: Vector) -> Vector:
    """The mean of the expected values of several systems: (items,).

    For one system: the sum over labels of point x probability. `predicted` are its distributions (items, labels),
    `points` the labels' points on the scale. Probability below the scale counts as the first point, as in its
    distribution. Range: that of the points.

    Source: Liu et al. 2023, G-Eval, section 2.3, whose score weights each point by its probability.

    >>> expected_values([np.array([[0.5, 0.25, 0.25], [0, 0, 1]])], np.array([1, 2, 3])).tolist()
    [1.75, 3.0]
    """
    values: Vector = np.mean([Q @ points for Q in predicted], axis=0)
    return values


def _predicted_items(
    data: DatasetInputs, annotations: Annotated, systems: Sequence[str]
) -> tuple[Annotated, list[Exclusion]]:
    """The annotations of the instances for which all of the systems have a prediction, and what this leaves out."""
    places = np.asarray(annotations.items, dtype=np.int64)
    complete = np.ones(len(places), dtype=np.bool_)
    for system in systems:
        if system in data.absent:
            complete &= ~absent_rows(np.asarray(data.Q[system]))[places]
    if complete.all():
        return annotations, []
    if not complete.any():
        raise AnalysisError(
            "There is no instance for which all of these systems predict something. Name fewer systems."
        )
    return annotations.only(np.flatnonzero(complete)), [
        Exclusion(what="instances", count=int((~complete).sum()), reason="not all of the systems predicted them"),
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


def _check_systems(named: Sequence[str], systems: Sequence[str]) -> None:
    unknown = [name for name in named if name not in systems]
    if unknown:
        raise AnalysisError(
            f"No system is called {unknown[0]!r}. Systems: {', '.join(systems) or 'there are none'}.",
            systems=list(systems),
        )


def _one_label(data: DatasetInputs, annotations: Annotated, label: str) -> tuple[Annotations, Decide, tuple[str, ...]]:
    """This label or another, as a nominal scale of two."""
    if label not in data.labels:
        raise AnalysisError(
            f"No label is called {label!r}. Labels: {', '.join(data.labels)}.", labels=list(data.labels)
        )
    k = data.labels.index(label)
    as_sets = annotations if isinstance(annotations, SetAnnotations) else annotations.one_hot()

    def decide(Q: Matrix) -> Mask:
        return Q[:, k] > HALF if data.task == "multilabel" else Q.argmax(axis=1) == k

    return as_sets.binary(as_sets.labels[k]), decide, (f"not {label}", label)


def _decisions(annotations: SetAnnotations, places: Codes) -> tuple[Annotations, Decide, tuple[str, ...]]:
    """Whether each label applies to each instance: an item is an instance and a label."""
    sets = annotations.members[annotations.chosen]
    count = sets.shape[1]
    every = np.arange(count)
    human = Annotations(
        item=(annotations.item[:, None] * count + every).ravel(),
        annotator=None if annotations.annotator is None else np.repeat(annotations.annotator, count),
        label=sets.ravel().astype(np.int64),
        items=(places[:, None] * count + every).ravel(),
        annotators=annotations.annotators,
        labels=(False, True),
    )
    return human, lambda Q: (Q > HALF).ravel(), ("does not apply", "applies")


def _of_votes(votes: VotesInputs, parameters: MachineParameters) -> LabelledItems:
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

    def of(rows: Mask) -> Annotations:
        return Annotations.from_columns(
            item.ravel()[rows],
            [votes.judges[place] for place in votes.judge[rows]],
            [VOTES[place] for place in code[rows]],
            labels=VOTES,
            items=range(len(items)),
        )

    used = np.unique(votes.judge[machine & inside]).tolist()
    if parameters.units == "all" and len(used) > 1:
        machines = [Machine("All machines", of(machine & inside))]
    else:
        machines = [Machine(votes.judges[judge], of((votes.judge == judge) & inside)) for judge in used]
    two = np.unique(np.concatenate([low[inside], high[inside]]))
    of_two = len(two) == 2
    human = of(~machine & inside)
    outside = int((~inside).sum())
    return LabelledItems(
        items="comparisons",
        people="judges",
        human=human.only(np.flatnonzero(human.table.sizes > 0)),
        machines=tuple(machines),
        titles=(votes.systems[two[0]], votes.systems[two[1]], "tie") if of_two else VOTES,
        exclusions=(Exclusion(what="votes", count=outside, reason=OTHER_SYSTEMS),) if outside else (),
        notes=() if of_two else order_note(VOTES),
    )


def _of_study(study: StudyInputs, parameters: MachineParameters) -> LabelledItems:
    """Metrics in the role of machines that vote: each chooses the side with the better value.

    Both sides of a comparison are compared with a reference: the distribution of the labels that the experts
    themselves gave the instance in step 1, before they saw any distribution; or the dataset's people, which says
    nothing if they are one of the sides. A metric chooses both sides if its two values differ by at most `margin`, and
    never neither. It does not judge where it has no value. Raises `AnalysisError` for metrics that have no value for a
    single instance, and for a reference that is one of the sides.
    """
    (judged,) = judged_items(study, steps=["preferences"], include_pilot=parameters.include_pilot)
    human = judged.annotations
    if not isinstance(human, Annotations) or not len(human.item):
        raise AnalysisError("No preferences count yet. Collect responses, or include the pilot.")
    if parameters.nearness == "dataset" and study.compares == "human_vs_system":
        raise AnalysisError(
            "In this study, one side of every comparison is the people of the dataset, and that side is "
            "always the closest. Measure closeness to the experts' own labels."
        )
    chosen = _metrics(study, parameters)
    answers = study.answers
    counting = answers.counting(answers.is_answered, include_pilot=parameters.include_pilot).kept & ~answers.identical
    _, place = np.unique(answers.comparison[counting], return_index=True)
    instance = answers.instance[counting][place]
    first, second = answers.first[counting][place], answers.second[counting][place]
    first, second = np.minimum(first, second), np.maximum(first, second)  # as `judged_items` turns them
    of_dataset = parameters.nearness == "dataset"
    reference = (study.P if of_dataset else _of_experts(study, parameters))[instance]
    judgeable = np.flatnonzero(np.isfinite(reference).all(axis=1))
    reference, instances = reference[judgeable], instance[judgeable]
    sides = [_distributions(study, side[judgeable], instances) for side in (first, second)]
    exclusions = list(judged.exclusions)
    if without := len(instance) - len(judgeable):
        reason = "nobody labelled the instance in step 1, so that a metric has nothing to compare with"
        exclusions.append(Exclusion(what="comparisons", count=without, reason=reason))
    words = OF_TWO if study.compares == "system_vs_system" else OF_SYSTEM
    margin = parameters.margin + CLOSE
    machines = []
    for metric in chosen:
        of_first, of_second = (_values(reference, side, study.task, metric) for side in sides)
        has_value = np.isfinite(of_first) & np.isfinite(of_second)
        values = np.full(len(instance), np.nan)
        nearer = of_first[has_value] - of_second[has_value]
        values[judgeable[has_value]] = nearer
        choices = np.select([nearer > margin, nearer < -margin], [0, 1], 2)
        labels = Annotations.from_columns(
            judgeable[has_value],
            [metric.name] * len(nearer),
            [words[code] for code in choices],
            labels=words,
            items=range(len(instance)),
        )
        machines.append(Machine(metric.title, labels, values))
        if missing := len(has_value) - len(nearer):
            reason = f"{metric.title} has no value for them"
            exclusions.append(Exclusion(what="comparisons", metric=metric.name, count=missing, reason=reason))
    closest = "the people of the dataset" if of_dataset else "the experts' own labels of step 1"
    note = f"A metric as a judge chooses the side that is closer to {closest}, and both if they are equal."
    return LabelledItems(
        items="comparisons",
        people="experts",
        human=human,
        machines=tuple(machines),
        titles=tuple(map(str, human.labels)),
        exclusions=tuple(exclusions),
        notes=(*judged.notes, note),
        points=PREFERENCE_POINTS,
    )


def _metrics(study: StudyInputs, parameters: MachineParameters) -> list[Metric]:
    try:
        task = metrics.checked_task(study.task)
        if not parameters.metrics:
            return [metric for metric in metrics.defaults(task) if metric.works_per_item]
        chosen = list(metrics.select(task, parameters.metrics))
    except WrongTaskError as error:
        raise AnalysisError(f"{error}.") from error
    without = [metric.title for metric in chosen if not metric.works_per_item]
    if without:
        raise AnalysisError(f"{', '.join(without)}: no value for a single instance, so it cannot judge a comparison.")
    return chosen


def _of_experts(study: StudyInputs, parameters: MachineParameters) -> Matrix:
    """The share of the experts who gave each label in step 1 (instances, labels); NaN where nobody did."""
    answers = study.answers
    counting = answers.counting_labels(include_pilot=parameters.include_pilot).kept
    if study.task != "multilabel":
        counting &= answers.labels.any(axis=1)
    sums = np.zeros(study.P.shape)
    np.add.at(sums, answers.instance[counting], answers.labels[counting].astype(np.float64))
    people = np.bincount(answers.instance[counting], minlength=len(study.P))[:, None]
    shares: Matrix = np.divide(sums, people, out=np.full(study.P.shape, np.nan), where=people > 0)
    return shares


def _distributions(study: StudyInputs, side: Integers, instance: Integers) -> Matrix:
    """The distributions on one side of each comparison; -1 is the human side."""
    rows = np.empty((len(side), study.P.shape[1]))
    for system in np.unique(side).tolist():
        matrix = study.P if system < 0 else np.asarray(study.Q[study.systems[system]])
        chosen = side == system
        rows[chosen] = matrix[instance[chosen]]
    return rows


def _values(reference: Matrix, side: Matrix, task: str, metric: Metric) -> Vector:
    """The metric's value for every comparison, higher meaning closer."""
    if not len(reference):
        return np.zeros(0)
    try:
        values = metrics.per_item(reference, side, task, metric.name)
    except DistributionError as error:
        raise AnalysisError(f"{metric.title} cannot be computed: {error}.") from error
    return values if metric.orientation == "higher" else -values
