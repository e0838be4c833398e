"""Which system predicts people best: as a question, and its answer in sentences."""

from __future__ import annotations

from metaeval.analyses.base.asked_questions import PlainWords
from metaeval.analyses.base.saying import (
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
from metaeval.analyses.leaderboard.result import LeaderboardResult, StandingOfSystem, SystemOnBoard, TaskBoard

SPLITS = "the test is not corrected for the number of systems, and splits six that are alike in 40% of tables"


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
