"""Systems by their score on a dataset with the clusters that the test found, and by their position on every dataset."""

from __future__ import annotations

import altair as alt
from altair.typing import ChartType as Chart

from metaeval.analyses.base.table import Row
from metaeval.analyses.leaderboard.parameters import Board
from metaeval.analyses.leaderboard.result import SPLIT, LeaderboardResult, StandingsOnDataset, SystemOnBoard
from metaeval.figures.dots import BREAK, DotPanel, dot_panels, dot_row
from metaeval.figures.heat import Colour, heat_map
from metaeval.figures.registry import figure
from metaeval.figures.sizes import Size, wrapped
from metaeval.figures.style import heading, styled

AT_ONCE = 4
"""Panels in one figure."""
COLUMN = 13
"""Letters of a dataset's title in a line, if its column has room for them."""


def _variants(result: LeaderboardResult) -> list[str]:
    return [_key(standings) for standings in result.standings] if len(result.standings) > 1 else []


@figure("Which system predicts people best", variants=_variants)
def leaderboard_dots(result: LeaderboardResult, variant: str, size: Size) -> Chart:
    """One panel per dataset and task (the first four), or one of them; the best at the top, clusters shaded
    alternately."""
    chosen = [standings for standings in result.standings if variant in {"", _key(standings)}]
    shown = chosen[:AT_ONCE]
    titles = {board.task: board.title for board in result.boards}
    panels = [_panel(standings, titles, alone=len(shown) == 1) for standings in shown]
    confidence = f"{100 * result.parameters['confidence']:g}%"
    notes = [
        f"Points: mean scores with {confidence} bootstrap intervals over items. Numbers: positions.",
        "Same background: a cluster that the paired test on items cannot tell from its best system (p ≥ "
        f"{result.parameters['level']:g}).",
    ]
    if len(shown) == 1:
        notes.insert(0, _about(shown[0], titles))
    if any(row.substituted for standings in shown for row in standings.systems):
        stand_ins = {board.stand_in for board in result.boards} - {""}
        notes.append(f"*: no submission, scored as “{stand_ins.pop() if stand_ins else 'the baseline'}”.")
    notes.append(SPLIT)
    if len(chosen) > AT_ONCE:
        notes.append(f"The first {AT_ONCE} of {len(chosen)} panels.")
    chart, left_out = dot_panels(panels, size=size, what="systems")
    notes += left_out
    title = heading("Which system predicts people best", notes, size=size)
    return styled(chart.properties(title=title), size)


def _panel(standings: StandingsOnDataset, titles: dict[Board, str], *, alone: bool) -> DotPanel:
    rows = [
        dot_row(f"{row.position}. {row.system}{'*' if row.substituted else ''}", row.score, row.low, row.high)
        for row in standings.systems
    ]
    return DotPanel(
        rows,
        x_title=f"{standings.metric_title} ({standings.orientation} is better)",
        bands=[row.cluster for row in standings.systems],
        digits=3,
        title="" if alone else _about(standings, titles),
    )


def _about(standings: StandingsOnDataset, titles: dict[Board, str]) -> str:
    return f"{standings.title}. {titles[standings.task]}, {standings.items:,} items"


def _key(standings: StandingsOnDataset) -> str:
    return f"{standings.task}-{standings.dataset}"


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
        rows=[_row_title(system) for system in board.systems],
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


def _row_title(system: SystemOnBoard) -> str:
    average = system.average_position
    return f"{system.system} ({'undefined' if average is None else f'{average:.2f}'.rstrip('0').removesuffix('.')})"


def _cell(system: SystemOnBoard, standings: StandingsOnDataset, column: str) -> Row:
    row = next((row for row in standings.systems if row.system == system.system), None)
    if row is None:
        return {"row": _row_title(system), "column": column, "value": None, "text": "–"}
    text = f"{row.score:.3f}{'*' if row.substituted else ''}"
    return {"row": _row_title(system), "column": column, "value": row.position, "text": text}
