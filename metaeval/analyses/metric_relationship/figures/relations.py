"""Correlations between metrics; one metric against another: Figure 1 of Kurniawan et al. (2026); and what each metric
rewards in the smallest case: its value as the prediction for one of two labels goes from 0 to 1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import altair as alt
import numpy as np
from altair.typing import ChartType as Chart

from metaeval.analyses.base.result import COEFFICIENT_TITLES
from metaeval.analyses.base.table import Row
from metaeval.analyses.metric_relationship.result import (
    FIGURE,
    BinaryCurve,
    MetricRelationshipResult,
    PointOfMetrics,
    RelationOfMetrics,
)
from metaeval.figures.dots import padded
from metaeval.figures.heat import Colour, heat_map
from metaeval.figures.labels import place_labels
from metaeval.figures.registry import figure
from metaeval.figures.rows import InlineRows
from metaeval.figures.sizes import Size, text_width
from metaeval.figures.style import HUES, INK, LINE, SOFT, heading, styled

SIDES = {"screen": (460, 380), "two": (300, 250), "one": (180, 160)}
NAMED = 12
"""More systems than this are not named in the chart; the table has them."""


@figure("How metrics relate")
def relationship_map(result: MetricRelationshipResult, variant: str, size: Size) -> Chart:
    """One colour scale for all: blue means opposed, orange means alike."""
    coefficient = COEFFICIENT_TITLES[result.parameters["coefficient"]]
    titles, settings = result.titles, result.settings
    relations = settings[0].relations
    cells: list[Row]
    if settings[0].is_simulated:
        columns = [f"α {setting.alpha:g}, β {setting.beta:g}, K {setting.labels}" for setting in settings]
        rows = [_pair(row, titles) for row in relations]
        cells = [
            {"row": _pair(row, titles), "column": column, "value": row.value}
            for column, setting in zip(columns, settings, strict=True)
            for row in setting.relations
        ]
        over = (
            f"{result.parameters['pairs']:,} simulated pairs of {result.parameters['instances']:,} instances; "
            "α, β: concentrations of people and systems; K: labels"
        )
    else:
        rows = columns = list(titles.values())
        cells = [
            {"row": titles[first], "column": titles[second], "value": row.value}
            for row in relations
            for first, second in ((row.a, row.b), (row.b, row.a))
        ]
        over = f"{max(row.n for row in relations)} systems"
    colour = Colour(coefficient, (-1.0, 1.0), scheme="blueorange", middle=0.0)
    chart, left_out = heat_map(cells, rows=rows, columns=columns, colour=colour, size=size)
    notes = [f"{coefficient} over {over}.", *left_out]
    title = heading("How metrics relate", notes, size=size)
    return styled(alt.vconcat(chart).properties(title=title), size)


def _pair(row: RelationOfMetrics, titles: dict[str, str]) -> str:
    return f"{titles[row.a]},\n{titles[row.b]}"


@dataclass(frozen=True)
class _Canvas:
    """The drawn rectangle of values, its sides in pixels, and the titles of its axes."""

    across: tuple[float, float]
    up: tuple[float, float]
    sides: tuple[int, int]
    titles: list[str]

    def placed(self, chart: alt.Chart) -> alt.Chart:
        """The chart on these axes."""
        (x_title, y_title) = [*self.titles, "", ""][:2]
        encoded: alt.Chart = chart.encode(
            x=alt.X("x:Q", title=x_title, scale=alt.Scale(domain=list(self.across), nice=False, zero=False)),
            y=alt.Y("y:Q", title=y_title, scale=alt.Scale(domain=list(self.up), nice=False, zero=False)),
        )
        return encoded


@figure("One metric against another")
def relationship_points(result: MetricRelationshipResult, variant: str, size: Size) -> Chart:
    """Soft accuracy is never above PO-JSD: if these are the two metrics, the line of equality is drawn."""
    points, titles = result.points, [metric.title for metric in result.point_metrics]
    of_systems = bool(points) and points[0].system is not None
    canvas = _Canvas(
        across=padded([point.x for point in points]) if of_systems else (0.0, 1.0),
        up=padded([point.y for point in points]) if of_systems else (0.0, 1.0),
        sides=SIDES[size.name],
        titles=titles,
    )
    layers = [_points(points, canvas, size, of_systems=of_systems)]
    notes = []
    if tuple(metric.name for metric in result.point_metrics) == FIGURE and not of_systems:
        ends = [{"x": 0.0, "y": 0.0}, {"x": 1.0, "y": 1.0}]
        line = alt.Chart(InlineRows(values=ends)).mark_line(color=SOFT, strokeDash=[4, 3], clip=True)
        layers.insert(0, canvas.placed(line))
        notes.append("Each point: a random pair of distributions over three labels. Dashed: equality.")
    elif of_systems:
        notes.append("Each point: a system.")
        if len(points) <= NAMED:
            layers += _names(points, canvas, size)
    title = heading(" and ".join(titles), notes, size=size)
    width, height = canvas.sides
    description = f"{len(points)} points"
    if points:
        description += f", from {min(p.x for p in points):.2f} to {max(p.x for p in points):.2f} across"
        description += f" and from {min(p.y for p in points):.2f} to {max(p.y for p in points):.2f} up"
    chart = alt.layer(*layers).properties(width=width, height=height, title=title, description=description)
    return styled(chart, size)


def _points(points: list[PointOfMetrics], canvas: _Canvas, size: Size, *, of_systems: bool) -> alt.Chart:
    marks = alt.Chart(InlineRows(values=[point.plain() for point in points])).mark_point(
        filled=True,
        color=LINE,
        opacity=0.85 if of_systems else 0.35,
        size=size.text * (4.5 if of_systems else 1.2),
    )
    placed = canvas.placed(marks)
    return placed.encode(tooltip=["system:N", "x:Q", "y:Q"]) if of_systems else placed


def _names(points: list[PointOfMetrics], canvas: _Canvas, size: Size) -> list[alt.Chart]:
    (x0, x1), (y0, y1), (width, height) = canvas.across, canvas.up, canvas.sides
    names = [point.system or "" for point in points]
    pixels = [((point.x - x0) / (x1 - x0) * width, (y1 - point.y) / (y1 - y0) * height) for point in points]
    placed = place_labels(pixels, names, width=width, height=height, scale=size.letters(0.92) / 10)
    rows: list[Row] = [
        {
            "x": x0 + place.x / width * (x1 - x0),
            "y": y1 - place.y / height * (y1 - y0),
            "text": name,
            "align": place.align,
        }
        for name, place in zip(names, placed, strict=True)
        if place.free
    ]
    return [
        canvas.placed(
            alt.Chart(InlineRows(values=[row for row in rows if row["align"] == align])).mark_text(
                align=align, baseline="middle", fontSize=size.letters(0.92), color=INK
            )
        ).encode(text="text:N")
        for align in ("left", "center", "right")
    ]


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
