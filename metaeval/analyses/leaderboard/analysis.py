"""Which system predicts people best? Soft-label and perspectivist evaluation (Leonardelli et al. 2025, LeWiDi-2025).

Scores say who predicts an item how well, by task: what systems submitted, and what baselines predict. Baselines learn
from training data. A baseline's distribution is the mean of people's; its answers are each annotator's most frequent
one.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from annotations.ground.arrays import Integers, Matrix, Vector, absent_rows
from annotations.ground.errors import naming
from metaeval import metrics, stats
from metaeval.analyses.base.registry import AnalysisError, analysis
from metaeval.analyses.base.table import Row
from metaeval.analyses.base.wording import PlainWords
from metaeval.analyses.base.work import Purpose, Work, root_stream
from metaeval.analyses.inputs import DatasetInputs, DatasetsInputs
from metaeval.analyses.inputs.parts import Exclusion
from metaeval.analyses.leaderboard.parameters import TITLES, Baseline, Board, Leaderboard
from metaeval.analyses.leaderboard.result import (
    LeaderboardFindings,
    LeaderboardResult,
    StandingOfSystem,
    StandingsOnDataset,
    SystemOnBoard,
    TaskBoard,
    answer,
    tables_of,
)
from metaeval.metrics import AnnotationError, DistributionError, WrongTaskError
from metaeval.metrics.perspectivist import FrequentSets
from metaeval.sampling import Replicates, stream
from metaeval.stats.agreement import SetAnnotations
from metaeval.stats.intervals import means_plan

NO_SINGLE_ANNOTATIONS = "no system predicts single annotations"


@analysis(
    title="Which system predicts people best?",
    subjects=["datasets", "dataset"],
    parameters=Leaderboard,
    result=LeaderboardResult,
    figures=["leaderboard_dots", "leaderboard_map"],
    example={"resamples": 100},
    words=PlainWords(
        question="Which system predicts people best?",
        group="The systems",
        shows="A leaderboard of the systems over one dataset or several, with groups that the test cannot tell apart. "
        "It needs predictions of systems.",
        place=30,
        compared=("tasks", "training", "baselines", "missing", "soft_metric", "perspectivist_metric"),
        statistics=("level", "confidence", "resamples", "items"),
        answer=answer,
    ),
)
def leaderboard(
    inputs: DatasetsInputs | DatasetInputs, parameters: Leaderboard, seed: int, work: Work
) -> LeaderboardFindings:
    """Ranks systems on one or more datasets by the distributions and the individual annotations that they predict.

    On each dataset, systems are sorted by their mean score over items; starting from the best, those that Wilcoxon's
    signed-rank test on items cannot distinguish from the best of their cluster share its position. The board is ordered
    by the average position over datasets. Metrics, baselines and rules are those of LeWiDi-2025. Intervals of scores
    are bootstrap intervals over items; the clusters come from the paired test, not from overlaps of intervals.

    Source: Leonardelli et al. 2025, LeWiDi-2025 at NLPerspectives: the third edition of the Learning with Disagreements
    shared task.
    """
    datasets = sorted(
        inputs.datasets if isinstance(inputs, DatasetsInputs) else (inputs,), key=lambda dataset: dataset.slug
    )
    training = training_of(datasets, parameters.training)
    # Training data are not evaluated, unless they have training data themselves.
    trains = [data for data in datasets if any(data in others for others in training.values())]
    evaluated = [data for data in datasets if training[data.slug] or data not in trains]
    for data in evaluated:
        taken = sorted({*data.systems, *data.answers} & BASELINES)
        if taken:
            raise AnalysisError(f"A system of {data.slug} is called {taken[0]!r}, like the baseline. Rename it.")
    work.stage("Scores", until=0.6)
    tasks, unscored = _scored_tasks(evaluated, training, parameters, seed, work)
    work.stage("Resampling")
    replicates = work.run(
        {
            task.key: means_plan(
                list(task.scores.values()),
                n_resamples=parameters.resamples,
                seed=stream(task.root, 10 + list(TITLES).index(task.board)),
            )
            for task in tasks
        }
    )
    boards = [
        _board([task for task in tasks if task.board == board], parameters, replicates)
        for board in dict.fromkeys(task.board for task in tasks)
    ]
    items = [row for task in tasks for row in task.rows()] if parameters.items else []
    return LeaderboardFindings(
        boards=boards,
        tables=tables_of(boards, items, confidence=parameters.confidence),
        counts={
            "datasets": len(evaluated),
            "systems": len({name for data in evaluated for name in (*data.systems, *data.answers)}),
            "instances": sum(len(data.P) for data in evaluated),
        },
        exclusions=unscored + [exclusion for task in tasks for exclusion in task.exclusions],
        notes=_notes(tasks, boards, training, parameters),
    )


def _scored_tasks(
    evaluated: Sequence[DatasetInputs], training: Training, parameters: Leaderboard, seed: int, work: Work
) -> tuple[list[TaskScores], list[Exclusion]]:
    """The scores of every dataset for every task, and why some have none."""
    boards = list(dict.fromkeys(parameters.tasks))
    total = sum(
        len(data.systems if board == "soft" else data.answers) + len(parameters.baselines)
        for data in evaluated
        for board in boards
    )
    done = 0

    def step() -> None:
        nonlocal done
        done += 1
        work.step(done, total, f"Scores: {done} of {total} systems")

    has_answers = any(data.answers for data in evaluated)
    tasks: list[TaskScores] = []
    unscored: list[Exclusion] = []
    for board in boards:
        for data in evaluated:
            number = int.from_bytes(hashlib.sha256(data.slug.encode()).digest()[:8], "big")
            root = stream(root_stream(seed, Purpose.LEADERBOARD), number)  # whichever other datasets there are
            task = TaskScores(board, data, training[data.slug], parameters, root)
            with naming(f"dataset {data.slug}", board):
                if board == "soft":
                    reason = score_distributions(task, step)
                elif has_answers or (task.training and "most_frequent" in parameters.baselines):
                    reason = score_annotations(task, step)
                else:
                    reason = NO_SINGLE_ANNOTATIONS
            if not reason and not task.scores:
                reason = "no system predicts it, and no baseline was asked for that could be computed"
            if reason:
                unscored.append(Exclusion(what="datasets", count=1, dataset=data.slug, task=board, reason=reason))
            else:
                tasks.append(task)
    if not tasks:
        reasons = "; ".join(f"{exclusion.dataset}: {exclusion.reason}" for exclusion in unscored)
        raise AnalysisError(f"There is nothing to rank: {reasons}.")
    return tasks, unscored


def _board(tasks: Sequence[TaskScores], parameters: Leaderboard, replicates: Mapping[str, Replicates]) -> TaskBoard:
    """The board of a task: systems on every dataset, and their average positions over datasets."""
    systems = {name for task in tasks for name in task.scores}
    stand_in = "" if parameters.missing == "undefined" else NAMES[parameters.missing]
    ranked = stats.leaderboard(
        {task.data.slug: task.scores for task in tasks},
        baseline=stand_in or None,
        missing_places=parameters.missing_places,
        never_missing=BASELINES,
        needs_baseline=False,
        higher_is_better=tasks[0].higher_is_better,
        alpha=parameters.level,
        zero_method=parameters.zero_method,
        positions=parameters.positions,
    )
    standings = []
    for task in tasks:
        columns = {name: replicates[task.key][:, place] for place, name in enumerate(task.scores)}
        rows = []
        for standing in ranked.tables[task.data.slug]:
            own = columns[stand_in if standing.substituted else standing.system]
            interval = stats.bootstrap_interval(own, confidence_level=parameters.confidence)
            is_baseline = standing.system in BASELINES
            rows.append(
                StandingOfSystem.from_found(standing, is_baseline=is_baseline, low=interval.low, high=interval.high)
            )
        standings.append(
            StandingsOnDataset(
                task=task.board,
                dataset=task.data.slug,
                title=task.data.title,
                metric=task.metric,
                metric_title=task.title,
                orientation="higher" if task.higher_is_better else "lower",
                items=len(task.items),
                systems=rows,
            )
        )
    places = {table.dataset: {row.system: row.position for row in table.systems} for table in standings}
    averages = []
    for system, average in zip(ranked.systems, ranked.average_positions, strict=True):
        is_baseline = system in BASELINES
        missed = ", ".join(slug for slug, positions in places.items() if system not in positions)
        averages.append(
            SystemOnBoard(
                system=system,
                is_baseline=is_baseline,
                average_position=average,
                positions={slug: positions.get(system) for slug, positions in places.items()},
                reason=""
                if math.isfinite(average)
                else f"no {'score on' if is_baseline else 'submission to'} {missed}",
            )
        )
    return TaskBoard(
        task=tasks[0].board,
        title=TITLES[tasks[0].board],
        unfilled=[
            task.data.slug for task in tasks if systems - set(task.scores) - BASELINES and stand_in not in task.scores
        ],
        stand_in=stand_in,
        systems=averages,
        standings=standings,
    )


def _notes(
    tasks: Sequence[TaskScores], boards: Sequence[TaskBoard], training: Training, parameters: Leaderboard
) -> list[str]:
    notes = [note for task in tasks for note in task.notes]
    for task in tasks:
        notes += [
            f"{TITLES[task.board]}, {task.data.slug}: {NAMES[baseline]} has no score: {reason}."
            for baseline, reason in task.no_baseline.items()
        ]
    notes += [
        f"{slug}: the training data are {', '.join(other.slug for other in others)}."
        for slug, others in training.items()
        if others
    ]
    for board in boards:
        if board.unfilled and parameters.missing != "undefined":
            notes.append(
                f"{board.title}: missing submissions could not be scored as {NAMES[parameters.missing]!r}, which "
                f"has no score on {', '.join(board.unfilled)}; systems that miss one there have no average position."
            )
    if len({task.metric for task in tasks}) > len({task.board for task in tasks}):
        notes.append(
            "Each dataset has its own metric: scores can be compared within a dataset, positions across datasets."
        )
    return list(dict.fromkeys(notes))


Training = Mapping[str, Sequence[DatasetInputs]]
"""The training data of every dataset, by its slug."""

NAMES: dict[Baseline, str] = {"most_frequent": "Baseline: most frequent", "random": "Baseline: random"}
BASELINES = frozenset(NAMES.values())
NO_TRAINING = "no training data were named to learn it from"
UNKNOWN = ""
"""The code of an annotator who has none."""

Answer = int | float | list[int]
"""A label's position, a point of the scale, or a 0 or 1 for every label."""
Answers = list[list[Answer]]
"""The answers of each item."""
Measure = Callable[[Answers, Answers], metrics.AnnotationScore]


