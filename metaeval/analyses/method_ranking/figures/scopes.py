"""Methods by model: the first kind of ranking for all models together and for each."""

from __future__ import annotations

import altair as alt
from altair.typing import ChartType as Chart

from metaeval.analyses.base.table import Row
from metaeval.analyses.method_ranking.result import POOLED, MethodRankingResult
from metaeval.analyses.method_ranking.titles import SHARES, TITLES
from metaeval.figures.heat import Colour, heat_map
from metaeval.figures.registry import figure
from metaeval.figures.sizes import Size
from metaeval.figures.style import heading, number, styled


@figure("Strengths by model")
def ranking_scopes(result: MethodRankingResult, variant: str, size: Size) -> Chart:
    """Rows in the order of the first column."""
    kind = next((row.method for row in result.rankings if not row.reason), result.rankings[0].method)
    chosen = {row.scope: row for row in result.rankings if row.method == kind}
    is_share = kind in SHARES
    shown = [(scope, system) for scope in result.scopes for system in chosen[scope].systems]
    cells: list[Row] = [
        {
            "row": system.name,
            "column": _named(scope),
            "value": system.strength,
            "text": f"{100 * system.strength:.0f}%" if is_share else number(system.strength),
        }
        for scope, system in shown
    ]
    values = [system.strength for _, system in shown]
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    chart, left_out = heat_map(
        cells,
        rows=list(dict.fromkeys(system.name for _, system in shown)),
        columns=[_named(scope) for scope in result.scopes],
        colour=Colour(TITLES[kind], (low, high if high > low else low + 1), format=".0%" if is_share else ".2f"),
        size=size,
    )
    title = heading(
        f"{TITLES[kind]} by model" if len(chosen) > 1 else TITLES[kind],
        ["Rows are in the order of the first column.", *left_out],
        size=size,
    )
    return styled(alt.vconcat(chart).properties(title=title), size)


def _named(scope: str) -> str:
    return "All" if scope == POOLED else scope
