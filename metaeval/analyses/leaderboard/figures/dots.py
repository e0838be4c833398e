"""Systems by their score on a dataset, with the clusters that the test found."""

from __future__ import annotations

from altair.typing import ChartType as Chart

from metaeval.analyses.base.table import Row
from metaeval.analyses.leaderboard.parameters import Board
from metaeval.analyses.leaderboard.result import LeaderboardResult, StandingOfSystem, StandingsOnDataset
from metaeval.analyses.leaderboard.tables import SPLIT
from metaeval.figures.dots import DotPanel, dot_panels
from metaeval.figures.registry import figure
from metaeval.figures.sizes import Size
from metaeval.figures.style import heading, styled

AT_ONCE = 4


def _variants(result: LeaderboardResult) -> list[str]:
    return [_key(standings) for standings in result.standings] if len(result.standings) > 1 else []


@figure("Which system predicts people best", variants=_variants)
def leaderboard_dots(result: LeaderboardResult, variant: str, size: Size) -> Chart:
    """One panel per dataset and task (the first four), or one of them; the best at the top, clusters shaded
    alternately."""
    found = [standings for standings in result.standings if variant in {"", _key(standings)}]
    shown = found[:AT_ONCE]
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
        named = {board.stand_in for board in result.boards} - {""}
        notes.append(f"*: no submission, scored as “{named.pop() if named else 'the baseline'}”.")
    notes.append(SPLIT)
    if len(found) > AT_ONCE:
        notes.append(f"The first {AT_ONCE} of {len(found)} panels.")
    chart, left_out = dot_panels(panels, size=size, what="systems")
    notes += left_out
    title = heading("Which system predicts people best", notes, size=size)
    return styled(chart.properties(title=title), size)


def _panel(standings: StandingsOnDataset, titles: dict[Board, str], *, alone: bool) -> DotPanel:
    rows: list[Row] = [
        {"name": _name(row), "value": row.score, "low": row.low, "high": row.high} for row in standings.systems
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


def _name(row: StandingOfSystem) -> str:
    return f"{row.position}. {row.system}{'*' if row.substituted else ''}"


def _key(standings: StandingsOnDataset) -> str:
    return f"{standings.task}-{standings.dataset}"
