"""Metric value against preference fraction, one point per system: Figure 7 of Kurniawan et al. (2026)."""

from __future__ import annotations

import altair as alt
from altair.typing import ChartType as Chart

from metaeval.analyses.preference_correlation.figures.scatter_headings import left_out, summary, tests_of
from metaeval.analyses.preference_correlation.figures.scatter_labels import label_layers
from metaeval.analyses.preference_correlation.figures.scatter_panel import (
    ScatterPanel,
    beside_layers,
    line_layers,
    point_layer,
)
from metaeval.analyses.preference_correlation.result import PreferenceCorrelationResult
from metaeval.figures.registry import figure
from metaeval.figures.sizes import BOLD, Size, text_width, wrapped
from metaeval.figures.style import MOST_LOOKS, SOFT, heading, styled

LINE = (
    "Blue line: least squares, with the 95% confidence band of its mean, as published: it treats systems "
    "as independent. Vertical lines: 95% intervals of the preference fractions (Wilson), which treat "
    "responses as independent."
)
FLAT = 0.72
"""The height of a panel, in widths."""
COLUMNS = {"screen": 3, "two": 3, "one": 2}
SPACING = 1.8


@figure("Each metric and the experts’ preference", variants=lambda result: [metric.name for metric in result.metrics])
def scatter(result: PreferenceCorrelationResult, variant: str, size: Size) -> Chart:
    """The overview of all metrics, or one metric with the systems' names."""
    return _alone(result, variant, size) if variant else _overview(result, size)


def _alone(result: PreferenceCorrelationResult, metric: str, size: Size) -> Chart:
    width = int(size.width - 2 * size.padding - _axis_room(size))
    panel = ScatterPanel.of(result, [metric], metric, (width, int(min(width * FLAT, 460))), is_large=True)
    leaders, names, unnamed = label_layers(panel, size)
    notes = [*tests_of(result, metric), *left_out(result, metric), *_notes(panel), LINE]
    if unnamed:
        notes.append(f"{unnamed} systems are not named here for lack of space; the figure’s data name all of them.")
    title = heading(f"{panel.title} and the experts’ preference", notes, size=size)
    layers = [*line_layers(panel), leaders, *beside_layers(panel, size), point_layer(panel, size), *names]
    chart = alt.layer(*layers).properties(
        width=panel.size[0], height=panel.size[1], title=title, description=_told(panel, summary(result, metric))
    )
    return styled(chart, size)


def _overview(result: PreferenceCorrelationResult, size: Size) -> Chart:
    columns = min(COLUMNS[size.name], len(result.metrics))
    room = size.width - 2 * size.padding - _axis_room(size) - (columns - 1) * size.text * SPACING
    width = int(min(room / columns, size.height * 0.4))
    height = int(width * FLAT)
    every = [metric.name for metric in result.metrics]
    above = 0 if size.is_paper else 190
    rows = max(1, int((size.height - above - 40) / (height + size.text * 7.5)))
    shown = every[: rows * columns]
    panels = [ScatterPanel.of(result, shown, metric, (width, height), is_large=False) for metric in shown]
    notes = [f"One point per system. {_TESTS}", *_notes(panels[0]), LINE]
    if len(shown) < len(every):
        notes.append(f"The first {len(shown)} of {len(every)} metrics; each has a figure of its own.")
    charts = [
        _small(panel, summary(result, panel.metric), size, is_left=not place % columns)
        for place, panel in enumerate(panels)
    ]
    grid = alt.concat(*charts, columns=columns, spacing={"row": size.text * SPACING, "column": size.text * SPACING})
    return styled(grid.properties(title=heading("Each metric and the experts’ preference", notes, size=size)), size)


_TESTS = "In brackets: the 95% interval of the correlation; p: with Holm’s correction over the metrics."


def _axis_room(size: Size) -> float:
    """The room for the numbers and the title of the preference fractions' axis."""
    return text_width("100%", size.text) + size.text * 1.09 * 1.3 + 22


def _notes(panel: ScatterPanel) -> list[str]:
    """What the second points are, and why models look alike if they do."""
    notes = []
    if panel.others:
        asked, other = ("exact predictions", "what experts were shown")
        if panel.values == "shown":
            asked, other = other, asked
        notes.append(f"Filled: the metric on the {asked}; hollow, joined by a line: on {other}.")
    if len(panel.models) > MOST_LOOKS:
        notes.append(f"The {len(panel.models)} models look the same here; the figure’s data name them.")
    return notes


def _small(panel: ScatterPanel, words: list[str], size: Size, *, is_left: bool) -> Chart:
    layers = [*line_layers(panel), *beside_layers(panel, size), point_layer(panel, size)]
    lines = [part for line in words for part in wrapped(line, panel.size[0] + size.text, size.text)]
    chart: Chart = alt.layer(*layers).properties(
        width=panel.size[0],
        height=panel.size[1],
        description=_told(panel, words),
        title=alt.TitleParams(
            text=wrapped(panel.title, panel.size[0], size.text * 1.1 * BOLD),
            subtitle=lines,
            fontSize=size.text * 1.1,
            subtitleFontSize=size.text,
            subtitleLineHeight=size.text * 1.25,
            subtitleColor=SOFT,
            anchor="start",
            frame="group",
            offset=4,
        ),
    )
    y = alt.Y(
        "fraction:Q",
        title="Chosen by experts" if is_left else None,
        axis=alt.Axis(format="%", labels=is_left, ticks=is_left, domain=is_left),
        scale=alt.Scale(domain=list(panel.y), nice=False, zero=False),
    )
    for layer in chart.layer:
        if layer.encoding.y is not alt.Undefined and layer.encoding.y2 is alt.Undefined:
            layer.encoding.y = y
        layer.encoding.x.title = None
    return chart


def _told(panel: ScatterPanel, words: list[str]) -> str:
    """What the panel shows, in words."""
    return f"{panel.title}: {len(panel.points)} systems; {', '.join(words)}"
