"""The results of the leaderboard, and their tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

from pydantic import Field

from metaeval.analyses.base.result import Findings, Result
from metaeval.analyses.base.table import NOTES, InTable, Limit, PValue, Row, Table, column, table, table_of
from metaeval.analyses.inputs.parts import Number, Part
from metaeval.analyses.leaderboard.parameters import Board

SPLIT = (
    "If six systems are equally good, about 40% of tables still split them into clusters, because the "
    "best of them is best by chance and the others are compared with it. A cluster of its own therefore "
    "does not prove a difference."
)
"""A property of the published rule, stated wherever clusters are shown (simulated: `tests/metaeval/stats/ranking`)."""


class StandingOfSystem(Part):
    """A system's position on a dataset."""

    system: str = Field(title="System")
    is_baseline: bool
    score: float = Field(title="Score")
    low: Limit = Field(title="low", description="From the bootstrap interval over items.")
    high: Limit = Field(title="high")
    position: int = Field(title="Position")
    cluster: int = Field(title="Cluster", description="Systems that the test cannot tell from the best among them.")
    p_value: PValue = Field(
        title="p", description="Against the best of the previous cluster; null for the first cluster."
    )
    substituted: bool = Field(description="Whether it has no submission and is scored as the baseline.")


class StandingsOnDataset(Part):
    """The systems on one dataset, best first."""

    task: Board
    dataset: str
    title: str
    metric: str
    metric_title: str
    orientation: Literal["higher", "lower"] = Field(description="Whether higher or lower scores are better.")
    items: int
    systems: list[StandingOfSystem]


class SystemOnBoard(Part):
    """A system over all datasets of a task."""

    system: str = Field(title="System")
    is_baseline: bool
    average_position: Number = Field(title="Average position")
    positions: dict[str, int | None] = Field(description="By dataset; null if there is no submission, or no score.")
    reason: Annotated[str, InTable(remark="average undefined: {}")] = Field(
        description="Why there is no average; empty if there is one."
    )


class TaskBoard(Part):
    """The board of one task: systems by their average position, and their standings on every dataset."""

    task: Board
    title: str
    unfilled: list[str] = Field(description="Datasets whose missing submissions could not be scored as a baseline.")
    stand_in: str = Field(
        default="", description="What missing submissions are scored as; empty if they are not scored."
    )
    systems: list[SystemOnBoard]
    standings: list[StandingsOnDataset]


class LeaderboardFindings(Findings):
    """Which system predicts people best."""

    boards: list[TaskBoard]


class LeaderboardResult(LeaderboardFindings, Result):
    """The leaderboard of systems."""

    analysis: Literal["leaderboard"]

    @property
    def standings(self) -> list[StandingsOnDataset]:
        """The standings of all tasks."""
        return [standings for board in self.boards for standings in board.standings]


def tables_of(boards: Sequence[TaskBoard], items: Sequence[Row], *, confidence: float) -> list[Table]:
    """For each task, the board over datasets (if there are several) and the standings on each; perhaps the items."""
    tables = [table for board in boards for table in _tables_of_task(board, confidence)]
    if items:
        titles = {"task": "Task", "dataset": "Dataset", "instance": "Instance", "system": "System", "score": "Score"}
        columns = [column(key, title) for key, title in titles.items()]
        tables.append(table("items", "Scores of every item", columns, items))
    return tables


def _tables_of_task(board: TaskBoard, confidence: float) -> Iterator[Table]:
    scales = [f"Scores: {table.metric_title}; {table.orientation} is better." for table in board.standings]
    scales = list(dict.fromkeys(scales))
    several = len(board.standings) > 1
    if several:
        columns = []
        for number, standings in enumerate(board.standings):
            columns += [
                column(f"score_{number}", "score", group=standings.title),
                column(f"position_{number}", "position", group=standings.title),
            ]
        yield table_of(
            board.task,
            board.title,
            SystemOnBoard,
            [(system, _on_datasets(system.system, board)) for system in board.systems],
            ["system", "average_position", *columns],
            notes=[*scales, SPLIT],
        )
    yield table_of(
        f"{board.task}_standings",
        f"{board.title}: clusters" + (" on every dataset" if several else ""),
        StandingOfSystem,
        [
            (
                row,
                {
                    "dataset": standings.title,
                    "metric": standings.metric_title,
                    NOTES: f"no submission: scored as “{board.stand_in}”" if row.substituted else "",
                },
            )
            for standings in board.standings
            for row in standings.systems
        ],
        [
            *([column("dataset", "Dataset"), column("metric", "Metric")] if several else []),
            *("position", "system", "score", "low", "high", "cluster", "p_value"),
            column(NOTES, "Notes"),
        ],
        level=confidence,
        notes=[
            *scales,
            "p: Wilcoxon’s signed-rank test on items against the best of the previous cluster; the first "
            "cluster has none.",
            SPLIT,
        ],
    )


def _on_datasets(system: str, board: TaskBoard) -> Row:
    """A system's score and position on every dataset where it has one, and where it has no submission."""
    cells: Row = {}
    notes = []
    for number, standings in enumerate(board.standings):
        row = next((row for row in standings.systems if row.system == system), None)
        if row is not None:
            cells |= {f"score_{number}": row.score, f"position_{number}": row.position}
        if row is not None and row.substituted:
            notes.append(f"no submission to {standings.title}: scored as “{board.stand_in}”")
    return cells | {NOTES: "; ".join(notes)}