@dataclass(eq=False)
class TaskScores:
    """A task on a dataset: one score per item for every system, in the order of `items`."""

    board: Board
    data: DatasetInputs
    training: Sequence[DatasetInputs]
    parameters: Leaderboard
    root: np.random.SeedSequence
    """Of the dataset's random numbers."""
    metric: str = ""
    title: str = ""
    higher_is_better: bool = False
    items: Integers = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """Positions of the instances that count."""
    scores: dict[str, Vector] = field(default_factory=dict)
    no_baseline: dict[Baseline, str] = field(default_factory=dict)
    """Why a requested baseline has no score."""
    exclusions: list[Exclusion] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def key(self) -> str:
        return f"{self.board}-{self.data.slug}"

    def leave_out(self, reason: str, *, items: int = 0, system: str | None = None) -> None:
        """Note that some items, or a system's submission, do not count."""
        where = {"task": self.board, "dataset": self.data.slug} | ({"system": system} if system else {})
        what, count = ("submissions", 1) if system else ("items", items)
        self.exclusions.append(Exclusion(what=what, count=count, reason=reason, **where))

    def add(self, system: str, values: Vector) -> None:
        """Add a system's scores; a system with missing scores cannot be compared, and is left out."""
        bad = int((~np.isfinite(values)).sum())
        if bad:
            self.leave_out(f"{self.title} is undefined or infinite for {bad} of {len(values)} items", system=system)
        else:
            self.scores[system] = values

    def rows(self) -> Iterator[Row]:
        """A table's rows: every system's score of every item."""
        for system, scores in self.scores.items():
            for item, score in zip(self.items.tolist(), scores.tolist(), strict=True):
                yield {
                    "task": self.board,
                    "dataset": self.data.slug,
                    "instance": self.data.instances[item],
                    "system": system,
                    "score": score,
                }


