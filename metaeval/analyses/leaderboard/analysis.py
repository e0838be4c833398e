"""Which system predicts people best? Soft-label and perspectivist evaluation (Leonardelli et al. 2025, LeWiDi-2025)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

import numpy as np

from annotations.ground.errors import naming
from metaeval.analyses.base import seeding
from metaeval.analyses.base.registry import AnalysisError, analysis
from metaeval.analyses.base.work import Work
from metaeval.analyses.inputs import DatasetInputs, DatasetsInputs
from metaeval.analyses.inputs.parts import Exclusion
from metaeval.analyses.leaderboard.boards import board_of
from metaeval.analyses.leaderboard.parameters import Board, Leaderboard
from metaeval.analyses.leaderboard.result import LeaderboardFindings, LeaderboardResult, TaskBoard
from metaeval.analyses.leaderboard.scores import NAMES, Scored, Setting, perspectivist_scores, soft_scores
from metaeval.analyses.leaderboard.tables import TITLES, tables_of
from metaeval.analyses.leaderboard.training import Training, evaluated_of, training_of
from metaeval.analyses.leaderboard.wording import WORDS
from metaeval.sampling import stream
from metaeval.stats.intervals import means_plan

NO_SINGLE_ANNOTATIONS = "no system predicts single annotations"


@analysis(
    title="Which system predicts people best?",
    subjects=["datasets", "dataset"],
    parameters=Leaderboard,
    result=LeaderboardResult,
    figures=["leaderboard_dots", "leaderboard_map"],
    example={"resamples": 100},
    words=WORDS,
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
    evaluated = evaluated_of(datasets, training)
    _refuse_names_of_baselines(evaluated)
    work.stage("Scores", until=0.6)
    found, unscored = _scores(evaluated, training, parameters, seed, work)
    work.stage("Resampling")
    replicates = work.run(
        {
            entry.key: means_plan(
                list(entry.scores.values()),
                n_resamples=parameters.resamples,
                seed=stream(_root(seed, entry.dataset), 10 + list(TITLES).index(entry.board)),
            )
            for entry in found
        }
    )
    boards = [
        board_of([entry for entry in found if entry.board == board], parameters, replicates)
        for board in dict.fromkeys(entry.board for entry in found)
    ]
    return LeaderboardFindings(
        boards=boards,
        tables=tables_of(boards, found if parameters.items else [], confidence=parameters.confidence),
        counts={
            "datasets": len(evaluated),
            "systems": len({name for data in evaluated for name in (*data.systems, *data.answers)}),
            "instances": sum(len(data.P) for data in evaluated),
        },
        exclusions=unscored + [left for entry in found for left in entry.exclusions],
        notes=_notes(found, boards, training, parameters),
    )


def _refuse_names_of_baselines(evaluated: Sequence[DatasetInputs]) -> None:
    for data in evaluated:
        taken = sorted({*data.systems, *data.answers} & set(NAMES.values()))
        if taken:
            raise AnalysisError(f"A system of {data.slug} is called {taken[0]!r}, like the baseline. Rename it.")


def _root(seed: int, data: DatasetInputs) -> np.random.SeedSequence:
    """A dataset's own streams: the same, whichever other datasets there are."""
    number = int.from_bytes(hashlib.sha256(data.slug.encode()).digest()[:8], "big")
    return stream(seeding.root(seed, seeding.Purpose.LEADERBOARD), number)


def _scores(
    evaluated: Sequence[DatasetInputs], training: Training, parameters: Leaderboard, seed: int, work: Work
) -> tuple[list[Scored], list[Exclusion]]:
    """The scores of every dataset for every task, and why some have none."""
    tasks = list(dict.fromkeys(parameters.tasks))
    step = _ScoringSteps(work, evaluated, tasks, parameters)
    found: list[Scored] = []
    unscored: list[Exclusion] = []
    for board in tasks:
        for data in evaluated:
            setting = Setting(data, training[data.slug], parameters, _root(seed, data))
            with naming(f"dataset {data.slug}", board):
                scored = _scored(board, setting, evaluated, step)
            if isinstance(scored, Scored):
                found.append(scored)
            else:
                unscored.append(Exclusion(what="datasets", count=1, dataset=data.slug, task=board, reason=scored))
    if not found:
        reasons = "; ".join(f"{left.dataset}: {left.reason}" for left in unscored)
        raise AnalysisError(f"There is nothing to rank: {reasons}.")
    return found, unscored


class _ScoringSteps:
    """One step for every system of every dataset and task."""

    def __init__(
        self, work: Work, datasets: Sequence[DatasetInputs], tasks: Sequence[Board], parameters: Leaderboard
    ) -> None:
        self.work, self.done = work, 0
        self.total = sum(
            len(data.systems if board == "soft" else data.answers) + len(parameters.baselines)
            for data in datasets
            for board in tasks
        )

    def __call__(self) -> None:
        self.done += 1
        self.work.step(self.done, self.total, f"Scores: {self.done} of {self.total} systems")


def _scored(
    board: Board, setting: Setting, evaluated: Sequence[DatasetInputs], step: Callable[[], None]
) -> Scored | str:
    """The scores of a dataset for a task, or why there are none."""
    scored: Scored | str
    if board == "soft":
        if not len(setting.data.P):
            return "it has no judgement distributions"
        scored = soft_scores(setting, step)
    else:
        has_baseline = bool(setting.training) and "most_frequent" in setting.parameters.baselines
        if not has_baseline and not any(other.answers for other in evaluated):
            return NO_SINGLE_ANNOTATIONS
        scored = perspectivist_scores(setting, step)
    if isinstance(scored, Scored) and not scored.scores:
        return "no system predicts it, and no baseline was asked for that could be computed"
    return scored


def _notes(
    found: Sequence[Scored], boards: Sequence[TaskBoard], training: Training, parameters: Leaderboard
) -> list[str]:
    notes = [note for entry in found for note in entry.notes]
    for entry in found:
        notes += [
            f"{TITLES[entry.board]}, {entry.dataset.slug}: {NAMES[baseline]} has no score: {reason}."
            for baseline, reason in entry.no_baseline.items()
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
    if len({entry.metric for entry in found}) > len({entry.board for entry in found}):
        notes.append(
            "Each dataset has its own metric: scores can be compared within a dataset, positions across datasets."
        )
    return list(dict.fromkeys(notes))
