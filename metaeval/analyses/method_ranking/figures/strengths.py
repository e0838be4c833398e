"""How strong each competitor is by every kind of ranking, with intervals."""

from __future__ import annotations

from typing import Any

import altair as alt
from altair.typing import ChartType as Chart

from metaeval.analyses.method_ranking.figures.words import AXES, TITLES, scopes
from metaeval.figures.dots import interval_dots
from metaeval.figures.registry import Result, Size, figure
from metaeval.figures.style import heading, styled


@figure(variants=lambda result: scopes(result)[1:])
def ranking_strengths(result: Result, variant: str, size: Size) -> Chart:
    """A panel a kind of ranking, the best at the top; the overview is of all models together."""
    scope = variant or scopes(result)[0]
    chosen = [row for row in result["rankings"] if row["scope"] == scope]
    names = [system["name"] for row in chosen for system in row["systems"]]
    panels = [_panel(row, names, size) for row in chosen if not row["reason"]]
    level = f"{100 * result['parameters']['level']:g} %"
    notes = [f"{level} bootstrap intervals; the strongest at the top."]
    notes += [f"{TITLES[row['method']]} is undefined: {row['reason']}." for row in chosen if row["reason"]]
    words = "" if len(scopes(result)) == 1 else f": {'all models' if scope == 'pooled' else scope}"
    title = heading(f"What people prefer{words}", notes, is_simulated=result["is_simulated"], size=size)
    if not panels:
        panels = [interval_dots([], size=size, x_title="")]
    return styled(alt.vconcat(*panels, spacing=size.text * 2).properties(title=title), size)


def _panel(ranking: dict[str, Any], names: list[str], size: Size) -> Chart:
    rows = [
        {
            "name": f"{system['rank']}. {system['name']}",
            "value": system["strength"],
            "low": system["interval"]["low"],
            "high": system["interval"]["high"],
        }
        for system in ranking["systems"]
    ]
    is_share = ranking["method"] in {"preference_fraction", "rank_centrality"}
    return interval_dots(
        rows,
        size=size,
        x_title=AXES[ranking["method"]],
        percent=is_share,
        rule_at=None if is_share else 0.0,
        title=TITLES[ranking["method"]],
        beside=[f"00. {name}" for name in names],
    )
