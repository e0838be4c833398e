"""In how many bootstrap samples each competitor takes each rank."""

from __future__ import annotations

import altair as alt
from altair.typing import ChartType as Chart

from metaeval.analyses.base.table import Row
from metaeval.analyses.method_ranking.parameters import Method
from metaeval.analyses.method_ranking.result import MethodRankingResult, RankingInScope
from metaeval.analyses.method_ranking.titles import TITLES
from metaeval.figures.heat import Colour, heat_map
from metaeval.figures.registry import figure
from metaeval.figures.sizes import Size
from metaeval.figures.style import heading, styled


def _defined(result: MethodRankingResult) -> list[RankingInScope]:
    return [row for row in result.rankings if row.scope == result.scopes[0] and not row.reason]


@figure("How stable the ranks are", variants=lambda result: [row.method for row in _defined(result)])
def ranking_stability(result: MethodRankingResult, variant: str, size: Size) -> Chart:
    """A map for one kind of ranking; the overview shows the first."""
    defined = _defined(result)
    chosen = next((row for row in defined if row.method == variant), defined[0] if defined else None)
    systems = chosen.systems if chosen else []
    ranks = [str(rank) for rank in range(1, len(systems) + 1)]
    cells: list[Row] = [
        {"row": system.name, "column": rank, "value": share, "text": f"{100 * share:.0f}" if share >= 0.005 else " "}
        for system in systems
        for rank, share in zip(ranks, system.rank_shares, strict=True)
        if share is not None
    ]
    chart, left_out = heat_map(
        cells,
        rows=[system.name for system in systems],
        columns=ranks,
        colour=Colour("Share of bootstrap samples", (0.0, 1.0), format=".0%"),
        size=size,
        column_title="Rank",
    )
    note = "No ranking is defined."
    if chosen:
        note = f"Ranks by {_by(chosen.method)}, in per cent of {chosen.resamples:,} samples."
    title = heading("How stable the ranks are", [note, *left_out], size=size)
    return styled(alt.vconcat(chart).properties(title=title), size)


def _by(method: Method) -> str:
    models: dict[Method, str] = {
        "davidson": "Davidson’s model",
        "bradley_terry": "Bradley-Terry model",
        "bradley_terry_map": "Bradley-Terry model with a prior",
    }
    return models.get(method, TITLES[method].lower())