def score_distributions(task: TaskScores, step: Callable[[], None]) -> str:
    """Task A: the metric's value for every instance. Returns why there is none, or nothing. All labels of all instances
    count.

    Systems are compared instance by instance, so an instance for which one system has no prediction counts for none.
    """
    data = task.data
    if not len(data.P):
        return "it has no judgement distributions"
    kind = metrics.checked_task(data.task)
    name = task.parameters.soft_metric or ("wasserstein_distance" if kind == "ordinal" else "manhattan_distance")
    try:
        (entry,) = metrics.select(kind, [name])
    except (LookupError, WrongTaskError) as error:
        raise AnalysisError(f"{data.slug}: {error.args[0]}.") from error
    if not entry.works_per_item:
        raise AnalysisError(
            f"{entry.title} is not a mean over instances, so systems cannot be compared instance by "
            "instance. Choose another metric for soft labels."
        )
    task.metric, task.title, task.higher_is_better = entry.name, entry.title, entry.orientation == "higher"
    task.items = np.flatnonzero(data.predicted_by_all)
    absent = len(data.P) - len(task.items)
    if absent:
        task.leave_out(f"not all systems predicted them ({', '.join(data.absent)} lack some)", items=absent)
    if not len(task.items):
        return "there is no instance that all systems predicted"
    for system, Q in _distributions(task):
        try:
            values = metrics.per_item(data.P[task.items], Q[task.items], kind, entry.name)
        except DistributionError as error:
            raise AnalysisError(f"The metric of {system} on {data.slug} cannot be computed: {error}.") from error
        task.add(system, values + _from_below(task, system))
        step()
    return ""


