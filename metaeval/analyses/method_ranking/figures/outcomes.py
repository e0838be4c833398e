"""Who was preferred to whom: the share of decided comparisons that the row won against the column."""

from __future__ import annotations

import altair as alt
from altair.typing import ChartType as Chart

from metaeval.analyses.base.table import Row
from metaeval.analyses.method_ranking.result import MethodRankingResult
from metaeval.figures.heat import Colour, heat_map
from metaeval.figures.registry import figure
from metaeval.figures.sizes import Size
from metaeval.figures.style import heading, styled


@figure(variants=lambda result: result.scopes[1:])
def ranking_outcomes(result: MethodRankingResult, variant: str, size: Size) -> Chart:
    """Rows and columns from who wins most; where all comparisons were ties there is no share."""
    scope = variant or result.scopes[0]
    entry = next(entry for entry in result.outcomes if entry.scope == scope)
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
    chart = heat_map(
        cells,
        rows=[names[i] for i in order],
        columns=[names[i] for i in order],
        colour=Colour("Won by the row", (0.0, 1.0), scheme="blueorange", middle=0.5, format=".0%"),
        size=size,
    )
    title = heading(
        f"Who is preferred to whom{result.said_of(scope)}",
        ["Per cent of the decided comparisons that the row won against the column; ties are left out."],
        size=size,
    )
    return styled(alt.vconcat(chart).properties(title=title), size)


def _cell(names: tuple[str, str], share: float | None) -> Row:
    row, column = names
    return {"row": row, "column": column, "value": share, "text": "–" if share is None else f"{100 * share:.0f}"}
