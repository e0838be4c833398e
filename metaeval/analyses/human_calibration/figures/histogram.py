"""A panel of a figure: the distribution of errors, with an outline for a sub-sample of people."""

from __future__ import annotations

import altair as alt
from altair.typing import ChartType as Chart

from metaeval.analyses.human_calibration.result import ErrorShares
from metaeval.figures.rows import InlineRows
from metaeval.figures.sizes import Size
from metaeval.figures.style import HUES, LINE, SOFT

PEOPLE = HUES[1]


def histogram(
    spread: ErrorShares, people: ErrorShares | None, size: Size, *, title: str | list[str], width: int, highest: float
) -> Chart:
    """Bars of the errors, up to the share `highest`; signed errors have a line at 0."""
    bars = _bins(spread)
    low, high = bars[0]["low"], bars[-1]["high"]
    x_scale = alt.Scale(domain=[low, high], nice=False, zero=False)
    y_scale = alt.Scale(domain=[0, highest * 1.08 or 1], nice=False)
    x = alt.X("low:Q", title=title, scale=x_scale, axis=alt.Axis(tickCount=4))
    y = alt.Y("share:Q", title=None, scale=y_scale, axis=alt.Axis(format="%", tickCount=3))
    layers: list[alt.Chart] = [
        alt.Chart(InlineRows(values=bars))
        .mark_rect(color=LINE, opacity=0.75, stroke="white", strokeWidth=0.4)
        .encode(
            x=x,
            x2="high:Q",
            y=y,
            y2="zero:Q",
            tooltip=[alt.Tooltip(f"{key}:Q", format=".3f") for key in ("low", "high", "share")],
        )
    ]
    if low < 0:
        zero = alt.Chart(InlineRows(values=[{"at": 0.0}])).mark_rule(strokeDash=[3, 3], color=SOFT)
        layers.append(zero.encode(x=alt.X("at:Q", scale=x_scale)))
    if people is not None:
        layers.append(
            alt.Chart(InlineRows(values=_outline(people)))
            .mark_line(interpolate="step-after", color=PEOPLE, strokeWidth=max(1.1, size.text * 0.14), clip=True)
            .encode(x=x, y=y)
        )
    words = " ".join(title) if isinstance(title, list) else title
    chart: Chart = alt.layer(*layers).properties(width=width, height=max(42, width * 0.32), description=words)
    return chart


def _bins(spread: ErrorShares) -> list[dict[str, float]]:
    edges, shares = spread.edges, spread.shares
    return [
        {"low": low, "high": high, "share": share, "zero": 0.0}
        for low, high, share in zip(edges, edges[1:], shares, strict=False)
    ]


def _outline(spread: ErrorShares) -> list[dict[str, float]]:
    edges, shares = spread.edges, spread.shares
    return [{"low": edge, "share": share} for edge, share in zip(edges, [*shares, shares[-1]], strict=True)]