def _from_below(task: TaskScores, system: str) -> Vector | float:
    """What shares below the scale add to each item: Q has them at the first point, so they are moved by 1 more."""
    below = task.data.below.get(system)
    if below is None:
        return 0.0
    is_way = task.metric == "wasserstein_distance"
    how = "the distance counts their way from there" if is_way else "they count as shares of the scale's first point"
    task.notes.append(f"{task.data.slug}: {system} gives a point below the scale {below.mean():.3g} on average; {how}.")
    return below[task.items] if is_way else 0.0


def _distributions(task: TaskScores) -> Iterator[tuple[str, Matrix]]:
    """One matrix at a time: submissions, then baselines."""
    data = task.data
    for name in data.systems:
        yield name, data.Q[name]
    instances, labels = data.P.shape
    for baseline in task.parameters.baselines:
        if baseline == "random":
            yield NAMES[baseline], metrics.random_soft_labels(instances, labels, data.task, stream(task.root, 0))
        elif not task.training:
            task.no_baseline[baseline] = NO_TRAINING
        else:
            rows = np.concatenate([other.P[:, _label_order(data, other)] for other in task.training])
            yield NAMES[baseline], metrics.mean_soft_label(rows, data.task, instances)


def score_annotations(task: TaskScores, step: Callable[[], None]) -> str:
    """Task B: each item's mean over its annotators. Returns why the dataset has no such task, or nothing.

    Systems are compared item by item, so an item of which one system lacks an annotation counts for none.
    """
    data = task.data
    truth = _annotation_rows(data)
    if isinstance(truth, str):
        return truth
    task.metric, measure = _annotation_metric(truth, task.parameters)
    task.title = next(entry.title for entry in metrics.annotation_metrics() if entry.name == task.metric)
    sizes = np.bincount(truth.item, minlength=truth.items)
    task.items = np.flatnonzero(sizes)
    if len(task.items) < len(sizes):
        task.leave_out("nobody annotated them", items=len(sizes) - len(task.items))
    incomplete = {}
    for name, matrix in data.answers.items():
        if len(matrix) == len(truth.item) and absent_rows(matrix).any():
            incomplete[name] = truth.item[absent_rows(matrix)]
    if incomplete:
        items = np.setdiff1d(task.items, np.concatenate(list(incomplete.values())))
        reason = f"not all systems predicted each of their annotations ({', '.join(incomplete)} lack some)"
        task.leave_out(reason, items=len(task.items) - len(items))
        task.items = items
    if not len(task.items):
        return "there is no instance of which every system predicted all annotations"
    answers = truth.lists(truth.rows)
    for system, rows in _predicted_rows(task, truth):
        try:
            score = measure(answers, truth.lists(rows))
        except AnnotationError as error:
            raise AnalysisError(f"{system} on {data.slug} cannot be scored: {error}.") from error
        task.add(system, score.items[task.items])
        step()
    return ""


