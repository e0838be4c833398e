"""Which system predicts people best? Soft-label and perspectivist evaluation (Leonardelli et al. 2025, LeWiDi-2025)."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence

from annotations.ground.errors import naming
from metaeval import stats
from metaeval.analyses.base.registry import AnalysisError, analysis
from metaeval.analyses.base.wording import PlainWords
from metaeval.analyses.base.work import Purpose, Work, root_stream
from metaeval.analyses.inputs import DatasetInputs, DatasetsInputs
from metaeval.analyses.inputs.parts import Exclusion
from metaeval.analyses.leaderboard.parameters import TITLES, Leaderboard
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
from metaeval.analyses.leaderboard.scores import (
    NAMES,
    TaskScores,
    Training,
    score_annotations,
    score_distributions,
    training_of,
)
from metaeval.sampling import Replicates, stream
from metaeval.stats.intervals import means_plan

BASELINES = frozenset(NAMES.values())
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
