"""Metric value against preference fraction, a point a system: Figure 7 of Kurniawan et al. (2026)."""

from __future__ import annotations

import altair as alt
from altair.typing import ChartType as Chart

from metaeval.analyses.preference_correlation.figures.scatter_headings import left_out, summary, tests_of
from metaeval.analyses.preference_correlation.figures.scatter_labels import label_layers
from metaeval.analyses.preference_correlation.figures.scatter_panel import ScatterPanel, line_layers, point_layer
from metaeval.analyses.preference_correlation.result import PreferenceCorrelationResult
from metaeval.figures.registry import figure
from metaeval.figures.sizes import Size
from metaeval.figures.style import SOFT, SUBTITLE, heading, styled, wrapped

LARGE = {"screen": (620, 440), "two": (440, 300), "one": (192, 170)}
SMALL = {"screen": (198, 156), "two": (112, 90), "one": (67, 58)}
LINE = (
    "One point a system. Line: least squares, with the 95 % confidence band of its mean, as published: it takes "
    "systems for independent."
)
COLUMNS = {"screen": 3, "two": 3, "one": 2}


@figure(variants=lambda result: [metric.name for metric in result.metrics])
def scatter(result: PreferenceCorrelationResult, variant: str, size: Size) -> Chart:
    """The overview of all metrics, or one metric with the systems' names."""
    return _alone(result, variant, size) if variant else _overview(result, size)


def _alone(result: PreferenceCorrelationResult, metric: str, size: Size) -> Chart:
    panel = ScatterPanel.of(result, metric, LARGE[size.name], is_large=True)
    title = heading(
        f"{panel.title} and the experts’ preference",
        [*tests_of(result, metric), *left_out(result, metric), LINE],
        size=size,
    )
    leaders, names = label_layers(panel, size)
    layers = [*line_layers(panel), leaders, point_layer(panel), *names]
    return styled(alt.layer(*layers).properties(width=panel.size[0], height=panel.size[1], title=title), size)


def _overview(result: PreferenceCorrelationResult, size: Size) -> Chart:
    panels = [ScatterPanel.of(result, metric.name, SMALL[size.name], is_large=False) for metric in result.metrics]
    title = heading("Each metric and the experts’ preference", [LINE], size=size)
    charts = [_small(panel, summary(result, panel.metric), size) for panel in panels]
    spacing = 28 if size.name == "screen" else 12
    return styled(alt.concat(*charts, columns=COLUMNS[size.name], spacing=spacing).properties(title=title), size)


def _small(panel: ScatterPanel, words: str, size: Size) -> Chart:
    chart: Chart = alt.layer(*line_layers(panel), point_layer(panel)).properties(
        width=panel.size[0],
        height=panel.size[1],
        title=alt.TitleParams(
            text=panel.title,
            subtitle=wrapped(words, panel.size[0] + 30, size.text * SUBTITLE),
            fontSize=size.text * 1.18,
            subtitleColor=SOFT,
            anchor="start",
        ),
    )
    return chart
