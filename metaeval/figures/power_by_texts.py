"""Power by the number of texts per system: one line per number of experts, and a point for the plan."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
from altair.typing import ChartType as Chart

from metaeval.figures.rows import ChartRow, InlineRows
from metaeval.figures.sizes import Size
from metaeval.figures.style import HUES, INK, SOFT, heading, styled

HEIGHT = {"screen": 260, "two": 220, "one": 170}
MARGIN = {"screen": 90, "two": 60, "one": 50}
DASHES = [[1, 0], [6, 2], [2, 2], [8, 2, 2, 2], [4, 4]]
ENOUGH = 0.8


def power_by_texts(
    points: Sequence[ChartRow], *, planned: ChartRow, correlation: float, systems: int, size: Size
) -> Chart:
    """`points` and `planned` have `instances_per_system`, `experts_per_comparison` and `power`."""
    names = sorted({int(row["experts_per_comparison"] or 0) for row in points})
    rows = [{**row, "experts": str(row["experts_per_comparison"])} for row in points]
    domain = [str(name) for name in names]
    x = alt.X("instances_per_system:Q", title="Texts per system", scale=alt.Scale(zero=True, nice=False))
    y = alt.Y("power:Q", title="Chance of detecting it", axis=alt.Axis(format="%"), scale=alt.Scale(domain=[0, 1]))
    legend = alt.Legend(title="Experts per comparison", symbolType="stroke", titleLimit=0, columns=5)
    tooltip = [
        alt.Tooltip("instances_per_system:Q", title="Texts"),
        alt.Tooltip("experts_per_comparison:Q", title="Experts"),
        alt.Tooltip("power:Q", title="Chance", format=".0%"),
    ]
    lines = (
        alt.Chart(InlineRows(values=rows))
        .mark_line(strokeWidth=size.text * 0.17, clip=True)
        .encode(
            x=x,
            y=y,
            color=alt.Color(
                "experts:N", sort=domain, scale=alt.Scale(domain=domain, range=HUES[: len(domain)]), legend=legend
            ),
            strokeDash=alt.StrokeDash(
                "experts:N", sort=domain, scale=alt.Scale(domain=domain, range=DASHES[: len(domain)]), legend=legend
            ),
            tooltip=tooltip,
        )
    )
    enough = alt.Chart(InlineRows(values=[{"power": ENOUGH}])).mark_rule(color=SOFT, strokeDash=[3, 3]).encode(y=y)
    mine = (
        alt.Chart(InlineRows(values=[dict(planned)]))
        .mark_point(color=INK, filled=True, size=size.text * 7, opacity=1)
        .encode(x=x, y=y, tooltip=tooltip)
    )
    chart = alt.layer(enough, lines, mine).properties(
        width=size.width - MARGIN[size.name], height=HEIGHT[size.name], description=_in_words(planned)
    )
    notes = [
        f"How often a metric that follows experts at r = {correlation:g} is detected, with {systems} "
        f"systems. The point is this study; dashed: {ENOUGH:.0%}."
    ]
    title = heading("Power: will this study detect a good metric?", notes, size=size)
    return styled(alt.vconcat(chart).properties(title=title), size)


def _in_words(planned: ChartRow) -> str:
    chance = float(planned["power"] or 0.0)
    return (
        f"With {planned['instances_per_system']} texts per system and {planned['experts_per_comparison']} "
        f"experts per comparison: {chance:.0%}"
    )
