"""Every system's position on every dataset."""

from __future__ import annotations

import altair as alt
from altair.typing import ChartType as Chart

from metaeval.analyses.base.table import Row
from metaeval.analyses.leaderboard.result import LeaderboardResult, StandingsOnDataset, SystemOnBoard
from metaeval.analyses.leaderboard.tables import SPLIT
from metaeval.figures.dots import BREAK
from metaeval.figures.heat import Colour, heat_map
from metaeval.figures.registry import figure
from metaeval.figures.sizes import Size, wrapped
from metaeval.figures.style import heading, styled

COLUMN = 13
"""Letters of a dataset's title in a line, if its column has room for them."""


class _Positions(Colour):
    """The first is dark: the domain runs from the last position to the first."""

    def is_dark(self, value: float) -> bool:
        last, first = self.domain
        return value < first + 0.4 * (last - first)


@figure("Positions on every dataset", variants=lambda result: [board.task for board in result.boards][1:])
def leaderboard_map(result: LeaderboardResult, variant: str, size: Size) -> Chart:
    """One map per task; the overview shows the first. Systems in the order of their average position."""
    board = next(board for board in result.boards if variant in {"", board.task})
    columns = {
        standings.dataset: BREAK.join(wrapped(standings.title, COLUMN * size.text * 0.56, size.text))
        for standings in board.standings
    }
    cells = [
        _cell(system, standings, columns[standings.dataset])
        for system in board.systems
        for standings in board.standings
    ]
    last = max((row.position for standings in board.standings for row in standings.systems), default=1)
    chart, left_out = heat_map(
        cells,
        rows=[_name(system) for system in board.systems],
        columns=list(columns.values()),
        colour=_Positions("Position", (max(last, 2), 1), format="d"),
        size=size,
    )
    notes = [*left_out, ("Colour: position on the dataset, the first is darkest. Numbers: scores.")]
    if len(columns) > 1:
        notes.append("Beside the names: average positions over datasets, the best at the top.")
    if any(row.substituted for standings in board.standings for row in standings.systems):
        notes.append(f"*: no submission, scored as “{board.stand_in or 'the baseline'}”.")
    notes.append(SPLIT)
    title = heading(f"Positions. {board.title}", notes, size=size)
    return styled(alt.vconcat(chart).properties(title=title), size)


def _name(system: SystemOnBoard) -> str:
    average = system.average_position
    return f"{system.system} ({'undefined' if average is None else f'{average:.2f}'.rstrip('0').removesuffix('.')})"


def _cell(system: SystemOnBoard, standings: StandingsOnDataset, column: str) -> Row:
    row = next((row for row in standings.systems if row.system == system.system), None)
    if row is None:
        return {"row": _name(system), "column": column, "value": None, "text": "–"}
    text = f"{row.score:.3f}{'*' if row.substituted else ''}"
    return {"row": _name(system), "column": column, "value": row.position, "text": text}
