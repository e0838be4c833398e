"""The tables of the leaderboard."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from metaeval.analyses.base.table import Column, Row, Table, column, table
from metaeval.analyses.leaderboard.parameters import Board
from metaeval.analyses.leaderboard.result import StandingOfSystem, StandingsOnDataset, SystemOnBoard, TaskBoard
from metaeval.analyses.leaderboard.scores import Scored

TITLES: dict[Board, str] = {
    "soft": "Task A, soft labels",
    "perspectivist": "Task B, perspectivist",
}

SPLIT = (
    "If six systems are equally good, about 40% of tables still split them into clusters, because the "
    "best of them is best by chance and the others are compared with it. A cluster of its own therefore "
    "does not prove a difference."
)
"""A property of the published rule, stated wherever clusters are shown (simulated: `tests/metaeval/stats/ranking`)."""


def tables_of(boards: Sequence[TaskBoard], with_items: Sequence[Scored], *, confidence: float) -> list[Table]:
    """For each task, the board over datasets (if there are several) and the standings on each; perhaps the items."""
    tables = []
    for board in boards:
        if len(board.standings) > 1:
            tables.append(_board(board))
        tables.append(_standings(board, confidence))
    if with_items:
        tables.append(_items(with_items))
    return tables


def _board(board: TaskBoard) -> Table:
    """One row per system: its average position, and its score and position on every dataset."""
    columns = [column("system", "System"), column("average_position", "Average position")]
    for number, standings in enumerate(board.standings):
        columns += [
            column(f"score_{number}", "score", group=standings.title),
            column(f"position_{number}", "position", group=standings.title),
        ]
    here = [{row.system: row for row in standings.systems} for standings in board.standings]
    titles = [standings.title for standings in board.standings]
    return table(
        board.task,
        board.title,
        [*columns, column("notes", "Notes")],
        [_over_datasets(system, here, titles, board.stand_in) for system in board.systems],
        notes=[*_metrics(board.standings), SPLIT],
    )


def _over_datasets(
    system: SystemOnBoard, here: Sequence[Mapping[str, StandingOfSystem]], titles: Sequence[str], stand_in: str
) -> Row:
    """A system on every dataset where it has a position."""
    found = [standings.get(system.system) for standings in here]
    row: Row = {"system": system.system, "average_position": system.average_position}
    for number, own in enumerate(found):
        score, position = (None, None) if own is None else (own.score, own.position)
        row |= {f"score_{number}": score, f"position_{number}": position}
    notes = [f"average undefined: {system.reason}"] * bool(system.reason) + [
        f"no submission to {title}: scored as “{stand_in}”"
        for title, own in zip(titles, found, strict=True)
        if own is not None and own.substituted
    ]
    return row | {"notes": "; ".join(notes)}


def _standings(board: TaskBoard, confidence: float) -> Table:
    """One row per system and dataset, with its cluster and the test that put it there."""
    several = len(board.standings) > 1
    rows = [
        row.plain()
        | {
            "dataset": standings.title,
            "metric": standings.metric_title,
            "notes": f"no submission: scored as “{board.stand_in}”" if row.substituted else "",
        }
        for standings in board.standings
        for row in standings.systems
    ]
    return table(
        f"{board.task}_standings",
        f"{board.title}: clusters" + (" on every dataset" if several else ""),
        _columns_of_standings(f"{100 * confidence:g}%", several=several),
        rows,
        notes=[
            *_metrics(board.standings),
            (
                "p: Wilcoxon’s signed-rank test on items against the best of the previous cluster; the first "
                "cluster has none."
            ),
            SPLIT,
        ],
    )


def _columns_of_standings(interval: str, *, several: bool) -> list[Column]:
    of = [column("dataset", "Dataset"), column("metric", "Metric")] if several else []
    return [
        *of,
        column("position", "Position"),
        column("system", "System"),
        column("score", "Score"),
        column("low", f"{interval} low"),
        column("high", f"{interval} high"),
        column("cluster", "Cluster"),
        column("p_value", "p", kind="p"),
        column("notes", "Notes"),
    ]


def _metrics(standings: Sequence[StandingsOnDataset]) -> list[str]:
    """What the scores mean, each metric once."""
    return list(dict.fromkeys(f"Scores: {here.metric_title}; {here.orientation} is better." for here in standings))


def _items(found: Sequence[Scored]) -> Table:
    return table(
        "items",
        "Scores of every item",
        [
            column("task", "Task"),
            column("dataset", "Dataset"),
            column("instance", "Instance"),
            column("system", "System"),
            column("score", "Score"),
        ],
        _item_rows(found),
    )


def _item_rows(found: Sequence[Scored]) -> Iterator[Row]:
    for entry in found:
        names = entry.dataset.instances
        for system, scores in entry.scores.items():
            for item, score in zip(entry.items.tolist(), scores.tolist(), strict=True):
                yield {
                    "task": entry.board,
                    "dataset": entry.dataset.slug,
                    "instance": names[item],
                    "system": system,
                    "score": score,
                }
