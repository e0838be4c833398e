"""Which system predicts people best: as a question, and its answer in a sentence."""

from __future__ import annotations

from metaeval.analyses.base.asked_questions import PlainWords
from metaeval.analyses.base.saying import after, because, counted, interval, name, number
from metaeval.analyses.leaderboard.result import LeaderboardResult, TaskBoard


def answer(result: LeaderboardResult) -> str:
    """The first of the first board that is no baseline."""
    for board in result.boards:
        systems = [row for row in board.systems if not row.is_baseline]
        best = next((row for row in systems if row.average_position is not None), None)
        if best is None:
            continue
        lead = f"Of {counted(len(systems), 'system')}, {name(best.system)} predicts people best"
        if len(board.standings) > 1:
            place = f"average position {number(best.average_position or 0.0, 1)} on {len(board.standings)} datasets"
            return f"{lead}: {place}{_alike(board, best.system)}."
        return f"{lead}: {_score(board, best.system, result)}{_alike(board, best.system)}."
    reasons = [row.reason for board in result.boards for row in board.systems if row.reason]
    return f"No system has a place: {because(reasons[0] if reasons else 'none has predicted anything here')}"


def _score(board: TaskBoard, system: str, result: LeaderboardResult) -> str:
    standings = board.standings[0]
    row = next(row for row in standings.systems if row.system == system)
    level = result.parameters.get("confidence", 0.95)
    return f"{standings.metric_title} {number(row.score, 3)}{after(interval(row.low, row.high, level))}"


def _alike(board: TaskBoard, system: str) -> str:
    """How many others the test cannot tell from it, on the datasets where it is in the first cluster."""
    alike = {
        row.system
        for standings in board.standings
        for row in standings.systems
        if row.cluster == 1 and not row.is_baseline and row.system != system
        if any(first.system == system and first.cluster == 1 for first in standings.systems)
    }
    if not alike:
        return "; the test tells it from every other system"
    return f"; the test does not always tell it from {counted(len(alike), 'other system')}"


WORDS = PlainWords(
    question="Which system predicts people best?",
    group="The systems",
    shows="A leaderboard of the systems over one dataset or several, with groups that the test cannot tell apart. It "
    "needs predictions of systems.",
    place=30,
    compared=("tasks", "training", "baselines", "missing", "soft_metric", "perspectivist_metric"),
    statistics=("level", "confidence", "resamples", "items"),
    answer=answer,
)
