"""The board of a task: systems on every dataset, and their average positions over datasets."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from metaeval import stats
from metaeval.analyses.leaderboard.parameters import Leaderboard
from metaeval.analyses.leaderboard.result import StandingOfSystem, StandingsOnDataset, SystemOnBoard, TaskBoard
from metaeval.analyses.leaderboard.scores import NAMES, Scored
from metaeval.analyses.leaderboard.tables import TITLES
from metaeval.sampling import Replicates
from metaeval.stats import Standing, bootstrap_interval

BASELINES = frozenset(NAMES.values())


def board_of(found: Sequence[Scored], parameters: Leaderboard, replicates: Mapping[str, Replicates]) -> TaskBoard:
    """The board, from the scores of one task on every dataset and the replicates of their means."""
    everyone = {name for entry in found for name in entry.scores}
    stand_in = None if parameters.missing == "undefined" else NAMES[parameters.missing]
    lacking = [entry for entry in found if everyone - set(entry.scores) - BASELINES]
    unfilled = [entry.dataset.slug for entry in lacking if stand_in not in entry.scores]
    ranked = stats.leaderboard(
        {entry.dataset.slug: entry.scores for entry in found},
        baseline=stand_in,
        missing_places=parameters.missing_places,
        never_missing=BASELINES,
        needs_baseline=False,
        higher_is_better=found[0].higher_is_better,
        alpha=parameters.level,
        zero_method=parameters.zero_method,
        positions=parameters.positions,
    )
    standings = [
        _standings(entry, ranked.tables[entry.dataset.slug], replicates[entry.key], stand_in, parameters.confidence)
        for entry in found
    ]
    places = {here.dataset: {row.system: row.position for row in here.systems} for here in standings}
    return TaskBoard(
        task=found[0].board,
        title=TITLES[found[0].board],
        unfilled=unfilled,
        stand_in=stand_in or "",
        systems=[
            _over_datasets(system, average, places)
            for system, average in zip(ranked.systems, ranked.average_positions, strict=True)
        ],
        standings=standings,
    )


def _over_datasets(system: str, average: float, places: Mapping[str, Mapping[str, int]]) -> SystemOnBoard:
    is_baseline = system in BASELINES
    missed = ", ".join(slug for slug, here in places.items() if system not in here)
    return SystemOnBoard(
        system=system,
        is_baseline=is_baseline,
        average_position=average,
        positions={slug: here.get(system) for slug, here in places.items()},
        reason="" if math.isfinite(average) else f"no {'score on' if is_baseline else 'submission to'} {missed}",
    )


def _standings(
    entry: Scored, clusters: Sequence[Standing], replicates: Replicates, stand_in: str | None, confidence: float
) -> StandingsOnDataset:
    columns = {name: replicates[:, place] for place, name in enumerate(entry.scores)}
    rows = []
    for standing in clusters:
        own = columns[(stand_in or "") if standing.substituted else standing.system]
        interval = bootstrap_interval(own, confidence_level=confidence)
        rows.append(
            StandingOfSystem.from_found(
                standing, is_baseline=standing.system in BASELINES, low=interval.low, high=interval.high
            )
        )
    return StandingsOnDataset(
        task=entry.board,
        dataset=entry.dataset.slug,
        title=entry.dataset.title,
        metric=entry.metric,
        metric_title=entry.title,
        orientation="higher" if entry.higher_is_better else "lower",
        items=len(entry.items),
        systems=rows,
    )
