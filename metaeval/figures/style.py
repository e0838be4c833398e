"""How all charts look: one typeface, few sizes, hues that colour-blind readers can tell apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
from altair.typing import ChartType

from metaeval.figures.sizes import BOLD, Size, sentence, text_width, wrapped

FONT = "DejaVu Sans"
"""Covers Latin, the minus sign and Arabic, and is the fallback of a server without fonts."""

INK, SOFT, RULE = "#1c2430", "#5b6675", "#d9dee5"
LINE, WARNING = "#24508c", "#a33b00"
GROUND, EMPTY, CHANCE = "#eef1f5", "#f1f3f6", "#dfe3e8"
"""The background of a group of rows; a cell without a value; a band for chance. These and the colours above have
counterparts on dark pages (frontend/src/components/chart/look.ts)."""
ON_COLOUR = "#1b2331"
"""Letters on a coloured background, which is the same on dark pages."""
HUES = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"]
"""Okabe and Ito's palette (2008), restricted to hues that are dark enough for points on white."""

TITLE, SUBTITLE = 1.36, 1.045
"""Sizes of the title and the subtitle, relative to axis labels."""

SHAPES = ["circle", "triangle-up", "square", "diamond", "cross", "triangle-down"]

MOST_LOOKS = 24
"""More names than this are not distinguished by hue and shape."""


def heading(title: str, lines: Sequence[str], *, size: Size) -> alt.TitleParams:
    """A chart's title and, as its subtitle, the notes, broken into lines that fit; on paper, they are its caption."""
    room = size.width - 2 * size.padding
    return alt.TitleParams(
        text=wrapped(title, room, size.text * TITLE * BOLD),
        subtitle=[part for line in lines for part in wrapped(sentence(line), room, size.text * SUBTITLE)],
        anchor="start",
        offset=14,
    )


def legend_columns(names: Sequence[str], width: float, size: Size) -> int:
    """As many columns of a legend under a chart as fit side by side."""
    longest = max((text_width(name, size.text) for name in names), default=0.0) + size.text * 3.4
    return max(1, min(len(names), int((width + size.text) / longest)))


def looks(count: int) -> tuple[list[str], list[str]]:
    """A hue and a shape for each of that many names; up to 36 can be told apart.

    >>> hues, shapes = looks(20)
    >>> len(set(zip(hues, shapes)))
    20
    """
    places = range(count)
    hues = [HUES[place % len(HUES)] for place in places]
    return hues, [SHAPES[(place + place // len(HUES)) % len(SHAPES)] for place in places]


def model_looks(models: Sequence[str], legend: alt.Legend | None) -> tuple[Any, Any]:
    """Colour and shape of each model; one look for all, if there are too many."""
    if len(models) > MOST_LOOKS:
        return alt.value(LINE), alt.value("circle")
    hues, shapes = looks(len(models))
    return (
        alt.Color("model:N", scale=alt.Scale(domain=models, range=hues), legend=legend),
        alt.Shape("model:N", scale=alt.Scale(domain=models, range=shapes), legend=legend),
    )


def model_legend(models: Sequence[str], room: float, size: Size) -> alt.Legend:
    """The names of the models under a chart, one legend for all of its layers."""
    columns = legend_columns(models, room, size)
    return alt.Legend(title=None, columns=columns, labelLimit=int(room / columns - size.text * 2), symbolOpacity=1)


def styled(chart: ChartType, size: Size) -> ChartType:
    """The chart with the common configuration for a size."""
    text: Any = {"labelFont": FONT, "titleFont": FONT, "labelColor": SOFT, "titleColor": INK}
    # All in one call: each copies the whole chart.
    configured: ChartType = chart.configure(
        font=FONT,
        background="white",
        padding=size.padding,
        view=alt.ViewConfig(stroke=None),
        axis=alt.AxisConfig(
            **text,
            labelFontSize=size.text,
            titleFontSize=size.text * 1.09,
            titleFontWeight="normal",
            gridColor=RULE,
            gridOpacity=0.7,
            domainColor=SOFT,
            tickColor=SOFT,
            tickCount=6 if size.name == "screen" else 4,
            labelOverlap=True,
            labelSeparation=3,
        ),
        title=alt.TitleConfig(
            font=FONT,
            subtitleFont=FONT,
            fontSize=size.text * TITLE,
            subtitleFontSize=size.text * SUBTITLE,
            color=INK,
            subtitleColor=SOFT,
            subtitlePadding=5,
            lineHeight=size.text * 1.6,
            subtitleLineHeight=size.text * 1.35,
        ),
        header=alt.HeaderConfig(**text, labelFontSize=size.text, titleFontSize=size.text * 1.09),
        legend=alt.LegendConfig(
            **text,
            labelFontSize=size.text,
            titleFontSize=size.text,
            titleFontWeight="normal",
            symbolSize=70 if size.name == "screen" else 40,
            orient="bottom",
        ),
    )
    return configured


def number(value: float | None) -> str:
    """A statistic as papers print it: two decimals, a real minus sign, a dash for undefined values.

    >>> number(-0.196), number(0.6924), number(None)
    ('−0.20', '0.69', '–')
    """
    return "–" if value is None else f"{value:.2f}".replace("-", "−")


def p_value(value: float | None) -> str:
    """A p-value, never as 0.

    >>> p_value(0.00002), p_value(0.0312), p_value(None)
    ('p < 0.001', 'p = 0.031', 'p undefined')
    """
    if value is None:
        return "p undefined"
    return "p < 0.001" if value < 0.001 else f"p = {value:.3f}"
