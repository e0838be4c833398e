"""How strong each competitor is in every kind of ranking, with intervals."""

from __future__ import annotations

from altair.typing import ChartType as Chart

from metaeval.analyses.base.table import Row
from metaeval.analyses.method_ranking.result import MethodRankingResult, RankingInScope
from metaeval.analyses.method_ranking.titles import AXES, SHARES, TITLES
from metaeval.figures.dots import DotPanel, dot_panels
from metaeval.figures.registry import figure
from metaeval.figures.sizes import Size
from metaeval.figures.style import heading, styled


@figure("What people prefer", variants=lambda result: result.scopes[1:])
def ranking_strengths(result: MethodRankingResult, variant: str, size: Size) -> Chart:
    """One panel per kind of ranking, the best at the top; the overview is of all models together."""
    scope = variant or result.scopes[0]
    chosen = [row for row in result.rankings if row.scope == scope]
    panels = [_panel(row) for row in chosen if not row.reason]
    level = f"{100 * result.parameters['level']:g}%"
    notes = [f"{level} bootstrap intervals; the strongest at the top."]
    notes += [f"{TITLES[row.method]} is undefined: {row.reason}." for row in chosen if row.reason]
    chart, left_out = dot_panels(panels, size=size, what="competitors")
    notes += left_out
    title = heading(f"What people prefer{result.said_of(scope)}", notes, size=size)
    return styled(chart.properties(title=title), size)


def _panel(ranking: RankingInScope) -> DotPanel:
    rows: list[Row] = [
        {
            "name": f"{system.rank}. {system.name}",
            "value": system.strength,
            "low": system.interval.low,
            "high": system.interval.high,
        }
        for system in ranking.systems
    ]
    is_share = ranking.method in SHARES
    return DotPanel(
        rows,
        x_title=AXES[ranking.method],
        percent=is_share,
        rule_at=None if is_share else 0.0,
        title=TITLES[ranking.method],
    )
