"""How all charts look: one typeface, few sizes, hues that a colour-blind reader can tell apart."""

from __future__ import annotations

from typing import Any

import altair as alt
from altair.typing import ChartType

FONT = "DejaVu Sans"
"""Covers Latin, the minus sign and Arabic alike, and is what a server without fonts of its own falls back to."""

INK, SOFT, RULE = "#1c2430", "#5b6675", "#d9dee5"
LINE, WARNING = "#24508c", "#a33b00"
HUES = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"]
"""Okabe and Ito's palette (2008), the hues that are dark enough for points on white."""

SHAPES = ["circle", "triangle-up", "square", "diamond", "cross", "triangle-down"]


def heading(title: str, lines: list[str], *, is_simulated: bool) -> alt.TitleParams:
    """A chart's title with its subtitle. Simulated data says so in the first line, in the warning colour."""
    notes = ["Simulated data: these numbers say nothing about real people.", *lines] if is_simulated else lines
    return alt.TitleParams(
        text=title, subtitle=notes, subtitleColor=WARNING if is_simulated else SOFT, anchor="start", offset=14
    )


def styled(chart: ChartType) -> ChartType:
    """The chart with the common configuration."""
    text: dict[str, Any] = {"labelFont": FONT, "titleFont": FONT, "labelColor": SOFT, "titleColor": INK}
    configured: ChartType = (
        chart.configure(font=FONT, background="white", padding=14)
        .configure_view(stroke=None)
        .configure_axis(
            **text,
            labelFontSize=11,
            titleFontSize=12,
            titleFontWeight="normal",
            gridColor=RULE,
            gridOpacity=0.7,
            domainColor=SOFT,
            tickColor=SOFT,
            tickCount=6,
        )
        .configure_title(
            font=FONT,
            subtitleFont=FONT,
            fontSize=15,
            subtitleFontSize=11.5,
            color=INK,
            subtitlePadding=5,
            lineHeight=18,
        )
        .configure_legend(**text, labelFontSize=11, titleFontSize=11, symbolSize=70, orient="bottom")
    )
    return configured


def number(value: float) -> str:
    """A statistic as papers print it: two decimals, a real minus sign.

    >>> number(-0.196), number(0.6924)
    ('−0.20', '0.69')
    """
    return f"{value:.2f}".replace("-", "−")


def p_value(value: float | None) -> str:
    """A p-value, never as 0.

    >>> p_value(0.00002), p_value(0.0312), p_value(None)
    ('p < 0.001', 'p = 0.031', 'p undefined')
    """
    if value is None:
        return "p undefined"
    return "p < 0.001" if value < 0.001 else f"p = {value:.3f}"