@dataclass(frozen=True, eq=False)
class AnnotationRows:
    """The annotations of a dataset in order, one row each.

    `item`: positions of instances, ascending. `rows`: label positions (n,), or for sets of labels 0 and 1 (n, labels).
    `people`: the annotators' codes, empty if unknown. `scale`: the points of the labels; if an ordinal task has none,
    0, 1, 2, ...
    """

    item: Integers
    rows: Integers
    people: tuple[str, ...]
    items: int
    labels: int
    scale: Vector
    is_ordinal: bool

    @property
    def are_sets(self) -> bool:
        return self.rows.ndim == 2

    def lists(self, rows: Integers) -> Answers:
        """The answers of each item in these rows: points of a scale, else labels."""
        values = self.scale[rows] if self.is_ordinal else rows
        ends = np.cumsum(np.bincount(self.item, minlength=self.items))
        return [part.tolist() for part in np.split(values, ends[:-1])]


def _annotation_rows(data: DatasetInputs) -> AnnotationRows | str:
    """The dataset's annotations one by one, or why they cannot be predicted."""
    annotations = data.annotations
    if annotations is None or not len(annotations.item):
        return "it holds no single annotations"
    if isinstance(annotations, SetAnnotations):
        rows = annotations.members[annotations.chosen].astype(np.int64)
    elif annotations.missing:
        return f"{annotations.missing} of its annotations hold no label"
    else:
        rows = annotations.label
    people = (
        (UNKNOWN,) * len(annotations.item)
        if annotations.annotator is None
        else tuple(map(str, np.asarray(annotations.annotators)[annotations.annotator]))
    )
    points = np.arange(len(data.labels)) if data.values is None else np.array(data.values)
    return AnnotationRows(
        item=annotations.item,
        rows=rows,
        people=people,
        items=len(annotations.items),
        labels=len(data.labels),
        scale=points.astype(np.float64),
        is_ordinal=data.task == "ordinal",
    )


def _annotation_metric(truth: AnnotationRows, parameters: Leaderboard) -> tuple[str, Measure]:
    """The metric's name, and the metric. Rows of truth and prediction are the same annotations, so they are compared
    row by row, which means by annotator, even if one is listed twice."""
    if parameters.perspectivist_metric == "published" and truth.is_ordinal:
        scale = truth.scale
        S = len(scale) if parameters.divisor == "points" else float(scale.max() - scale.min())
        return (
            "normalised_absolute_distance",
            lambda t, p: metrics.normalised_absolute_distance(t, p, S=S, align="position"),
        )
    if parameters.perspectivist_metric == "published" and truth.are_sets:
        return "multilabel_error_rate", lambda t, p: metrics.multilabel_error_rate(t, p, align="position")
    return "error_rate", lambda t, p: metrics.error_rate(t, p, align="position")


def _predicted_rows(task: TaskScores, truth: AnnotationRows) -> Iterator[tuple[str, Integers]]:
    """Predicted rows, one system at a time: submissions, then baselines."""
    data, training = task.data, task.training
    for name, matrix in data.answers.items():
        if len(matrix) != len(truth.item):
            task.leave_out(f"it predicts {len(matrix)} annotations of {len(truth.item)}", system=name)
            continue
        labels = np.nan_to_num(matrix)  # items with a row that is not predicted do not count
        yield name, labels.astype(np.int64) if truth.are_sets else labels.argmax(axis=1)
    for baseline in task.parameters.baselines:
        if baseline == "random":
            yield NAMES[baseline], _random_rows(truth, stream(task.root, 1))
            continue
        usable = []
        for other in training:
            rows = _annotation_rows(other)
            if isinstance(rows, AnnotationRows):
                usable.append((rows, _label_order(data, other)))
        if not usable:
            task.no_baseline[baseline] = "the training data do not hold single annotations" if training else NO_TRAINING
            continue
        if any(UNKNOWN in rows.people for rows in [truth, *(rows for rows, _ in usable)]):
            task.notes.append(
                f"{data.slug}: not all annotators have a code; for those without one, the most-frequent "
                "baseline predicts the most frequent answer overall."
            )
        yield NAMES[baseline], _most_frequent_rows(truth, usable, sets=task.parameters.most_frequent_sets)


