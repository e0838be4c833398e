"""Methods by model: the first kind of ranking for all models together and for each."""

from __future__ import annotations

import altair as alt
from altair.typing import ChartType as Chart

from metaeval.analyses.method_ranking.figures.words import TITLES, scopes
from metaeval.figures.heat import Colour, heat_map
from metaeval.figures.registry import Result, Size, figure
from metaeval.figures.style import heading, number, styled


@figure()
def ranking_scopes(result: Result, variant: str, size: Size) -> Chart:
    """Rows in the order of the first column."""
    kind = next((row["method"] for row in result["rankings"] if not row["reason"]), result["rankings"][0]["method"])
    chosen = {row["scope"]: row for row in result["rankings"] if row["method"] == kind}
    is_share = kind in {"preference_fraction", "rank_centrality"}
    cells = [
        {
            "row": system["name"],
            "column": _named(scope),
            "value": system["strength"],
            "text": f"{100 * system['strength']:.0f} %" if is_share else number(system["strength"]),
        }
        for scope in scopes(result)
        for system in chosen[scope]["systems"]
    ]
    rows = list(dict.fromkeys(cell["row"] for cell in cells))
    values = [cell["value"] for cell in cells]
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    chart = heat_map(
        cells,
        rows=rows,
        columns=[_named(scope) for scope in scopes(result)],
        colour=Colour(TITLES[kind], (low, high if high > low else low + 1), format=".0%" if is_share else ".2f"),
        size=size,
    )
    title = heading(
        f"{TITLES[kind]} by model" if len(chosen) > 1 else TITLES[kind],
        ["Rows in the order of the first column."],
        is_simulated=result["is_simulated"],
        size=size,
    )
    return styled(alt.vconcat(chart).properties(title=title), size)


def _named(scope: str) -> str:
    return "All" if scope == "pooled" else scope
