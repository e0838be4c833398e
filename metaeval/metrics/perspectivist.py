"""Perspectivist evaluation: is each annotator's answer predicted? (LeWiDi-2025, task B)

These metrics take annotations instead of distributions. In both the truth and the prediction, an item is a mapping from
annotators to their answers; answers are compared annotator by annotator, whatever their order. The organisers' scorer
reads both as lists and compares them by position: `align="position"` reproduces this, and also accepts plain lists.
"""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from annotations.ground.arrays import Vector
from metaeval.checking import checked_count, checked_names, checked_type
from metaeval.describing import described
from metaeval.sampling import Replicates, ResamplingPlan, Seed, chosen_seed

from .pair import Task
from .registry import EVERY_TASK, MULTILABEL, ORDINAL, MetricValue, undefined, with_sections

NO_ANNOTATION = "no item has an annotation"

Align = Literal["annotator", "position"]
FrequentSets = Literal["labels", "sets"]
"""Whether the most frequent set is found label by label, or among whole sets."""
Item = Mapping[str, Any] | Sequence[Any]
SOURCE = "Leonardelli et al. 2025 (LeWiDi-2025), task B"


_SECTIONS = {
    "Parameters": (
        "truth, predicted : sequence of N items\n"
        '    Each item maps annotators to their answers; with `align="position"` it may be a list of answers.\n'
        "align : {'annotator', 'position'}, default 'annotator'\n"
        "    Whether answers are matched by annotator, or by position as in the organisers' scorer."
    ),
    "Returns": (
        "AnnotationScore\n    The mean over items (lower is better), the value of each item, and the positions of "
        "items without annotations,\n    which do not count. NaN with a `reason` where no item has any."
    ),
    "Raises": "AnnotationError\n    If annotators are missing or unknown, or if answers are not of the expected kind.",
    "References": f"{SOURCE}.",
}
"""What the docstrings of all metrics of annotations say."""

_annotation_metrics: dict[str, AnnotationMetric] = {}


class AnnotationError(ValueError):
    """The annotations are not valid input for a metric. The message names the item."""


@described
@dataclass(frozen=True)
class AnnotationMetric:
    """What the registry knows about a metric of annotations."""

    name: str
    title: str
    """The name in code, and the name for people."""
    tasks: frozenset[Task]
    """Kinds of task for which it is defined."""
    orientation: Literal["higher", "lower"]
    """Which values are better."""
    range: tuple[float, float]
    """The lowest and the highest possible value."""
    source: str
    """The paper that defines it."""
    works_per_item: bool
    """Whether it is a mean of one value per item."""
    description: str
    """The docstring of its definition."""
    function: Callable[..., AnnotationScore]
    """The metric."""


