"""Which system predicts people best? Soft-label and perspectivist evaluation (Leonardelli et al. 2025, LeWiDi-2025)."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from metaeval import stats
from metaeval.analyses.base import seeding
from metaeval.analyses.base.registry import AnalysisError, analysis
from metaeval.analyses.base.work import Work
from metaeval.analyses.inputs import DatasetInputs, DatasetsInputs
from metaeval.analyses.leaderboard.parameters import Board, Leaderboard
from metaeval.analyses.leaderboard.scores import NAMES, Scored, Setting, is_same_kind, perspectivist_scores, soft_scores
from metaeval.analyses.leaderboard.tables import TITLES, tables_of
from metaeval.sampling import stream
from metaeval.stats import bootstrap_interval
from metaeval.stats.means import means_plan

Training = Mapping[str, Sequence[DatasetInputs]]


@analysis(
    title="Which system predicts people best?",
    subjects=["datasets", "dataset"],
    parameters=Leaderboard,
    figures=["leaderboard_dots", "leaderboard_map"],
    example={"resamples": 100},
)
def leaderboard(
    inputs: DatasetsInputs | DatasetInputs, parameters: Leaderboard, seed: int, work: Work
) -> dict[str, Any]:
    """Ranks systems on one or several datasets, by the distributions and by the single annotations that they predict.

    On each dataset systems are sorted by their mean score over items; from the best on, those that Wilcoxon's
    signed-rank test on items cannot tell from the best of their cluster share its position. The average position over
    datasets orders the board. Metrics, baselines and rules are those of LeWiDi-2025. Intervals of scores are bootstrap
    intervals over items; the clusters come from the paired test and not from whether intervals overlap.

    Source: Leonardelli et al. 2025, LeWiDi-2025 at NLPerspectives: the third edition of the Learning with Disagreements
    shared task.
    """
    datasets = sorted(
        inputs.datasets if isinstance(inputs, DatasetsInputs) else (inputs,), key=lambda dataset: dataset.slug
    )
    training = training_of(datasets, parameters.training)
    evaluated = [data for data in datasets if training[data.slug] or not _is_training(data, training)]
    for data in evaluated:
        taken = sorted({*data.systems, *data.answers} & set(NAMES.values()))
        if taken:
            raise AnalysisError(f"A system of {data.slug} is called {taken[0]!r}, as the baseline is. Rename it.")
    work.stage("Scores", until=0.6)
    steps = _Steps(work, evaluated, parameters)
    found: list[Scored] = []
    exclusions: list[dict[str, Any]] = []
    for board in dict.fromkeys(parameters.tasks):
        for data in evaluated:
            setting = Setting(data, training[data.slug], parameters, root_of(seed, data))
            scored = _scored(board, setting, evaluated, steps)
            if isinstance(scored, Scored):
                found.append(scored)
            else:
                exclusions.append(
                    {"what": "datasets", "count": 1, "dataset": data.slug, "task": board, "reason": scored}
                )
    if not found:
        raise AnalysisError(
            "There is nothing to rank: "
            + "; ".join(f"{left['dataset']}: {left['reason']}" for left in exclusions)
            + "."
        )
    work.stage("Resampling")
    replicates = work.run(
        {
            entry.key: means_plan(
                list(entry.scores.values()),
                resamples=parameters.resamples,
                seed=stream(root_of(seed, entry.dataset), 10 + list(TITLES).index(entry.board)),
            )
            for entry in found
        }
    )
    boards = [
        _board(board, [entry for entry in found if entry.board == board], parameters, replicates)
        for board in dict.fromkeys(entry.board for entry in found)
    ]
    return {
        "boards": boards,
        "tables": tables_of(boards, found if parameters.items else [], confidence=parameters.confidence),
        "counts": {
            "datasets": len(evaluated),
            "systems": len({name for data in evaluated for name in (*data.systems, *data.answers)}),
            "instances": sum(len(data.P) for data in evaluated),
        },
        "exclusions": exclusions + [left for entry in found for left in entry.exclusions],
        "notes": _notes(found, boards, training, parameters),
    }


def training_of(datasets: Sequence[DatasetInputs], named: Sequence[str]) -> dict[str, list[DatasetInputs]]:
    """The training data of every dataset, by its slug, from `EVALUATED=TRAINING` or `TRAINING`."""
    by_slug = {data.slug: data for data in datasets}
    answer: dict[str, list[DatasetInputs]] = {slug: [] for slug in by_slug}

    def known(slug: str) -> DatasetInputs:
        if slug not in by_slug:
            raise AnalysisError(
                f"The training data {slug!r} is none of the datasets that this is about: {', '.join(by_slug)}. "
                "Name it among them; what only trains is not evaluated."
            )
        return by_slug[slug]

    alone = [known(entry) for entry in named if "=" not in entry]
    for entry in (entry for entry in named if "=" in entry):
        evaluated, _, training = entry.partition("=")
        answer[known(evaluated).slug].append(known(training))
    for slug, data in by_slug.items():
        answer[slug] += [other for other in alone if data not in alone and is_same_kind(data, other)]
        if data in answer[slug]:
            raise AnalysisError(f"{slug} cannot be its own training data.")
    unused = [data.slug for data in alone if not any(data in training for training in answer.values())]
    if unused:
        raise AnalysisError(f"The training data {unused[0]} has the task and labels of no other dataset here.")
    return answer


def root_of(seed: int, data: DatasetInputs) -> np.random.SeedSequence:
    """A dataset's own streams: the same, whichever other datasets stand beside it."""
    number = int.from_bytes(hashlib.sha256(data.slug.encode()).digest()[:8], "big")
    return stream(seeding.root(seed, seeding.Purpose.LEADERBOARD), number)


