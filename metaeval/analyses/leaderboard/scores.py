"""Every system's score on every item, for one task and one dataset: submissions and baselines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from annotations.ground.arrays import Integers, Mask, Matrix, Vector
from metaeval import metrics
from metaeval.analyses.base.registry import AnalysisError
from metaeval.analyses.inputs import DatasetInputs
from metaeval.analyses.inputs.parts import Exclusion
from metaeval.analyses.leaderboard.answers import (
    AnnotationRows,
    Answer,
    answers_of,
    most_frequent_answers,
    random_answers,
)
from metaeval.analyses.leaderboard.parameters import Baseline, Board, Leaderboard
from metaeval.analyses.leaderboard.training import label_order
from metaeval.metrics import AnnotationError, DistributionError, WrongTaskError
from metaeval.sampling import stream

Said = list[list[Answer]]
"""The answers of each item."""
Measure = Callable[[Said, Said], metrics.AnnotationScore]

NAMES: dict[Baseline, str] = {"most_frequent": "Baseline: most frequent", "random": "Baseline: random"}
NO_TRAINING = "no training data were named to learn it from"


@dataclass(frozen=True, eq=False)
class Setting:
    """A dataset that is evaluated, the datasets from which its baselines learn, and the root of its random numbers."""

    data: DatasetInputs
    training: Sequence[DatasetInputs]
    parameters: Leaderboard
    root: np.random.SeedSequence


@dataclass(eq=False)
class Scored:
    """The scores of one dataset for one task: one per item for every system, in the order of `items`."""

    board: Board
    dataset: DatasetInputs
    metric: str
    title: str
    higher_is_better: bool
    items: Integers = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """Positions of the instances that count."""
    scores: dict[str, Vector] = field(default_factory=dict)
    no_baseline: dict[Baseline, str] = field(default_factory=dict)
    """Why a requested baseline has no score."""
    exclusions: list[Exclusion] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def key(self) -> str:
        return f"{self.board}-{self.dataset.slug}"

    def leave_out_items(self, count: int, reason: str) -> None:
        """Note that items do not count."""
        of = {"task": self.board, "dataset": self.dataset.slug}
        self.exclusions.append(Exclusion(what="items", count=count, reason=reason, **of))

    def leave_out(self, system: str, reason: str) -> None:
        """Note that a system's submission does not count."""
        of = {"task": self.board, "dataset": self.dataset.slug, "system": system}
        self.exclusions.append(Exclusion(what="submissions", count=1, reason=reason, **of))

    def take(self, name: str, values: Vector) -> None:
        """Add a system's scores; a system with missing scores cannot be compared, and is left out."""
        bad = int((~np.isfinite(values)).sum())
        if bad:
            self.leave_out(name, f"{self.title} is undefined or infinite for {bad} of {len(values)} items")
        else:
            self.scores[name] = values


def soft_scores(setting: Setting, step: Callable[[], None]) -> Scored | str:
    """Task A: the metric's value for every instance, or why there is none. All labels of all instances count.

    Systems are compared instance by instance, so an instance for which one system has no prediction counts for none.
    """
    data, parameters = setting.data, setting.parameters
    task = metrics.checked_task(data.task)
    name = parameters.soft_metric or ("wasserstein_distance" if task == "ordinal" else "manhattan_distance")
    try:
        (entry,) = metrics.select(task, [name])
    except (LookupError, WrongTaskError) as error:
        raise AnalysisError(f"{data.slug}: {error.args[0]}.") from error
    if not entry.works_per_item:
        raise AnalysisError(
            f"{entry.title} is not a mean over instances, so systems cannot be compared instance by "
            "instance. Choose another metric for soft labels."
        )
    found = Scored("soft", data, entry.name, entry.title, entry.orientation == "higher")
    predicted = data.predicted_by_all
    found.items = np.flatnonzero(predicted)
    left = len(predicted) - len(found.items)
    if left:
        found.leave_out_items(left, f"not all systems predicted them ({', '.join(data.absent)} lack some)")
    if not len(found.items):
        return "there is no instance that all systems predicted"
    for system, Q in _distributions(setting, found):
        try:
            values = metrics.per_item(data.P[found.items], Q[found.items], task, entry.name)
            found.take(system, values + _from_below(data, system, found))
        except DistributionError as error:
            raise AnalysisError(f"The metric of {system} on {data.slug} cannot be computed: {error}.") from error
        step()
    return found


def _from_below(data: DatasetInputs, system: str, found: Scored) -> Vector | float:
    """What shares below the scale add to each item: Q has them at the first point, so they are moved by 1 more."""
    below = data.below.get(system)
    if below is None:
        return 0.0
    is_way = found.metric == "wasserstein_distance"
    how = "the distance counts their way from there" if is_way else "they count as shares of the scale's first point"
    found.notes.append(f"{data.slug}: {system} gives a point below the scale {below.mean():.3g} on average; {how}.")
    return below[found.items] if is_way else 0.0