@described
@dataclass(frozen=True)
class AnnotationScore:
    """The score of a metric of annotations."""

    value: MetricValue
    """The mean over the items that someone annotated."""
    items: Vector
    """(N,): The value of each item; NaN for an item that no one annotated."""
    n: int
    """How many items have a value."""
    excluded: tuple[int, ...] = ()
    """Positions of the items without annotations, which have no value and do not count."""

    def __float__(self) -> float:
        return float(self.value)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON; an item without a value is None."""
        items = [None if np.isnan(item) else float(item) for item in self.items]
        return {**self.value.to_dict(), "n": self.n, "items": items, "excluded": list(self.excluded)}


def annotation_metrics() -> tuple[AnnotationMetric, ...]:
    """Every metric of annotations.

    Returns
    -------
    tuple of AnnotationMetric
        In the order of registration.
    """
    return tuple(_annotation_metrics.values())


def _annotation_metric(
    title: str, tasks: frozenset[Task]
) -> Callable[[Callable[..., AnnotationScore]], Callable[..., AnnotationScore]]:
    def register(function: Callable[..., AnnotationScore]) -> Callable[..., AnnotationScore]:
        name = function.__name__
        text = inspect.getdoc(function) or title
        entry = AnnotationMetric(name, title, tasks, "lower", (0.0, 1.0), SOURCE, True, text, function)
        _annotation_metrics[name] = entry
        function.__doc__ = with_sections(text, _SECTIONS)
        return function

    return register


@_annotation_metric("Average error rate", EVERY_TASK)
def error_rate(truth: Sequence[Item], predicted: Sequence[Item], *, align: Align = "annotator") -> AnnotationScore:
    """Mean over items of the share of annotators whose answer is predicted incorrectly.

    Formula: (1/N) sum_i (1/A_i) sum_a [answer_ia != predicted_ia]; an answer is any value, or a list of values.
    The value is in [0, 1]. Undefined where no item has an annotation.

    Examples
    --------
    >>> truth = [{"ann1": 3, "ann2": -1}, {"ann1": 0, "ann2": 0}]
    >>> float(error_rate(truth, [{"ann2": -1, "ann1": 2}, {"ann1": 0, "ann2": 0}]))
    0.25
    >>> float(error_rate(truth, [[-1, 2], [0, 0]], align="position"))
    0.5
    """

    def wrong(true: list[Any], guess: list[Any]) -> float:
        return float(np.mean([_plain(t) != _plain(g) for t, g in zip(true, guess, strict=True)]))

    return _score(truth, predicted, align, wrong)


@_annotation_metric("Multilabel error rate", MULTILABEL)
def multilabel_error_rate(
    truth: Sequence[Item], predicted: Sequence[Item], *, align: Align = "annotator"
) -> AnnotationScore:
    """Mean over items and labels of the share of annotators whose 0 or 1 for a label is predicted incorrectly.

    Formula: (1/N) sum_i (1/K) sum_k (1/A_i) sum_a [answer_iak != predicted_iak], where an answer is a vector of K zeros
    and ones. The value is in [0, 1]. Undefined where no item has an annotation.

    Examples
    --------
    >>> float(multilabel_error_rate([{"a": [1, 0], "b": [1, 1]}], [{"a": [1, 0], "b": [0, 1]}]))
    0.25
    """

    def wrong(true: list[Any], guess: list[Any]) -> float:
        t, g = np.asarray(true), np.asarray(guess)
        if t.ndim != 2 or t.shape != g.shape or not np.isin(t, (0, 1)).all() or not np.isin(g, (0, 1)).all():
            msg = f"answers have shapes {t.shape} and {g.shape}; expected 0/1 vectors of one length for every annotator"
            raise AnnotationError(msg)
        return float((t != g).mean())

    return _score(truth, predicted, align, wrong)


@_annotation_metric("Average normalised absolute distance", ORDINAL)
def normalised_absolute_distance(
    truth: Sequence[Item], predicted: Sequence[Item], *, S: float, align: Align = "annotator"
) -> AnnotationScore:
    """Mean over items of the annotators' mean distance between answer and prediction, as a share of the scale.

    Parameters
    ----------
    S : float
        The divisor of a distance: the number of scale points (11 for -5..5, 6 for 1..6), as in the published scores, or
        the range (10, 5), as in the paper's text.

    Notes
    -----
    Formula: (1/N) sum_i (1/A_i) sum_a |predicted_ia - answer_ia| / S.
    The value is in [0, (points - 1) / S]. Undefined where no item has an annotation.

    Examples
    --------
    >>> float(normalised_absolute_distance([{"a": 5, "b": -5}], [{"a": 5, "b": 0}], S=10))
    0.25
    """
    if isinstance(S, (bool, str)) or not isinstance(S, (int, float)) or not 0 < S < np.inf:
        msg = f"S is {S!r}; expected the number of scale points, or their range"
        raise AnnotationError(msg)

    def distance(true: list[Any], guess: list[Any]) -> float:
        try:
            t, g = np.array(true, dtype=np.float64), np.array(guess, dtype=np.float64)
        except (TypeError, ValueError) as error:
            msg = f"answers cannot be read as numbers: {error}"
            raise AnnotationError(msg) from error
        if not (np.isfinite(t).all() and np.isfinite(g).all()):
            msg = "an answer is NaN or infinite; expected points of the scale"
            raise AnnotationError(msg)
        return float(np.abs(t - g).mean() / S)

    return _score(truth, predicted, align, distance)


def most_frequent_labels(train: Iterable[Mapping[str, Any]], *, sets: FrequentSets = "labels") -> dict[str, Any]:
    """Each annotator's most frequent answer in the training items; the smallest, if there are several.

    Parameters
    ----------
    train : iterable of mapping
        Items that map annotators to answers.
    sets : {'labels', 'sets'}, default 'labels'
        How to find the most frequent set if answers are sets of labels (0 or 1 for each): label by label, as published
        (a label is included if most of the annotator's sets contain it), or as the most frequent whole set.

    Returns
    -------
    dict
        Annotators, in sorted order, and their answers.

    Raises
    ------
    AnnotationError
        If `sets` is neither of the two.

    References
    ----------
    Leonardelli et al. 2025 (LeWiDi-2025), task B, the most frequent baseline.

    Examples
    --------
    >>> most_frequent_labels([{"ann1": 5, "ann2": -4}, {"ann1": 5, "ann2": 1}])
    {'ann1': 5, 'ann2': -4}
    >>> train = [{"a": [1, 0, 0]}, {"a": [0, 1, 0]}, {"a": [0, 1, 1]}, {"a": [1, 0, 0]}, {"a": [0, 1, 1]}]
    >>> most_frequent_labels(train), most_frequent_labels(train, sets="sets")
    ({'a': (0, 1, 0)}, {'a': (0, 1, 1)})
    """
    if sets not in get_args(FrequentSets):
        msg = f"sets is {sets!r}; expected 'labels' or 'sets'"
        raise AnnotationError(msg)
    counts: dict[str, Counter[Hashable]] = {}
    for item in _checked_training(train):
        for annotator, answer in item.items():
            counts.setdefault(annotator, Counter())[_plain(answer)] += 1
    return {annotator: _most_frequent(counts[annotator], sets) for annotator in sorted(counts)}


def _checked_training(train: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    items = list(checked_names("train", train))
    for item in items:
        checked_type("train", item, Mapping, "items that map annotators to answers")
    return items


def predict_most_frequent(
    train: Sequence[Mapping[str, Any]], items: Iterable[Iterable[str]], *, sets: FrequentSets = "labels"
) -> list[dict[str, Any]]:
    """The baseline that predicts each annotator's most frequent answer in the training items.

    Parameters
    ----------
    train : sequence of mapping
        Items that map annotators to answers.
    items : iterable
        Items to predict; an item is any iterable of annotators.
    sets : {'labels', 'sets'}, default 'labels'
        See `most_frequent_labels`.

    Returns
    -------
    list of dict
        One per item, from annotators to predicted answers. An annotator who is not in `train` gets the most frequent
        answer of all annotators.

    Raises
    ------
    AnnotationError
        If the training items contain no annotation.

    References
    ----------
    Leonardelli et al. 2025 (LeWiDi-2025), task B, the most frequent baseline.

    Examples
    --------
    >>> predict_most_frequent([{"ann1": 5, "ann2": 5}, {"ann1": 1}], [["ann1", "ann9"]])
    [{'ann1': 1, 'ann9': 5}]
    """
    train = _checked_training(train)
    own = most_frequent_labels(train, sets=sets)
    overall = Counter(_plain(answer) for item in train for answer in item.values())
    if not overall:
        msg = "the training items hold no annotation"
        raise AnnotationError(msg)
    everyone = _most_frequent(overall, sets)
    return [
        {annotator: own.get(annotator, everyone) for annotator in checked_names("items", item)}
        for item in checked_names("items", items)
    ]


def predict_random(
    labels: Sequence[Any], items: Iterable[Iterable[str]], seed: Seed | None = None, *, rng: Seed | None = None
) -> list[dict[str, Any]]:
    """The baseline that predicts a random label for every annotator, each label with the same probability.

    Parameters
    ----------
    labels : sequence
        Possible answers.
    items : iterable
        Items to predict; an item is any iterable of annotators.
    seed, rng : int, SeedSequence or Generator, optional
        Where the random numbers come from. Both mean the same, so pass only one. The default is 0.

    Returns
    -------
    list of dict
        One per item, from annotators to predicted answers.

    Notes
    -----
    `random_answers_plan` distributes the items to several workers.

    References
    ----------
    Leonardelli et al. 2025 (LeWiDi-2025), task B, the random baseline.

    Examples
    --------
    >>> sorted(predict_random(["a"], [["ann1", "ann2"]], seed=1)[0].items())
    [('ann1', 'a'), ('ann2', 'a')]
    """
    seed = chosen_seed(seed, rng)
    people = [list(checked_names("items", item)) for item in checked_names("items", items)]
    checked_type("labels", labels, Sequence, "a sequence of labels")
    checked_count("labels", len(labels), hint=" of them")
    if not people:
        return []
    codes = random_answers_plan(len(labels), len(people), max(map(len, people)), seed).run()
    return [
        {annotator: labels[int(code)] for annotator, code in zip(item, row, strict=False)}
        for item, row in zip(people, codes, strict=True)
    ]


def random_answers_plan(labels: int, items: int, annotators: int, seed: Seed) -> ResamplingPlan:
    """The position of a random label for each of at most `annotators` people of every item (items, annotators)."""

    def draw(stream: np.random.SeedSequence, size: int) -> Replicates:
        return np.random.default_rng(stream).integers(0, labels, (size, annotators)).astype(np.float64)

    return ResamplingPlan(draw, n_resamples=items, seed=seed)


def _most_frequent(counts: Counter[Hashable], sets: FrequentSets) -> Any:
    """The smallest of equally frequent answers, whatever the order of annotators; 0 for a label."""
    if sets == "labels" and all(isinstance(answer, tuple) for answer in counts):
        held = np.array([times * np.array(answer) for answer, times in counts.items()]).sum(axis=0)
        return tuple((2 * held > counts.total()).astype(int).tolist())
    return min(counts, key=_rank(counts))


def _rank(counts: Counter[Hashable]) -> Callable[[Hashable], tuple[int, Any]]:
    return lambda answer: (-counts[answer], answer)


def _plain(answer: Any) -> Any:
    """Lists and arrays as tuples, so that answers can be compared and counted."""
    if isinstance(answer, np.ndarray):
        answer = answer.tolist()
    return tuple(answer) if isinstance(answer, list | tuple) else answer


def _score(
    truth: Sequence[Item], predicted: Sequence[Item], align: Align, value_of: Callable[[list[Any], list[Any]], float]
) -> AnnotationScore:
    if align not in get_args(Align):
        msg = f"align is {align!r}; expected 'annotator' or 'position'"
        raise AnnotationError(msg)
    checked_type("truth", truth, Sequence, "a sequence of items")
    checked_type("predicted", predicted, Sequence, "a sequence of items")
    if len(truth) != len(predicted):
        msg = f"{len(truth)} items of truth, {len(predicted)} predicted; expected one prediction for each"
        raise AnnotationError(msg)
    items = np.full(len(truth), np.nan)
    for i, (true, guess) in enumerate(zip(truth, predicted, strict=True)):
        try:
            answers, guesses = _aligned(true, guess, align)
            if answers:
                items[i] = value_of(answers, guesses)
        except AnnotationError as error:
            msg = f"item {i}: {error}"
            raise AnnotationError(msg) from error
    empty = np.isnan(items)
    counted = int((~empty).sum())
    value = MetricValue(float(items[~empty].mean())) if counted else undefined(NO_ANNOTATION)
    return AnnotationScore(value, items, counted, tuple(np.flatnonzero(empty).tolist()))


def _aligned(true: Item, guess: Item, align: Align) -> tuple[list[Any], list[Any]]:
    if align == "position":
        answers, guesses = (list(item.values() if isinstance(item, Mapping) else item) for item in (true, guess))
        if len(answers) != len(guesses):
            msg = f"{len(answers)} annotations, {len(guesses)} predicted; expected one prediction for each"
            raise AnnotationError(msg)
        return answers, guesses
    if not (isinstance(true, Mapping) and isinstance(guess, Mapping)):
        msg = "items are lists; expected mappings from annotators to answers, or align='position'"
        raise AnnotationError(msg)
    if true.keys() != guess.keys():
        missing, extra = sorted(true.keys() - guess.keys()), sorted(guess.keys() - true.keys())
        msg = f"predictions are missing for annotators {missing} and given for unknown {extra}; expected the same"
        raise AnnotationError(msg)
    return list(true.values()), [guess[annotator] for annotator in true]
