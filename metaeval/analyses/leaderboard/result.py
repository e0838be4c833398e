"""The results of the leaderboard."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from metaeval.analyses.base.result import Findings, Result
from metaeval.analyses.inputs.parts import Number, Part
from metaeval.analyses.leaderboard.parameters import Board


class StandingOfSystem(Part):
    """A system's position on a dataset."""

    system: str
    is_baseline: bool
    score: float
    low: Number = Field(description="From the bootstrap interval over items.")
    high: Number
    position: int
    cluster: int = Field(description="Systems that the test cannot tell from the best among them.")
    p_value: Number = Field(description="Against the best of the previous cluster; null for the first cluster.")
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

    system: str
    is_baseline: bool
    average_position: Number
    positions: dict[str, int | None] = Field(description="By dataset; null if there is no submission, or no score.")
    reason: str = Field(description="Why there is no average; empty if there is one.")


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