def _is_training(data: DatasetInputs, training: Training) -> bool:
    return any(data in found for found in training.values())


class _Steps:
    """One step for every system of every dataset and task."""

    def __init__(self, work: Work, datasets: Sequence[DatasetInputs], parameters: Leaderboard) -> None:
        self.work, self.done = work, 0
        sizes = {"soft": "systems", "perspectivist": "answers"}
        self.total = sum(
            len(getattr(data, sizes[board])) + len(parameters.baselines)
            for data in datasets
            for board in dict.fromkeys(parameters.tasks)
        )

    def __call__(self) -> None:
        self.done += 1
        self.work.step(self.done, self.total, f"Scores: {self.done} of {self.total} systems")


def _scored(board: Board, setting: Setting, evaluated: Sequence[DatasetInputs], steps: _Steps) -> Scored | str:
    """The scores of a dataset under a task; or why there are none."""
    if board == "soft":
        if not len(setting.data.P):
            return "it has no judgement distributions"
        scored: Scored | str = soft_scores(setting, steps)
    else:
        has_baseline = bool(setting.training) and "most_frequent" in setting.parameters.baselines
        if not has_baseline and not any(other.answers for other in evaluated):
            return "no system predicts single annotations"
        scored = perspectivist_scores(setting, steps)
    if isinstance(scored, Scored) and not scored.scores:
        return "no system predicts it, and no baseline was asked for that could be computed"
    return scored


def _board(
    board: Board, found: Sequence[Scored], parameters: Leaderboard, replicates: Mapping[str, Any]
) -> dict[str, Any]:
    """The standings of every dataset, and the average positions over them."""
    everyone = {name for entry in found for name in entry.scores}
    stand_in = None if parameters.missing == "undefined" else NAMES[parameters.missing]
    lacking = [entry for entry in found if everyone - set(entry.scores)]
    unfilled = [entry.dataset.slug for entry in lacking if stand_in not in entry.scores]
    ranked = stats.leaderboard(
        {entry.dataset.slug: entry.scores for entry in found},
        baseline=None if unfilled else stand_in,
        higher_is_better=found[0].higher_is_better,
        level=parameters.level,
        zero_method=parameters.zero_method,
        positions=parameters.positions,
    )
    names = set(NAMES.values())
    standings = [
        _standing(entry, ranked.tables[entry.dataset.slug], replicates[entry.key], stand_in, parameters)
        for entry in found
    ]
    places = {
        standing["dataset"]: {row["system"]: row["position"] for row in standing["systems"]} for standing in standings
    }
    return {
        "task": board,
        "title": TITLES[board],
        "unfilled": unfilled,
        "systems": [
            {
                "system": system,
                "is_baseline": system in names,
                "average_position": average,
                "positions": {slug: found_here.get(system) for slug, found_here in places.items()},
                "reason": "" if math.isfinite(average) else _no_average(system, places),
            }
            for system, average in zip(ranked.systems, ranked.average_positions, strict=True)
        ],
        "standings": standings,
    }


def _no_average(system: str, places: Mapping[str, Mapping[str, int]]) -> str:
    return f"no submission to {', '.join(slug for slug, here in places.items() if system not in here)}"


def _standing(
    entry: Scored,
    clusters: Sequence[stats.Standing],
    replicates: Any,
    stand_in: str | None,
    parameters: Leaderboard,
) -> dict[str, Any]:
    columns = {name: replicates[:, place] for place, name in enumerate(entry.scores)}
    rows = []
    for standing in clusters:
        own = columns[(stand_in or "") if standing.substituted else standing.system]
        interval = bootstrap_interval(own, level=parameters.confidence)
        rows.append(
            {
                "system": standing.system,
                "is_baseline": standing.system in NAMES.values(),
                "score": standing.score,
                "low": interval.low,
                "high": interval.high,
                "position": standing.position,
                "cluster": standing.cluster,
                "p_value": standing.p_value,
                "substituted": standing.substituted,
            }
        )
    return {
        "task": entry.board,
        "dataset": entry.dataset.slug,
        "title": entry.dataset.title,
        "metric": entry.metric,
        "metric_title": entry.title,
        "orientation": "higher" if entry.higher_is_better else "lower",
        "items": len(entry.items),
        "systems": rows,
    }


def _notes(
    found: Sequence[Scored], boards: Sequence[Mapping[str, Any]], training: Training, parameters: Leaderboard
) -> list[str]:
    notes = [note for entry in found for note in entry.notes]
    for entry in found:
        notes += [
            f"{TITLES[entry.board]}, {entry.dataset.slug}: {NAMES[baseline]} has no score, for {reason}."
            for baseline, reason in entry.no_baseline.items()
        ]
    notes += [
        f"{slug}: the training data are {', '.join(other.slug for other in others)}."
        for slug, others in training.items()
        if others
    ]
    for board in boards:
        if board["unfilled"] and parameters.missing != "undefined":
            notes.append(
                f"{board['title']}: missing submissions could not be scored as {NAMES[parameters.missing]!r}, which "
                f"has no score on {', '.join(board['unfilled'])}; systems that miss one have no average position."
            )
    if len({entry.metric for entry in found}) > len({entry.board for entry in found}):
        notes.append("Datasets have metrics of their own: scores compare within a dataset, positions across them.")
    return list(dict.fromkeys(notes))
