"""What each metric rewards in the smallest case: its value as the prediction for one of two labels goes from 0 to 1."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import numpy as np
from altair.typing import ChartType as Chart

from metaeval.analyses.base.table import Row
from metaeval.analyses.metric_relationship.result import BinaryCurve, MetricRelationshipResult
from metaeval.figures.registry import figure
from metaeval.figures.rows import InlineRows
from metaeval.figures.sizes import Size, text_width
from metaeval.figures.style import HUES, SOFT, heading, styled

COLUMNS = 2
HIGHEST = 2.0
"""Divergences grow without bound; beyond this the others would be too flat to read."""
EDGE = 0.03
"""Room above and below, so that a line along 1 or 0 is seen in its whole width."""
DASHES = [
    [1, 0],
    [6, 2],
    [2, 2],
    [8, 2, 2, 2],
    [4, 4],
    [1, 3],
    [10, 3],
    [6, 4, 1, 4],
    [3, 1],
    [5, 1, 1, 1],
    [8, 5],
    [1, 1],
]
"""Only the first line has no gaps, through which the curves that it coincides with are seen."""


@figure("What each metric rewards", exists=lambda result: bool(result.binary))
def relationship_binary(result: MetricRelationshipResult, variant: str, size: Size) -> Chart:
    """One panel per share p of people, one line per metric; what a metric rewards most is at its peak, or in its
    valley."""
    titles = {
        curve.metric: result.titles[curve.metric] + (" (lower is better)" if curve.lower_is_better else "")
        for curve in result.binary
    }
    values = [value for curve in result.binary for value in curve.values if value is not None]
    top = max(1.0, min(HIGHEST, max(values)))
    shares = list(dict.fromkeys(curve.people for curve in result.binary))
    panels = [
        _panel(
            p,
            [curve for curve in result.binary if curve.people == p],
            titles,
            size,
            top=top,
            is_left=not place % COLUMNS,
            is_last=place >= len(shares) - COLUMNS,
        )
        for place, p in enumerate(shares)
    ]
    notes = ["One instance with two labels. p: people’s share of the first label (dotted rule), q: the predicted one."]
    if max(values) > HIGHEST:
        notes.append(f"Values above {HIGHEST:g} are not shown.")
    title = heading("What each metric rewards", notes, size=size)
    return styled(alt.concat(*panels, columns=COLUMNS, spacing=size.text * 1.4).properties(title=title), size)


def _panel(
    p: float,
    curves: Sequence[BinaryCurve],
    titles: dict[str, str],
    size: Size,
    *,
    top: float,
    is_left: bool,
    is_last: bool,
) -> Chart:
    """One panel; only the outer panels name their axes."""
    rows: list[Row] = [
        {"metric": titles[curve.metric], "q": place / (len(curve.values) - 1), "value": value}
        for curve in curves
        for place, value in enumerate(curve.values)
    ]
    x = alt.X(
        "q:Q",
        title="q" if is_last else None,
        scale=alt.Scale(domain=[0, 1], nice=False),
        axis=alt.Axis(values=_ticks(1.0, size)),
    )
    y = alt.Y(
        "value:Q",
        title="Value" if is_left else None,
        scale=alt.Scale(domain=[-EDGE * top, (1 + EDGE) * top], nice=False),
        axis=alt.Axis(values=_ticks(top, size)),
    )
    names = list(titles.values())
    legend = alt.Legend(
        title=None, symbolType="stroke", symbolSize=size.text**2 * 4, labelLimit=0, columns=_columns(names, size)
    )
    hues = [HUES[place % len(HUES)] for place in range(len(names))]
    dashes = [DASHES[place % len(DASHES)] for place in range(len(names))]
    lines = (
        alt.Chart(InlineRows(values=rows))
        .mark_line(strokeWidth=max(1.0, size.text * 0.16), clip=True)
        .encode(
            x=x,
            y=y,
            color=alt.Color("metric:N", sort=names, scale=alt.Scale(domain=names, range=hues), legend=legend),
            strokeDash=alt.StrokeDash(
                "metric:N", sort=names, scale=alt.Scale(domain=names, range=dashes), legend=legend
            ),
            tooltip=["metric:N", alt.Tooltip("q:Q", format=".2f"), alt.Tooltip("value:Q", format=".4f")],
        )
    )
    rule = alt.Chart(InlineRows(values=[{"q": p}])).mark_rule(color=SOFT, strokeDash=[1.5, 2.5]).encode(x=x)
    width = int((size.width - 2 * size.padding - size.text * 5) / COLUMNS - size.text * 2)
    chart: Chart = alt.layer(rule, lines).properties(width=width, height=width * 0.6)
    peaks = "; ".join(f"{titles[curve.metric]} {_span(curve)}" for curve in curves)
    return chart.properties(
        description=f"p = {p:g}: {peaks}",
        title=alt.TitleParams(text=f"p = {p:g}", fontSize=size.text * 1.1, anchor="start", offset=4),
    )


def _span(curve: BinaryCurve) -> str:
    """The range of a curve, in words."""
    values = [value for value in curve.values if value is not None]
    return f"from {min(values):.2f} to {max(values):.2f}" if values else "undefined"


def _ticks(top: float, size: Size) -> list[float]:
    """Places that are exact with one decimal."""
    step = 0.2 if size.name == "screen" and top == 1 else 0.5
    return [round(float(place), 1) for place in np.arange(0, top + step / 2, step)]


def _columns(names: Sequence[str], size: Size) -> int:
    """As many columns of the legend as fit side by side."""
    longest = max(text_width(name, size.text) for name in names) + size.text * 4
    return max(1, int((size.width - 2 * size.padding) / longest))
