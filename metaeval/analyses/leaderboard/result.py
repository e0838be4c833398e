"""The results of the leaderboard, their tables, and the answer in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

from pydantic import Field

from metaeval.analyses.base.result import Findings, Result
from metaeval.analyses.base.table import NOTES, InTable, Limit, PValue, Row, Table, column, table, table_of
from metaeval.analyses.base.wording import (
    answered,
    because,
    counted,
    inside,
    interval,
    listed,
    name,
    number,
    sentence,
    spelled,
    within,
)
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
        for place, standings in enumerate(board.standings):
            columns += [
                column(f"score_{place}", "score", group=standings.title),
                column(f"position_{place}", "position", group=standings.title),
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
    for place, standings in enumerate(board.standings):
        row = next((row for row in standings.systems if row.system == system), None)
        if row is not None:
            cells |= {f"score_{place}": row.score, f"position_{place}": row.position}
        if row is not None and row.substituted:
            notes.append(f"no submission to {standings.title}: scored as “{board.stand_in}”")
    return cells | {NOTES: "; ".join(notes)}


SPLITS = "the test is not corrected for the place of systems, and splits six that are alike in 40% of tables"


def answer(result: LeaderboardResult) -> str:
    """The first system of the first board that is not a baseline, and those that the test cannot distinguish from it.

    None is said to predict people *best*: the test is not corrected, and only compares systems within a cluster.
    """
    boards = [board for board in result.boards if _placed(board)]
    if not boards:
        reasons = [row.reason for board in result.boards for row in board.systems if row.reason]
        return f"No system has a place: {because(reasons[0] if reasons else 'none has predicted anything here')}"
    board, *more = boards
    others = [f"by {other.title}, {listed(_first(other))} {_stand(len(_first(other)))} first" for other in more]
    tested = SPLITS if len(_placed(board)) > 1 else ""
    return answered(_headline(board, result), sentence([*_beside(board), *others, tested]))


def _placed(board: TaskBoard) -> list[SystemOnBoard]:
    """Its systems that have a position, in order."""
    placed = [row for row in board.systems if row.average_position is not None and not row.is_baseline]
    return sorted(placed, key=lambda row: row.average_position or 0.0)


def _first(board: TaskBoard) -> list[str]:
    """Those that share first place: on one dataset by score, on several by average position."""
    placed = _placed(board)
    if len(board.standings) == 1:
        scores = {row.system: row.score for row in board.standings[0].systems}
        return [row.system for row in placed if scores[row.system] == scores[placed[0].system]]
    return [row.system for row in placed if row.average_position == placed[0].average_position]


def _headline(board: TaskBoard, result: LeaderboardResult) -> str:
    placed, first = _placed(board), _first(board)
    figures = _figures(board, placed[0], result)
    if len(placed) == 1:
        return f"{name(first[0])} is the only system with a place: {figures}."
    of = f"of {spelled(len(placed))} systems"
    if len(first) > 1:
        return f"{listed(first)} share first place {of}: {figures}."
    alike = _indistinguishable(board, first[0])
    if not alike:
        alone = "the test puts it in a group of its own" + ("" if len(board.standings) == 1 else " on every dataset")
        return f"{name(first[0])} comes first {of}: {figures}; {alone}."
    where = "" if len(board.standings) == 1 else " everywhere"
    return f"{name(first[0])} comes first {of}: {figures}; the test cannot tell it{where} from {listed(alike)}."


def _figures(board: TaskBoard, best: SystemOnBoard, result: LeaderboardResult) -> str:
    if len(board.standings) > 1:
        return (
            f"average position {number(best.average_position or 0.0, 1)} over {spelled(len(board.standings))} datasets"
        )
    standings = board.standings[0]
    row = _row(board, 0, best.system)
    bounds = interval(row.low, row.high, float(result.parameters.get("confidence", 0.95)), digits=3) if row else ""
    lower = "lower is better" if standings.orientation == "lower" else ""
    score = number(row.score, 3) if row else ""
    return f"{inside(name(standings.metric_title))} {score}{within(bounds or 'no interval', lower)}"


def _row(board: TaskBoard, place: int, system: str) -> StandingOfSystem | None:
    return next((row for row in board.standings[place].systems if row.system == system), None)


def _indistinguishable(board: TaskBoard, system: str) -> list[str]:
    """The systems that are in the same cluster, or above it, on at least one dataset."""
    alike = []
    for other in _placed(board):
        if other.system == system:
            continue
        for place in range(len(board.standings)):
            own, its = _row(board, place, system), _row(board, place, other.system)
            if own is None or its is None or its.cluster <= own.cluster:
                alike.append(other.system)
                break
    return alike


def _beside(board: TaskBoard) -> list[str]:
    """Baselines that are higher, what was scored as a baseline, and systems without a position."""
    placed = _placed(board)
    best = placed[0].average_position or 0.0
    higher = [
        row.system
        for row in board.systems
        if row.is_baseline and row.average_position is not None and row.average_position < best
    ]
    clauses = []
    if higher:
        clauses.append(f"above it {_stand(len(higher))} the baseline{'' if len(higher) == 1 else 's'} {listed(higher)}")
    missed = sum(row.substituted for standings in board.standings for row in standings.systems if not row.is_baseline)
    if missed:
        clauses.append(f"{counted(missed, 'missing submission')} {'is' if missed == 1 else 'are'} scored as a baseline")
    without = [row for row in board.systems if row.average_position is None and not row.is_baseline]
    if without:
        clauses.append(f"{listed([row.system for row in without])} {'has' if len(without) == 1 else 'have'} no place")
    return clauses


def _stand(count: int) -> str:
    return "stands" if count == 1 else "stand"
