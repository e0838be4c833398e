"""Metrics as machine judges of a study's comparisons: each prefers the side that is closer to what people said."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from annotations.ground.arrays import Integers, Matrix, Vector
from metaeval import metrics
from metaeval.analyses.base.registry import AnalysisError
from metaeval.analyses.inputs import StudyInputs
from metaeval.analyses.inputs.judged_items import OF_SYSTEM, OF_TWO, judged_items
from metaeval.analyses.inputs.parts import Exclusion
from metaeval.analyses.uncertainty.machine_parameters import MachineParameters
from metaeval.metrics import DistributionError, Metric, WrongTaskError
from metaeval.stats.agreement import Annotations

CLOSE = 1e-12
"""Values that differ only by rounding are equal."""


@dataclass(frozen=True, eq=False)
class MetricJudges:
    """The experts' preferences by comparison, and those of the metrics by the metrics' titles."""

    human: Annotations
    machines: dict[str, Annotations]
    values: dict[str, Vector]
    """How much closer the first side of each comparison is, by the metric; NaN where it has no value."""
    exclusions: tuple[Exclusion, ...]
    notes: tuple[str, ...]


def judged_by_metrics(study: StudyInputs, parameters: MachineParameters) -> MetricJudges:
    """Metrics in the role of machines that vote: each chooses the side with the better value.

    Both sides of a comparison are compared with a reference: the distribution of the labels that the experts
    themselves gave the instance in step 1, before they saw any distribution; or the dataset's people, which says
    nothing if they are one of the sides. A metric chooses both sides if its two values differ by at most `margin`, and
    never neither. It does not judge where it has no value. Raises `AnalysisError` for metrics that have no value for a
    single instance, and for a reference that is one of the sides.
    """
    (found,) = judged_items(study, steps=["preferences"], include_pilot=parameters.include_pilot)
    human = found.annotations
    if not isinstance(human, Annotations) or not len(human.item):
        raise AnalysisError("No preferences count yet. Collect responses, or include the pilot.")
    if parameters.nearness == "dataset" and study.compares == "human_vs_system":
        raise AnalysisError(
            "In this study, one side of every comparison is the people of the dataset, and that side is "
            "always the closest. Measure closeness to the experts' own labels."
        )
    chosen = _metrics(study, parameters)
    sides = _sides(study, parameters)
    machines, values, exclusions = {}, {}, list(found.exclusions)
    if len(sides.known) < sides.comparisons:
        reason = "nobody labelled the instance in step 1, so that a metric has nothing to compare with"
        exclusions.append(Exclusion(what="comparisons", count=sides.comparisons - len(sides.known), reason=reason))
    for metric in chosen:
        nearer = _nearer(study, sides, metric)
        machines[metric.title] = _choices(study, sides, metric, nearer, margin=parameters.margin)
        values[metric.title] = np.full(sides.comparisons, np.nan)
        values[metric.title][sides.known] = nearer
        if missing := int(np.isnan(nearer).sum()):
            reason = f"{metric.title} has no value for them"
            exclusions.append(Exclusion(what="comparisons", metric=metric.name, count=missing, reason=reason))
    return MetricJudges(human, machines, values, tuple(exclusions), (*found.notes, _note(parameters)))


@dataclass(frozen=True, eq=False)
class ComparedSides:
    """The two sides of the comparisons that have a reference, and the reference: one row each.

    `known` are their positions among all comparisons; `comparisons` is the number of all.
    """

    comparisons: int
    known: Integers
    reference: Matrix
    first: Matrix
    second: Matrix


def _sides(study: StudyInputs, parameters: MachineParameters) -> ComparedSides:
    answers = study.answers
    kept = answers.counting(answers.is_answered, include_pilot=parameters.include_pilot).kept & ~answers.identical
    _, place = np.unique(answers.comparison[kept], return_index=True)
    instance = answers.instance[kept][place]
    first, second = answers.first[kept][place], answers.second[kept][place]
    first, second = np.minimum(first, second), np.maximum(first, second)  # as `judged_items` turns them
    reference = (study.P if parameters.nearness == "dataset" else _of_experts(study, parameters))[instance]
    known = np.flatnonzero(np.isfinite(reference).all(axis=1))
    return ComparedSides(
        comparisons=len(instance),
        known=known,
        reference=reference[known],
        first=_distributions(study, first[known], instance[known]),
        second=_distributions(study, second[known], instance[known]),
    )


def _nearer(study: StudyInputs, sides: ComparedSides, metric: Metric) -> Vector:
    """How much closer the first side is to the reference than the second; NaN where one of them has no value."""
    first, second = (_values(sides.reference, side, study.task, metric) for side in (sides.first, sides.second))
    there = np.isfinite(first) & np.isfinite(second)
    nearer: Vector = np.subtract(first, second, out=np.full(len(first), np.nan), where=there)
    return nearer


def _choices(study: StudyInputs, sides: ComparedSides, metric: Metric, nearer: Vector, *, margin: float) -> Annotations:
    """What a metric chooses where it has a value."""
    there = ~np.isnan(nearer)
    said = np.select([nearer > margin + CLOSE, nearer < -margin - CLOSE], [0, 1], 2)[there]
    words = OF_TWO if study.compares == "system_vs_system" else OF_SYSTEM
    return Annotations.from_columns(
        sides.known[there],
        [metric.name] * int(there.sum()),
        [words[code] for code in said],
        labels=words,
        items=range(sides.comparisons),
    )


def _note(parameters: MachineParameters) -> str:
    reference = "the people of the dataset" if parameters.nearness == "dataset" else "the experts' own labels of step 1"
    return f"A metric as a judge chooses the side that is closer to {reference}, and both if they are equal."


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
    kept = answers.counting_labels(include_pilot=parameters.include_pilot).kept
    if study.task != "multilabel":
        kept &= answers.labels.any(axis=1)
    sums = np.zeros(study.P.shape)
    np.add.at(sums, answers.instance[kept], answers.labels[kept].astype(np.float64))
    people = np.bincount(answers.instance[kept], minlength=len(study.P))[:, None]
    shares: Matrix = np.divide(sums, people, out=np.full(study.P.shape, np.nan), where=people > 0)
    return shares


def _distributions(study: StudyInputs, side: Integers, instance: Integers) -> Matrix:
    """The distributions on one side of each comparison; -1 is the human side."""
    rows = np.empty((len(side), study.P.shape[1]))
    for system in np.unique(side).tolist():
        matrix = study.P if system < 0 else np.asarray(study.Q[study.systems[system]])
        mine = side == system
        rows[mine] = matrix[instance[mine]]
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