def _distributions(setting: Setting, found: Scored) -> Iterator[tuple[str, Matrix]]:
    """One matrix at a time: submissions, then baselines."""
    data = setting.data
    for name in data.systems:
        yield name, data.Q[name]
    instances, labels = data.P.shape
    for baseline in setting.parameters.baselines:
        if baseline == "random":
            yield NAMES[baseline], metrics.random_soft_labels(instances, labels, data.task, stream(setting.root, 0))
        elif not setting.training:
            found.no_baseline[baseline] = NO_TRAINING
        else:
            rows = np.concatenate([other.P[:, label_order(data, other)] for other in setting.training])
            yield NAMES[baseline], metrics.mean_soft_label(rows, data.task, instances)


def perspectivist_scores(setting: Setting, step: Callable[[], None]) -> Scored | str:
    """Task B: each item's mean over its annotators, or why the dataset has no such task.

    Systems are compared item by item, so an item of which one system lacks an annotation counts for none.
    """
    data = setting.data
    truth = answers_of(data)
    if isinstance(truth, str):
        return truth
    name, measure = _measure(truth, setting.parameters)
    title = next(entry.title for entry in metrics.annotation_metrics() if entry.name == name)
    found = Scored("perspectivist", data, name, title, higher_is_better=False)
    found.items = np.flatnonzero(truth.sizes)
    left = int((truth.sizes == 0).sum())
    if left:
        found.leave_out_items(left, "nobody annotated them")
    lacked = _lacked(data, truth)
    if lacked:
        kept = found.items[~np.any(list(lacked.values()), axis=0)[found.items]]
        reason = f"not all systems predicted each of their annotations ({', '.join(lacked)} lack some)"
        found.leave_out_items(len(found.items) - len(kept), reason)
        found.items = kept
    if not len(found.items):
        return "there is no instance of which every system predicted all annotations"
    right = truth.lists()
    for system, rows in _answers(setting, truth, found):
        try:
            score = measure(right, truth.lists(rows))
        except AnnotationError as error:
            raise AnalysisError(f"{system} on {data.slug} cannot be scored: {error}.") from error
        found.take(system, score.items[found.items])
        step()
    return found


def _lacked(data: DatasetInputs, truth: AnnotationRows) -> dict[str, Mask]:
    """By system that does not predict all annotations, which items it lacks some of."""
    lacked = {name: truth.lacked_by(matrix) for name, matrix in data.answers.items() if len(matrix) == len(truth.item)}
    return {name: items for name, items in lacked.items() if items.any()}


def _measure(truth: AnnotationRows, parameters: Leaderboard) -> tuple[str, Measure]:
    """The metric's name, and the metric. Rows of truth and prediction are the same annotations, so they are compared
    row by row, which means by annotator, even if one is listed twice."""
    if parameters.perspectivist_metric == "published" and truth.is_ordinal:
        scale = truth.scale
        S = len(scale) if parameters.divisor == "points" else float(scale.max() - scale.min())

        def distance(right: Said, predicted: Said) -> metrics.AnnotationScore:
            return metrics.normalised_absolute_distance(right, predicted, S=S, align="position")

        return "normalised_absolute_distance", distance
    if parameters.perspectivist_metric == "published" and truth.are_sets:
        return "multilabel_error_rate", lambda t, p: metrics.multilabel_error_rate(t, p, align="position")
    return "error_rate", lambda t, p: metrics.error_rate(t, p, align="position")


def _answers(setting: Setting, truth: AnnotationRows, found: Scored) -> Iterator[tuple[str, Integers]]:
    """Predicted rows, one system at a time: submissions, then baselines."""
    data, training = setting.data, setting.training
    for name, matrix in data.answers.items():
        if len(matrix) != len(truth.item):
            found.leave_out(name, f"it predicts {len(matrix)} annotations of {len(truth.item)}")
            continue
        yield name, truth.of_indicators(matrix)
    for baseline in setting.parameters.baselines:
        if baseline == "random":
            yield NAMES[baseline], random_answers(truth, stream(setting.root, 1))
            continue
        known = [(other, answers_of(other)) for other in training]
        usable = [(other, answers) for other, answers in known if isinstance(answers, AnnotationRows)]
        if not usable:
            found.no_baseline[baseline] = (
                "the training data do not hold single annotations" if training else NO_TRAINING
            )
            continue
        if not truth.people_known or not all(answers.people_known for _, answers in usable):
            found.notes.append(
                f"{data.slug}: not all annotators have a code; for those without one, the most-frequent "
                "baseline predicts the most frequent answer overall."
            )
        yield (
            NAMES[baseline],
            most_frequent_answers(
                truth,
                [(answers, label_order(data, other)) for other, answers in usable],
                sets=setting.parameters.most_frequent_sets,
            ),
        )
