"""The tables of the leaderboard."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from metaeval.analyses.base.tables import column, table
from metaeval.analyses.leaderboard.parameters import Board
from metaeval.analyses.leaderboard.scores import Scored

TITLES: dict[Board, str] = {
    "soft": "Task A, soft labels",
    "perspectivist": "Task B, perspectivist",
}


def tables_of(
    boards: Sequence[dict[str, Any]], with_items: Sequence[Scored], *, confidence: float
) -> list[dict[str, Any]]:
    """For each task the board over datasets (where there are several) and the standings of each; perhaps the items."""
    tables = []
    for board in boards:
        if len(board["standings"]) > 1:
            tables.append(_board(board))
        tables.append(_standings(board, confidence))
    if with_items:
        tables.append(_items(with_items))
    return tables


def _board(board: dict[str, Any]) -> dict[str, Any]:
    """A row a system: its average position, and its score and position on every dataset."""
    columns = [column("system", "System"), column("average_position", "Average position")]
    for number, standing in enumerate(board["standings"]):
        columns += [
            column(f"score_{number}", "score", group=standing["title"]),
            column(f"position_{number}", "position", group=standing["title"]),
        ]
    here = [{row["system"]: row for row in standing["systems"]} for standing in board["standings"]]
    rows = []
    for system in board["systems"]:
        row = {**system}
        substituted = []
        for number, (standing, found) in enumerate(zip(board["standings"], here, strict=True)):
            own = found.get(system["system"], {})
            row |= {f"score_{number}": own.get("score"), f"position_{number}": own.get("position")}
            substituted += [standing["title"]] if own.get("substituted") else []
        row["notes"] = "; ".join(
            [f"average undefined: {system['reason']}"] * bool(system["reason"])
            + [f"no submission to {name}: scored as the baseline" for name in substituted]
        )
        rows.append(row)
    return table(
        board["task"], board["title"], [*columns, column("notes", "Notes")], rows, notes=_metrics(board["standings"])
    )


def _standings(board: dict[str, Any], confidence: float) -> dict[str, Any]:
    """A row a system of a dataset, with its cluster and the test that put it there."""
    several = len(board["standings"]) > 1
    of = [column("dataset", "Dataset"), column("metric", "Metric")] if several else []
    interval = f"{100 * confidence:g} %"
    rows = [
        {
            **row,
            "dataset": standing["title"],
            "metric": standing["metric_title"],
            "notes": "no submission: scored as the baseline" if row["substituted"] else "",
        }
        for standing in board["standings"]
        for row in standing["systems"]
    ]
    return table(
        f"{board['task']}_standings",
        f"{board['title']}: clusters" + (" on every dataset" if several else ""),
        [
            *of,
            column("position", "Position"),
            column("system", "System"),
            column("score", "Score"),
            column("low", f"{interval} low"),
            column("high", f"{interval} high"),
            column("cluster", "Cluster"),
            column("p_value", "p", kind="p"),
            column("notes", "Notes"),
        ],
        rows,
        notes=[
            *_metrics(board["standings"]),
            "p: Wilcoxon’s signed-rank test on items against the best of the cluster before; the first has none.",
        ],
    )


def _metrics(standings: Sequence[dict[str, Any]]) -> list[str]:
    """What the scores are, each metric once."""
    return list(
        dict.fromkeys(
            f"Scores: {standing['metric_title']}; {standing['orientation']} is better." for standing in standings
        )
    )


def _items(found: Sequence[Scored]) -> dict[str, Any]:
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


def _item_rows(found: Sequence[Scored]) -> Iterator[dict[str, Any]]:
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