def _most_frequent_rows(
    truth: AnnotationRows, training: Sequence[tuple[AnnotationRows, Sequence[int]]], *, sets: FrequentSets
) -> Integers:
    """Each annotator's most frequent answer in the training data; for unknown annotators, the most frequent of all.

    Every training dataset comes with the positions of the truth's labels among its own. Of equally frequent labels, the
    first in the label set's order counts; for sets, see `metrics.most_frequent_labels`.
    """
    seen = []
    for answers, order in training:
        if answers.are_sets:
            labels = list(map(tuple, answers.rows[:, list(order)].tolist()))
        else:
            place = np.argsort(np.asarray(order))  # a training label's position in the truth's order
            labels = place[answers.rows].tolist()
        seen += [{person: answer} for person, answer in zip(answers.people, labels, strict=True)]
    # One row per annotation: an annotator who is listed twice in an item has two rows, and both are predicted.
    predicted = metrics.predict_most_frequent(seen, [[person] for person in truth.people], sets=sets)
    return np.array([next(iter(row.values())) for row in predicted], dtype=np.int64)


def _random_rows(truth: AnnotationRows, seed: np.random.SeedSequence) -> Integers:
    """Any label for every annotation; for sets of labels, 0 or 1 for each label."""
    if truth.are_sets:
        rows = metrics.predict_random([0, 1], [list(map(str, range(truth.labels)))] * len(truth.item), seed)
    else:
        rows = metrics.predict_random(range(truth.labels), [["x"]] * len(truth.item), seed)
    values = np.array([list(row.values()) for row in rows], dtype=np.int64)
    return values if truth.are_sets else values[:, 0]


def training_of(datasets: Sequence[DatasetInputs], named: Sequence[str]) -> Training:
    """The training data of every dataset, from `EVALUATED=TRAINING` or `TRAINING`."""
    by_slug = {data.slug: data for data in datasets}
    training: dict[str, list[DatasetInputs]] = {slug: [] for slug in by_slug}

    def dataset(slug: str) -> DatasetInputs:
        if slug not in by_slug:
            raise AnalysisError(
                f"The training data {slug!r} are not among the datasets of this analysis: "
                f"{', '.join(by_slug)}. Name them too; datasets used only for training are not evaluated."
            )
        return by_slug[slug]

    alone = [dataset(entry) for entry in named if "=" not in entry]
    for entry in (entry for entry in named if "=" in entry):
        evaluated, _, slug = entry.partition("=")
        training[dataset(evaluated).slug].append(dataset(slug))
    for slug, data in by_slug.items():
        training[slug] += [other for other in alone if data not in alone and _is_same_kind(data, other)]
        if data in training[slug]:
            raise AnalysisError(f"{slug} cannot be its own training data.")
    unused = [data.slug for data in alone if not any(data in others for others in training.values())]
    if unused:
        raise AnalysisError(f"No other dataset here has the task and labels of the training data {unused[0]}.")
    return training


def _label_order(data: DatasetInputs, other: DatasetInputs) -> list[int]:
    """The positions of the dataset's labels among those of its training data."""
    if not _is_same_kind(data, other):
        raise AnalysisError(f"{other.slug} cannot be training data of {data.slug}: their labels or tasks differ.")
    return [other.labels.index(name) for name in data.labels]


def _is_same_kind(data: DatasetInputs, other: DatasetInputs) -> bool:
    """Whether a dataset could be another's training data."""
    return data.task == other.task and set(data.labels) == set(other.labels)
