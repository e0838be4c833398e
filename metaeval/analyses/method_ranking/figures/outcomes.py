"""Who was preferred to whom: the share of decided comparisons that the row won against the column."""

from __future__ import annotations

import altair as alt
from altair.typing import ChartType as Chart

from metaeval.analyses.base.table import Row
from metaeval.analyses.method_ranking.result import MethodRankingResult, OutcomesInScope
from metaeval.figures.heat import Colour, heat_map
from metaeval.figures.registry import figure
from metaeval.figures.sizes import Size
from metaeval.figures.stacked import stacked_bars
from metaeval.figures.style import HUES, heading, styled


@figure("Who is preferred to whom", variants=lambda result: result.scopes[1:])
def ranking_outcomes(result: MethodRankingResult, variant: str, size: Size) -> Chart:
    """Rows and columns, most wins first; if all comparisons were ties, there is no share."""
    scope = variant or result.scopes[0]
    entry = next(entry for entry in result.outcomes if entry.scope == scope)
    if (hub := _hub(entry)) is not None:
        return _star(result, entry, hub, size)
    wins, names = entry.wins, entry.names
    decided = [[wins[i][j] + wins[j][i] for j in range(len(names))] for i in range(len(names))]
    share = [sum(wins[i]) / max(1, sum(decided[i])) for i in range(len(names))]
    order = sorted(range(len(names)), key=lambda i: -share[i])
    cells = [
        _cell((names[i], names[j]), wins[i][j] / decided[i][j] if decided[i][j] else None)
        for i in order
        for j in order
        if i != j and (decided[i][j] or entry.ties[i][j])
    ]
    chart, left_out = heat_map(
        cells,
        rows=[names[i] for i in order],
        columns=[names[i] for i in order],
        colour=Colour("Won by the row", (0.0, 1.0), scheme="blueorange", middle=0.5, format=".0%"),
        size=size,
    )
    title = heading(
        f"Who is preferred to whom{result.said_of(scope)}",
        ["Per cent of the decided comparisons that the row won against the column; ties are left out.", *left_out],
        size=size,
    )
    return styled(alt.vconcat(chart).properties(title=title), size)


def _hub(entry: OutcomesInScope) -> int | None:
    """The only competitor that all others were compared with, if there is one."""
    count = len(entry.names)
    met = [{j for j in range(count) if i != j and _judged(entry, i, j)} for i in range(count)]
    hubs = [i for i in range(count) if len(met[i]) > 1 and all(met[j] <= {i} for j in range(count) if j != i)]
    return hubs[0] if hubs else None


def _judged(entry: OutcomesInScope, i: int, j: int) -> float:
    return entry.wins[i][j] + entry.wins[j][i] + entry.ties[i][j]


def _star(result: MethodRankingResult, entry: OutcomesInScope, hub: int, size: Size) -> Chart:
    """The outcomes of a design in which everyone meets the same competitor, one bar per competitor."""
    name, others = entry.names[hub], [i for i in range(len(entry.names)) if _judged(entry, i, hub) and i != hub]
    others.sort(key=lambda i: -(entry.wins[i][hub] + entry.ties[i][hub] / 2) / _judged(entry, i, hub))
    parts = {
        "won": ("It was preferred", HUES[0]),
        "tied": ("Both or neither", "#ccd3db"),
        "lost": (f"{name} was preferred", HUES[4]),
    }
    rows: list[Row] = [
        {"name": entry.names[i], "won": entry.wins[i][hub], "tied": entry.ties[i][hub], "lost": entry.wins[hub][i]}
        for i in others
    ]
    chart, left_out = stacked_bars(rows, parts, size=size, x_title=f"Comparisons with {name}")
    notes = [f"All were compared with {name} only: what experts preferred, the best at the top.", *left_out]
    title = heading(f"Who is preferred to {name}{result.said_of(entry.scope)}", notes, size=size)
    return styled(alt.vconcat(chart).properties(title=title), size)


def _cell(names: tuple[str, str], share: float | None) -> Row:
    row, column = names
    return {"row": row, "column": column, "value": share, "text": "–" if share is None else f"{100 * share:.0f}"}
